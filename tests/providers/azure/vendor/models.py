"""Microsoft's own client models as a judge of bodies: fields, types, what is read-only or required, patterns, enums."""

import re
import types
import typing
from functools import cache
from typing import Any, NamedTuple

from azure.mgmt.postgresqlflexibleservers import models as postgresql
from azure.mgmt.resource.resources import models as resources

_KNOWN = re.compile(r"Known\s+values\s+are:\s+((?:\"[^\"]*\"(?:,?\s+and\s+|,\s+)?)+)")
_VAR = re.compile(r":(?:ivar|keyword) (\w+): (.*?)(?=\n\s*:(?:ivar|vartype|keyword|paramtype)|\Z)", re.DOTALL)
# The service takes these, and its own models do not name them.
BESIDES = {("HighAvailability", "mode"): {"Disabled"}, ("HighAvailabilityForPatch", "mode"): {"Disabled"}}
_PRIMITIVES = {"str": str, "int": int, "bool": bool, "float": float, "iso-8601": str}


class Rule(NamedTuple):
    type: str
    """A primitive, the name of a model, `[]` before the type of items, `{}` before that of values."""
    readonly: bool = False
    required: bool = False
    pattern: str = ""
    known: frozenset[str] = frozenset()


class Wrong(Exception):
    """A body that no client of Microsoft's would have sent."""


@cache
def rules(name: str) -> dict[str, Any]:
    """By names on the wire: a rule, or a dict of rules for what the models flatten."""
    old = getattr(postgresql, name, None)
    return _flattened(old) if old is not None else _generated(getattr(resources, name))


def _flattened(model: type) -> dict[str, Any]:
    known = _known(model)
    result: dict[str, Any] = {}
    for attribute, said in model._attribute_map.items():
        limits = model._validation.get(attribute, {})
        path = said["key"].split(".")
        target = result
        for part in path[:-1]:
            target = target.setdefault(part, {})
        target[path[-1]] = Rule(
            _short(said["type"]),
            readonly=bool(limits.get("readonly")),
            required=bool(limits.get("required")),
            pattern=limits.get("pattern", ""),
            known=known.get(attribute, frozenset()) | BESIDES.get((model.__name__, attribute), frozenset()),
        )
    return result


def _short(kind: str) -> str:
    if kind.startswith("["):
        return "[]" + kind.strip("[]")
    return "{}" + kind.strip("{}") if kind.startswith("{") else kind


def _generated(model: type) -> dict[str, Any]:
    model({})
    hints = typing.get_type_hints(model, vars(resources) | {"_models": resources})
    return {
        field._rest_name: Rule(_hinted(hints[attribute]), readonly=field._visibility == ["read"])
        for attribute, field in model._attr_to_rest_field.items()
    }


def _hinted(hint: Any) -> str:
    inner = [part for part in typing.get_args(hint) if part is not types.NoneType]
    if typing.get_origin(hint) is dict:
        return "{}" + _hinted(inner[1])
    if typing.get_origin(hint) is list:
        return "[]" + _hinted(inner[0])
    if inner:
        return _hinted(inner[0])
    return hint.__name__


@cache
def _known(model: type) -> dict[str, frozenset[str]]:
    found = {}
    for attribute, text in _VAR.findall(model.__doc__ or ""):
        match = _KNOWN.search(text)
        if match:
            found[attribute] = frozenset(re.findall(r'"([^"]*)"', match[1]))
    return found


def check(name: str, value: Any, *, answer: bool = False, at: str = "") -> None:
    """Raises Wrong for what the model does not allow; an answer may have what is read-only."""
    _check(rules(name), value, answer=answer, at=at)


def _check(fields: dict[str, Any], value: Any, *, answer: bool, at: str) -> None:
    if not isinstance(value, dict):
        raise Wrong(f"'{at}' is no object")
    for key, item in value.items():
        where = f"{at}.{key}".lstrip(".")
        if key not in fields:
            raise Wrong(f"Could not find member '{key}' on object at '{at or 'the body'}'")
        rule = fields[key]
        if isinstance(rule, dict):
            _check(rule, item, answer=answer, at=where)
        elif rule.readonly and not answer:
            raise Wrong(f"'{where}' is read-only")
        elif item is not None:
            _value(rule, rule.type, item, answer=answer, at=where)
    for key, rule in fields.items():
        if isinstance(rule, Rule) and rule.required and value.get(key) is None:
            raise Wrong(f"'{at}.{key}' is required".replace("'.", "'"))
        if isinstance(rule, dict) and key not in value:
            _check(rule, {}, answer=answer, at=key)


def _value(rule: Rule, kind: str, value: Any, *, answer: bool, at: str) -> None:
    if kind.startswith("[]"):
        if not isinstance(value, list):
            raise Wrong(f"'{at}' is no list")
        for item in value:
            _value(rule, kind[2:], item, answer=answer, at=at)
    elif kind.startswith("{}"):
        if not isinstance(value, dict):
            raise Wrong(f"'{at}' is no map")
        for item in value.values():
            _value(rule, kind[2:], item, answer=answer, at=at)
    elif kind in _PRIMITIVES:
        if not isinstance(value, _PRIMITIVES[kind]) or (kind != "bool" and isinstance(value, bool)):
            raise Wrong(f"Could not convert '{at}' to {kind}: {value!r}")
        if rule.known and value not in rule.known:
            raise Wrong(f"Invalid value given for parameter {at}: {value}")
        if rule.pattern and not re.fullmatch(rule.pattern, value):
            raise Wrong(f"Invalid value given for parameter {at}: {value}")
    else:
        check(kind, value, answer=answer, at=at)
