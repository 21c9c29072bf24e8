"""Column definitions, written one per line and expanded when somebody asks.

    Name                      the object's name; `Age`, `Containers` and `Images` are as well-known
    Ready | what it says      a text column with its description
    Desired:integer | ...     of another type
    IP* | ...                 of low priority, for `-o wide`
    Attacher (name) | ...     with a format
    IP | @core.v1.PodStatus.podIP    described as that field is

Where upstream describes a column as it describes the field, the text comes from the schema catalog.
"""

import re
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.schema.builtin import catalog

_NAME: Final = "@meta.v1.ObjectMeta.name"
_CREATED: Final = "@meta.v1.ObjectMeta.creationTimestamp"
_WELL_KNOWN: Final = {
    "Name": f"Name (name) | {_NAME}",
    "Age": f"Age | {_CREATED}",
    "Containers": "Containers | Names of each container in the template.",
    "Images": "Images | Images referenced by each container in the template.",
    "Containers*": "Containers* | Names of each container in the template.",
    "Images*": "Images* | Images referenced by each container in the template.",
}
_LINE: Final = re.compile(
    r"(?P<name>[^|:*]+?)(?::(?P<type>\w+))?(?P<wide>\*?)(?: \((?P<format>\w+)\))? \| ?(?P<text>.*)"
)


def definitions(text: str) -> list[JsonObject]:
    return [_definition(line.strip()) for line in text.strip().splitlines()]


def definition(name: str, kind: str, *, form: str, description: str, priority: int) -> JsonObject:
    """In the order in which the server writes the fields."""
    return {"name": name, "type": kind, "format": form, "description": description, "priority": priority}


def created_description() -> str:
    return _description(_CREATED)


def _definition(line: str) -> JsonObject:
    parts = _LINE.fullmatch(_WELL_KNOWN.get(line, line))
    if parts is None:
        raise ValueError(f"not a column: {line}")
    return definition(
        parts["name"],
        parts["type"] or "string",
        form=parts["format"] or "",
        description=_description(parts["text"]),
        priority=1 if parts["wide"] else 0,
    )


def _description(text: str) -> str:
    if not text.startswith("@"):
        return text.replace("\\n", "\n")
    name, _, field = text[1:].rpartition(".")
    found = catalog().definition(name) or {}
    return str(found["properties"][field]["description"])
