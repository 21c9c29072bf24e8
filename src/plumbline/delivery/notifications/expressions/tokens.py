"""An expression as tokens."""

import re
from typing import Final, NamedTuple

from plumbline.base.errors import BadExpression
from plumbline.gotemplate.quoting import unquoted
from plumbline.gotemplate.values import Failed

LONGEST: Final = 16 * 1024
_token: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<number>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|(?:[0-9][0-9_]*)?\.[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?|[0-9][0-9_]*(?:[eE][+-]?[0-9]+)?)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)
    |(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)
    |(?P<symbol>\?\.|\?\?|\.\.|\*\*|&&|\|\||==|!=|<=|>=|[-+*/%^<>!?:.,|()\[\]{}\#])""",
    re.VERBOSE | re.DOTALL,
).match


class Token(NamedTuple):
    kind: str
    """number, string, name, symbol or end."""
    text: str
    at: int
    value: object = None


def tokens(text: str) -> list[Token]:
    """Raises BadExpression."""
    if len(text) > LONGEST:
        raise BadExpression("the expression is too long")
    found: list[Token] = []
    at = 0
    while at < len(text):
        here = _token(text, at)
        if here is None:
            raise BadExpression(f"unrecognized character: {text[at]!r} (1:{at + 1})")
        kind = here.lastgroup or ""
        if kind != "space":
            found.append(Token(kind, here[0], at, _value(kind, here[0], at)))
        at = here.end()
    return [*found, Token("end", "", at)]


def _value(kind: str, text: str, at: int) -> object:
    if kind == "number":
        return _number(text.replace("_", ""), at)
    if kind != "string":
        return None
    try:
        return unquoted(_double(text) if text.startswith("'") else text)
    except Failed as fault:
        raise BadExpression(f"{fault} (1:{at + 1})") from fault


def _double(text: str) -> str:
    """A string in single quotes as one in double quotes."""
    inner = re.sub(
        r"\\(.)|\"", lambda found: '\\"' if found[0] == '"' else "'" if found[1] == "'" else found[0], text[1:-1]
    )
    return f'"{inner}"'


def _number(plain: str, at: int) -> float:
    if plain[:2].lower() in {"0x", "0b", "0o"}:
        return int(plain, 0)
    try:
        return float(plain) if set(plain) & set(".eE") else int(plain)
    except ValueError as fault:
        raise BadExpression(f"bad number syntax: it has {len(plain):,} digits (1:{at + 1})") from fault
