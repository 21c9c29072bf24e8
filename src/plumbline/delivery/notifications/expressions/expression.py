"""Reads an expression into a function of the variables.

Everything that decides is bounded by the length of the text, but for predicates over lists: these take steps.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from plumbline.base.errors import BadExpression
from plumbline.delivery.notifications.expressions.calls import FUNCTIONS, PREDICATES, items_of
from plumbline.delivery.notifications.expressions.operators import BINARY, NEGATABLE, called, element, is_number, member
from plumbline.delivery.notifications.expressions.tokens import Token, tokens
from plumbline.gotemplate.moments import Duration
from plumbline.gotemplate.values import Failed, Value, type_name

_STEPS: Final = 100_000
_DEEPEST: Final = 50
_UNARY: Final = {"not": 50, "!": 50, "-": 90, "+": 90}
_OR, _AND, _COALESCE, _PIPE = 10, 15, 500, 1
_CONSTANTS: Final[Mapping[str, Value]] = {"true": True, "false": False, "nil": None}
_TOPIC: Final = "#"


class _Scope:
    """The variables, what a predicate looks at, and how much may still be done."""

    __slots__ = ("steps", "topics", "variables")

    def __init__(self, variables: Mapping[str, Value]) -> None:
        self.variables = variables
        self.topics: list[Value] = []
        self.steps = _STEPS

    def step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise Failed("the expression takes too many steps")


_Node: TypeAlias = Callable[[_Scope], Value]


class _Nowhere(Exception):
    pass


class Expression:
    def __init__(self, text: str) -> None:
        """Raises BadExpression with a place for what cannot be read."""
        self.text = text
        reader = _Reader(tokens(text))
        self._node = reader.whole()
        self.timed = reader.timed
        """Whether what it says may change by time alone."""

    def evaluate(self, variables: Mapping[str, Value]) -> Value:
        """Raises Failed for what cannot be worked out with these variables."""
        try:
            return self._node(_Scope(variables))
        except (ArithmeticError, RecursionError, TypeError, ValueError) as fault:
            raise Failed(f"cannot be worked out: {type(fault).__name__}") from fault


@lru_cache(maxsize=512)
def compiled(text: str) -> Expression:
    return Expression(text)


class _Reader:
    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._at = 0
        self._depth = 0
        self._predicates = 0
        self.timed = False

    @property
    def _now(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._now
        self._at += token.kind != "end"
        return token

    def _accept(self, *texts: str) -> str:
        token = self._now
        if token.kind in {"symbol", "name"} and token.text in texts:
            self._at += 1
            return token.text
        return ""

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise self._unexpected()

    def _unexpected(self) -> BadExpression:
        token = self._now
        said = "end of the expression" if token.kind == "end" else f"token {token.text!r}"
        return BadExpression(f"unexpected {said} (1:{token.at + 1})")

    def whole(self) -> _Node:
        node = self._expression()
        if self._now.kind != "end":
            raise self._unexpected()
        return node

    def _expression(self, least: int = 0) -> _Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BadExpression("the expression is too deep")
        node = self._operators(self._unary(), least)
        if least == 0 and self._accept("?"):
            node = self._choice(node)
        self._depth -= 1
        return node

    def _choice(self, asked: _Node) -> _Node:
        one = self._expression()
        self._expect(":")
        other = self._expression()
        return lambda scope: one(scope) if _bool(asked(scope)) else other(scope)

    def _operators(self, node: _Node, least: int) -> _Node:
        while True:
            token, negated = self._now, False
            if token.text == "not" and token.kind == "name":
                self._at += 1
                negated = self._now.text in NEGATABLE
                if not negated:
                    raise self._unexpected()
                token = self._now
            power = self._power(token)
            if power is None or power < least:
                self._at -= negated
                return node
            self._at += 1
            node = self._binary(node, token.text, power, negated=negated)

    def _power(self, token: Token) -> int | None:
        if token.kind not in {"symbol", "name"}:
            return None
        if token.text in BINARY:
            return BINARY[token.text][0]
        return {"or": _OR, "||": _OR, "and": _AND, "&&": _AND, "??": _COALESCE, "|": _PIPE}.get(token.text)

    def _binary(self, first: _Node, sign: str, power: int, *, negated: bool) -> _Node:
        if sign == "|":
            return self._piped(first)
        other = self._expression(power if sign in {"**", "^"} else power + 1)
        if power == _OR:
            return lambda scope: _bool(first(scope)) or _bool(other(scope))
        if power == _AND:
            return lambda scope: _bool(first(scope)) and _bool(other(scope))
        if power == _COALESCE:
            return lambda scope: found if (found := first(scope)) is not None else other(scope)
        operate = BINARY[sign][1]
        if negated:
            return lambda scope: not operate(first(scope), other(scope))
        return lambda scope: operate(first(scope), other(scope))

    def _piped(self, first: _Node) -> _Node:
        token = self._take()
        if token.kind != "name" or not self._accept("("):
            self._at -= 1
            raise self._unexpected()
        return self._postfix(self._call(token.text, [first]))

    def _unary(self) -> _Node:
        token = self._now
        if token.kind in {"symbol", "name"} and token.text in _UNARY:
            self._at += 1
            inner = self._expression(_UNARY[token.text])
            if token.text in {"not", "!"}:
                return lambda scope: not _bool(inner(scope))
            return (lambda scope: _negated(inner(scope))) if token.text == "-" else inner
        return self._postfix(self._primary())

    def _primary(self) -> _Node:
        token = self._take()
        if token.kind in {"number", "string"}:
            return lambda _: token.value
        if token.kind == "name":
            return self._named(token)
        if token.text == "(":
            node = self._expression()
            self._expect(")")
            return node
        if token.text == "[":
            return self._array()
        if token.text == "{":
            return self._map()
        if token.text in {_TOPIC, "."} and self._predicates:
            self._at -= token.text == "."
            return lambda scope: scope.topics[-1]
        self._at -= token.kind != "end"
        raise self._unexpected()

    def _named(self, token: Token) -> _Node:
        name = token.text
        if name in _CONSTANTS:
            return lambda _: _CONSTANTS[name]
        if self._now.text == "(" and (name in FUNCTIONS or name in PREDICATES or name == "now"):
            self._at += 1
            return self._call(name, [])
        if name in {*BINARY, "and", "or", "let"}:
            self._at -= 1
            raise self._unexpected()
        return lambda scope: scope.variables.get(name)

    def _call(self, name: str, first: list[_Node]) -> _Node:
        if name == "now":
            self._expect(")")
            self.timed = True
            return lambda scope: called(member(scope.variables.get("time"), "Now"), [])
        if name in PREDICATES:
            return self._predicate(name, first)
        args = [*first, *self._listed(")")]
        function = FUNCTIONS.get(name)
        if function is None:
            raise BadExpression(f"unknown name {name}")
        return lambda scope: function(*[arg(scope) for arg in args])

    def _predicate(self, name: str, first: list[_Node]) -> _Node:
        items = first[0] if first else self._expression()
        if not first:
            self._expect(",")
        self._predicates += 1
        braced = bool(self._accept("{"))
        check = self._expression()
        if braced:
            self._expect("}")
        self._predicates -= 1
        self._accept(",")
        self._expect(")")
        decide = PREDICATES[name]

        def asked(scope: _Scope) -> Value:
            def about(topic: Value) -> Value:
                scope.step()
                scope.topics.append(topic)
                try:
                    return check(scope)
                finally:
                    scope.topics.pop()

            return decide(items_of(items(scope), name), about)

        return asked

    def _listed(self, end: str) -> list[_Node]:
        found: list[_Node] = []
        while not self._accept(end):
            found.append(self._expression())
            if not self._accept(","):
                self._expect(end)
                break
        return found

    def _array(self) -> _Node:
        items = self._listed("]")
        return lambda scope: [item(scope) for item in items]

    def _map(self) -> _Node:
        pairs: list[tuple[_Node, _Node]] = []
        while not self._accept("}"):
            key = self._key()
            self._expect(":")
            pairs.append((key, self._expression()))
            if not self._accept(","):
                self._expect("}")
                break
        return lambda scope: {str(key(scope)): value(scope) for key, value in pairs}

    def _key(self) -> _Node:
        if self._accept("("):
            node = self._expression()
            self._expect(")")
            return node
        token = self._take()
        if token.kind not in {"name", "string", "number"}:
            self._at -= 1
            raise self._unexpected()
        return lambda _: token.value if token.kind == "string" else token.text

    def _postfix(self, node: _Node) -> _Node:
        optional = False
        while True:
            if sign := self._accept(".", "?."):
                optional |= sign == "?."
                node = self._field(node, optional=sign == "?.")
            elif self._accept("["):
                node = self._index(node)
            elif self._now.text == "(" and self._now.kind == "symbol":
                self._at += 1
                node = self._method(node, self._listed(")"))
            else:
                return self._ended(node) if optional else node

    @staticmethod
    def _ended(node: _Node) -> _Node:
        def chain(scope: _Scope) -> Value:
            try:
                return node(scope)
            except _Nowhere:
                return None

        return chain

    def _field(self, node: _Node, *, optional: bool) -> _Node:
        if optional and self._accept("["):
            return self._index(node, optional=True)
        token = self._take()
        if token.kind != "name":
            self._at -= 1
            raise self._unexpected()
        name = token.text
        self.timed |= name == "Now"
        if not optional:
            return lambda scope: member(node(scope), name)
        return lambda scope: member(_present(node(scope)), name)

    def _index(self, node: _Node, *, optional: bool = False) -> _Node:
        index = self._expression()
        self._expect("]")
        if optional:
            return lambda scope: element(_present(node(scope)), index(scope))
        return lambda scope: element(node(scope), index(scope))

    @staticmethod
    def _method(node: _Node, args: list[_Node]) -> _Node:
        return lambda scope: called(node(scope), [arg(scope) for arg in args])


def _present(value: Value) -> Value:
    if value is None:
        raise _Nowhere
    return value


def _bool(value: Value) -> bool:
    if not isinstance(value, bool):
        raise Failed(f"interface conversion: interface {{}} is {type_name(value)}, not bool")
    return value


def _negated(value: Value) -> Value:
    if isinstance(value, Duration):
        return Duration(-int(value))
    if not is_number(value):
        raise Failed(f"invalid operation: - {type_name(value)}")
    return -value
