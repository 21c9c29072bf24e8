"""What people type to find applications: `health:degraded -project:shop label:team=a pay`. Pure.

Terms stand beside each other and must all hold; `-` before one turns it round, and a comma inside of one means "or".
`project:`, `cluster:` and `namespace:` mean whole names, in which `*` stands for anything; `name:`, `repo:`, `path:`
and words without a colon mean a part.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.glob import glob
from plumbline.web.board.rows import Row

Test: TypeAlias = Callable[[Row], bool]
Shown: TypeAlias = Callable[[Row], str]
"""Which of its values a row has, as a list shows it."""

_MOST_CHARS: Final = 1000
_MOST_TERMS: Final = 40
_TERM: Final = re.compile(r'(?P<not>-?)(?:(?P<key>[A-Za-z]+):)?(?P<value>(?:"[^"]*"|[^\s"])*)')
_TERMS: Final = re.compile(r'(?:"[^"]*"|[^\s"])+|"')
_YES: Final = frozenset({"true", "yes", "on"})
_NO: Final = frozenset({"false", "no", "off"})


class Term(NamedTuple):
    key: str
    test: Test


class Query:
    """*clusters* are the names of clusters, by their addresses."""

    def __init__(self, terms: Iterable[Term] = (), clusters: Mapping[str, str] | None = None) -> None:
        self.terms: Final = tuple(terms)
        self.clusters: Final = clusters or {}

    @classmethod
    def parse(cls, text: str, clusters: Mapping[str, str] | None = None) -> "Query":
        """Raises InvalidInput, which says what there is to ask for."""
        if len(text) > _MOST_CHARS:
            raise LimitExceeded("the search is too long", why=f"it has more than {_MOST_CHARS} characters")
        words = _TERMS.findall(text)
        if len(words) > _MOST_TERMS:
            raise LimitExceeded("the search is too long", why=f"it has more than {_MOST_TERMS} terms")
        query = cls((), clusters)
        return cls(filter(None, (query._term(word) for word in words)), clusters)

    def fails(self, row: Row) -> str | None:
        """What is wrong with *row*: nothing if empty; the key, where all that is wrong has one key; None where it has several."""
        wrong = ""
        for key, test in self.terms:
            if key != wrong and not test(row):
                if wrong:
                    return None
                wrong = key
        return wrong

    def cluster(self, row: Row) -> str:
        """The name by which people know its destination; its address where it has none."""
        return row.cluster or self.clusters.get(row.server) or row.server

    def _term(self, word: str) -> Term | None:
        match = _TERM.fullmatch(word)
        if match is None:
            raise InvalidInput(f"the search {word!r} cannot be read", why="a quotation mark has no other")
        key, value = (match["key"] or "name").lower(), match["value"].replace('"', "")
        if not value and not match["key"]:
            return None
        test = self._test(key, [each for each in value.split(",") if each])
        return Term(key, (lambda row: not test(row)) if match["not"] else test)

    def _test(self, key: str, values: list[str]) -> Test:
        made = _TESTS.get(key)
        if key == "cluster":
            return _whole(self._cluster_names, values)
        if made is None:
            known = ", ".join(sorted((*_TESTS, "cluster")))
            raise InvalidInput(f"nothing is searched by {key!r}", hint=f"There are: {known}.")
        return made(values)

    def _cluster_names(self, row: Row) -> tuple[str, ...]:
        return self.cluster(row), row.server


def _word(shown: Shown) -> Callable[[list[str]], Test]:
    def made(values: list[str]) -> Test:
        wanted = frozenset(value.lower() for value in values)
        return lambda row: shown(row).lower() in wanted

    return made


def _whole(shown: Callable[[Row], tuple[str, ...]], values: list[str]) -> Test:
    exact = frozenset(value for value in values if "*" not in value)
    patterns = [glob(value) for value in values if "*" in value]

    def test(row: Row) -> bool:
        names = shown(row)
        return any(name in exact for name in names) or any(
            pattern.matches(name) for pattern in patterns for name in names
        )

    return test


def _part(shown: Callable[[Row], Iterable[str]]) -> Callable[[list[str]], Test]:
    def made(values: list[str]) -> Test:
        wanted = [value.lower() for value in values]
        return lambda row: any(value in text.lower() for text in shown(row) for value in wanted)

    return made


def _named(values: list[str]) -> Test:
    """By far the most used."""
    wanted = [value.lower() for value in values]
    if len(wanted) == 1:
        only = wanted[0]
        return lambda row: only in row.name
    return lambda row: any(value in row.name for value in wanted)


def _label(values: list[str]) -> Test:
    pairs = [(key, value) if equals else (key, None) for key, equals, value in (each.partition("=") for each in values)]

    def test(row: Row) -> bool:
        return any(key == name and wanted in (None, value) for key, wanted in pairs for name, value in row.labels)

    return test


def _switch(holds: Test, key: str) -> Callable[[list[str]], Test]:
    def made(values: list[str]) -> Test:
        said = {value.lower() for value in values}
        if not said or not said <= _YES | _NO:
            raise InvalidInput(f"{key}:{','.join(values)} cannot be read", hint=f"Write {key}:yes or {key}:no.")
        wanted = {value in _YES for value in said}
        return lambda row: holds(row) in wanted

    return made


_TESTS: Final[Mapping[str, Callable[[list[str]], Test]]] = {
    "health": _word(lambda row: row.health),
    "sync": _word(lambda row: row.sync),
    "phase": _word(lambda row: row.phase),
    "project": lambda values: _whole(lambda row: (row.project,), values),
    "namespace": lambda values: _whole(lambda row: (row.into,), values),
    "label": _label,
    "name": _named,
    "repo": _part(lambda row: (source.repo for source in row.sources)),
    "path": _part(lambda row: (source.path or source.chart for source in row.sources)),
    "revision": _part(lambda row: (*row.revisions, *(source.revision for source in row.sources))),
    "auto": _switch(lambda row: row.automated, "auto"),
    "condition": _switch(lambda row: row.conditions > 0, "condition"),
}
