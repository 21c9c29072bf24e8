"""Fields of an object as Go's typed decoding leaves them: what is missing, or is something else, has its zero value."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.tables.ages import since
from plumbline.base.errors import BadQuantity, BadSelector
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import Quantity, canonical
from plumbline.kube.selectors import LabelSelector

NONE: Final = "<none>"
UNSET: Final = "<unset>"


def at(value: Json, *path: str) -> Json:
    """What lies under *path*, or None where it leads nowhere."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text(value: Json, *path: str) -> str:
    found = at(value, *path)
    return found if isinstance(found, str) else ""


def optional(value: Json, *path: str, absent: str) -> str:
    """A text that may be missing: the empty one is there, and is shown."""
    found = at(value, *path)
    return found if isinstance(found, str) else absent


def number(value: Json, *path: str) -> int:
    found = at(value, *path)
    return found if type(found) is int else 0


def flag(value: Json, *path: str) -> bool:
    return at(value, *path) is True


def mapping(value: Json, *path: str) -> JsonObject:
    found = at(value, *path)
    return found if isinstance(found, dict) else {}


def items(value: Json, *path: str) -> list[Json]:
    found = at(value, *path)
    return found if isinstance(found, list) else []


def texts(value: Json, *path: str) -> list[str]:
    return [item for item in items(value, *path) if isinstance(item, str)]


def records(value: Json, *path: str) -> list[JsonObject]:
    """The list of objects under *path*; whatever else is in it counts as an empty one, so that places stay."""
    return [item if isinstance(item, dict) else {} for item in items(value, *path)]


def name(obj: JsonObject) -> str:
    return text(obj, "metadata", "name")


def age(obj: JsonObject, now_s: float) -> str:
    return since(at(obj, "metadata", "creationTimestamp"), now_s)


def condition(conditions: list[JsonObject], kind: str) -> JsonObject | None:
    """The first condition of that type."""
    return next((each for each in conditions if each.get("type") == kind), None)


def holds(conditions: list[JsonObject], kind: str) -> bool:
    found = condition(conditions, kind)
    return found is not None and found.get("status") == "True"


def quantity(value: Json) -> str:
    """As the server spells it; zero where there is none."""
    try:
        return canonical(value) if isinstance(value, str) else str(Quantity.from_json(value))
    except BadQuantity:
        return "0"


def labels(found: JsonObject) -> str:
    return ",".join(f"{key}={text(found, key)}" for key in sorted(found)) or NONE


def selector(value: Json, *, absent: str = NONE, invalid: str = "<error>") -> str:
    try:
        return str(LabelSelector.from_object(value)) or absent
    except BadSelector:
        return invalid


def container_names(pod_spec: JsonObject) -> tuple[str, str]:
    """The names and the images of a template's containers."""
    containers = records(pod_spec, "containers")
    return ",".join(_each(containers, "name")), ",".join(_each(containers, "image"))


def shortened(found: list[str], limit: int, between: str = ",") -> str:
    """The first of them, and how many more there are."""
    shown = between.join(found[:limit])
    return shown if len(found) <= limit else f"{shown} + {len(found) - limit} more..."


def _each(found: list[JsonObject], key: str) -> Iterator[str]:
    return (text(item, key) for item in found)
