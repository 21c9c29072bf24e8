"""One strategy per kind: flags, and functions that make an object ready to be stored."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from plumbline.apiserver.strategies.writing import Writing
from plumbline.base.json import JsonObject

Read: TypeAlias = Callable[[JsonObject], JsonObject]
Prepare: TypeAlias = Callable[[JsonObject, Writing], JsonObject]
PrepareUpdate: TypeAlias = Callable[[JsonObject, JsonObject, Writing], JsonObject]
"""From the new object and the old one."""
Warn: TypeAlias = Callable[[JsonObject], Sequence[str]]
WarnUpdate: TypeAlias = Callable[[JsonObject, JsonObject], Sequence[str]]
Grace: TypeAlias = Callable[[JsonObject, int | None], int | None]


def as_read(obj: JsonObject) -> JsonObject:
    return obj


def as_sent(obj: JsonObject, _: Writing) -> JsonObject:
    return obj


def as_updated(new: JsonObject, _: JsonObject, __: Writing) -> JsonObject:
    return new


def silent(_: JsonObject) -> Sequence[str]:
    return ()


def silent_update(_: JsonObject, __: JsonObject) -> Sequence[str]:
    return ()


class Strategy(msgspec.Struct, frozen=True, kw_only=True):
    create_on_update: bool = False
    unconditional_update: bool = True
    orphans_by_default: bool = False
    answers_deleted: bool = False
    deprecation: str = ""
    """What everybody is warned of who uses the resource at all."""
    read: Read = as_read
    """What its type makes of an object that is read, besides defaults."""
    prepare_create: Prepare = as_sent
    prepare_update: PrepareUpdate = as_updated
    prepare_subresource: Mapping[str, PrepareUpdate] = {}
    """By subresource; a write through one that is not listed is prepared like one of the whole object."""
    create_warnings: Warn = silent
    update_warnings: WarnUpdate = silent_update
    subresource_warnings: Mapping[str, WarnUpdate] = {}
    grace_s: Grace | None = None
    """How long a deletion may take; without it, deletion is not graceful."""
    begin_deletion: Prepare | None = None
    """For kinds whose deletion only begins with the first request: what that request makes of the object."""
    held: Callable[[JsonObject], bool] | None = None
    """Whether something besides the finalizers in its metadata keeps an object that is being deleted."""
