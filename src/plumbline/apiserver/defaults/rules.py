"""The words in which defaults are written: what a record gets where it says nothing, and where to look on below it.

A rule takes any JSON value and gives it back with its defaults, sharing everything that did not change; what is not of
the form that the rule is about passes untouched, for validation to refuse. The server's own types tell two kinds of
field apart: one that can be absent (a pointer there), whose zero is an answer, and one that cannot, whose zero means
that nobody answered.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from plumbline.base.json import Json, JsonObject

Rule: TypeAlias = Callable[[Json], Json]


def record(
    *,
    zero: Mapping[str, Json] | None = None,
    absent: Mapping[str, Json] | None = None,
    made: Mapping[str, Callable[[], Json]] | None = None,
    fields: Mapping[str, Rule] | None = None,
) -> Rule:
    """The rule for an object.

    *zero* fills fields that are absent or zero, *absent* fields that are absent, *made* the same with a value of its
    own for every object; *fields* are the rules of what is below, where it is there.
    """
    zeros, absents, makers, below = (tuple((table or {}).items()) for table in (zero, absent, made, fields))

    def rule(value: Json) -> Json:
        if type(value) is not dict:
            return value
        get = value.get
        changes: JsonObject = {name: default for name, default in zeros if not get(name)}
        for name, default in absents:
            if get(name) is None:
                changes[name] = default
        for name, make in makers:
            if get(name) is None:
                changes[name] = make()
        for name, inner in below:
            child = get(name)
            if child is not None:
                held = inner(child)
                if held is not child:
                    changes[name] = held
        return {**value, **changes} if changes else value

    return rule


def each(rule: Rule) -> Rule:
    """The rule for a list whose items follow *rule*."""

    def of_list(value: Json) -> Json:
        if type(value) is not list:
            return value
        held = [rule(item) for item in value]
        return held if any(new is not old for new, old in zip(held, value, strict=True)) else value

    return of_list


def each_value(rule: Rule) -> Rule:
    """The rule for a map whose values follow *rule*."""

    def of_map(value: Json) -> Json:
        if type(value) is not dict:
            return value
        changes = {name: held for name, child in value.items() if (held := rule(child)) is not child}
        return {**value, **changes} if changes else value

    return of_map


def chain(*rules: Rule) -> Rule:
    """One rule after the other."""

    def of_all(value: Json) -> Json:
        for rule in rules:
            value = rule(value)
        return value

    return of_all


def for_objects(rule: Callable[[JsonObject], JsonObject]) -> Rule:
    """*rule*, which takes an object for granted, where there is one."""
    return lambda value: rule(value) if type(value) is dict else value


def child_of(obj: JsonObject, name: str) -> JsonObject:
    """The object under *name*; an empty one where there is none."""
    child = obj.get(name)
    return child if type(child) is dict else {}


def without(obj: JsonObject, *names: str) -> JsonObject:
    """*obj* without the fields called *names*."""
    return (
        {name: child for name, child in obj.items() if name not in names} if any(map(obj.__contains__, names)) else obj
    )
