"""Expressions cut into words."""

import re
from typing import Final, NamedTuple

from plumbline.apiserver.cel.issues import Issues

_ESCAPE: Final = r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
_QUOTED: Final = "|".join(
    (
        rf'"""(?:{_ESCAPE}|[^\\])*?"""',
        rf"'''(?:{_ESCAPE}|[^\\])*?'''",
        rf'"(?:{_ESCAPE}|[^\\"\n\r])*"',
        rf"'(?:{_ESCAPE}|[^\\'\n\r])*'",
    )
)
_RAW: Final = r"""[rR](?:\"\"\"(?:.|\n)*?\"\"\"|'''(?:.|\n)*?'''|\"[^\"\n\r]*\"|'[^'\n\r]*')"""
_word: Final = re.compile(
    "|".join(
        (
            r"(?P<space>(?:[\t \r\n\f]+|//[^\n]*)+)",
            rf"(?P<bytes>[bB](?:{_QUOTED}|{_RAW}))",
            rf"(?P<string>{_QUOTED}|{_RAW})",
            r"(?P<float>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)",
            r"(?P<uint>0x[0-9a-fA-F]+[uU]|[0-9]+[uU])",
            r"(?P<int>0x[0-9a-fA-F]+|[0-9]+)",
            r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)",
            r"(?P<escaped>`[A-Za-z0-9_.\-/ ]+`)",
            r"(?P<mark>==|!=|<=|>=|&&|\|\||[<>\[\]{}().,\-!?:+*/%])",
        )
    )
).match

_begun: Final = re.compile(rf"""[rRbB]*(?:\"(?:{_ESCAPE}|[^\\\"\n\r])*\\?|'(?:{_ESCAPE}|[^\\'\n\r])*\\?)""").match

KEYWORDS: Final = frozenset(("in", "true", "false", "null"))


class Token(NamedTuple):
    """`kind` is the text itself for marks and keywords; the last token is `<EOF>`."""

    kind: str
    text: str
    at: int


def tokens_of(source: str, issues: Issues) -> list[Token]:
    """What cannot be a word is told and left out."""
    found: list[Token] = []
    at = 0
    while at < len(source):
        word = _word(source, at)
        if word is None:
            at = _skip(source, at, issues)
            continue
        kind, text = word.lastgroup or "", word[0]
        if kind != "space":
            sort = text if kind == "mark" or (kind == "name" and text in KEYWORDS) else kind
            found.append(Token(sort, text, at))
        at = word.end()
    found.append(Token("<EOF>", "<EOF>", len(source)))
    return found


def _skip(source: str, at: int, issues: Issues) -> int:
    """Past what began like a word, and past the character that made it none."""
    begun = _begun(source, at)
    end = begun.end() + 1 if begun else at + (2 if source[at] in "=&|" else 1)
    end = min(end, len(source))
    issues.add(at, f"Syntax error: token recognition error at: '{source[at:end]}'")
    return end


_ESCAPES: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_escape: Final = re.compile(_ESCAPE)


def string_of(text: str) -> str | None:
    """The value of a string literal; None where it escapes a character that does not exist."""
    body, raw = _body(text)
    if raw:
        return body
    try:
        return _escape.sub(lambda found: _character(found[0][1:]), body)
    except ValueError:
        return None


def bytes_of(text: str) -> bytes | None:
    body, raw = _body(text[1:])
    if raw:
        return body.encode()
    parts: list[bytes] = []
    at = 0
    for found in _escape.finditer(body):
        parts.append(body[at : found.start()].encode())
        code = found[0][1:]
        if code[0] in "uU":
            return None
        parts.append(bytes([ord(_character(code))]))
        at = found.end()
    return b"".join([*parts, body[at:].encode()])


def _body(text: str) -> tuple[str, bool]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = text[0] in "rR"
    text = text[raw:]
    quotes = 3 if text.startswith(('"""', "'''")) and len(text) >= 6 else 1  # noqa: PLR2004 - three on either side
    return text[quotes:-quotes], raw


def _character(code: str) -> str:
    if code[0] in "xXuU":
        return _valid(int(code[1:], 16))
    if code[0].isdigit():
        return chr(int(code, 8))
    return _ESCAPES.get(code, code)


def _valid(point: int) -> str:
    if 0xD800 <= point <= 0xDFFF:  # noqa: PLR2004 - halves of characters
        raise ValueError(point)
    return chr(point)
