"""An object as lines of YAML, each with the field that it is about, as field sets spell it. Pure."""

from typing import NamedTuple

from plumbline.base.documents import dump_yaml, load_document, paths_by_line
from plumbline.base.documents.places import Path
from plumbline.base.json import Json, JsonObject
from plumbline.base.limits import MANIFESTS
from plumbline.delivery.compare.ignored import item_names
from plumbline.kube.schema.shape import FREE, Shape


class Line(NamedTuple):
    text: str
    elements: tuple[str, ...] = ()
    """The field that begins here, or the one that the line goes on with."""


def lines_of(obj: JsonObject | None, shape: Shape) -> list[Line]:
    """Raises InvalidInput for what cannot be written as YAML."""
    if obj is None:
        return []
    text = dump_yaml(obj)
    found = paths_by_line(text, load_document(text, limits=MANIFESTS))
    spelling = _Spelling(obj, shape)
    lines: list[Line] = []
    elements: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        path = found.get(number)
        elements = spelling(path) if path is not None else elements
        lines.append(Line(line, elements))
    return lines


class _Spelling:
    """From places in a value to fields as their owners are written down. Names of a list's items are made once."""

    def __init__(self, value: Json, shape: Shape) -> None:
        self._value = value
        self._shape = shape
        self._names: dict[Path, list[str]] = {}

    def __call__(self, path: Path) -> tuple[str, ...]:
        value, shape = self._value, self._shape
        elements: list[str] = []
        for at, step in enumerate(path):
            if isinstance(step, int):
                names = self._names.get(path[:at])
                if names is None:
                    names = self._names[path[:at]] = item_names(value, shape)
                elements.append(names[step])
                value, shape = value[step], shape.values
            else:
                elements.append(f"f:{step}")
                value, shape = value.get(step), shape.child(step) or FREE
        return tuple(elements)
