"""Asks us what the cases print, and keeps what Go answered."""

from datetime import UTC, datetime
from pathlib import Path

from tests.gotemplate.cases import VALUE, questions

from plumbline.base.errors import PlumblineError
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.gotemplate import Surroundings, Template, function, sprig
from plumbline.gotemplate.layouts import read
from plumbline.gotemplate.moments import RFC3339

RECORDED = Path(__file__).with_name("recorded.json")
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
FUNCTIONS = sprig(Surroundings(lambda: NOW, Ids(1)))


def to_record():
    return [{**each, "value": VALUE} for each in questions()]


def recorded():
    return decode(RECORDED.read_bytes())


def our_answer(question):
    value = decode(encode(VALUE))
    value["parse"] = function("string", lambda text: read(RFC3339, text))
    try:
        template = Template("t", question["text"], FUNCTIONS, missing_key=question["missing"] or "default")
        printed = template.execute(value)
    except PlumblineError as fault:
        return {"fault": str(fault)}
    return {"printed": printed} if printed else {}


def printed(text, value=None, **options):
    return Template("t", text, FUNCTIONS, **options).execute({} if value is None else value)
