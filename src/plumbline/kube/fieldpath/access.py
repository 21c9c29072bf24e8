"""Values by their path, and paths by what is there."""

from typing import Never

from plumbline.base.errors import BadFieldPath, FieldNotFound
from plumbline.base.json import Json
from plumbline.kube.fieldpath.syntax import WILDCARD, Segments, parsed, text_of
from plumbline.kube.gotext import quoted


def value_at(of: Json, segments: Segments) -> Json:
    """Raises FieldNotFound, and BadFieldPath where the object is of another shape. A null at the end is a value."""
    if not segments:
        return None
    value = of
    for at, segment in enumerate(segments):
        if isinstance(segment, str):
            if isinstance(value, dict) and segment in value:
                value = value[segment]
                continue
        elif isinstance(value, list) and segment < len(value):
            value = value[segment]
            continue
        _missing(value, segments, at)
    return value


def get_path(of: Json, path: str) -> Json:
    """As `value_at`, of a path that is text."""
    return value_at(of, parsed(path))


def _missing(value: Json, segments: Segments, at: int) -> Never:
    if isinstance(segments[at], int):
        if not isinstance(value, list):
            raise BadFieldPath(f"{text_of(segments[:at])}: not an array")
        raise FieldNotFound(f"{text_of(segments[: at + 1])}: no such element")
    if isinstance(value, dict):
        raise FieldNotFound(f"{text_of(segments[: at + 1])}: no such field")
    if value is None:
        raise FieldNotFound(f"{text_of(segments[:at])}: expected map, got nil")
    raise BadFieldPath(f"{text_of(segments[:at])}: not an object")


def expanded(of: Json, segments: Segments) -> list[Segments]:
    """The paths that *segments* stand for, none where nothing is there.

    Raises FieldNotFound for all that is in null, and BadFieldPath where the object is of another shape.
    """
    try:
        return _expanded(of, segments, 0)
    except (BadFieldPath, FieldNotFound) as fault:
        raise _wrapped(fault, f"cannot expand wildcards for segments: {_quoted(segments)}") from fault


def _expanded(of: Json, segments: Segments, start: int) -> list[Segments]:
    """*start* is where to begin: what was a wildcard before it may have brought in a key that is called like one."""
    for at in range(start, len(segments)):
        if segments[at] != WILDCARD:
            try:
                value_at(of, segments[: at + 1])
            except FieldNotFound:
                return []
            continue
        found: list[Segments] = []
        for each in _places(of, segments[:at]):
            here = (*segments[:at], each, *segments[at + 1 :])
            try:
                found += _expanded(of, here, at + 1)
            except (BadFieldPath, FieldNotFound) as fault:
                raise _wrapped(fault, f"{_quoted(here)}: cannot expand wildcards") from fault
        return found
    return [segments]


def _places(of: Json, above: Segments) -> list[str | int]:
    value = value_at(of, above) if above else of
    if isinstance(value, list):
        return list(range(len(value)))
    if isinstance(value, dict):
        return [key.strip("'\"") for key in value]
    if value is None:
        raise FieldNotFound(f"wildcard field {_quoted(above)} is not found in the path")
    raise BadFieldPath(f"{_quoted(above)}: unexpected wildcard usage")


def _quoted(segments: Segments) -> str:
    return quoted(text_of(segments))


def _wrapped(fault: BadFieldPath | FieldNotFound, what: str) -> BadFieldPath | FieldNotFound:
    return type(fault)(f"{what}: {fault}")
