"""What an expression costs at most, before it is ever evaluated: what would cost too much is not accepted at all."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.apiserver.cel.call_estimates import Argument, call_estimate
from plumbline.apiserver.cel.checker import Checked
from plumbline.apiserver.cel.estimates import NOTHING, ONE, UNKNOWN, Bounds, Sized, exactly
from plumbline.apiserver.cel.program import Program
from plumbline.apiserver.cel.syntax import (
    Bind,
    Call,
    Expr,
    Fold,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    StructExpr,
)
from plumbline.apiserver.cel.types import Type, unwrapped

_LIST: Final = exactly(10)
_MAP: Final = exactly(30)
_SCALARS: Final = frozenset(("bool", "double", "duration", "int", "timestamp", "uint"))


class _Local(NamedTuple):
    path: tuple[str, ...]
    size: Bounds | None = None
    items: Bounds | None = None


def worst_cost(program: Program, sizes: Sized) -> int:
    """The most that *program* can cost over variables whose values are as *sizes* bounds them."""
    return _Coster(program.found, sizes).cost(program.tree).most


class _Coster:
    def __init__(self, found: Checked, sizes: Sized) -> None:
        self.found = found
        self.sizes = sizes
        self.locals: dict[str, list[_Local]] = {}
        self.paths: dict[int, tuple[str, ...]] = {}
        self.known: dict[int, Bounds] = {}
        self.items: dict[int, Bounds] = {}

    def cost(self, expr: Expr) -> Bounds:
        if isinstance(expr, Literal):
            return NOTHING
        if isinstance(expr, Ident):
            return self._ident(expr)
        if isinstance(expr, Select):
            return self._select(expr)
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, ListExpr | MapExpr | StructExpr):
            return self._made(expr)
        return self._fold(expr) if isinstance(expr, Fold) else self._bind(expr)

    def _local(self, name: str) -> _Local | None:
        stack = self.locals.get(name)
        return stack[-1] if stack else None

    def _ident(self, expr: Ident) -> Bounds:
        local = self._local(expr.name)
        self.paths[id(expr)] = local.path if local is not None else (expr.name,)
        return ONE

    def _select(self, expr: Select) -> Bounds:
        if expr.qualified:
            self.paths[id(expr)] = (expr.qualified,)
            return ONE
        cost = self.cost(expr.operand)
        if expr.test:
            return cost
        if unwrapped(self.found.type(expr.operand))[0].kind in {"map", "struct"} or expr.optional:
            cost = cost.plus(ONE)
        self.paths[id(expr)] = (*self.paths.get(id(expr.operand), ()), expr.field)
        return cost

    def _made(self, expr: ListExpr | MapExpr | StructExpr) -> Bounds:
        if isinstance(expr, ListExpr):
            cost = _sum(self.cost(item) for item in expr.items).plus(_LIST)
            sizes = [self.size(item) for item in expr.items]
            self.items[id(expr)] = _any(sizes)
            return cost
        if isinstance(expr, MapExpr):
            return _sum(self.cost(each) for entry in expr.entries for each in (entry.key, entry.value)).plus(_MAP)
        return _sum(self.cost(value) for _, value in expr.fields).plus(exactly(40))

    def _call(self, call: Call) -> Bounds:
        parts = ([call.target] if call.target is not None else []) + call.args
        costs = [self.cost(part) for part in parts]
        if call.function in {"_&&_", "_||_"}:
            return Bounds(costs[0].least, _sum(costs).most)
        if call.function == "_?_:_":
            self.known[id(call)] = self.size(call.args[1]).either(self.size(call.args[2]))
            return costs[0].plus(costs[1].either(costs[2]))
        if call.function == "dyn":
            self.known[id(call)] = self.size(call.args[0])
            return costs[0].plus(ONE)
        args = tuple(self._argument(part) for part in parts)
        own: Bounds | None = None
        size: Bounds | None = None
        for overload in self.found.overloads.get(id(call), ()):
            estimate = call_estimate(overload, args)
            own = estimate.cost if own is None else own.either(estimate.cost)
            if estimate.size is not None:
                size = estimate.size if size is None else size.either(estimate.size)
        if call.function in {"_[_]", "_[?_]"}:
            step = "@items" if args[0].type.kind == "list" else "@values"
            self.paths[id(call)] = (*self.paths.get(id(call.args[0]), ()), step)
            size = self.items.get(id(call.args[0]), size)
        if size is not None:
            self.known[id(call)] = size
        return _sum(costs).plus(own or NOTHING)

    def _argument(self, expr: Expr) -> Argument:
        declared = self.found.type(expr)
        items: Bounds | None = None
        if declared.kind == "list":
            path = self.paths.get(id(expr))
            items = self._declared_size((*path, "@items")) if path else None
            items = items or UNKNOWN
        return Argument(expr, declared, self.size(expr), items)

    def size(self, expr: Expr) -> Bounds:
        known = self.known.get(id(expr))
        if known is not None:
            return known
        literal = _literal_size(expr)
        if literal is not None:
            return literal
        path = self.paths.get(id(expr))
        declared = self._declared_size(path) if path else None
        if declared is not None:
            return declared
        if _scalar(self.found.type(expr)):
            return ONE
        local = self._local(expr.name) if isinstance(expr, Ident) else None
        return local.size if local is not None and local.size is not None else UNKNOWN

    def _declared_size(self, path: tuple[str, ...]) -> Bounds | None:
        """By the declared type that *path* leads to; its first part is the variable itself."""
        node: Sized | None = self.sizes
        for name in path[1:]:
            node = node.inside(name) if node is not None else None
        return None if node is None else Bounds(0, node.most)

    def _fold(self, fold: Fold) -> Bounds:
        cost = self.cost(fold.range)
        count = self.size(fold.range)
        path = self.paths.get(id(fold.range), ())
        listed = self.found.type(fold.range).kind == "list"
        inside = self.items.get(id(fold.range))
        if fold.second:
            first = _Local((*path, "@indices" if listed else "@keys"), ONE if listed else None)
            names = {fold.first: first, fold.second: _Local((*path, "@items" if listed else "@values"), inside)}
        else:
            names = {fold.first: _Local((*path, "@items" if listed else "@keys"), inside)}
        for name, local in names.items():
            self.locals.setdefault(name, []).append(local)
        turn = self._turn(fold, inside)
        for name in names:
            self.locals[name].pop()
        self.known[id(fold)] = count if fold.kind not in {"all", "exists", "exists_one"} else ONE
        return cost.plus(_FIXED[fold.kind]).plus(count.times(turn))

    def _turn(self, fold: Fold, inside: Bounds | None) -> Bounds:
        """What one turn costs, as the language's own expansion of the macro would."""
        predicate = self.cost(fold.predicate) if fold.predicate is not None else NOTHING
        transform = self.cost(fold.transform) if fold.transform is not None else NOTHING
        if fold.kind in {"all", "exists"}:
            return predicate.plus(exactly(3 if fold.kind == "all" else 4))
        if fold.kind == "exists_one":
            return predicate.plus(exactly(2))
        if fold.kind in {"map_values", "map_entries"}:
            return predicate.plus(transform).plus(exactly(3 if fold.kind == "map_values" else 2))
        size = self.size(fold.transform) if fold.transform is not None else inside or UNKNOWN
        self.items[id(fold)] = size.either(NOTHING)
        return predicate.plus(transform).plus(exactly(13 if fold.kind == "filter" else 12))

    def _bind(self, bind: Bind) -> Bounds:
        cost = self.cost(bind.operand)
        local = _Local(())  # what an optional holds is of unknown size
        if bind.kind == "let":
            operand = id(bind.operand)
            local = _Local(self.paths.get(operand, ()), self.size(bind.operand), self.items.get(operand))
        self.locals.setdefault(bind.name, []).append(local)
        body = self.cost(bind.body)
        self.locals[bind.name].pop()
        if bind.kind == "let":
            self.known[id(bind)] = self.size(bind.body)
            return cost.plus(_LIST).plus(body)
        # The operand is looked at twice: whether it holds something, and what.
        wrapped = exactly(1 if bind.kind == "optMap" else 0)
        return cost.plus(ONE).plus(cost.plus(ONE).plus(_LIST).plus(body).plus(wrapped))


_FIXED: Final = {
    "all": ONE, "exists": ONE, "exists_one": exactly(2), "map": exactly(11), "filter": exactly(11), "list": exactly(11),
    "map_values": exactly(31), "map_entries": exactly(31),
}  # fmt: skip


def _sum(costs: Iterable[Bounds]) -> Bounds:
    total = NOTHING
    for each in costs:
        total = total.plus(each)
    return total


def _any(sizes: list[Bounds]) -> Bounds:
    total = sizes[0] if sizes else NOTHING
    for each in sizes[1:]:
        total = total.either(each)
    return total


def _literal_size(expr: Expr) -> Bounds | None:
    if isinstance(expr, Literal):
        return exactly(len(expr.value) if isinstance(expr.value, str | bytes) else 1)
    if isinstance(expr, ListExpr):
        return exactly(len(expr.items))
    return exactly(len(expr.entries)) if isinstance(expr, MapExpr) else None


def _scalar(declared: Type) -> bool:
    return unwrapped(declared)[0].kind in _SCALARS
