"""Lines of a policy: what is written, and what is wrong with it.

A line is one record of CSV, as Go's reader takes it: blanks before a field do not count and those after it do, quotes
hold commas. Upstream refuses a policy with a line that it cannot read as a whole; here every such line is found, so
that one look shows them all, and `Policy` refuses.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from plumbline.access.policy.places import Place

# What Go takes for blank; Python's own strip() also takes four control characters.
BLANKS: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_FIELDS: Final = {"p": 6, "g": 3}
_WITHOUT_EFFECT: Final = frozenset("rem")
"""Words that mean something in the model behind a policy and nothing in a policy; upstream lets them pass."""


class Line(NamedTuple):
    fields: tuple[str, ...]
    """Without the word that begins the line."""
    text: str
    place: Place


class Fault(NamedTuple):
    """A line that cannot be read, or another setting: then there is no text."""

    place: Place
    text: str
    why: str

    def __str__(self) -> str:
        return f"{self.place} cannot be read: {self.why}"


class Lines(NamedTuple):
    rules: tuple[Line, ...] = ()
    """Those with `p`: who may do what, or may not."""
    links: tuple[Line, ...] = ()
    """Those with `g`: who has which role."""
    idle: tuple[Line, ...] = ()
    """Those that upstream reads and never looks at."""
    faults: tuple[Fault, ...] = ()


Written: TypeAlias = tuple[Place, str]


class BadRecord(ValueError):
    """Never leaves this room: it becomes a fault."""


def numbered(key: str, text: str) -> Iterable[Written]:
    """The lines of one key of argocd-rbac-cm."""
    return ((Place(key, number), line) for number, line in enumerate(text.split("\n"), 1))


def read(written: Iterable[Written]) -> Lines:
    found: dict[str, list[Line]] = {"p": [], "g": [], "": []}
    faults: list[Fault] = []
    for place, raw in written:
        text = raw.strip(BLANKS)
        if not text or text.startswith("#"):
            continue
        try:
            word, *fields = record(text)
            found[_sort(word, len(fields) + 1)].append(Line(tuple(fields), text, place))
        except BadRecord as fault:
            faults.append(Fault(place, text, str(fault)))
    return Lines(tuple(found["p"]), tuple(found["g"]), tuple(found[""]), tuple(faults))


def _sort(word: str, count: int) -> str:
    if word in _WITHOUT_EFFECT:
        return ""
    wanted = _FIELDS.get(word)
    if wanted is None:
        raise BadRecord(f"it begins with {word or 'nothing'!r}, and lines begin with p or g")
    if count != wanted:
        raise BadRecord(f"it has {count} fields, and a line with {word} has {wanted}")
    return word


def record(line: str) -> list[str]:
    """The fields of one line of CSV. Raises BadRecord."""
    fields: list[str] = []
    rest: str | None = line
    while rest is not None:
        rest = rest.lstrip(BLANKS)
        if rest.startswith('"'):
            field, rest = _quoted(rest[1:])
        else:
            field, comma, after = rest.partition(",")
            if '"' in field:
                raise BadRecord("there is a quote inside of a field that does not begin with one")
            rest = after if comma else None
        fields.append(field)
    return fields


def _quoted(rest: str) -> tuple[str, str | None]:
    """A field up to the quote that ends it, and what comes after the comma behind it."""
    found: list[str] = []
    while True:
        text, quote, rest = rest.partition('"')
        if not quote:
            raise BadRecord("a quote is never closed")
        found.append(text)
        if not rest.startswith('"'):
            break
        found.append('"')
        rest = rest[1:]
    if rest and not rest.startswith(","):
        raise BadRecord("there is something between the end of a quote and the next comma")
    return "".join(found), rest[1:] if rest else None
