"""Parts of an object as the kind of value they must be. What is something else counts as absent: decoding refused it."""

from plumbline.base.json import Json, JsonObject


def mapping(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def sequence(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def mappings(value: Json) -> list[JsonObject]:
    """The items of a list of objects; an item that is none counts as an empty one, so that positions stay."""
    return [each if isinstance(each, dict) else {} for each in value] if isinstance(value, list) else []


def text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def texts(value: Json) -> list[str]:
    return [each if isinstance(each, str) else "" for each in value] if isinstance(value, list) else []


def integer(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def number(value: Json) -> int:
    """An integer, 0 where there is none: as the server holds what need not be there."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
