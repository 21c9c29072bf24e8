"""The words of HCL. One pass over the text, each character looked at once, however the text is nested."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.base.limits import MIB

SIZE_BYTES: Final = 4 * MIB
"""One file. The largest that people write by hand stay below a tenth of it."""
DEEPEST: Final = 64
"""Brackets and templates within each other; beyond it Python's own stack would be at stake."""

_PLAIN: Final = re.compile(
    r"""(?P<space>[ \t\r\ufeff]++)
      | (?P<newline>\n)
      | (?P<comment>(?:\#|//)[^\n]*+)
      | (?P<name>[^\W\d][\w-]*+)
      | (?P<number>\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)
      | (?P<heredoc><<-?[^\W\d][\w-]*+[ \t\r]*+\n)
      | (?P<mark>==|!=|<=|>=|&&|\|\||=>|\.\.\.|::|[{}\[\]().,:?=+\-*/%<>!~])""",
    re.VERBOSE,
)
_IN_QUOTES: Final = re.compile(r'[^"\\$%\n]++')
_IN_HEREDOC: Final = re.compile(r"[^$%\n]++")
_ESCAPES: Final = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
_HEX: Final = {"u": 4, "U": 8}
_OPEN: Final = frozenset("([{")
_CLOSED: Final = frozenset(")]}")


class Template(NamedTuple):
    """A text with holes: each part is text, or the words of an expression whose value goes there; None for a directive."""

    parts: tuple["str | tuple[Token, ...] | None", ...]


class Token(NamedTuple):
    kind: str
    """name, number, mark, text, newline."""
    value: "str | Template"
    line: int


Part: TypeAlias = str | tuple[Token, ...] | None


def tokens(text: str, source: str = "") -> list[Token]:
    """All words of *text*. Raises BadDocument where it cannot be HCL, LimitExceeded where it is more than is read."""
    if len(text) > SIZE_BYTES:
        raise LimitExceeded(
            f"{source or 'The file'} goes beyond what is read", why=f"it has more than {SIZE_BYTES:,} bytes"
        )
    scanner = _Scanner(text, source)
    return list(scanner.until_end())


class _Scanner:
    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._at = 0
        self._line = 1
        self._depth = 0

    def until_end(self) -> Iterator[Token]:
        while self._at < len(self._text):
            yield from self._next()

    def all_template(self) -> Template:
        parts: list[Part] = []
        while self._at < len(self._text):
            parts.append(self._piece(len(self._text)))
        return Template(_joined(parts))

    def _piece(self, end: int) -> Part:
        """The next piece of a template outside of quotes: a line's text, its end, or a hole."""
        if plain := _IN_HEREDOC.match(self._text, self._at, end):
            self._at = plain.end()
            return plain[0]
        if self._text[self._at] == "\n":
            self._line += 1
            self._at += 1
            return "\n"
        return self._hole()

    def _next(self) -> Iterator[Token]:
        if self._text.startswith("/*", self._at):
            self._skip_comment()
            return
        if self._text[self._at] == '"':
            yield self._quoted()
            return
        match = _PLAIN.match(self._text, self._at)
        if match is None:
            raise self._bad(f"{self._text[self._at]!a} is not expected here")
        kind, value, line = match.lastgroup or "", match[0], self._line
        self._at = match.end()
        if kind == "newline":
            self._line += 1
            yield Token("newline", value, line)
        elif kind == "heredoc":
            self._line += 1
            yield self._heredoc(value, line)
        elif kind not in {"space", "comment"}:
            self._nest(value)
            yield Token(kind, value, line)

    def _nest(self, mark: str) -> None:
        self._depth += (mark in _OPEN) - (mark in _CLOSED)
        if self._depth > DEEPEST:
            raise self._exceeded()

    def _skip_comment(self) -> None:
        end = self._text.find("*/", self._at + 2)
        if end < 0:
            raise self._bad("a comment has no end")
        self._line += self._text.count("\n", self._at, end)
        self._at = end + 2

    def _quoted(self) -> Token:
        line = self._line
        self._at += 1
        parts: list[Part] = []
        while True:
            if plain := _IN_QUOTES.match(self._text, self._at):
                parts.append(plain[0])
                self._at = plain.end()
            char = self._text[self._at : self._at + 1]
            if char == '"':
                self._at += 1
                return Token("text", Template(_joined(parts)), line)
            if char in {"", "\n"}:
                raise self._bad("a text in quotes has no end on its line")
            parts.append(self._escape() if char == "\\" else self._hole())

    def _escape(self) -> str:
        char = self._text[self._at + 1 : self._at + 2]
        if width := _HEX.get(char):
            digits = self._text[self._at + 2 : self._at + 2 + width]
            self._at += 2 + width
            try:
                return chr(int(digits, 16))
            except (ValueError, OverflowError):
                raise self._bad("a text has an escape that is no character") from None
        self._at += 2
        return _ESCAPES.get(char, char)

    def _hole(self) -> Part:
        """At a `$` or `%`: the expression or directive that it begins, or the character itself."""
        mark = self._text[self._at]
        following = self._text[self._at + 1 : self._at + 3]
        if following == f"{mark}{{":
            self._at += 3
            return f"{mark}{{"
        if not following.startswith("{"):
            self._at += 1
            return mark
        self._at += 2
        inside = self._until_brace()
        return inside if mark == "$" else None

    def _until_brace(self) -> tuple[Token, ...]:
        outside = self._depth
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._exceeded()
        found: list[Token] = []
        while self._at < len(self._text):
            for token in self._next():
                if token.value == "}" and self._depth == outside:
                    return tuple(found)
                # `~` is about the blanks around a hole, and lines may break inside of one.
                if token.kind != "newline" and token.value != "~":
                    found.append(token)
        raise self._bad("an expression in a text has no end")

    def _heredoc(self, opening: str, line: int) -> Token:
        indented = opening.startswith("<<-")
        end = re.compile(rf"^[ \t]*{re.escape(opening.lstrip('<-').strip())}[ \t\r]*$", re.MULTILINE)
        last = end.search(self._text, self._at)
        if last is None:
            raise self._bad("a heredoc has no end")
        parts: list[Part] = []
        while self._at < last.start():
            parts.append(self._piece(last.start()))
        self._at = max(self._at, last.end())
        whole = _joined(parts)
        return Token("text", Template(_dedented(whole) if indented else whole), line)

    def _bad(self, why: str) -> BadDocument:
        what = f"{self._source or 'The file'}, line {self._line}, cannot be read"
        return BadDocument(what, line=self._line, why=why, hint="Run `terraform validate`.")

    def _exceeded(self) -> LimitExceeded:
        what = f"{self._source or 'The file'}, line {self._line}, goes beyond what is read"
        return LimitExceeded(what, line=self._line, why=f"it is nested more than {DEEPEST} levels deep")


def _joined(parts: list[Part]) -> tuple[Part, ...]:
    """With neighbouring texts made one, in time linear in them all."""
    joined: list[Part] = []
    for is_text, run in groupby(parts, key=lambda part: isinstance(part, str)):
        if is_text:
            joined.append("".join(map(str, run)))
        else:
            joined += run
    return tuple(part for part in joined if part != "")


def _dedented(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Only where there are no holes, which is where anybody needs the text."""
    if len(parts) == 1 and isinstance(parts[0], str):
        lines = parts[0].split("\n")
        widths = [len(each) - len(each.lstrip(" \t")) for each in lines if each.strip()]
        cut = min(widths, default=0)
        return ("\n".join(each[cut:] for each in lines),)
    return parts


def template(text: str, source: str = "") -> Template:
    """A text that is all template, as JSON has it: `${…}` are holes and nothing else means anything."""
    return _Scanner(text, source).all_template()
