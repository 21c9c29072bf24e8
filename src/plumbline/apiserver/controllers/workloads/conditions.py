"""Conditions in a status, as the older kinds of Kubernetes hold them."""

from collections.abc import Iterable

from plumbline.base.json import JsonObject


def condition_of(conditions: Iterable[JsonObject], type_: str) -> JsonObject | None:
    return next((each for each in conditions if each.get("type") == type_), None)


def without(conditions: Iterable[JsonObject], type_: str) -> list[JsonObject]:
    return [each for each in conditions if each.get("type") != type_]


def with_condition(conditions: list[JsonObject], new: JsonObject) -> list[JsonObject]:
    """*new* at the end, in place of the one of its type; unless that says the same for the same reason."""
    current = condition_of(conditions, str(new["type"]))
    if current and all(current.get(field) == new.get(field) for field in ("status", "reason")):
        return conditions
    if current and current.get("status") == new.get("status"):
        new = {**new, "lastTransitionTime": current.get("lastTransitionTime")}
    return [*without(conditions, str(new["type"])), new]


def told(value: JsonObject, *, always: frozenset[str] = frozenset()) -> JsonObject:
    """*value* as the server's types write it: what is zero or empty is left out, but for the fields named."""
    return {name: held for name, held in value.items() if held or (name in always and held is not None)}
