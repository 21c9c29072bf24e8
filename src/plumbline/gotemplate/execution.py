"""Walks the tree of a template with a value in hand."""

from collections.abc import Mapping, Sequence

from plumbline.base.errors import EvaluationFailed
from plumbline.gotemplate.arguments import constant, nillable, validated
from plumbline.gotemplate.bounds import Bounds, Budget
from plumbline.gotemplate.frames import Held, Source
from plumbline.gotemplate.nodes import (
    Action,
    Bool,
    Break,
    Chain,
    Command,
    Continue,
    Dot,
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
)
from plumbline.gotemplate.printing import printed
from plumbline.gotemplate.quoting import quoted
from plumbline.gotemplate.values import (
    INVALID,
    Failed,
    Function,
    Int,
    Ints,
    Invalid,
    StringMap,
    Strings,
    Typed,
    Value,
    truth,
    type_name,
)


class _None(Invalid):
    """Nothing came down the pipe."""


_NOTHING = _None()


class _Jump(Exception):
    def __init__(self, *, ends: bool) -> None:
        self.ends = ends


def execute(source: Source, name: str, value: Value, bounds: Bounds) -> str:
    """What the template *name* prints for *value*. Raises EvaluationFailed in Go's words, or LimitExceeded."""
    budget = Budget(bounds)
    written: list[str] = []
    _Execution(source, name, budget, written).template(value)
    return "".join(written)


class _Execution:
    def __init__(self, source: Source, name: str, budget: Budget, written: list[str], depth: int = 0) -> None:
        self._source = source
        self._name = name
        self._budget = budget
        self._written = written
        self._depth = depth
        self._vars: list[Held] = []
        self._at: Node | None = None
        self._boxed = False
        """Whether the dot's type says nothing but `interface {}`."""

    def template(self, value: Value) -> None:
        tree = self._source.trees.get(self._name)
        if tree is None:
            raise EvaluationFailed(f"template: {self._name}: {quoted(self._name)} is an incomplete or empty template")
        self._vars = [Held("$", value)]
        self._list(value, tree)

    def _fail(self, message: str) -> EvaluationFailed:
        place = self._name
        if self._at is not None:
            before = self._source.text[: self._at.at]
            column = len(before[before.rfind("\n") + 1 :].encode(errors="surrogateescape"))
            place = f"{self._source.name}:{1 + before.count(chr(10))}:{column}"
            place = f"{place}: executing {quoted(self._name)} at <{self._at}>"
        return EvaluationFailed(f"template: {place}: {message}")

    def _write(self, text: str) -> None:
        self._budget.write(text)
        self._written.append(text)

    def _list(self, dot: Value, nodes: Listing) -> None:
        self._at = nodes
        for node in nodes.nodes:
            self._node(dot, node)

    def _node(self, dot: Value, node: Node) -> None:
        self._budget.step()
        self._at = node
        if isinstance(node, Text):
            self._write(node.text)
        elif isinstance(node, Action):
            value = self._pipe(dot, node.pipe)
            if not node.pipe.declared:
                self._at = node
                self._print(value)
        elif isinstance(node, If | With):
            self._branch(dot, node)
        elif isinstance(node, Range):
            self._range(dot, node)
        elif isinstance(node, Include):
            self._include(dot, node)
        elif isinstance(node, Break | Continue):
            raise _Jump(ends=isinstance(node, Break))

    def _print(self, value: Value) -> None:
        if value is None or isinstance(value, Invalid):
            self._write("<no value>")
        elif isinstance(value, Function):
            raise self._fail(f"can't print {self._at} of type {type_name(value)}")
        else:
            self._write(printed(value, self._budget))

    def _branch(self, dot: Value, node: If | With) -> None:
        mark, boxed = len(self._vars), self._boxed
        value = self._pipe(dot, node.pipe)
        if truth(value):
            inner = isinstance(node, With)
            self._boxed = boxed and not inner
            self._list(value if inner else dot, node.body)
            self._boxed = boxed
        elif node.otherwise is not None:
            self._list(dot, node.otherwise)
        del self._vars[mark:]

    def _range(self, dot: Value, node: Range) -> None:
        outer, boxed = len(self._vars), self._boxed
        value = self._pipe(dot, node.pipe)
        mark = len(self._vars)
        pairs = self._pairs(value, node)
        self._boxed = isinstance(value, dict | list | tuple) and not isinstance(value, StringMap | Strings | Ints)
        try:
            for key, element in pairs:
                self._budget.step()
                self._declare(node.pipe, key, element)
                self._iterate(element, node.body, mark)
        except _Jump:
            pass
        finally:
            self._boxed = boxed
        if not pairs and node.otherwise is not None:
            self._list(dot, node.otherwise)
        del self._vars[outer:]

    def _iterate(self, element: Value, body: Listing, mark: int) -> None:
        try:
            self._list(element, body)
        except _Jump as jump:
            if jump.ends:
                raise
        finally:
            del self._vars[mark:]

    def _pairs(self, value: Value, node: Range) -> Sequence[tuple[Value, Value]]:
        if isinstance(value, dict):
            return [(key, value[key]) for key in sorted(value)]
        if isinstance(value, list | tuple):
            return [(Int(at), each) for at, each in enumerate(value)]
        if isinstance(value, int) and not isinstance(value, bool | Typed):
            if len(node.pipe.declared) > 1:
                raise self._fail(f"can't use {value} to iterate over more than one variable")
            self._budget.hold(value)
            return [(INVALID, type(value)(at)) for at in range(value)]
        if value is None or isinstance(value, Invalid):
            return ()
        raise self._fail(f"range can't iterate over {printed(value, self._budget)}")

    def _declare(self, pipe: Pipe, key: Value, element: Value) -> None:
        names = [each.idents[0] for each in pipe.declared]
        values = (key, element) if len(names) > 1 else (element,)
        for at, (name, value) in enumerate(zip(names, values, strict=False)):
            boxed = self._boxed and value is element
            if pipe.assigns:
                self._assign(name, value, boxed=boxed)
            else:
                held = self._vars[at - len(names)]
                held.value, held.boxed = value, boxed

    def _assign(self, name: str, value: Value, *, boxed: bool = False) -> None:
        held = self._held(name)
        held.value, held.boxed = value, boxed

    def _held(self, name: str) -> Held:
        for held in reversed(self._vars):
            if held.name == name:
                return held
        raise self._fail(f"undefined variable: {name}")

    def _include(self, dot: Value, node: Include) -> None:
        if node.name not in self._source.trees:
            raise self._fail(f"template {quoted(node.name)} not defined")
        if self._depth >= self._budget.bounds.depth:
            raise self._fail(f"exceeded maximum template depth ({self._budget.bounds.depth})")
        value = INVALID if node.pipe is None else self._pipe(dot, node.pipe)
        _Execution(self._source, node.name, self._budget, self._written, self._depth + 1).template(value)

    def _pipe(self, dot: Value, pipe: Pipe) -> Value:
        self._at = pipe
        value: Value = _NOTHING
        for command in pipe.commands:
            value = self._command(dot, command, value)
            if value is None:
                value = INVALID
        for variable in pipe.declared:
            if pipe.assigns:
                self._assign(variable.idents[0], value)
            else:
                self._vars.append(Held(variable.idents[0], value))
        return value

    def _command(self, dot: Value, command: Command, final: Value) -> Value:
        self._budget.step()
        first, args = command.args[0], command.args
        if isinstance(first, Identifier):
            return self._function(dot, first, command, args, final)
        if isinstance(first, Field | Chain | Variable):
            return self._chained(dot, first, args, final)
        if not isinstance(first, Pipe):
            self._at = first
        if len(args) > 1 or final is not _NOTHING:
            raise self._fail(f"can't give argument to non-function {first}")
        if isinstance(first, Pipe):
            return self._pipe(dot, first)
        return self._word(dot, first)

    def _word(self, dot: Value, node: Node) -> Value:
        if isinstance(node, Dot):
            return dot
        if isinstance(node, Nil):
            raise self._fail("nil is not a command")
        try:
            return constant(node)
        except Failed as fault:
            raise self._fail(str(fault)) from fault

    def _chained(self, dot: Value, node: Field | Chain | Variable, args: Sequence[Node], final: Value) -> Value:
        """A chain of fields; the last of them gets the arguments if it is a method."""
        self._at = node
        boxed, receiver, idents = self._boxed, dot, node.idents
        if isinstance(node, Chain):
            if isinstance(node.node, Nil):
                raise self._fail(f"indirection through explicit nil in {node}")
            receiver, boxed = self._argument(dot, "", node.node), False
        elif isinstance(node, Variable):
            held = self._held(idents[0])
            if len(idents) == 1:
                if len(args) > 1 or final is not _NOTHING:
                    raise self._fail(f"can't give argument to non-function {node}")
                return held.value
            receiver, boxed, idents = held.value, held.boxed, idents[1:]
        for at, name in enumerate(idents):
            last = at == len(idents) - 1
            arguments = (dot, node, args if last else (), final if last else _NOTHING)
            receiver, boxed = self._field(name, receiver, arguments, boxed=boxed)
        return receiver

    def _field(
        self, name: str, receiver: Value, arguments: tuple[Value, Node, Sequence[Node], Value], *, boxed: bool
    ) -> tuple[Value, bool]:
        dot, node, args, final = arguments
        self._budget.step()
        if isinstance(receiver, Invalid):
            if self._source.missing_key == "error":
                raise self._fail(f"nil data; no entry for key {quoted(name)}")
            return INVALID, False
        if receiver is None:
            raise self._fail(f"nil pointer evaluating interface {{}}.{name}")
        if isinstance(receiver, Typed):
            member = receiver.member(name)
            if isinstance(member, Function):
                return self._call(dot, member, (name, node), args, final), False
            if member is not INVALID:
                if len(args) > 1 or final is not _NOTHING:
                    raise self._fail(f"{name} has arguments but cannot be invoked as function")
                return member, False
        if isinstance(receiver, dict):
            if len(args) > 1 or final is not _NOTHING:
                raise self._fail(f"{name} is not a method but has arguments")
            return self._entry(receiver, name)
        raise self._fail(f"can't evaluate field {name} in type {'interface {}' if boxed else type_name(receiver)}")

    def _entry(self, receiver: Mapping[str, Value], name: str) -> tuple[Value, bool]:
        boxed = not isinstance(receiver, StringMap)
        if name in receiver:
            return receiver[name], boxed
        if self._source.missing_key == "error":
            raise self._fail(f"map has no entry for key {quoted(name)}")
        if self._source.missing_key == "zero":
            return (None if boxed else ""), boxed
        return INVALID, False

    def _function(self, dot: Value, node: Identifier, whole: Node, args: Sequence[Node], final: Value) -> Value:
        self._at = node
        found = self._source.functions.get(node.name)
        if found is None:
            raise self._fail(f"{quoted(node.name)} is not a defined function")
        return self._call(dot, found, (node.name, whole), args, final)

    def _call(self, dot: Value, called: Function, said: tuple[str, Node], args: Sequence[Node], final: Value) -> Value:
        name, node = said
        args = args[1:]
        given = len(args) + (final is not _NOTHING)
        if called.variadic:
            if given < called.fewest:
                raise self._fail(f"wrong number of args for {name}: want at least {called.fewest} got {len(args)}")
        elif given != called.fewest:
            raise self._fail(f"wrong number of args for {name}: want {called.fewest} got {given}")
        if name in {"and", "or"} and not called.params[1:]:
            return self._short(dot, name, args, final)
        values = [self._argument(dot, called.param(at), arg) for at, arg in enumerate(args)]
        if final is not _NOTHING:
            values.append(self._checked(final, called.param(len(args))))
        if name == "call":
            values.insert(0, str(args[0]) if args else "value")
        try:
            return self._held_in_bounds(called.call(*self._given(called, values)))
        except (Failed, ArithmeticError, RecursionError, ValueError) as fault:
            self._at = node
            raise self._fail(f"error calling {name}: {fault}") from fault

    def _given(self, called: Function, values: list[Value]) -> list[Value]:
        if getattr(called.call, "takes_budget", False):
            return [self._budget, *values]
        return [self.included, *values] if getattr(called.call, "takes_include", False) else values

    def included(self, name: str, value: Value) -> str:
        """What the template *name* prints for *value*, as a value. Raises Failed."""
        if name not in self._source.trees:
            raise Failed(f"template: no template {quoted(name)} associated with template {quoted(self._source.name)}")
        if self._depth >= self._budget.bounds.depth:
            raise Failed(f"rendering template has a nested reference name: {name}: unable to execute template")
        written: list[str] = []
        try:
            _Execution(self._source, name, self._budget, written, self._depth + 1).template(value)
        except EvaluationFailed as fault:
            raise Failed(str(fault)) from fault
        return "".join(written)

    def _held_in_bounds(self, value: Value) -> Value:
        if isinstance(value, str | list | dict):
            self._budget.hold(len(value))
        return value

    def _short(self, dot: Value, name: str, args: Sequence[Node], final: Value) -> Value:
        value: Value = INVALID
        for arg in args:
            value = self._argument(dot, "value", arg)
            if truth(value) == (name == "or"):
                return value
        return value if final is _NOTHING else final

    def _checked(self, value: Value, kind: str) -> Value:
        try:
            return validated(value, kind)
        except Failed as fault:
            raise self._fail(str(fault)) from fault

    def _argument(self, dot: Value, kind: str, node: Node) -> Value:
        """The value of an operand, where *kind* is wanted; anything where that is empty."""
        self._at = node
        if isinstance(node, Dot):
            return self._checked(dot, kind)
        if isinstance(node, Nil):
            if not nillable(kind):
                raise self._fail(f"cannot assign nil to {kind}")
            return self._checked(INVALID, kind)
        if isinstance(node, Field | Variable | Chain):
            return self._checked(self._chained(dot, node, (node,), _NOTHING), kind)
        if isinstance(node, Pipe):
            return self._checked(self._pipe(dot, node), kind)
        if isinstance(node, Identifier):
            return self._checked(self._function(dot, node, node, (node,), _NOTHING), kind)
        assert isinstance(node, Bool | Number | String)  # noqa: S101 - there are no other operands
        try:
            return constant(node, kind or "any")
        except Failed as fault:
            raise self._fail(str(fault)) from fault
