"""What a kind needs to be printed as a table."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

import msgspec

from plumbline.apiserver.tables.columns import definitions
from plumbline.apiserver.tables.wire import encoded
from plumbline.base.json import Json, JsonObject, decode

Cells = Callable[[JsonObject, float], list[Json]]
"""The cells of an object at a moment, in seconds since 1970. Total over any object."""
Order = Callable[[JsonObject], Any]
"""By what the objects of a list are sorted before they are printed."""


class Printer(Protocol):
    """Compared by identity: a CRD that changes gives a new one."""

    no_rows: bytes
    """How a list without items says so."""
    repeats_header: bool
    """Whether every event of a watch carries the columns, and not the first alone."""
    order: Order | None

    @property
    def header(self) -> bytes:
        """The column definitions as the server writes them."""

    def columns(self) -> list[JsonObject]: ...

    def cells(self, obj: JsonObject, now: datetime) -> list[Json]: ...

    def row(self, obj: JsonObject, now_s: float) -> tuple[list[Json], list[JsonObject]]:
        """The cells, and the conditions of the row."""

    def read(self, encoded_object: bytes) -> JsonObject:
        """At least those fields that `row` looks at."""


class BuiltinPrinter:
    """Columns as in `columns.definitions`, and what fills them.

    `shape` names the fields that are read where decoding all of an object would cost too much.
    """

    def __init__(  # noqa: PLR0913 - what differs between kinds
        self,
        columns: str,
        cells: Cells,
        *,
        shape: Any = None,
        conditions: Callable[[JsonObject], list[JsonObject]] | None = None,
        order: Order | None = None,
        repeats_header: bool = False,
        no_rows: bytes = b"[]",
    ) -> None:
        self._cells = cells
        self._columns = columns
        self._conditions = conditions
        self._decoder = None if shape is None else msgspec.json.Decoder(shape)
        self.no_rows = no_rows
        self.order = order
        self.repeats_header = repeats_header

    @cached_property
    def header(self) -> bytes:
        return encoded(self.columns())

    def columns(self) -> list[JsonObject]:
        return definitions(self._columns)

    def cells(self, obj: JsonObject, now: datetime) -> list[Json]:
        return self._cells(obj, now.timestamp())

    def row(self, obj: JsonObject, now_s: float) -> tuple[list[Json], list[JsonObject]]:
        return self._cells(obj, now_s), self._conditions(obj) if self._conditions else []

    def read(self, encoded_object: bytes) -> JsonObject:
        if self._decoder is not None:
            try:
                return self._decoder.decode(encoded_object)
            except msgspec.ValidationError:
                pass  # Something is not what the shape expects: the cells look at what is really there.
        found = decode(encoded_object)
        return found if isinstance(found, dict) else {}
