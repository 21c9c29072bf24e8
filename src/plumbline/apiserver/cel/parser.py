"""From words to trees."""

from typing import Final

from plumbline.apiserver.cel.issues import Issues
from plumbline.apiserver.cel.macros import expanded_global, expanded_member
from plumbline.apiserver.cel.syntax import (
    Call,
    Entry,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    StructExpr,
    qualified_name,
)
from plumbline.apiserver.cel.tokens import Token, bytes_of, string_of, tokens_of
from plumbline.apiserver.cel.types import BOOL, BYTES, DOUBLE, INT, NULL, STRING, UINT
from plumbline.apiserver.cel.values import Uint
from plumbline.base.errors import BadExpression

_LONGEST: Final = 100_000
_DEEPEST: Final = 80
"""Of parentheses, brackets and arguments. Every level takes a few of Python's."""
_CHAINED: Final = 120
"""Operators in a row that are not logical; each makes the tree deeper."""
_PRECEDENCE: Final = {
    "*": 5, "/": 5, "%": 5, "+": 4, "-": 4, "<": 3, "<=": 3, ">": 3, ">=": 3, "==": 3, "!=": 3, "in": 3, "&&": 2, "||": 1,
}  # fmt: skip
_FUNCTIONS: Final = {operator: f"_{operator}_" for operator in _PRECEDENCE} | {"in": "@in"}
_RESERVED: Final = frozenset(
    ("as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
     "package", "namespace", "null", "return", "true", "var", "void", "while")
)  # fmt: skip
_OPERAND: Final = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)
_OPERANDS: Final = frozenset(
    ("[", "{", "(", ".", "-", "!", "true", "false", "null", "float", "int", "uint", "string", "bytes", "name")
)
_MOST_INT: Final = 2**63
_MOST_UINT: Final = 2**64


def parsed(source: str) -> Expr:
    """Raises `BadExpression` with everything that was found wrong."""
    issues = Issues(source)
    if len(source) > _LONGEST:
        issues.add(0, f"expression code point size exceeds limit: size: {len(source)}, limit {_LONGEST}")
        raise issues.refusal()
    parser = _Parser(tokens_of(source, issues), issues)
    try:
        expr = parser.expression()
        parser.expect_end()
    except BadExpression:
        raise issues.refusal() from None
    if issues:
        raise issues.refusal()
    return expr


class _Parser:
    def __init__(self, tokens: list[Token], issues: Issues) -> None:
        self.tokens = tokens
        self.issues = issues
        self.place = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def take(self) -> Token:
        token = self.tokens[self.place]
        self.place += token.kind != "<EOF>"
        return token

    def accept(self, kind: str) -> Token | None:
        return self.take() if self.token.kind == kind else None

    def expect(self, kind: str, shown: str = "") -> Token:
        if self.token.kind == kind:
            return self.take()
        raise self.refused(f"mismatched input '{self.token.text}' expecting {shown or repr(kind)}")

    def expect_end(self) -> None:
        if self.token.kind != "<EOF>":
            last = self.tokens[self.place + 1].kind == "<EOF>"
            raise self.refused(f"{'extraneous' if last else 'mismatched'} input '{self.token.text}' expecting <EOF>")

    def refused(self, message: str, at: int | None = None) -> BadExpression:
        self.issues.add(self.token.at if at is None else at, f"Syntax error: {message}")
        return self.issues.refusal()

    def expression(self) -> Expr:
        self.depth += 1
        if self.depth > _DEEPEST:
            self.issues.add(self.token.at, f"expression recursion limit exceeded: {_DEEPEST}")
            raise self.issues.refusal()
        expr = self.binary(1)
        question = self.accept("?")
        if question:
            then = self.binary(1)
            self.expect(":")
            expr = Call(question.at, "_?_:_", [expr, then, self.expression()])
        self.depth -= 1
        return expr

    def binary(self, least: int) -> Expr:
        """Operators that bind at least as strongly as *least*, from left to right."""
        left = self.unary()
        chained = 0
        while True:
            token = self.token
            strength = _PRECEDENCE.get(token.kind, 0)
            if strength < least:
                return left
            self.take()
            right = self.binary(strength + 1)
            function = _FUNCTIONS[token.kind]
            if strength <= 2 and isinstance(left, Call) and left.function == function and left.target is None:  # noqa: PLR2004 - logical
                left.args.append(right)
                continue
            chained += 1
            if chained > _CHAINED:
                self.issues.add(token.at, f"expression recursion limit exceeded: {_CHAINED}")
                raise self.issues.refusal()
            left = Call(token.at, function, [left, right])

    def unary(self) -> Expr:
        first = self.token
        if first.kind not in {"!", "-"}:
            return self.member()
        count = 0
        while self.accept(first.kind):
            count += 1
        if first.kind == "-" and count == 1 and self.token.kind in {"int", "float"}:
            return self.members(self.number(first.at, negative=True))
        expr = self.member()
        return Call(first.at, "!_" if first.kind == "!" else "-_", [expr]) if count % 2 else expr

    def member(self) -> Expr:
        return self.members(self.primary())

    def members(self, expr: Expr) -> Expr:
        while True:
            token = self.token
            if token.kind == ".":
                self.take()
                expr = self.selected(expr, token)
            elif token.kind == "[":
                self.take()
                optional = self.accept("?") is not None
                index = self.expression()
                self.expect("]")
                expr = Call(token.at, "_[?_]" if optional else "_[_]", [expr, index])
            elif token.kind == "{" and qualified_name(expr):
                expr = self.struct(qualified_name(expr), token)
            else:
                return expr

    def selected(self, operand: Expr, dot: Token) -> Expr:
        optional = self.accept("?") is not None
        if self.token.kind == "escaped":
            self.issues.add(self.token.at, "unsupported syntax: '`'")
            return Select(dot.at, operand, self.take().text.strip("`"), optional=optional)
        if self.token.kind != "name":
            if self.token.kind in {"true", "false", "null"}:
                raise self.refused(f"mismatched input '{self.token.text}' expecting IDENTIFIER")
            found = "" if self.token.kind == "<EOF>" else self.token.text
            raise self.refused(f"no viable alternative at input '.{found}'")
        name = self.take()
        if self.token.kind != "(" or optional:
            return Select(dot.at, operand, name.text, optional=optional)
        opened = self.take()
        return expanded_member(Call(opened.at, name.text, self.arguments(")"), operand), self.issues)

    def arguments(self, end: str) -> list[Expr]:
        found: list[Expr] = []
        if not self.accept(end):
            found.append(self.expression())
            while self.accept(","):
                found.append(self.expression())
            self.expect(end)
        return found

    def primary(self) -> Expr:
        token = self.token
        if token.kind in {"name", "."}:
            return self.identifier()
        if token.kind == "(":
            self.take()
            expr = self.expression()
            if self.token.kind == "<EOF>":
                raise self.refused("missing ')' at '<EOF>'")
            self.expect(")")
            return expr
        if token.kind == "[":
            return self.list()
        if token.kind == "{":
            return self.map()
        if token.kind in {"int", "uint", "float"}:
            return self.number(token.at)
        if token.kind in {"true", "false", "null"}:
            self.take()
            return Literal(
                token.at, {"true": True, "false": False}.get(token.kind), NULL if token.kind == "null" else BOOL
            )
        if token.kind in {"string", "bytes"}:
            return self.quoted()
        following = self.tokens[min(self.place + 1, len(self.tokens) - 1)]
        sort = "extraneous" if token.kind != "<EOF>" and following.kind in _OPERANDS else "mismatched"
        raise self.refused(f"{sort} input '{token.text}' expecting {_OPERAND}")

    def identifier(self) -> Expr:
        dot = "." if self.accept(".") else ""
        name = self.expect("name", "IDENTIFIER")
        if name.text in _RESERVED:
            self.issues.add(name.at, f"reserved identifier: {name.text}")
        opened = self.accept("(")
        if opened:
            return expanded_global(Call(opened.at, name.text, self.arguments(")")), self.issues)
        return Ident(name.at, dot + name.text)

    def list(self) -> Expr:
        start = self.take()
        items: list[Expr] = []
        optional: set[int] = set()
        if self.token.kind == ",":
            self.take()
        while self.token.kind != "]":
            if self.accept("?"):
                optional.add(len(items))
            items.append(self.expression())
            if not self.accept(","):
                break
        self.expect("]", "{']', ','}")
        return ListExpr(start.at, items, frozenset(optional))

    def map(self) -> Expr:
        start = self.take()
        entries: list[Entry] = []
        if self.token.kind == ",":
            self.take()
        while self.token.kind != "}":
            optional = self.accept("?") is not None
            key = self.expression()
            self.expect(":")
            entries.append(Entry(key, self.expression(), optional))
            if not self.accept(","):
                break
        self.expect("}")
        return MapExpr(start.at, entries)

    def struct(self, name: str, start: Token) -> Expr:
        self.take()
        fields: list[tuple[str, Expr]] = []
        while self.token.kind != "}":
            self.accept("?")
            field = self.take() if self.token.kind == "escaped" else self.expect("name", "IDENTIFIER")
            self.expect(":")
            fields.append((field.text.strip("`"), self.expression()))
            if not self.accept(","):
                break
        self.expect("}")
        return StructExpr(start.at, name, fields)

    def number(self, at: int, *, negative: bool = False) -> Expr:
        token = self.take()
        sign = -1 if negative else 1
        if token.kind == "float":
            return Literal(at, sign * float(token.text), DOUBLE)
        digits = token.text.rstrip("uU")
        value = int(digits, 16) if digits.startswith("0x") else int(digits[:30])
        if token.kind == "uint":
            if value >= _MOST_UINT:
                self.issues.add(at, "invalid uint literal")
            return Literal(at, Uint(value), UINT)
        if not -_MOST_INT <= sign * value < _MOST_INT:
            self.issues.add(at, "invalid int literal")
        return Literal(at, sign * value, INT)

    def quoted(self) -> Expr:
        token = self.take()
        value = string_of(token.text) if token.kind == "string" else bytes_of(token.text)
        if value is None:
            self.issues.add(
                token.at, "invalid unicode code point" if token.kind == "string" else "unable to unescape string"
            )
        return Literal(token.at, value, STRING if token.kind == "string" else BYTES)
