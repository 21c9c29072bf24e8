"""From text to nodes, refusing what upstream refuses."""

import re
from typing import Final

from plumbline.apiserver.tables.jsonpath.nodes import (
    Choice,
    Descent,
    Field,
    Filter,
    Literal,
    Node,
    Path,
    Slice,
    Text,
    Wildcard,
    Word,
)

_STOPS: Final = frozenset(" \t\r\n.,[]$@{}")
_QUOTED_KEY: Final = re.compile(r"'([^']*)'")
_SLICE: Final = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_COMPARISON: Final = re.compile(r"([^!<>=]+)([!<>=]+)(.+)", re.DOTALL)
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)", re.ASCII)
_INDEX: Final = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_ESCAPE: Final = re.compile(
    r"""\\(?:([abfnrtv\\'"])|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([0-7]{3}))"""
)
_SHORT_ESCAPES: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_LARGEST_POINT: Final = 0x10FFFF


class BadPath(ValueError):
    """Why a text is no path; a CRD with one is served without the columns from there on."""


def parse(template: str) -> tuple[Path, ...]:
    """The blocks of *template*: each `{path}`, and the text between them."""
    return _Parser(template).blocks()


class _Parser:
    def __init__(self, template: str) -> None:
        self._text = template
        self._at = 0

    def blocks(self) -> tuple[Path, ...]:
        found: list[Path] = []
        while self._at < len(self._text):
            if self._text[self._at] == "{":
                self._at += 1
                found.append(self._block())
            else:
                end = self._text.find("{", self._at)
                end = len(self._text) if end < 0 else end
                found.append((Text(self._text[self._at : end]),))
                self._at = end
        return tuple(found)

    def _block(self) -> Path:
        nodes: list[Node] = []
        while True:
            rest = self._text[self._at : self._at + 3]
            if rest.startswith("}"):
                self._at += 1
                return tuple(nodes)
            if rest == "[?(":
                nodes.append(self._filter())
            elif rest.startswith(".."):
                self._descent(nodes)
            else:
                self._step(nodes)

    def _step(self, nodes: list[Node]) -> None:
        char = self._text[self._at : self._at + 1]
        if not char or char in "\r\n":
            raise BadPath("a block has no end")
        if char in " @$":
            self._at += 1
        elif char == "[":
            nodes.extend(self._brackets())
        elif char in "\"'":
            nodes.append(self._quotation(char))
        elif char == ".":
            self._at += 1
            nodes.append(self._field())
        elif char in "+-" or char.isdecimal():
            nodes.append(self._number())
        elif char == "_" or char.isalpha():
            nodes.append(self._word())
        else:
            raise BadPath(f"{char!r} cannot stand in a path")

    def _descent(self, nodes: list[Node]) -> None:
        if nodes and isinstance(nodes[-1], Descent):
            raise BadPath("`..` stands twice")
        self._at += 2
        nodes.append(Descent())
        char = self._text[self._at : self._at + 1]
        if char == "_" or char.isalpha() or char.isdecimal():
            nodes.append(self._field())

    def _field(self) -> Node:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in _STOPS:
            self._at += 2 if self._text[self._at] == "\\" else 1
        self._at = min(self._at, len(self._text))
        name = self._text[start : self._at]
        return Wildcard() if name == "*" else Field(name.replace("\\", ""))

    def _word(self) -> Node:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in _STOPS:
            self._at += 1
        word = self._text[start : self._at]
        return Literal(word == "true") if word in {"true", "false"} else Word(word)

    def _number(self) -> Node:
        start = self._at
        self._at += self._text[self._at] in "+-"
        while self._text[self._at : self._at + 1].isdecimal() or self._text[self._at : self._at + 1] == ".":
            self._at += 1
        number = self._text[start : self._at]
        if _INTEGER.fullmatch(number) and -(2**63) <= int(number) < 2**63:
            return Literal(int(number))
        if _DECIMAL.fullmatch(number):
            return Literal(float(number))
        raise BadPath(f"{number} is no number")

    def _brackets(self) -> Path:
        end = self._text.find("]", self._at)
        if end < 0 or "\n" in self._text[self._at : end]:
            raise BadPath("brackets have no end")
        inner = self._text[self._at + 1 : end]
        self._at = end + 1
        if "," in inner:
            return (Choice(tuple(_only(f"[{each.strip(' ')}]") for each in inner.split(","))),)
        if quoted := _QUOTED_KEY.fullmatch(inner):
            return _only(f".{quoted[1]}")
        return (_slice(":" if inner == "*" else inner),)

    def _filter(self) -> Node:
        self._at += len("[?(")
        start = self._at
        quote, closed = "", False
        while True:
            char = self._text[self._at : self._at + 1]
            if not char or char == "\n":
                raise BadPath("a filter has no end")
            self._at += 1
            if char in "\"'":
                if not quote:
                    quote = char
                elif char == quote and self._text[self._at - 2] != "\\":
                    closed = True
            elif char == ")" and bool(quote) == closed:
                break
        condition = self._text[start : self._at - 1]
        if self._text[self._at : self._at + 1] != "]":
            raise BadPath("a filter ends with `)]`")
        self._at += 1
        sides = _COMPARISON.fullmatch(condition)
        return Filter(_only(sides[1]), sides[2], _only(sides[3])) if sides else Filter(_only(condition), "", ())

    def _quotation(self, quote: str) -> Node:
        start = self._at
        while True:
            end = self._text.find(quote, self._at + 1)
            if end < 0 or "\n" in self._text[start:end]:
                raise BadPath("a quoted text has no end")
            self._at = end
            if self._text[end - 1] != "\\":
                break
        self._at += 1
        return Text(_unquoted(self._text[start + 1 : end], quote))


def _only(path: str) -> Path:
    """The first block of *path* between braces; what a stray brace leaves behind it is dropped."""
    return parse("{" + path + "}")[0]


def _slice(text: str) -> Slice:
    parts = _SLICE.fullmatch(text)
    if parts is None:
        raise BadPath(f"{text} is no index")
    start = _index(parts[1])
    if parts[2] is None:
        return Slice(start, (start or 0) + 1, _index((parts[3] or "")[1:]), derived=True)
    return Slice(start, _index(parts[2][1:]), _index((parts[3] or "")[1:]), derived=False)


def _index(text: str) -> int | None:
    if not text:
        return None
    if not _INDEX.fullmatch(text):
        raise BadPath(f"{text} is no index")
    return int(text)


def _unquoted(text: str, quote: str) -> str:
    pieces, at = [], 0
    while at < len(text):
        if text[at] != "\\":
            pieces.append(text[at])
            at += 1
            continue
        escape = _ESCAPE.match(text, at)
        if escape is None or (escape[1] in {"'", '"'} and escape[1] != quote):
            raise BadPath("an escape that does not exist")
        pieces.append(_meant(escape))
        at = escape.end()
    return "".join(pieces)


def _meant(escape: re.Match[str]) -> str:
    if escape[1]:
        return _SHORT_ESCAPES.get(escape[1], escape[1])
    point = int(escape[5], 8) if escape[5] else int(escape[2] or escape[3] or escape[4], 16)
    if point > _LARGEST_POINT or (escape[5] and point > 0xFF):  # noqa: PLR2004 - octal escapes are bytes
        raise BadPath("an escape beyond all characters")
    return chr(point)
