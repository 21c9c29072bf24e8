"""What calls cost at most, and how large their results can be, by function."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from plumbline.apiserver.cel.estimates import MOST, NOTHING, ONE, UNKNOWN, Bounds, exactly
from plumbline.apiserver.cel.functions import Overload
from plumbline.apiserver.cel.syntax import Expr, Literal
from plumbline.apiserver.cel.types import Type

_TEXT: Final = 0.1
_REGEX: Final = 0.25
_FORMAT: Final = 128 * _REGEX
_LIST: Final = exactly(10)
_ADDRESS: Final = Bounds(4, 16)


class Argument(NamedTuple):
    """Of a call, its target first: how large it is if that is known, how large its items are, and what it is."""

    expr: Expr
    type: Type
    size: Bounds
    items: Bounds | None
    """Of items of a list; None for what is no list."""


class Estimate(NamedTuple):
    cost: Bounds
    size: Bounds | None = None


Estimator = Callable[[Overload, tuple[Argument, ...]], Estimate]


def _one(_overload: Overload, _args: tuple[Argument, ...]) -> Estimate:
    return Estimate(ONE)


def _text(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return Estimate(args[0].size.scaled(_TEXT))


def _text_kept(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return Estimate(args[0].size.scaled(_TEXT), args[0].size)


def _second_text(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return Estimate(args[1].size.scaled(_TEXT))


def _traversal(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    target = args[0]
    if target.items is None:
        return Estimate(target.size.scaled(_TEXT))
    each = ONE
    if target.type.params and target.type.params[0].kind in {"string", "bytes"}:
        each = each.plus(target.items.scaled(_TEXT))
    return Estimate(target.size.times(each))


def _split(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    size = args[0].size
    most = _literal(args[2], size.most) if len(args) > 2 else size.most  # noqa: PLR2004 - with a limit
    return Estimate(size.scaled(2 * _TEXT), Bounds(0, most))


def _literal(argument: Argument, otherwise: int) -> int:
    expr = argument.expr
    if isinstance(expr, Literal) and type(expr.value) is int:
        return max(expr.value, 0)
    return otherwise


def _join(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    items = args[0].size
    size = items.times(args[0].items or UNKNOWN)
    if len(args) > 1:
        between = Bounds(max(items.least - 1, 0), max(items.most - 1, 0))
        size = size.plus(args[1].size.times(between))
    return Estimate(size.scaled(_TEXT), size)


def _replace(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    size, old, new = (each.size for each in args[:3])
    if old.least == 0:
        most = min((size.most + 1 if size.most < MOST else size.most) * new.most + size.most, MOST)
    elif new.most <= old.least:
        most = size.most
    else:
        most = min(-(-size.most // old.least) * new.most, MOST)
    if old.most == 0:
        least = (size.least + 1) * new.least + size.least
    elif old.most <= new.least:
        least = size.least
    else:
        least = -(-size.least // old.most) * new.least
    return Estimate(size.scaled(2 * _TEXT), Bounds(least, most))


def _regex(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    cost = args[0].size.plus(ONE).scaled(_TEXT).times(args[1].size.scaled(_REGEX))
    return Estimate(cost)


def _found(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return Estimate(_regex(overload, args).cost, Bounds(0, args[0].size.most))


def _search(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return Estimate(args[0].size.scaled(_TEXT).times(args[1].size.scaled(_TEXT)))


def _contains_address(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    cost = _ADDRESS.plus(_ADDRESS).scaled(_TEXT)
    if overload.function == "containsCIDR":
        cost = cost.plus(_ADDRESS.scaled(_TEXT)).plus(ONE)
    if overload.args[1].kind == "string":
        cost = cost.plus(args[1].size.scaled(_TEXT))
    return Estimate(cost)


def _ip(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return Estimate(ONE) if overload.member else _text(overload, args)


def _canonical(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return Estimate(args[0].size.scaled(2 * _TEXT))


def _validate(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return Estimate(args[1].size.scaled(_TEXT).scaled(_FORMAT))


def _in(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return Estimate(args[1].size) if overload.args[1].kind == "list" else Estimate(ONE)


def _compare(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    if overload.args[0].kind not in {"string", "bytes", "param"}:
        return Estimate(ONE)
    if args[0].type == args[1].type and args[0].type.name.startswith(("kubernetes.", "net.")):
        return Estimate(ONE)
    smaller = min(args[0].size.most, args[1].size.most)
    return Estimate(Bounds(min(smaller, 1), smaller).scaled(_TEXT))


def _add(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    kind = overload.args[0].kind
    if kind not in {"string", "bytes", "list"}:
        return Estimate(ONE)
    size = args[0].size.plus(args[1].size)
    return Estimate(ONE if kind == "list" else size.scaled(_TEXT), size)


def _bytes(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    if overload.args[0].kind != "string":
        return Estimate(ONE)
    size = args[0].size
    return Estimate(size.scaled(_TEXT), Bounds(size.least, min(size.most * 4, MOST)))


def _string(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    if overload.args[0].kind != "bytes":
        return Estimate(ONE)
    size = args[0].size
    return Estimate(size.scaled(_TEXT), Bounds(size.least // 4, size.most))


def _quote(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    size = args[0].size
    return Estimate(size.scaled(_TEXT), Bounds(size.least + 2, min(size.most * 2 + 2, MOST)))


def _listed(size: Bounds, factor: float = 1) -> Estimate:
    return Estimate(size.scaled(factor).plus(ONE).plus(_LIST), size)


def _slice(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    start, end = _literal(args[1], 0), _literal(args[2], args[0].size.most)
    return _listed(exactly(max(end - start, 0)))


def _range(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return _listed(exactly(_literal(args[0], MOST)))


def _same_list(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return _listed(args[0].size)


def _flatten(_overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    return _listed(args[0].size, float(_literal(args[1], MOST)) if len(args) > 1 else 1)


def _squared(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    keys = args[1] if overload.function == "@sortByAssociatedKeys" else args[0]
    kind = overload.args[1 if overload.function == "@sortByAssociatedKeys" else 0].params[0].kind
    factor = 2.0 + (_TEXT if kind in {"string", "bytes"} and overload.function != "distinct" else 0)
    return _listed(keys.size.times(keys.size), factor)


def _sets(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    factor = 2 if overload.function == "sets.equivalent" else 1
    return Estimate(args[0].size.times(args[1].size).scaled(factor).plus(ONE))


_BY_FUNCTION: Final[Mapping[str, Estimator]] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traversal),
    **dict.fromkeys(("url", "lowerAscii", "upperAscii", "substring", "trim"), _text_kept),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver", "format"), _text),
    **dict.fromkeys(("startsWith", "endsWith"), _second_text),
    **dict.fromkeys(("find", "findAll"), _found),
    **dict.fromkeys(("containsIP", "containsCIDR"), _contains_address),
    **dict.fromkeys(("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"), _compare),
    **dict.fromkeys(("sort", "@sortByAssociatedKeys", "distinct"), _squared),
    **dict.fromkeys(("sets.contains", "sets.intersects", "sets.equivalent"), _sets),
    "split": _split, "join": _join, "replace": _replace, "matches": _regex, "contains": _search, "ip": _ip,
    "ip.isCanonical": _canonical, "validate": _validate, "@in": _in, "_+_": _add, "bytes": _bytes, "string": _string,
    "strings.quote": _quote, "slice": _slice, "lists.range": _range, "reverse": _same_list, "flatten": _flatten,
}  # fmt: skip


def call_estimate(overload: Overload, args: tuple[Argument, ...]) -> Estimate:
    """The cost of the call itself; that of its arguments comes on top."""
    if overload.function == "matches" and not overload.member:
        return Estimate(ONE)
    estimate = _BY_FUNCTION.get(overload.function, _one)
    return estimate(overload, args) if args else Estimate(ONE if overload.function else NOTHING)
