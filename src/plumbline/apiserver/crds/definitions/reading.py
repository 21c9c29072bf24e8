"""Raw schemas and CRDs, read without trust: what is not of its type is as if it were not there."""

from collections.abc import Callable, Iterator

from plumbline.base.json import Json, JsonObject


def text(schema: JsonObject, name: str) -> str:
    value = schema.get(name)
    return value if isinstance(value, str) else ""


def flag(schema: JsonObject, name: str) -> bool:
    return schema.get(name) is True


def mapping(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def sequence(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def texts(value: Json) -> list[str]:
    return [each for each in sequence(value) if isinstance(each, str)]


def schema_of(value: Json) -> JsonObject | None:
    return value if isinstance(value, dict) else None


def named(schema: JsonObject, name: str) -> Iterator[tuple[str, JsonObject]]:
    """Schemas by name, as under `properties`."""
    for key, each in mapping(schema.get(name)).items():
        yield key, mapping(each)


def listed(schema: JsonObject, name: str) -> Iterator[tuple[int, JsonObject]]:
    """Schemas in a row, as under `allOf`."""
    for index, each in enumerate(sequence(schema.get(name))):
        yield index, mapping(each)


def subschemas(schema: JsonObject) -> Iterator[JsonObject]:
    """Every schema directly inside of *schema*, whatever it is for."""
    for name in ("items", "not", "additionalProperties", "additionalItems"):
        value = schema.get(name)
        if isinstance(value, dict):
            yield value
        elif isinstance(value, list):
            yield from (each for each in value if isinstance(each, dict))
    for name in ("allOf", "anyOf", "oneOf"):
        yield from (each for _, each in listed(schema, name))
    for name in ("properties", "patternProperties", "definitions", "dependencies"):
        yield from (each for _, each in named(schema, name))


def anywhere(schema: JsonObject, wanted: Callable[[JsonObject], bool]) -> bool:
    """Whether *schema* or one inside of it is *wanted*."""
    return wanted(schema) or any(anywhere(each, wanted) for each in subschemas(schema))


def condition_true(crd: JsonObject, kind: str) -> bool:
    conditions = sequence(mapping(crd.get("status")).get("conditions"))
    return any(mapping(each).get("type") == kind and mapping(each).get("status") == "True" for each in conditions)
