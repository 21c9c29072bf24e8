"""Types of expressions, found before anything is evaluated; what does not fit is told in the words of CEL."""

from dataclasses import dataclass, field

from plumbline.apiserver.cel.declarations import Declarations, type_value
from plumbline.apiserver.cel.functions import Overload
from plumbline.apiserver.cel.issues import Issues
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
    qualified_name,
)
from plumbline.apiserver.cel.types import (
    BOOL,
    DYN,
    ERROR,
    INT,
    Bindings,
    Type,
    list_of,
    map_of,
    most_general,
    optional_of,
    unwrapped,
)


@dataclass
class Checked:
    """What the checker found out, by the identity of nodes."""

    types: dict[int, Type] = field(default_factory=dict)
    overloads: dict[int, tuple[Overload, ...]] = field(default_factory=dict)
    fields: dict[int, str] = field(default_factory=dict)
    """Of selections: the property that is meant."""
    named_types: dict[int, str] = field(default_factory=dict)
    """Identifiers that stand for a type."""
    variables: set[str] = field(default_factory=set)
    """Declared variables that are used."""

    def type(self, expr: Expr) -> Type:
        return self.types.get(id(expr), DYN)


def checked(expr: Expr, source: str, declarations: Declarations) -> Checked:
    """Raises `BadExpression` with everything that does not fit."""
    checker = _Checker(Issues(source), declarations)
    checker.check(expr)
    if checker.issues:
        raise checker.issues.refusal()
    found = checker.found
    found.types = {node: checker.bindings.resolved(each, to_dyn=True) for node, each in found.types.items()}
    return found


class _Checker:
    def __init__(self, issues: Issues, declarations: Declarations) -> None:
        self.issues = issues
        self.declarations = declarations
        self.found = Checked()
        self.bindings = Bindings()
        self.scopes: list[dict[str, Type]] = []
        self.fresh = 0

    def check(self, expr: Expr) -> Type:
        result = self._type(expr)
        self.found.types[id(expr)] = result
        return result

    def _type(self, expr: Expr) -> Type:  # noqa: PLR0911 - one for each sort of node
        if isinstance(expr, Literal):
            return expr.type
        if isinstance(expr, Ident):
            return self._ident(expr)
        if isinstance(expr, Select):
            return self._select(expr)
        if isinstance(expr, Call):
            return self._call(expr)
        if isinstance(expr, ListExpr):
            return self._list(expr)
        if isinstance(expr, MapExpr):
            return self._map(expr)
        if isinstance(expr, Fold):
            return self._fold(expr)
        if isinstance(expr, Bind):
            return self._bind(expr)
        return self._struct(expr)

    def _new_parameter(self) -> Type:
        self.fresh += 1
        return Type("param", f"_var{self.fresh - 1}")

    def _undeclared(self, at: int, name: str) -> Type:
        self.issues.add(at, f"undeclared reference to '{name}' (in container '')")
        return ERROR

    def _mismatch(self, at: int, wanted: Type, given: Type) -> None:
        shown = self.bindings.resolved(wanted), self.bindings.resolved(given)
        self.issues.add(at, f"expected type '{shown[0]}' but found '{shown[1]}'")

    def _lookup(self, name: str, expr: Expr) -> Type | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        bare = name.removeprefix(".")
        declared = self.declarations.variables.get(bare)
        if declared is not None:
            self.found.variables.add(bare)
            return declared
        named = type_value(bare)
        if named is not None:
            self.found.named_types[id(expr)] = bare
        return named

    def _ident(self, expr: Ident) -> Type:
        found = self._lookup(expr.name, expr)
        return self._undeclared(expr.at, expr.name) if found is None else found

    def _select(self, expr: Select) -> Type:
        name = qualified_name(expr)
        if name:
            whole = self._lookup(name, expr)
            if whole is not None:
                expr.qualified = name
                return whole
        operand = self.bindings.resolved(self.check(expr.operand))
        result = self._field_type(expr, operand)
        if expr.test:
            return BOOL
        return self.bindings.resolved(result)

    def _field_type(self, expr: Select, operand: Type) -> Type:
        target, is_optional = unwrapped(operand)
        result = ERROR
        if target.kind == "map":
            result = target.params[1]
        elif target.kind == "struct":
            declared = self.declarations.structs.get(target.name, {}).get(expr.field)
            if declared is None:
                self.issues.add(expr.at, f"undefined field '{expr.field}'")
            else:
                result = declared.type
                self.found.fields[id(expr)] = declared.property
        else:
            if target.kind == "param":
                self.bindings.assignable(DYN, target)
            elif target.kind not in {"dyn", "error"}:
                self.issues.add(expr.at, f"type '{target}' does not support field selection")
            result = DYN
        return optional_of(result) if is_optional or expr.optional else result

    def _call(self, call: Call) -> Type:
        args = [self.check(arg) for arg in call.args]
        if call.target is None:
            overloads = self.declarations.functions.overloads(call.function)
            if not overloads:
                return self._undeclared(call.at, call.function)
            return self._resolve(call, overloads, args)
        prefix = qualified_name(call.target)
        if prefix:
            overloads = self.declarations.functions.overloads(f"{prefix}.{call.function}")
            if overloads:
                call.function, call.target = f"{prefix}.{call.function}", None
                return self._resolve(call, overloads, args)
        target = self.check(call.target)
        overloads = self.declarations.functions.overloads(call.function)
        if not overloads:
            return self._undeclared(call.at, call.function)
        return self._resolve(call, overloads, [target, *args])

    def _resolve(self, call: Call, overloads: tuple[Overload, ...], args: list[Type]) -> Type:
        if call.function in {"_&&_", "_||_"}:
            return self._logical(call, args)
        matching: list[Overload] = []
        result: Type | None = None
        for overload in overloads:
            if overload.member is not (call.target is not None):
                continue
            renamed = Bindings({each: self._new_parameter() for each in sorted(overload.parameters)})
            wanted = tuple(renamed.resolved(each) for each in overload.args)
            if not self.bindings.all_assignable(tuple(args), wanted):
                continue
            matching.append(overload)
            answer = self.bindings.resolved(renamed.resolved(overload.result))
            if result is None:
                result = answer
            elif result.kind != "dyn" and answer != result:
                result = DYN
        if result is None:
            return self._no_overload(call, args)
        self.found.overloads[id(call)] = tuple(matching)
        return result

    def _logical(self, call: Call, args: list[Type]) -> Type:
        wrong = False
        for arg, given in zip(call.args, args, strict=True):
            if not self.bindings.assignable(given, BOOL):
                self._mismatch(arg.at, BOOL, given)
                wrong = True
        return ERROR if wrong else BOOL

    def _no_overload(self, call: Call, args: list[Type]) -> Type:
        shown = [str(self.bindings.resolved(arg, to_dyn=True)) for arg in args]
        signature = f"{shown[0]}.({', '.join(shown[1:])})" if call.target is not None else f"({', '.join(shown)})"
        self.issues.add(call.at, f"found no matching overload for '{call.function}' applied to '{signature}'")
        return ERROR

    def _joined(self, before: Type | None, current: Type) -> Type:
        if before is None:
            return current
        # Literals of mixed types are told afterwards: within format() they are allowed.
        return most_general(before, current) if self.bindings.assignable(before, current) else DYN

    def _held(self, expr: Expr, given: Type, *, optional: bool) -> Type:
        if not optional:
            return given
        held, is_optional = unwrapped(given)
        if not is_optional and held.kind != "dyn":
            self._mismatch(expr.at, optional_of(held), held)
        return held

    def _list(self, expr: ListExpr) -> Type:
        item: Type | None = None
        for index, each in enumerate(expr.items):
            given = self._held(each, self.check(each), optional=index in expr.optional)
            item = self._joined(item, given)
        return list_of(item or self._new_parameter())

    def _map(self, expr: MapExpr) -> Type:
        key: Type | None = None
        value: Type | None = None
        for entry in expr.entries:
            key = self._joined(key, self.check(entry.key))
            given = self._held(entry.value, self.check(entry.value), optional=entry.optional)
            value = self._joined(value, given)
        return map_of(key or self._new_parameter(), value or self._new_parameter())

    def _struct(self, expr: StructExpr) -> Type:
        for _, value in expr.fields:
            self.check(value)
        return self._undeclared(expr.at, expr.name)

    def _fold(self, fold: Fold) -> Type:
        given = self.bindings.resolved(self.check(fold.range))
        first, second = self._loop_types(fold, given)
        names = {fold.first: first, **({fold.second: second} if fold.second else {})}
        self.scopes.append(names)
        predicate = self.check(fold.predicate) if fold.predicate is not None else BOOL
        transform = self.check(fold.transform) if fold.transform is not None else ERROR
        self.scopes.pop()
        result = self._fold_result(fold, first, transform)
        if fold.predicate is not None and not self.bindings.assignable(predicate, BOOL):
            self._bad_predicate(fold, fold.predicate, predicate, result)
        return result

    def _loop_types(self, fold: Fold, given: Type) -> tuple[Type, Type]:
        if given.kind == "list":
            return (INT, given.params[0]) if fold.second else (given.params[0], ERROR)
        if given.kind == "map":
            return given.params[0], given.params[1]
        if given.kind in {"dyn", "error", "param"}:
            self.bindings.assignable(DYN, given)
            return DYN, DYN
        said = f"expression of type '{given}' cannot be range of a comprehension (must be list, map, or dynamic)"
        self.issues.add(fold.range.at, said)
        return ERROR, ERROR

    def _fold_result(self, fold: Fold, first: Type, transform: Type) -> Type:
        if fold.kind in {"all", "exists", "exists_one"}:
            return BOOL
        if fold.kind == "filter":
            return list_of(self.bindings.resolved(first))
        transform = self.bindings.resolved(transform)
        if fold.kind == "map_values":
            return map_of(self.bindings.resolved(first), transform)
        if fold.kind == "map_entries":
            if transform.kind not in {"map", "dyn", "error"}:
                said = f"found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), {transform})'"
                self.issues.add(fold.at, said)
            return transform
        return list_of(transform)

    def _bad_predicate(self, fold: Fold, predicate: Expr, given: Type, result: Type) -> None:
        given = self.bindings.resolved(given, to_dyn=True)
        if fold.kind in {"all", "exists"}:
            self._mismatch(predicate.at, BOOL, given)
            return
        both = INT if fold.kind == "exists_one" else self.bindings.resolved(result, to_dyn=True)
        said = f"found no matching overload for '_?_:_' applied to '({given}, {both}, {both})'"
        self.issues.add(fold.at, said)

    def _bind(self, bind: Bind) -> Type:
        given = self.bindings.resolved(self.check(bind.operand))
        if bind.kind == "let":
            return self._with_name(bind, given)
        held, is_optional = unwrapped(given)
        if not is_optional and held.kind not in {"dyn", "error"}:
            for function in ("hasValue", "value"):
                self.issues.add(bind.at, f"found no matching overload for '{function}' applied to '{given}.()'")
        result = self._with_name(bind, held)
        if bind.kind == "optMap":
            return optional_of(result)
        if not unwrapped(result)[1] and result.kind not in {"dyn", "error"}:
            said = f"found no matching overload for '_?_:_' applied to '(bool, {result}, optional_type(dyn))'"
            self.issues.add(bind.at, said)
        return result

    def _with_name(self, bind: Bind, given: Type) -> Type:
        self.scopes.append({bind.name: given})
        result = self.check(bind.body)
        self.scopes.pop()
        return result
