"""The parts of a gjson path. Pure text: what they are asked of is not known here."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, decode

Modifier: TypeAlias = Callable[[str], str]
"""Says what at the beginning of a path is no name; nothing if it is one."""


class ObjectStep(NamedTuple):
    name: str
    wild: bool
    rest: str | None = None
    """To be asked of what is found, while other names may still fit."""
    pipe: str | None = None
    """To be asked of what is found in the end."""


class Query(NamedTuple):
    path: str
    operator: str
    operand: str
    all: bool

    def fits(self, value: Json, *, exists: bool) -> bool:
        operand = self.operand
        if operand.startswith("~"):
            held = _held(value, operand[1:], exists=exists)
            if held is None:
                return False
            value, exists, operand = held, True, "true"
        if not exists:
            return False
        return not self.operator or _compared(value, self.operator, operand)


class ArrayStep(NamedTuple):
    name: str
    rest: str | None = None
    pipe: str | None = None
    each: str | None = None
    """Of `#.x`: to be asked of every element."""
    query: Query | None = None


def object_step(path: str, modifier: Modifier) -> ObjectStep:
    """The name up to the first dot or pipe. Escapes go; what they hid is wild again if anything else is, as in gjson."""
    name, wild, at = "", False, 0
    while at < len(path):
        letter = path[at]
        if letter in ".|":
            return ObjectStep(name, wild, *_ahead(path, at, modifier))
        if letter == "\\":
            at += 1
            letter = path[at : at + 1]
        elif letter in "*?":
            wild = True
        name += letter
        at += 1
    return ObjectStep(name, wild)


def _ahead(path: str, at: int, modifier: Modifier) -> tuple[str | None, str | None]:
    """What follows the dot or pipe: (rest, pipe)."""
    after = path[at + 1 :]
    if path[at] == "|" or (after and (after[0] in "[{" or modifier(after).startswith("@"))):
        return None, after
    return after, None


def array_step(path: str, modifier: Modifier) -> ArrayStep:
    if path.startswith("#."):
        return ArrayStep("#", each=path[2:])
    if path.startswith(("#(", "#[")):
        return _query_step(path)
    at = next((at for at, letter in enumerate(path) if letter in ".|"), len(path))
    if at == len(path):
        return ArrayStep(path)
    if "#" in path[:at] and path[at] == ".":
        return ArrayStep(path[:at], rest=path[at + 1 :])
    return ArrayStep(path[:at], *_ahead(path, at, modifier))


def _query_step(path: str) -> ArrayStep:
    end, operator_at = _query_end(path)
    inner = path[2:end]
    all_of_them = path[end + 1 : end + 2] == "#"
    query = _query(inner, operator_at - 2 if operator_at else len(inner), all_of_them=all_of_them)
    after = path[end + 1 :]
    at = next((at for at, letter in enumerate(after) if letter in ".|"), len(after))
    if at == len(after):
        return ArrayStep(path, query=query)
    if after[at] == "|":
        return ArrayStep(path, pipe=after[at + 1 :], query=query)
    return ArrayStep(path, rest=after[at + 1 :], query=query)


def _query_end(path: str) -> tuple[int, int]:
    """Where the query that begins here is closed, and where its operator is (0: it has none)."""
    depth, operator_at, at = 1, 0, 2
    while at < len(path):
        letter = path[at]
        if depth == 1 and not operator_at and letter in "!=<>%":
            operator_at = at
        elif letter == "\\":
            at += 1
        elif letter in "[(":
            depth += 1
        elif letter in "])":
            depth -= 1
            if not depth:
                return at, operator_at
        elif letter == '"':
            at = _quote_end(path, at)
        at += 1
    raise _unreadable("it is not closed")


def _quote_end(path: str, at: int) -> int:
    at += 1
    while at < len(path) and path[at] != '"':
        at += 2 if path[at] == "\\" else 1
    return at


def _query(inner: str, operator_at: int, *, all_of_them: bool) -> Query:
    path, rest = _trimmed(inner[:operator_at]), _trimmed(inner[operator_at:])
    operator = next(
        (each for each in ("==", "!=", "!%", "<=", ">=", "<", ">", "=", "%", "!") if rest.startswith(each)), ""
    )
    if operator == "!":
        raise _unreadable("! alone is no operator")
    operand = _trimmed(rest[len(operator) :])
    if operand[1:] and operand[0] == operand[-1] == '"':
        operand = _unquoted(operand)
    return Query(path, "=" if operator == "==" else operator, operand, all_of_them)


def _unquoted(quoted: str) -> str:
    try:
        return decode(quoted.encode(), type=str)
    except ValueError:
        raise _unreadable("its text has an escape that JSON does not know") from None


def _unreadable(why: str) -> InvalidInput:
    hint = 'Write it as #(name=="value"), with one of ==, !=, <, <=, >, >=, % and !%.'
    return InvalidInput("The property cannot be read", why=f"Of a query in it, {why}", hint=hint)


def _trimmed(text: str) -> str:
    return text.strip("".join(map(chr, range(33))))


def split_at_pipe(path: str) -> tuple[str, str | None]:
    """What comes before the pipe that is not inside a query, and what comes after it."""
    at = 0
    while at < len(path):
        if path[at] == "\\":
            at += 1
        elif path.startswith((".#(", ".#["), at):
            at = at + 1 + _query_end(path[at + 1 :])[0]
        elif path[at] == "|":
            return path[:at], path[at + 1 :]
        at += 1
    return path, None


_TRUE, _FALSE = frozenset(("1", "t", "true")), frozenset(("0", "f", "false"))


def _held(value: Json, kind: str, *, exists: bool) -> bool | None:
    """Whether the value counts as true, false, null or there; None for another word."""
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    word = value.lower() if isinstance(value, str) else None
    match kind:
        case "*":
            return exists
        case "null":
            return value is None
        case "true":
            return value is True or word in _TRUE or (numeric and value != 0)
        case "false":
            return value is None or value is False or word in _FALSE or (numeric and value == 0)
    return None


def _compared(value: Json, operator: str, operand: str) -> bool:
    if isinstance(value, bool):
        return _compared_bool(operator, operand, value=value)
    if isinstance(value, str):
        if operator in ("%", "!%"):
            return matches_wildcard(value, operand) is (operator == "%")
        return _ordered(value.encode(), operator, operand.encode())
    return isinstance(value, int | float) and _ordered(float(value), operator, _number(operand))


def _number(operand: str) -> float:
    try:
        return float(operand)
    except ValueError:
        return 0.0


def _ordered(left: bytes | float, operator: str, right: bytes | float) -> bool:
    less, equal = left < right, left == right  # type: ignore[operator]  # both are of one type, which is not told
    return {"=": equal, "!=": not equal, "<": less, "<=": less or equal, ">": not (less or equal), ">=": not less}.get(
        operator, False
    )


def _compared_bool(operator: str, operand: str, *, value: bool) -> bool:
    same, other = ("true", "false") if value else ("false", "true")
    further, at_least = (">", ">=") if value else ("<", "<=")
    if operator in ("=", "!="):
        return (operand == same) is (operator == "=")
    return operator == at_least or (operator == further and operand == other)


def matches_wildcard(text: str, pattern: str) -> bool:
    """`*` any letters, `?` one, a backslash hides the letter after it. Linear in the product of both, whatever they are."""
    parts = _wildcard_parts(pattern)
    at = mark = 0
    star = -1
    part = 0
    while at < len(text):
        kind = parts[part] if part < len(parts) else None
        if kind == ("*", True):
            star, mark, part = part, at, part + 1
        elif kind is not None and (kind == ("?", True) or kind == (text[at], False)):
            at, part = at + 1, part + 1
        elif star >= 0:
            mark += 1
            at, part = mark, star + 1
        else:
            return False
    return all(kind == ("*", True) for kind in parts[part:])


def _wildcard_parts(pattern: str) -> list[tuple[str, bool]]:
    """Letters, and whether they stand for others."""
    parts, hidden = [], False
    for letter in pattern:
        if letter == "\\" and not hidden:
            hidden = True
            continue
        parts.append((letter, letter in "*?" and not hidden))
        hidden = False
    return parts
