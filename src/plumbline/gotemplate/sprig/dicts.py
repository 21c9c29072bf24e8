"""Maps. `set`, `unset` and `merge` change the map that they are given, as in Go."""

from collections.abc import Callable, Mapping
from typing import Final

from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.builtins import budgeted
from plumbline.gotemplate.sprig.conversions import same, text
from plumbline.gotemplate.values import Failed, Function, Strings, Value, function, truth, type_name


@budgeted
def _dict(budget: Budget, *values: Value) -> dict[str, Value]:
    keys, held = values[::2], [*values[1::2], ""]
    return {text(key, budget): value for key, value in zip(keys, held, strict=False)}


def _set(target: dict[str, Value], key: str, value: Value) -> dict[str, Value]:
    target[key] = value
    return target


def _unset(target: dict[str, Value], key: str) -> dict[str, Value]:
    target.pop(key, None)
    return target


def _dig(*path: Value) -> Value:
    if len(path) < 3:  # noqa: PLR2004 - a key, a default and a map
        raise Failed("dig needs at least three arguments")
    *keys, default, found = path
    for key in keys:
        if not isinstance(found, dict):
            raise Failed(
                "interface conversion: interface {} is "
                f"{'nil' if found is None else type_name(found)}, not map[string]interface {{}}"
            )
        if not isinstance(key, str):
            raise Failed(f"interface conversion: interface {{}} is {type_name(key)}, not string")
        if key not in found:
            return default
        found = found[key]
    return found


def _merged(target: dict[str, Value], source: Mapping[str, Value], *, overwrite: bool) -> None:
    for key, value in source.items():
        known = target.get(key)
        if type(known) is dict and type(value) is dict:
            _merged(known, value, overwrite=overwrite)
        elif overwrite or not truth(known):
            target[key] = value


def _merging(*, overwrite: bool) -> Callable[..., Value]:
    @budgeted
    def merge(budget: Budget, target: dict[str, Value], *sources: dict[str, Value]) -> Value:
        for source in sources:
            budget.weigh(source)
            _merged(target, source, overwrite=overwrite)
        return target

    return merge


@budgeted
def _copied(budget: Budget, value: Value) -> Value:
    budget.weigh(value)
    return _copy(value)


def _copy(value: Value) -> Value:
    if isinstance(value, dict):
        return type(value)({key: _copy(each) for key, each in value.items()})
    return type(value)(map(_copy, value)) if isinstance(value, list) else value


@budgeted
def _equal(budget: Budget, first: Value, other: Value) -> bool:
    budget.weigh(first)
    return same(first, other)


def _keys(*dicts: dict[str, Value]) -> Strings:
    """Go promises no order; this one is always the same."""
    return Strings(key for each in dicts for key in sorted(each))


FUNCTIONS: Final[Mapping[str, Function]] = {
    "deepCopy": function("any", _copied),
    "deepEqual": function("any any", _equal),
    "dict": function("...any", _dict),
    "dig": function("...any", _dig),
    "get": function("map string", lambda found, key: found.get(key, "")),
    "hasKey": function("map string", lambda found, key: key in found),
    "keys": function("...map", _keys),
    "merge": function("map ...map", _merging(overwrite=False)),
    "mergeOverwrite": function("map ...map", _merging(overwrite=True)),
    "mustDeepCopy": function("any", _copied),
    "mustMerge": function("map ...map", _merging(overwrite=False)),
    "mustMergeOverwrite": function("map ...map", _merging(overwrite=True)),
    "omit": function(
        "map ...string", lambda found, *keys: {key: value for key, value in found.items() if key not in keys}
    ),
    "pick": function("map ...string", lambda found, *keys: {key: found[key] for key in keys if key in found}),
    "pluck": function("string ...map", lambda key, *dicts: [each[key] for each in dicts if key in each]),
    "set": function("map string any", _set),
    "unset": function("map string", _unset),
    "values": function("map", lambda found: [found[key] for key in sorted(found)]),
}
