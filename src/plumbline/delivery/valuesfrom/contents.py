"""What is in the objects that values come from. Pure; errors name keys and never quote a value."""

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Final

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import Json, JsonObject, decode
from plumbline.base.limits import MIB
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.valuesfrom.references import Place, Reference

TYPE_SUFFIX: Final = "__type"
"""Ends the key that says which type the value beside it has, as outputs of Terraform have it."""
CONFIG_MAP_ANNOTATION: Final = "plumbline.dev/write-outputs-to-config-map"
_DEEPEST: Final = 50


def holder_of(terraform: JsonObject, place: Place) -> Place:
    """Where the Terraform object at *place* writes its outputs: to its Secret, which has all of them, else to its ConfigMap."""
    secret = (terraform.get("spec") or {}).get("writeOutputsToSecret") or {}
    if secret.get("name"):
        return Place("secret", place.namespace, str(secret["name"]))
    annotations = terraform["metadata"].get("annotations") or {}
    if name := annotations.get(CONFIG_MAP_ANNOTATION, "").strip():
        return Place("configmap", place.namespace, name)
    raise InvalidInput(
        f"Values cannot be taken from {place}",
        why="it writes its outputs nowhere",
        hint=f"Set spec.writeOutputsToSecret, or the annotation {CONFIG_MAP_ANNOTATION}.",
    )


def contents(obj: JsonObject, place: Place) -> dict[str, Plaintext]:
    """Everything that a Secret or a ConfigMap holds, opened."""
    if place.kind == "secret":
        return {key: _opened(value, key, place) for key, value in _mapping(obj, "data").items()}
    texts = {key: Plaintext(str(value)) for key, value in _mapping(obj, "data").items()}
    return texts | {key: _opened(value, key, place) for key, value in _mapping(obj, "binaryData").items()}


def selected(reference: Reference, there: Mapping[str, Plaintext]) -> tuple[dict[str, Plaintext], tuple[str, ...]]:
    """What *reference* takes of what is *there*, under the keys that it has there, and which keys are not there."""
    if not reference.keys:
        return dict(there), ()
    missing = tuple(key for key, _ in reference.keys if key not in there)
    wanted = [name for key, _ in reference.keys for name in (key, key + TYPE_SUFFIX) if name in there]
    return {key: there[key] for key in wanted}, missing


def typed(reference: Reference, taken: Mapping[str, Plaintext], holder: Place) -> JsonObject:
    """*taken* as values: of the type that stands beside each, else text."""
    if sum(len(key) + len(value.reveal()) for key, value in taken.items()) > MIB:
        raise LimitExceeded(
            f"Values of {holder} cannot be used", why="they have more than 1 MiB", hint="Name fewer keys."
        )
    names = dict(reference.keys)
    types = {key + TYPE_SUFFIX for key in taken}
    return {names.get(key, key): _value(key, taken, holder) for key in sorted(taken.keys() - types)}


def leaves(value: Json) -> Iterator[Plaintext]:
    """Every text and number in *value*, to be recognised where somebody repeats it."""
    if isinstance(value, dict):
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each)
    elif isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield Plaintext(str(value))


def merged(tree: JsonObject, into: tuple[str, ...], values: JsonObject) -> JsonObject:
    """*tree* with *values* at *into*. What comes later beats what was there."""
    for name in reversed(into):
        values = {name: values}
    return _merged(tree, values)


def _merged(before: JsonObject, after: JsonObject) -> JsonObject:
    both = {**before, **after}
    for name in before.keys() & after.keys():
        old, new = before[name], after[name]
        if isinstance(old, dict) and isinstance(new, dict):
            both[name] = _merged(old, new)
    return both


def _value(key: str, taken: Mapping[str, Plaintext], holder: Place) -> Json:
    if key + TYPE_SUFFIX not in taken:
        try:
            return taken[key].reveal().decode()
        except UnicodeDecodeError:
            raise _unusable(key, holder, "is no text", "Name the keys that are, in `keys`.") from None
    try:
        value: Json = decode(taken[key].reveal())
    except (ValueError, RecursionError):
        raise _unusable(key, holder, f"is no JSON, and {key}{TYPE_SUFFIX} says that it is") from None
    if not _shallow(value, _DEEPEST):
        raise _unusable(key, holder, f"has more than {_DEEPEST} levels")
    return value


def _shallow(value: Json, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return True
    below = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_shallow(each, levels - 1) for each in below)


def _unusable(key: str, holder: Place, why: str, hint: str = "") -> InvalidInput:
    return InvalidInput(f"Values of {holder} cannot be used", why=f"its key {key} {why}", hint=hint)


def _mapping(obj: JsonObject, field: str) -> JsonObject:
    value = obj.get(field)
    return value if isinstance(value, dict) else {}


def _opened(value: Json, key: str, place: Place) -> Plaintext:
    try:
        return Plaintext(base64.b64decode(str(value), validate=True))
    except (binascii.Error, ValueError):
        raise _unusable(key, place, "is not base64") from None
