"""Tokens to trees, in Go's order and with Go's complaints."""

from collections.abc import Callable, Container
from typing import Final

from plumbline.base.errors import BadExpression
from plumbline.gotemplate.lexing import DELIMITERS, Lexer, Token
from plumbline.gotemplate.nodes import (
    Action,
    Bool,
    Break,
    Chain,
    Command,
    Continue,
    Dot,
    Else,
    End,
    Field,
    Identifier,
    If,
    Include,
    Listing,
    Nil,
    Node,
    Number,
    Pipe,
    Range,
    String,
    Text,
    Variable,
    With,
    blank,
)
from plumbline.gotemplate.numbers import number
from plumbline.gotemplate.quoting import quoted, unquoted
from plumbline.gotemplate.values import Failed

_OPERANDS: Final = frozenset(
    {"bool", "rune", "complex", "dot", "field", "identifier", "number", "nil", "raw", "string", "variable", "("}
)
_DEEPEST: Final = 100
"""Of actions and parentheses within each other. Go allows more, and nobody writes them."""

Trees = dict[str, Listing]


def parse(name: str, text: str, functions: Container[str], delimiters: tuple[str, str] = DELIMITERS) -> Trees:
    """All templates of *text*, the first under *name*. Raises BadExpression in Go's words."""
    parser = _Parser(name, Lexer(text, delimiters), functions)
    parser.top(name)
    return parser.trees


class _Parser:
    def __init__(self, name: str, lexer: Lexer, functions: Container[str]) -> None:
        self.name = name
        self.functions = functions
        self.trees: Trees = {}
        self._lexer = lexer
        self._ahead: list[Token] = []
        """Tokens that were read too early, the next one last."""
        self._last = Token("eof", 0, "", 1)
        self._vars = ["$"]
        self._action_line = 0
        self._ranges = 0
        self._depth = 0

    def _next(self) -> Token:
        if self._ahead:
            return self._ahead.pop()
        self._last = self._lexer.next()
        return self._last

    def _back(self, *tokens: Token) -> None:
        """Give tokens back, in the order in which they were read."""
        self._ahead.extend(reversed(tokens))

    def _peek(self) -> Token:
        token = self._next()
        self._back(token)
        return token

    def _next_word(self) -> Token:
        while (token := self._next()).kind == "space":
            pass
        return token

    def _peek_word(self) -> Token:
        token = self._next_word()
        self._back(token)
        return token

    def _fail(self, message: str) -> BadExpression:
        return BadExpression(f"template: {self.name}:{self._last.line}: {message}")

    def _expect(self, context: str, *kinds: str) -> Token:
        token = self._next_word()
        if token.kind not in kinds:
            raise self._unexpected(token, context)
        return token

    def _unexpected(self, token: Token, context: str) -> BadExpression:
        if token.kind != "error":
            return self._fail(f"unexpected {token} in {context}")
        extra = ""
        if self._action_line not in {0, token.line}:
            extra = f" in action started at {self.name}:{self._action_line}"
            if token.value.endswith(" action"):
                extra = extra.removeprefix(" in action")
        return self._fail(f"{token}{extra}")

    def _add(self, name: str, tree: Listing) -> None:
        known = self.trees.get(name)
        if known is None or blank(known):
            self.trees[name] = tree
        elif not blank(tree):
            raise self._fail(f"template: multiple definition of template {quoted(name)}")

    def top(self, name: str) -> None:
        root = Listing(self._peek().at)
        while (token := self._next()).kind != "eof":
            if token.kind == "left":
                following = self._next_word()
                if following.kind == "define":
                    self._define()
                    continue
                self._back(token, following)
            else:
                self._back(token)
            node = self._node()
            if isinstance(node, End | Else):
                raise self._fail(f"unexpected {node}")
            root.nodes.append(node)
        self._add(name, root)

    def _define(self) -> None:
        context = "define clause"
        name = self._text_of(self._expect(context, "string", "raw"))
        self._expect(context, "right")
        self._add(name, self._separate(context))

    def _separate(self, context: str) -> Listing:
        """The body of a template of its own: it sees no variables of others."""
        outer = self._vars, self._ranges, self._action_line
        self._vars, self._ranges, self._action_line = ["$"], 0, 0
        body, end = self._list()
        if not isinstance(end, End):
            raise self._fail(f"unexpected {end} in {context}")
        self._vars, self._ranges, self._action_line = outer
        return body

    def _text_of(self, token: Token) -> str:
        try:
            return unquoted(token.value)
        except Failed as fault:
            raise self._fail(str(fault)) from fault

    def _list(self) -> tuple[Listing, Node]:
        found = Listing(self._peek_word().at)
        while self._peek_word().kind != "eof":
            node = self._node()
            if isinstance(node, End | Else):
                return found, node
            found.nodes.append(node)
        raise self._fail("unexpected EOF")

    def _node(self) -> Node:
        token = self._next_word()
        if token.kind == "text":
            return Text(token.at, token.value)
        if token.kind != "left":
            raise self._unexpected(token, "input")
        self._action_line = token.line
        node = self._action()
        self._action_line = 0
        return node

    def _action(self) -> Node:
        token = self._next_word()
        control = _CONTROLS.get(token.kind)
        if control is not None:
            return control(self, token)
        self._back(token)
        return Action(token.at, self._pipe("command", "right"))

    def _jump(self, token: Token) -> Node:
        word = token.value
        following = self._next_word()
        if following.kind != "right":
            raise self._unexpected(following, f"{{{{{word}}}}}")
        if not self._ranges:
            raise self._fail(f"{{{{{word}}}}} outside {{{{range}}}}")
        return Break(token.at) if word == "break" else Continue(token.at)

    def _end(self, _: Token) -> Node:
        return End(self._expect("end", "right").at)

    def _else(self, _: Token) -> Node:
        following = self._peek_word()
        if following.kind in {"if", "with"}:
            return Else(following.at)
        return Else(self._expect("else", "right").at)

    def _if(self, _: Token) -> Node:
        return If(*self._branch("if"))

    def _range(self, _: Token) -> Node:
        return Range(*self._branch("range"))

    def _with(self, _: Token) -> Node:
        return With(*self._branch("with"))

    def _branch(self, word: str) -> tuple[int, Pipe, Listing, Listing | None]:
        self._deeper()
        known = len(self._vars)
        pipe = self._pipe(word, "right")
        self._ranges += word == "range"
        body, end = self._list()
        self._ranges -= word == "range"
        otherwise = self._otherwise(word, end) if isinstance(end, Else) else None
        del self._vars[known:]
        self._depth -= 1
        return pipe.at, pipe, body, otherwise

    def _otherwise(self, word: str, end: Node) -> Listing:
        following = self._next()
        if word in {"if", "with"} and following.kind == word:
            node = self._if(following) if word == "if" else self._with(following)
            return Listing(end.at, [node])
        self._back(following)
        otherwise, last = self._list()
        if not isinstance(last, End):
            raise self._fail(f"expected end; found {last}")
        return otherwise

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._fail("max expression depth exceeded")

    def _block(self, _: Token) -> Node:
        context = "block clause"
        token, name = self._named(context)
        pipe = self._pipe(context, "right")
        self._deeper()
        self._add(name, self._separate(context))
        self._depth -= 1
        return Include(token.at, name, pipe)

    def _include(self, _: Token) -> Node:
        context = "template clause"
        token, name = self._named(context)
        following = self._next_word()
        if following.kind == "right":
            return Include(token.at, name, None)
        self._back(following)
        return Include(token.at, name, self._pipe(context, "right"))

    def _named(self, context: str) -> tuple[Token, str]:
        token = self._expect(context, "string", "raw")
        return token, self._text_of(token)

    def _pipe(self, context: str, end: str) -> Pipe:
        pipe = Pipe(self._peek_word().at)
        while self._declares(pipe, context):
            pass
        while True:
            token = self._next_word()
            if token.kind == end:
                self._check(pipe, context)
                return pipe
            if token.kind not in _OPERANDS:
                raise self._unexpected(token, context)
            self._back(token)
            pipe.commands.append(self._command())

    def _declares(self, pipe: Pipe, context: str) -> bool:
        """Whether a variable was declared and another may follow."""
        token = self._next_word()
        if token.kind != "variable":
            self._back(token)
            return False
        adjacent = self._next()
        following = adjacent if adjacent.kind != "space" else self._next_word()
        if following.kind in {"assign", "declare"}:
            pipe.assigns = following.kind == "assign"
        elif not (following.kind == "symbol" and following.value == ","):
            self._back(token, *([adjacent] if adjacent.kind == "space" else []), following)
            return False
        pipe.declared.append(Variable(token.at, (token.value,)))
        self._vars.append(token.value)
        if following.kind != "symbol":
            return False
        if context == "range" and len(pipe.declared) < 2:  # noqa: PLR2004 - index and element
            if self._peek_word().kind in {"variable", "right", ")"}:
                return True
            raise self._fail("range can only initialize variables")
        raise self._fail(f"too many declarations in {context}")

    def _check(self, pipe: Pipe, context: str) -> None:
        if not pipe.commands:
            raise self._fail(f"missing value for {context}")
        for stage, command in enumerate(pipe.commands[1:], start=2):
            if isinstance(command.args[0], Bool | Dot | Nil | Number | String):
                raise self._fail(f"non executable command in pipeline stage {stage}")

    def _command(self) -> Command:
        command = Command(self._peek_word().at)
        while True:
            operand = self._operand()
            if operand is not None:
                command.args.append(operand)
            token = self._next()
            if token.kind == "space":
                self._peek_word()
                continue
            if token.kind in {"right", ")"}:
                self._back(token)
            elif token.kind != "pipe":
                raise self._unexpected(token, "operand")
            break
        if not command.args:
            raise self._fail("empty command")
        return command

    def _operand(self) -> Node | None:
        node = self._term()
        following = self._peek()
        if node is None or following.kind != "field":
            return node
        idents: tuple[str, ...] = ()
        while self._peek().kind == "field":
            idents = (*idents, self._next().value[1:])
        if isinstance(node, Field | Variable):
            return type(node)(following.at, (*node.idents, *idents))
        if isinstance(node, Bool | String | Number | Nil | Dot):
            raise self._fail(f"unexpected . after term {quoted(str(node))}")
        return Chain(following.at, node, idents)

    def _term(self) -> Node | None:
        token = self._next_word()
        kind, at, value = token.kind, token.at, token.value
        if kind == "identifier" and value not in self.functions:
            raise self._fail(f"function {quoted(value)} not defined")
        if kind == "variable" and value not in self._vars:
            raise self._fail(f"undefined variable {quoted(value)}")
        if kind in _TERMS:
            return _TERMS[kind](at, value)
        if kind in {"rune", "complex", "number"}:
            try:
                return number(at, value, kind)
            except Failed as fault:
                raise self._fail(str(fault)) from fault
        if kind in {"string", "raw"}:
            return String(at, value, self._text_of(token))
        if kind == "(":
            self._deeper()
            pipe = self._pipe("parenthesized pipeline", ")")
            self._depth -= 1
            return pipe
        self._back(token)
        return None


_TERMS: Final[dict[str, Callable[[int, str], Node]]] = {
    "identifier": Identifier,
    "dot": lambda at, _: Dot(at),
    "nil": lambda at, _: Nil(at),
    "variable": lambda at, value: Variable(at, (value,)),
    "field": lambda at, value: Field(at, (value[1:],)),
    "bool": lambda at, value: Bool(at, value == "true"),
}
_CONTROLS: Final[dict[str, Callable[[_Parser, Token], Node]]] = {
    "block": _Parser._block,  # noqa: SLF001 - a table of this class's own methods
    "break": _Parser._jump,  # noqa: SLF001 - same
    "continue": _Parser._jump,  # noqa: SLF001 - same
    "else": _Parser._else,  # noqa: SLF001 - same
    "end": _Parser._end,  # noqa: SLF001 - same
    "if": _Parser._if,  # noqa: SLF001 - same
    "range": _Parser._range,  # noqa: SLF001 - same
    "template": _Parser._include,  # noqa: SLF001 - same
    "with": _Parser._with,  # noqa: SLF001 - same
}
