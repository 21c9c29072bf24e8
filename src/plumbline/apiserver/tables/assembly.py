"""Whole Tables: the reply to a list or get, and the object of one watch event.

The bytes of objects are taken as they are; everything else is written as the server writes it.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal

from plumbline.apiserver.tables.builtin import builtin_printer
from plumbline.apiserver.tables.partial import MetaVersion, opened, partial_metadata
from plumbline.apiserver.tables.printer import Printer
from plumbline.apiserver.tables.reading import text
from plumbline.apiserver.tables.wire import encoded
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kube.names import GroupVersionKind

Include = Literal["None", "Metadata", "Object"]
"""How much of its object a row carries; Metadata unless the client says otherwise."""

_END: Final = "k8s.io/initial-events-end"
_END_BYTES: Final = b'"k8s.io/initial-events-end"'


def table_bytes(
    printed: GroupVersionKind | Printer,
    objects: Iterable[bytes | JsonObject],
    *,
    list_metadata: JsonObject,
    now: datetime,
    include: Include = "Metadata",
    version: MetaVersion = "v1",
) -> bytes:
    """*objects* as the rows of one Table. With Object they are shown whole, and have to name their kind."""
    rows = _Rows(printed, now.timestamp(), include, version)
    printer = rows.printer
    order = printer.order
    if order is not None:
        objects = sorted(objects, key=lambda obj: order(rows.read(obj)))
    return _table(
        opened("Table", version, list_metadata), printer.header, list(map(rows.row, objects)), printer.no_rows
    )


def row_table_bytes(
    printed: GroupVersionKind | Printer,
    obj: bytes | JsonObject,
    *,
    now: datetime,
    first: bool = True,
    include: Include = "Metadata",
    version: MetaVersion = "v1",
) -> bytes:
    """The Table of one object: the reply to a get, and what an event of a watch holds.

    Only the *first* event of a watch names the columns. A bookmark has a row too, that of an object without anything.
    """
    rows = _Rows(printed, now.timestamp(), include, version)
    printer = rows.printer
    head = opened("Table", version, {"resourceVersion": _resource_version(obj)})
    header = printer.header if first or printer.repeats_header else b"null"
    return _table(head, header, [rows.row(obj)], printer.no_rows)


class _Rows:
    """How the objects of one reply become rows."""

    def __init__(
        self, printed: GroupVersionKind | Printer, now_s: float, include: Include, version: MetaVersion
    ) -> None:
        self._include = include
        self._kind = printed if isinstance(printed, GroupVersionKind) else None
        self._now_s = now_s
        self._version = version
        self.printer: Printer = builtin_printer(printed) if isinstance(printed, GroupVersionKind) else printed

    def read(self, obj: bytes | JsonObject) -> JsonObject:
        return obj if isinstance(obj, dict) else self.printer.read(obj)

    def row(self, obj: bytes | JsonObject) -> bytes:
        cells, conditions = self.printer.row(self.read(obj), self._now_s)
        special = b',"conditions":%b' % encoded(conditions) if conditions else b""
        return b'{"cells":%b%b,"object":%b}' % (encoded(cells), special, self._shown(obj))

    def _shown(self, obj: bytes | JsonObject) -> bytes:
        if self._include == "Object":
            return obj if isinstance(obj, bytes) else encode(obj)
        # The event that ends the first ones of a watch has to say so, even to those who want no objects.
        if self._include == "Metadata" or _ends_initial_events(obj):
            return partial_metadata(obj, self._version, kind=self._kind)
        return b"null"


def _table(head: bytes, header: bytes, rows: list[bytes], no_rows: bytes) -> bytes:
    body = b"[%b]" % b",".join(rows) if rows else no_rows
    return b'%b,"columnDefinitions":%b,"rows":%b}' % (head, header, body)


def _ends_initial_events(obj: bytes | JsonObject) -> bool:
    if isinstance(obj, bytes) and _END_BYTES not in obj:
        return False
    return text(_cut(obj), "metadata", "annotations", _END) == "true"


def _resource_version(obj: bytes | JsonObject) -> str:
    return text(_cut(obj), "metadata", "resourceVersion")


def _cut(obj: bytes | JsonObject) -> JsonObject:
    return obj if isinstance(obj, dict) else decode(partial_metadata(obj))
