"""What can be seen to be wrong in literals before anything is evaluated."""

from collections.abc import Iterator

from plumbline.apiserver.cel.checker import Checked
from plumbline.apiserver.cel.issues import Issues
from plumbline.apiserver.cel.library.formatting import CLAUSE, FAULTS
from plumbline.apiserver.cel.syntax import Bind, Call, Expr, Fold, ListExpr, Literal, MapExpr, Select, StructExpr
from plumbline.apiserver.cel.times import parse_duration, parse_timestamp
from plumbline.apiserver.cel.types import Type, unwrapped
from plumbline.base.errors import PlumblineError
from plumbline.base.regex import compiled

_CONVERSIONS = {"duration": parse_duration, "timestamp": parse_timestamp}
_FORMATTED = {
    "d": {"int", "uint"}, "f": {"double", "string"}, "e": {"double", "string"}, "b": {"int", "uint", "bool"},
    "x": {"int", "uint", "string", "bytes"}, "X": {"int", "uint", "string", "bytes"}, "o": {"int", "uint"},
    "s": {"list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null"},
}  # fmt: skip


def check_literals(expr: Expr, source: str, found: Checked) -> None:
    """Raises `BadExpression` for literals that can never be right."""
    issues = Issues(source)
    for node, in_format in _nodes(expr, in_format=False):
        if isinstance(node, Call):
            _check_call(node, found, issues)
        elif isinstance(node, ListExpr) and not in_format:
            _check_list(node, found, issues)
        elif isinstance(node, MapExpr) and not in_format:
            _check_map(node, found, issues)
    if issues:
        raise issues.refusal()


def _nodes(expr: Expr, *, in_format: bool) -> Iterator[tuple[Expr, bool]]:
    """Every node, and whether it is within the arguments of format(), where types may be mixed."""
    yield expr, in_format
    below = in_format or (isinstance(expr, Call) and expr.function == "format")
    for child in children(expr):
        yield from _nodes(child, in_format=below)


def children(expr: Expr) -> Iterator[Expr]:
    if isinstance(expr, Select):
        yield expr.operand
    elif isinstance(expr, Call):
        if expr.target is not None:
            yield expr.target
        yield from expr.args
    elif isinstance(expr, ListExpr):
        yield from expr.items
    elif isinstance(expr, MapExpr):
        for entry in expr.entries:
            yield entry.key
            yield entry.value
    elif isinstance(expr, Fold):
        yield expr.range
        yield from (each for each in (expr.predicate, expr.transform) if each is not None)
    elif isinstance(expr, Bind):
        yield expr.operand
        yield expr.body
    elif isinstance(expr, StructExpr):
        yield from (value for _, value in expr.fields)


def _check_call(call: Call, found: Checked, issues: Issues) -> None:
    argument = call.args[0] if call.args else None
    convert = _CONVERSIONS.get(call.function)
    if isinstance(argument, Literal) and isinstance(argument.value, str):
        if convert is not None and call.target is None:
            _try(lambda: convert(argument.value), f"invalid {call.function} argument", argument, issues)
        elif call.function == "matches":
            _try(lambda: compiled(argument.value), "invalid matches argument", argument, issues)
    if call.function == "format" and isinstance(call.target, Literal) and isinstance(argument, ListExpr):
        _check_format(call, str(call.target.value), argument, found, issues)


def _try(attempt: object, message: str, at: Expr, issues: Issues) -> None:
    try:
        attempt()  # type: ignore[operator] # a function without arguments
    except PlumblineError:
        issues.add(at.at, message)


def _check_format(call: Call, template: str, args: ListExpr, found: Checked, issues: Issues) -> None:
    used = 0
    for clause in CLAUSE.finditer(template):
        if clause[1]:
            continue
        if used >= len(args.items):
            issues.add(call.at, f"index {used} out of range")
            return
        allowed = _FORMATTED.get(clause[3])
        if allowed is None:
            said = "unexpected end of string" if not clause[3] else f'unrecognized formatting clause "{clause[3]}"'
            issues.add(call.at, f"could not parse formatting clause: {said}" if clause[3] else said)
            return
        given = found.type(args.items[used])
        if given.kind not in allowed and given.kind != "dyn":
            fault = FAULTS[clause[3]].format(given.name or given.kind)
            issues.add(args.items[used].at, f"error during formatting: {fault}")
            return
        used += 1
    if used < len(args.items):
        said = f"too many arguments supplied to string.format (expected {used}, got {len(args.items)})"
        issues.add(call.at, said)


def _check_list(expr: ListExpr, found: Checked, issues: Issues) -> None:
    wanted: Type | None = None
    for index, each in enumerate(expr.items):
        given = found.type(each)
        if index in expr.optional:
            given = unwrapped(given)[0]
        if wanted is None:
            wanted = given
        elif wanted != given:
            issues.add(each.at, f"expected type '{wanted}' but found '{given}'")
            return


def _check_map(expr: MapExpr, found: Checked, issues: Issues) -> None:
    wanted: tuple[Type, Type] | None = None
    for entry in expr.entries:
        value = found.type(entry.value)
        given = found.type(entry.key), unwrapped(value)[0] if entry.optional else value
        if wanted is None:
            wanted = given
            continue
        for each, want, give in zip((entry.key, entry.value), wanted, given, strict=True):
            if want != give:
                issues.add(each.at, f"expected type '{want}' but found '{give}'")
