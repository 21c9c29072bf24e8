"""Patches of a Composition, as far as they decide what composed things are called.

Values are texts, or `Partial` where a composite that nobody knows yet would fill them in. Everything that cannot be
followed here makes a value unknown; composing itself is somebody else's work.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from plumbline.base.errors import BadFieldPath, FieldNotFound
from plumbline.base.json import Json, JsonObject
from plumbline.kube.fieldpath import Segments, parsed, value_at
from plumbline.ownership.external import Partial

_UNKNOWN: Final = Partial()
_VERB: Final = re.compile(r"%[sv]|%%|%")
_MOST: Final = 1_000
_LONGEST: Final = 4_096


def inlined(patches: Json, sets: Json) -> Iterator[JsonObject]:
    """Patches with the sets that they name in place of the names."""
    by_name = {
        each.get("name"): each.get("patches")
        for each in (sets if isinstance(sets, list) else ())
        if isinstance(each, dict)
    }
    count = 0
    for patch in patches if isinstance(patches, list) else ():
        if not isinstance(patch, dict):
            continue
        named = by_name.get(patch.get("patchSetName")) if patch.get("type") == "PatchSet" else [patch]
        for each in named if isinstance(named, list) else ():
            count += 1
            if count > _MOST:
                return
            if isinstance(each, dict):
                yield each


def patched(patches: Iterable[JsonObject], composite: JsonObject | None) -> dict[Segments, Any]:
    """What patches set, by the path that they set it at; the last one wins. Without a composite every value is open."""
    found: dict[Segments, Any] = {}
    for patch in patches:
        value = _value(patch, composite)
        target = patch.get("toFieldPath") or patch.get("fromFieldPath")
        if value is None or not isinstance(target, str):
            continue
        try:
            found[parsed(target)] = _transformed(value, patch.get("transforms"))
        except BadFieldPath:
            continue
    return found


def _value(patch: JsonObject, composite: JsonObject | None) -> Any:
    match patch.get("type") or "FromCompositeFieldPath":
        case "FromCompositeFieldPath":
            return _at(composite, patch.get("fromFieldPath"))
        case "CombineFromComposite":
            return _combined(patch.get("combine"), composite)
        case "FromEnvironmentFieldPath" | "CombineFromEnvironment":
            return _UNKNOWN
        case _:
            return None


def _at(composite: JsonObject | None, path: Json) -> Any:
    """The value in the composite; None where it has none, and then the patch does nothing."""
    if not isinstance(path, str):
        return None
    if composite is None:
        return _UNKNOWN
    try:
        return value_at(composite, parsed(path))
    except (BadFieldPath, FieldNotFound):
        return None


def _combined(combine: Json, composite: JsonObject | None) -> Any:
    if not isinstance(combine, dict):
        return None
    named = combine.get("variables")
    values = [_at(composite, each.get("fromFieldPath")) for each in named or () if isinstance(each, dict)]
    form = combine.get("string")
    fmt = form.get("fmt") if isinstance(form, dict) else None
    if any(value is None for value in values) or not isinstance(fmt, str):
        return None
    return formatted(fmt, values)


def formatted(fmt: str, values: list[Any]) -> str | Partial:
    """Go's format for texts: `%s` and `%v` take one value each; any other verb makes the result unknown."""
    pieces: list[str] = []
    known = True
    at = 0
    waiting = iter(values)
    for verb in _VERB.finditer(fmt):
        pieces.append(fmt[at : verb.start()])
        at = verb.end()
        if verb[0] == "%%":
            pieces.append("%")
            continue
        value = next(waiting, None)
        if verb[0] == "%" or value is None:
            return _UNKNOWN
        known = known and not isinstance(value, Partial)
        pieces.append(value.pattern if isinstance(value, Partial) else _text(value))
    text = "".join((*pieces, fmt[at:]))[:_LONGEST]
    return text if known else Partial(text)


def _transformed(value: Any, transforms: Json) -> Any:
    for transform in transforms if isinstance(transforms, list) else ():
        if not isinstance(transform, dict):
            return _UNKNOWN
        value = _one(value, transform)
    return value


def _one(value: Any, transform: Mapping[str, Json]) -> Any:
    kind = transform.get("type")
    if kind == "string" and isinstance(inner := transform.get("string"), dict):
        return _string(value, inner)
    if kind == "map" and isinstance(inner := transform.get("map"), dict) and isinstance(value, str):
        return inner.get(value, _UNKNOWN)
    return _UNKNOWN


def _string(value: Any, transform: Mapping[str, Json]) -> Any:
    match transform.get("type") or "Format":
        case "Format" if isinstance(fmt := transform.get("fmt"), str):
            return formatted(fmt, [value])
        case "Convert" if transform.get("convert") in {"ToLower", "ToUpper"} and isinstance(value, str | Partial):
            lower = transform["convert"] == "ToLower"
            text = value.pattern if isinstance(value, Partial) else value
            changed = text.lower() if lower else text.upper()
            return Partial(changed) if isinstance(value, Partial) else changed
        case "TrimPrefix" if isinstance(value, str):
            return value.removeprefix(str(transform.get("trim") or ""))
        case "TrimSuffix" if isinstance(value, str):
            return value.removesuffix(str(transform.get("trim") or ""))
        case _:
            return _UNKNOWN


def _text(value: Any) -> str:
    return "true" if value is True else "false" if value is False else str(value)
