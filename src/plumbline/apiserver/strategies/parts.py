"""The steps that most strategies are made of."""

from functools import cache
from typing import Final

from plumbline.apiserver.defaults import defaulted
from plumbline.apiserver.strategies.strategy import Prepare, PrepareUpdate
from plumbline.apiserver.strategies.writing import Writing
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import FREE, builtin_shape
from plumbline.kube.schema.typed import typed_form

STATUS_METADATA: Final = ("deletionTimestamp", "labels", "annotations", "finalizers", "ownerReferences")
"""What a write to the status of newer kinds leaves alone in metadata."""


def chain(*steps: Prepare) -> Prepare:
    def prepared(obj: JsonObject, writing: Writing) -> JsonObject:
        for step in steps:
            obj = step(obj, writing)
        return obj

    return prepared


def chain_update(*steps: PrepareUpdate) -> PrepareUpdate:
    def prepared(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
        for step in steps:
            new = step(new, old, writing)
        return new

    return prepared


def generation_one(obj: JsonObject, _: Writing) -> JsonObject:
    return with_generation(obj, 1)


def counting(*fields: str) -> PrepareUpdate:
    """A new generation for every change in one of *fields*."""

    def counted(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
        if all(new.get(field) == old.get(field) for field in fields):
            return new
        return with_generation(new, generation_of(old) + 1)

    return counted


def fresh_status(kind: GroupVersionKind) -> Prepare:
    """Whatever a creator says about the status is dropped."""

    def fresh(obj: JsonObject, _: Writing) -> JsonObject:
        return {**obj, "status": zero_status(kind)}

    return fresh


def keep_status(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
    return with_field(new, "status", old.get("status"))


def only_status(*kept: str) -> PrepareUpdate:
    """A write to the status changes nothing else, but for metadata other than what is *kept*."""

    def prepared(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
        obj = {**old, "metadata": kept_metadata(new, old, *kept)}
        return with_field(obj, "status", new.get("status"))

    return prepared


def kept_metadata(new: JsonObject, old: JsonObject, *kept: str) -> JsonObject:
    metadata, before = new.get("metadata") or {}, old.get("metadata") or {}
    changed = {**metadata, **{field: before.get(field) for field in kept}}
    return {field: value for field, value in changed.items() if value is not None}


@cache
def zero_status(kind: GroupVersionKind) -> JsonObject:
    """As the server writes the status of an object that nobody has looked at yet."""
    blank = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": "none"}}
    status: JsonObject = defaulted(kind, typed_form(blank, builtin_shape(kind) or FREE)).get("status") or {}
    return status


def with_field(obj: JsonObject, field: str, value: Json) -> JsonObject:
    """*obj* with *field*, or without it where there is no *value*."""
    if value is None:
        return {name: child for name, child in obj.items() if name != field} if field in obj else obj
    return {**obj, field: value}


def with_generation(obj: JsonObject, generation: int) -> JsonObject:
    return {**obj, "metadata": {**(obj.get("metadata") or {}), "generation": generation}}


def generation_of(obj: JsonObject) -> int:
    generation = (obj.get("metadata") or {}).get("generation")
    return generation if isinstance(generation, int) else 0
