"""Reading objects that may hold anything: what has another form than it should is not there. Pure."""

from collections.abc import Iterator

from plumbline.base.json import Json, JsonObject


def below(value: Json, *path: str) -> JsonObject:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def records(value: Json, *path: str) -> Iterator[JsonObject]:
    listed = below(value, *path[:-1]).get(path[-1])
    return (each for each in listed if isinstance(each, dict)) if isinstance(listed, list) else iter(())


def text(value: Json, *path: str) -> str:
    found = below(value, *path[:-1]).get(path[-1])
    return found if isinstance(found, str) else ""


def texts(value: Json, *path: str) -> dict[str, str]:
    return {name: each for name, each in below(value, *path).items() if isinstance(each, str)}


def number(value: Json, *path: str) -> int:
    found = below(value, *path[:-1]).get(path[-1])
    return found if type(found) is int else 0
