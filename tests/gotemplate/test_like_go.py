"""Every case prints, or complains, as Go's text/template with Sprig did when it was asked."""

import pytest
from tests.gotemplate.asking import our_answer, recorded
from tests.gotemplate.cases import questions

ANSWERS = recorded()


def test_every_question_has_been_answered():
    assert [(each["text"], each["missing"]) for each in ANSWERS] == [
        (each["text"], each["missing"]) for each in questions()
    ]


@pytest.mark.parametrize("answer", ANSWERS, ids=[each["text"][:60] for each in ANSWERS])
def test_prints_what_go_prints(answer):
    expected = {key: answer[key] for key in ("printed", "fault") if key in answer}
    assert our_answer(answer) == expected
