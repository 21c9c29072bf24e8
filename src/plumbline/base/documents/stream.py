"""From a text to its documents, cut where kubectl cuts.

A text that begins with `{` is tried as JSON first, as one object or several in a row; what does not read as JSON is
YAML from there on. YAML is cut at lines that begin with `---` before any parser sees it, and such a line may hold
nothing else but a comment. What kubectl would drop without a word is refused here: text after the end of a document.
"""

import re
from collections.abc import Generator, Iterator
from typing import Final

from yaml import YAMLError  # noqa: TID251 - this is the one place

from plumbline.base.documents.builder import Builder
from plumbline.base.documents.faults import yaml_fault
from plumbline.base.documents.jsontext import NotJson, read_json
from plumbline.base.documents.meter import Meter, Reading
from plumbline.base.documents.places import Document, Part, Repeats, Source, spot_of
from plumbline.base.documents.tokens import value_end
from plumbline.base.errors import BadDocument
from plumbline.base.limits import MANIFESTS, REQUESTS, Limits

_SEPARATOR = re.compile(rb"^---([^\n]*)\n?", re.MULTILINE)
_OBJECT = re.compile(rb"\s*+(\{)")
_MEANT_AS_JSON = re.compile(rb'\s*+\{\s*+["}]')
_BLANK = re.compile(rb"\s*+\Z")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_LATE_MARK: Final = b"\n\xef\xbb\xbf"
_DIRECTIVES: Final = 64
"""libyaml compares each directive with all before it, so their number is bounded before it sees them."""


def load_documents(
    text: bytes | str, *, limits: Limits = MANIFESTS, source: str = "", repeats: Repeats = "refuse"
) -> list[Document]:
    """Read all documents of a YAML or JSON text, without the empty ones.

    Raises BadDocument, DuplicateKey or LimitExceeded, which say where in *source* the fault is and never quote a value.
    """
    origin = Source(source)
    raw = _bounded(text, origin, limits)
    meter = Meter(limits) if Meter.needed(raw, limits) else None
    documents: list[Document] = []
    for count, document in enumerate(_documents(raw, Reading(origin, limits, repeats, meter))):
        if count == limits.documents:
            raise origin.exceeded(f"it has more than {limits.documents:,} documents, empty ones counted")
        if document is not None:
            documents.append(document)
    return documents


def load_document(
    text: bytes | str, *, limits: Limits = MANIFESTS, source: str = "", repeats: Repeats = "refuse"
) -> Document:
    """Read a text that holds exactly one document."""
    documents = load_documents(text, limits=limits, source=source, repeats=repeats)
    if len(documents) == 1:
        return documents[0]
    if not documents:
        raise Source(source).bad("it is empty")
    raise Source(source).bad(f"it has {len(documents)} documents instead of one", (documents[1].line, 1))


def load_json(
    text: bytes | str, *, limits: Limits = REQUESTS, source: str = "", repeats: Repeats = "refuse"
) -> Document:
    """Read a text that is JSON and nothing else."""
    origin = Source(source)
    raw = _bounded(text, origin, limits)
    try:
        return read_json(raw, Part(0, len(raw), 0, "json"), Reading(origin, limits, repeats))
    except NotJson as not_json:
        raise not_json.fault from None


def as_bytes(text: bytes | str, source: Source) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        before = text[: error.start].encode()
        raise source.bad("it holds half of a surrogate pair", spot_of(before, len(before))) from None


def _bounded(text: bytes | str, source: Source, limits: Limits) -> bytes:
    if len(text) > limits.size_bytes or len(raw := as_bytes(text, source)) > limits.size_bytes:
        raise source.exceeded(f"it has more than {limits.size_bytes:,} bytes")
    if raw.startswith(_UTF16):
        raise source.bad("it is UTF-16", (1, 1), hint="Save it as UTF-8.")
    return raw


def _documents(raw: bytes, reading: Reading) -> Iterator[Document | None]:
    start = 0
    not_json: BadDocument | None = None
    if _OBJECT.match(raw):
        start, not_json = yield from _objects(raw, reading)
    if _BLANK.match(raw, start):
        return
    try:
        for part in _parts(raw, start, reading.source):
            yield _read_yaml(raw, part, reading)
    except BadDocument:
        # Neither the one nor the other. Which fault helps depends on what the author meant to write.
        if not_json is not None and _MEANT_AS_JSON.match(raw, start):
            raise not_json from None
        raise


def _objects(raw: bytes, reading: Reading) -> Generator[Document, None, tuple[int, BadDocument | None]]:
    """Yield the JSON objects that it begins with; return where the last ends and what keeps the rest from being one."""
    try:
        yield read_json(raw, Part(0, len(raw), 0, "json"), reading)
    except NotJson:
        start = lines_before = 0
    else:
        return len(raw), None
    while match := _OBJECT.match(raw, start):
        lines_before += raw.count(b"\n", start, match.start(1))
        end = value_end(raw, match.start(1), len(raw)) or len(raw)
        try:
            yield read_json(raw, Part(match.start(1), end, lines_before, "json"), reading)
        except NotJson as not_json:
            return start, not_json.fault
        lines_before += raw.count(b"\n", match.start(1), end)
        start = end
    return start, None


def _parts(raw: bytes, start: int, source: Source) -> Iterator[Part]:
    lines_before = raw.count(b"\n", 0, start)
    for separator in _SEPARATOR.finditer(raw, start):
        after = separator[1].strip()
        if after and not after.startswith(b"#"):
            hint = "Put what follows --- on a line of its own."
            raise source.bad("a line that begins with --- goes on", spot_of(raw, separator.start()), hint=hint)
        if separator.start() > start:
            yield Part(start, separator.start(), lines_before, "yaml")
            lines_before += raw.count(b"\n", start, separator.end())
            start = separator.end()
    if start < len(raw):
        yield Part(start, len(raw), lines_before, "yaml")


def _read_yaml(raw: bytes, part: Part, reading: Reading) -> Document | None:
    _check_lines(raw, part, reading.source)
    try:
        return Builder(raw, part, reading).document()
    except YAMLError as error:
        raise yaml_fault(raw, part, reading.source, error) from None
    except RecursionError:
        # The limit is below what the stack bears, unless the caller is far down on it already.
        raise reading.source.exceeded("it is deeper than can be read here", (part.lines_before + 1, 1)) from None


def _check_lines(raw: bytes, part: Part, source: Source) -> None:
    """Refuse what libyaml takes quadratic time for, or reads in its own way."""
    if raw.count(b"\n%", part.start, part.end) > _DIRECTIVES:
        raise source.exceeded(f"more than {_DIRECTIVES} lines begin with %", (part.lines_before + 1, 1))
    mark = raw.find(_LATE_MARK, part.start, part.end)
    if mark >= 0:
        # libyaml passes over it but counts its column, which moves the line one level in.
        hint = "Remove it; joining files leaves such marks behind."
        raise source.bad("a line begins with a byte order mark", spot_of(raw, mark + 1), hint=hint)
