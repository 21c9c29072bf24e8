"""The printers of built-in kinds, found by kind: all versions of one share their columns."""

from datetime import datetime
from typing import Final

from plumbline.apiserver.tables.printer import BuiltinPrinter
from plumbline.apiserver.tables.printers import (
    access,
    autoscaling,
    core,
    machinery,
    networking,
    pods,
    scheduling,
    storage,
    workloads,
)
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind, GroupVersionKind

_PRINTERS: Final[dict[GroupKind, BuiltinPrinter]] = {
    **access.PRINTERS,
    **autoscaling.PRINTERS,
    **core.PRINTERS,
    **machinery.PRINTERS,
    **networking.PRINTERS,
    **pods.PRINTERS,
    **scheduling.PRINTERS,
    **storage.PRINTERS,
    **workloads.PRINTERS,
}


def builtin_printer(kind: GroupVersionKind) -> BuiltinPrinter:
    """The one that prints name and time of creation, for kinds that have none of their own."""
    return autoscaling.OLD.get(kind) or _PRINTERS.get(kind.group_kind, machinery.OTHER)


def columns(kind: GroupVersionKind) -> list[JsonObject]:
    """The column definitions of a built-in kind."""
    return builtin_printer(kind).columns()


def cells(kind: GroupVersionKind, obj: JsonObject, now: datetime) -> list[Json]:
    """The row of one object, as wide as its columns; upstream's own rows of an IPAddress are wider."""
    return builtin_printer(kind).cells(obj, now)
