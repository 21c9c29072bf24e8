"""What the rules of a schema may cost together, by estimates made before there is any object."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.cel.estimates import MOST
from plumbline.apiserver.crds.definitions.reading import text
from plumbline.apiserver.fielderrors import FieldError, forbidden
from plumbline.base.json import JsonObject

EXPRESSION_LIMIT: Final = 10_000_000
SCHEMA_LIMIT: Final = 100_000_000
_TOLD: Final = 4
_FAR: Final = 100
_NEAR: Final = 1.5


class Costs:
    """Adds up, and remembers the most expensive rules."""

    def __init__(self) -> None:
        self.total = 0
        self._expensive: list[tuple[int, str]] = []

    def observe(self, path: str, cost: int) -> None:
        self.total = min(self.total + cost, MOST)
        if cost >= SCHEMA_LIMIT // 100:
            self._expensive.append((cost, path))
            self._expensive.sort(key=lambda each: -each[0])
            del self._expensive[_TOLD:]

    def errors(self, path: str) -> Iterator[FieldError]:
        if self.total <= SCHEMA_LIMIT:
            return
        for _, place in self._expensive:
            said = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
            yield forbidden(place, said)
        title = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
        yield forbidden(path, exceeded(title, self.total, SCHEMA_LIMIT))


def exceeded(title: str, cost: int, limit: int) -> str:
    factor = cost / limit
    # A factor near one is shown in full, so that it never reads as "exceeds by 1.0x".
    precise = f"{factor:f}x" if factor < _NEAR else f"{factor:.1f}x"
    shown = "more than 100x" if factor > _FAR else precise
    advice = (
        "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are "
        "declared"
    )
    return f"{title} exceeds budget by factor of {shown} ({advice})"


def multiplied(cost: int, count: int) -> int:
    return min(cost * count, MOST)


def children_at_most(schema: JsonObject) -> int | None:
    """How many values a schema's children can describe for each of its own; None where there is no limit."""
    kind = text(schema, "type")
    if kind == "array":
        return _limit(schema, "maxItems")
    if kind == "object" and schema.get("additionalProperties") is not None:
        return _limit(schema, "maxProperties")
    return 1


def _limit(schema: JsonObject, name: str) -> int | None:
    value = schema.get(name)
    return max(value, 0) if isinstance(value, int) and not isinstance(value, bool) else None
