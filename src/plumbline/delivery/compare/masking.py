"""Objects as people may see them: secret values become runs of `+`, equal ones equal runs.

Upstream's runs: the first value of a key is eight characters long, each further different one four more, whatever the
values are. Nothing of a value is left, not even its length.
"""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from plumbline.base.json import Json, JsonObject, decode, encode_sorted
from plumbline.kube.apply.operations import LAST_APPLIED
from plumbline.kube.diff import stored_form

_FIRST: Final = "++++++++"
_MORE: Final = "++++"
_NONE: Final[frozenset[str]] = frozenset()
_TELLING: Final = frozenset({"reconcile.external-secrets.io/data-hash"})
"""Annotations of Secrets that are made from their values: whoever reads one can try values until one fits."""


def is_secret(obj: JsonObject | None) -> bool:
    return obj is not None and obj.get("kind") == "Secret" and obj.get("apiVersion") == "v1"


def masked(
    target: JsonObject | None, live: JsonObject | None, sensitive: frozenset[str] = _NONE
) -> tuple[JsonObject | None, JsonObject | None]:
    """Both without what nobody may read: values of Secrets, annotations called in *sensitive*.

    The same in what was last applied. Total: what has another form than it should is masked as a whole.
    """
    secret = is_secret(target) or is_secret(live)
    objects = [_stored(obj, secret=secret) for obj in (target, live)]
    if not secret and not sensitive:
        return objects[0], objects[1]
    if secret:
        sensitive |= _TELLING
    before = [_last_applied(obj, secret=secret) for obj in objects]
    everything = [*objects, *before]
    if secret:
        everything = _each_masked(everything, "data", None)
    everything = _annotations_masked(everything, sensitive)
    shown = [_with_last_applied(obj, last, sensitive) for obj, last in zip(everything[:2], everything[2:], strict=True)]
    return shown[0], shown[1]


def _stored(obj: JsonObject | None, *, secret: bool) -> JsonObject | None:
    if obj is None or not secret:
        return obj
    stored = stored_form(obj)
    if "stringData" in stored:
        stored = {**stored, "stringData": _FIRST}  # of a form that cannot be folded
    values = stored.get("data")
    return stored if values is None or isinstance(values, dict) else {**stored, "data": _FIRST}


def _last_applied(obj: JsonObject | None, *, secret: bool) -> JsonObject | None:
    text = _annotations(obj).get(LAST_APPLIED)
    if not isinstance(text, str):
        return None
    try:
        applied = decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    return _stored(applied, secret=secret) if isinstance(applied, dict) else None


def _annotations(obj: JsonObject | None) -> Mapping[str, Json]:
    metadata = (obj or {}).get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return annotations if isinstance(annotations, dict) else {}


def _each_masked(objects: list[JsonObject | None], field: str, only: Iterable[str] | None) -> list[JsonObject | None]:
    """All objects with the values of their map *field* masked, of all keys or some."""
    maps = [obj.get(field) if obj is not None else None for obj in objects]
    replaced = _masked_maps([each if isinstance(each, dict) else None for each in maps], only)
    return [
        obj if obj is None or values is None else {**obj, field: values}
        for obj, values in zip(objects, replaced, strict=True)
    ]


def _masked_maps(maps: list[JsonObject | None], only: Iterable[str] | None) -> list[JsonObject | None]:
    runs: dict[str, dict[bytes, str]] = {}
    chosen = None if only is None else frozenset(only)

    def run(key: str, value: Json) -> str:
        seen = runs.setdefault(key, {})
        return seen.setdefault(encode_sorted(value), _FIRST + _MORE * len(seen))

    return [
        None
        if each is None
        else {
            key: run(key, "" if value is None else value) if chosen is None or key in chosen else value
            for key, value in each.items()
        }
        for each in maps
    ]


def _annotations_masked(objects: list[JsonObject | None], sensitive: frozenset[str]) -> list[JsonObject | None]:
    if not sensitive:
        return objects
    chosen = sensitive - {LAST_APPLIED}
    replaced = _masked_maps([dict(_annotations(obj)) if obj is not None else None for obj in objects], chosen)
    return [
        obj if obj is None or not values else {**obj, "metadata": {**obj["metadata"], "annotations": values}}
        for obj, values in zip(objects, replaced, strict=True)
    ]


def _with_last_applied(
    obj: JsonObject | None, applied: JsonObject | None, sensitive: frozenset[str]
) -> JsonObject | None:
    annotations = _annotations(obj)
    if obj is None or LAST_APPLIED not in annotations:
        return obj
    hidden = applied is None or LAST_APPLIED in sensitive
    text = _FIRST if hidden else encode_sorted(applied).decode()
    return {**obj, "metadata": {**obj["metadata"], "annotations": {**annotations, LAST_APPLIED: text}}}
