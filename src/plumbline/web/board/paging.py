"""A page of rows that fit a query, and how many there are of each kind. Pure; one look at each row."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.web.board.query import Query
from plumbline.web.board.rows import Row

MOST: Final = 1000
"""Rows of one page."""
_MOST_VALUES: Final = 100
_WORST_FIRST: Final = {
    name: place for place, name in enumerate(("Degraded", "Missing", "Unknown", "Progressing", "Suspended", "Healthy"))
}
_OUT_FIRST: Final = {"OutOfSync": 0, "Unknown": 1, "Synced": 2}

_ORDERS: Final[Mapping[str, Callable[[Row], Json]]] = {
    "name": lambda row: row.name,
    "namespace": lambda row: row.into,
    "project": lambda row: row.project,
    "health": lambda row: _WORST_FIRST.get(row.health, len(_WORST_FIRST)),
    "sync": lambda row: _OUT_FIRST.get(row.sync, len(_OUT_FIRST)),
    "created": lambda row: row.created,
    "synced": lambda row: row.synced,
    "since": lambda row: row.health_since,
}


class Facets:
    """How many rows there are of each health, sync, project and cluster.

    Those of one facet count whatever is asked of that facet itself: with `health:degraded` in the search one still sees
    how many are healthy.
    """

    def __init__(self, query: Query) -> None:
        self._query = query
        self._counted: dict[str, Counter[str]] = {name: Counter() for name in ("health", "sync", "project", "cluster")}
        self.total = 0

    def add(self, row: Row, wrong: str | None) -> bool:
        """Whether *row* fits."""
        if wrong is None:
            return False
        if wrong:
            counted = self._counted.get(wrong)
            if counted is not None:
                counted[self._shown(row, wrong)] += 1
            return False
        self.total += 1
        for name, counted in self._counted.items():
            counted[self._shown(row, name)] += 1
        return True

    def shaped(self) -> JsonObject:
        """The most frequent values of each."""
        return {name: dict(counted.most_common(_MOST_VALUES)) for name, counted in self._counted.items()}

    def _shown(self, row: Row, facet: str) -> str:
        match facet:
            case "health":
                return row.health
            case "sync":
                return row.sync
            case "project":
                return row.project
            case _:
                return self._query.cluster(row)


class Page(NamedTuple):
    rows: Sequence[Row]
    facets: Facets
    offset: int

    @property
    def next(self) -> int | None:
        """Where the page after this begins; None where there is none."""
        end = self.offset + len(self.rows)
        return end if self.rows and end < self.facets.total else None


def paged(rows: Iterable[Row], query: Query, sort: str = "", *, offset: int = 0, limit: int | None = None) -> Page:
    """Rows from *offset* on in the order that *sort* names: fields with commas between them, `-` turns one round."""
    facets = Facets(query)
    fails = query.fails
    fitting = [row for row in rows if facets.add(row, fails(row))]
    fitting.sort(key=lambda row: (row.name, row.namespace))
    for field in reversed([each for each in sort.split(",") if each]):
        fitting.sort(key=_order(query, field.removeprefix("-")), reverse=field.startswith("-"))
    end = None if limit is None else offset + limit
    return Page(fitting[offset:end], facets, offset)


def _order(query: Query, field: str) -> Callable[[Row], Json]:
    if field == "cluster":
        return query.cluster
    order = _ORDERS.get(field)
    if order is None:
        known = ", ".join(sorted((*_ORDERS, "cluster")))
        raise InvalidInput(f"nothing is sorted by {field!r}", hint=f"There are: {known}.")
    return order
