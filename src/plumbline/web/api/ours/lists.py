"""A page of rows that fit a search, and how many there are of each kind. Pure.

A search is what the list of applications understands: terms beside each other must all hold, `-` turns one round, a
comma means "or", `*` stands for anything, words without a colon mean a part of the name.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

from plumbline.base.errors import InvalidInput, LimitExceeded, PlumblineError
from plumbline.base.glob import glob
from plumbline.base.json import Json, JsonObject
from plumbline.web.api.parameters import number, text
from plumbline.web.operations import Parameter
from plumbline.web.requests import Request

PAGE: Final = 100
MOST: Final = 1000
"""Rows of one page."""
_MOST_OFFSET: Final = 1_000_000
_MOST_VALUES: Final = 100
_MOST_CHARS: Final = 1000
_MOST_TERMS: Final = 40
_TERMS: Final = re.compile(r'(?:"[^"]*"|[^\s"])+|"')
_TERM: Final = re.compile(r'(?P<not>-?)(?:(?P<key>[A-Za-z]+):)?(?P<value>(?:"[^"]*"|[^\s"])*)')

PARAMETERS: Final = (
    Parameter("q", "What to look for: `ready:false -namespace:shop name-part`"),
    Parameter("sort", "Names of columns with commas between them; `-` turns one round"),
    Parameter("limit", kind=int),
    Parameter("offset", kind=int),
)

R = TypeVar("R")


class Columns(NamedTuple, Generic[R]):
    """What a list can be searched, sorted and counted by."""

    shown: Mapping[str, Callable[[R], str]]
    """By whole words, whatever their case. One of them is `name`, of which parts will do."""
    counted: tuple[str, ...]
    """Columns with few values."""
    shaped: Callable[[R], JsonObject]
    order: Mapping[str, Callable[[R], Json]] = {}
    """Columns that are sorted otherwise than by what they show."""


class Asked(NamedTuple):
    search: str = ""
    sort: str = ""
    offset: int = 0
    limit: int = PAGE

    @classmethod
    def of(cls, request: Request) -> "Asked":
        limit, offset = number(request, "limit", PAGE, MOST), number(request, "offset", 0, _MOST_OFFSET)
        return cls(text(request, "q"), text(request, "sort"), offset, limit)


class Page(NamedTuple, Generic[R]):
    rows: Sequence[R]
    counts: JsonObject
    next: int | None

    def shaped(self, shape: Callable[[R], JsonObject], behind: PlumblineError | None = None) -> JsonObject:
        found: JsonObject = {"items": [shape(row) for row in self.rows], "counts": self.counts}
        if self.next is not None:
            found["next"] = self.next
        if behind is not None:
            found["stale"] = str(behind)
        return found


class _Term(NamedTuple, Generic[R]):
    key: str
    test: Callable[[R], bool]


def paged(rows: Iterable[R], asked: Asked, columns: Columns[R]) -> Page[R]:
    """Counts of one column count whatever is asked of that column itself."""
    terms = _read(asked.search, columns)
    counters: dict[str, Counter[str]] = {name: Counter() for name in columns.counted}
    fitting: list[R] = []
    for row in rows:
        wrong = {term.key for term in terms if not term.test(row)}
        for name, counter in counters.items():
            if wrong <= {name}:
                counter[columns.shown[name](row)] += 1
        if not wrong:
            fitting.append(row)
    for field in reversed([each for each in asked.sort.split(",") if each]):
        fitting.sort(key=_order(columns, field.removeprefix("-")), reverse=field.startswith("-"))
    end = asked.offset + asked.limit
    counts: JsonObject = {"total": len(fitting)}
    counts |= {name: dict(counter.most_common(_MOST_VALUES)) for name, counter in counters.items()}
    return Page(fitting[asked.offset : end], counts, end if asked.limit and end < len(fitting) else None)


def _order(columns: Columns[R], field: str) -> Callable[[R], Json]:
    order = columns.order.get(field) or columns.shown.get(field)
    if order is None:
        known = ", ".join(sorted({*columns.order, *columns.shown}))
        raise InvalidInput(f"nothing is sorted by {field!r}", hint=f"There are: {known}.")
    return order


def _read(search: str, columns: Columns[R]) -> list[_Term[R]]:
    words = _TERMS.findall(search) if len(search) <= _MOST_CHARS else []
    if len(search) > _MOST_CHARS or len(words) > _MOST_TERMS:
        why = f"it has more than {_MOST_CHARS} characters or {_MOST_TERMS} terms"
        raise LimitExceeded("the search is too long", why=why)
    return [term for word in words if (term := _term(word, columns)) is not None]


def _term(word: str, columns: Columns[R]) -> _Term[R] | None:
    match = _TERM.fullmatch(word)
    if match is None:
        raise InvalidInput(f"the search {word!r} cannot be read", why="a quotation mark has no other")
    key, value = (match["key"] or "name").lower(), match["value"].replace('"', "").lower()
    if not value and not match["key"]:
        return None
    shown = columns.shown.get(key)
    if shown is None:
        known = ", ".join(sorted(columns.shown))
        raise InvalidInput(f"nothing is searched by {key!r}", hint=f"There are: {known}.")
    fits = _fits(key, [each for each in value.split(",") if each])
    wanted = not match["not"]
    return _Term(key, lambda row: fits(shown(row).lower()) is wanted)


def _fits(key: str, values: list[str]) -> Callable[[str], bool]:
    if key == "name":
        return lambda found: any(value in found for value in values)
    exact = frozenset(value for value in values if "*" not in value)
    patterns = [glob(value) for value in values if "*" in value]
    return lambda found: found in exact or any(pattern.matches(found) for pattern in patterns)
