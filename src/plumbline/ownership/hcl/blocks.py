"""Blocks and attributes of HCL, with the line of each."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from plumbline.base.errors import BadDocument
from plumbline.ownership.hcl.expressions import Expression, expression
from plumbline.ownership.hcl.tokens import Template, Token, tokens

_OPEN: Final = frozenset("([{")
_CLOSED: Final = frozenset(")]}")


class Attribute:
    """`name = expression`; the expression is read when somebody asks for it."""

    def __init__(self, words: Sequence[Token], line: int) -> None:
        self._words = words
        self.line = line

    @cached_property
    def expression(self) -> Expression:
        return expression(self._words)


class Known(Attribute):
    """An attribute whose expression came from elsewhere, such as JSON."""

    def __init__(self, read: Expression, line: int) -> None:
        super().__init__((), line)
        self._read = read

    @cached_property
    def expression(self) -> Expression:
        return self._read


class Body:
    def __init__(self, attributes: dict[str, Attribute] | None = None, blocks: "list[Block] | None" = None) -> None:
        self.attributes = attributes if attributes is not None else {}
        self.blocks = blocks if blocks is not None else []

    def of_type(self, type_: str) -> "Iterator[Block]":
        return (block for block in self.blocks if block.type == type_)


class Block:
    """`type "label" "label" { … }`."""

    def __init__(self, type_: str, labels: tuple[str, ...], body: Body, line: int) -> None:
        self.type = type_
        self.labels = labels
        self.body = body
        self.line = line


def read_hcl(text: str, source: str = "") -> Body:
    """The blocks and attributes of one file. Raises BadDocument and LimitExceeded, with the line."""
    return _Reader(tokens(text, source), source).body(outermost=True)


class _Reader:
    def __init__(self, words: list[Token], source: str) -> None:
        self._words = words
        self._source = source
        self._at = 0

    def body(self, *, outermost: bool) -> Body:
        body = Body()
        while self._at < len(self._words):
            word = self._words[self._at]
            if word.kind == "newline":
                self._at += 1
            elif word.value == "}" and not outermost:
                self._at += 1
                return body
            else:
                self._item(body, word)
        if not outermost:
            raise self._bad("a block has no end")
        return body

    def _item(self, body: Body, word: Token) -> None:
        """One attribute or block; JSON-like quotes round an attribute's name are allowed as in HCL."""
        name = _plain(word)
        if name is None:
            raise self._bad("a name was expected here")
        self._at += 1
        labels: list[str] = []
        while self._at < len(self._words):
            following = self._words[self._at]
            if following.value == "=" and not labels:
                self._at += 1
                body.attributes[name] = Attribute(self._expression(), word.line)
                return
            if following.value == "{":
                self._at += 1
                body.blocks.append(Block(name, tuple(labels), self.body(outermost=False), word.line))
                return
            label = _plain(following)
            if label is None:
                break
            labels.append(label)
            self._at += 1
        raise self._bad(f"neither a value nor a block follows {name[:60]!a}")

    def _expression(self) -> Sequence[Token]:
        """Words up to the end of the line, or to the end of the block where that comes first."""
        start = self._at
        depth = 0
        while self._at < len(self._words):
            word = self._words[self._at]
            if isinstance(word.value, str):
                if depth == 0 and (word.kind == "newline" or word.value == "}"):
                    break
                depth += (word.value in _OPEN) - (word.value in _CLOSED)
            self._at += 1
        return self._words[start : self._at]

    def _bad(self, why: str) -> BadDocument:
        last = self._words[min(self._at, len(self._words) - 1)]
        what = f"{self._source or 'The file'}, line {last.line}, cannot be read"
        return BadDocument(what, line=last.line, why=why, hint="Run `terraform validate`.")


def _plain(word: Token) -> str | None:
    """A name, or a text in quotes without holes."""
    if isinstance(word.value, Template):
        parts = word.value.parts
        if not parts:
            return ""
        return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else None
    return word.value if word.kind == "name" else None
