"""What is wrong with a value, in the words and the order of the API server.

Where the order of the server is that of a Go map, which is random, this one is that of the schema.
"""

from typing import Final

from plumbline.apiserver.cel.floats import as_float, number_text
from plumbline.apiserver.cel.textformats import has_format
from plumbline.apiserver.crds.conforming import TYPE_NAMES, conforms, has_duplicates, in_enum
from plumbline.apiserver.crds.correlation import Correlated
from plumbline.apiserver.crds.numbers import near_integer, number_errors
from plumbline.apiserver.crds.structural import Node
from plumbline.apiserver.fielderrors import (
    INVALID,
    FieldError,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
    type_invalid,
)
from plumbline.base.errors import BadExpression
from plumbline.base.json import Json, JsonObject, encode
from plumbline.base.regex import compiled
from plumbline.kube.gotext import quoted

_GO_FORMATS: Final = {int: "int64", float: "float64"}
_INTEGERS: Final = 2**63
"""What is not of 64 bits the server holds as a float."""


class _Outcome:
    """Errors by their text, which are told once, and how much was right: alternatives are chosen by that."""

    __slots__ = ("errors", "matches")

    def __init__(self, matches: int = 0) -> None:
        self.errors: dict[str, FieldError] = {}
        self.matches = matches

    def add(self, text: str, error: FieldError) -> None:
        self.errors.setdefault(text, error)

    def merge(self, other: "_Outcome") -> None:
        for text, error in other.errors.items():
            self.errors.setdefault(text, error)
        self.matches += other.matches


def schema_errors(
    value: Json, node: Node, *, prefix: str = "", correlated: Correlated | None = None
) -> list[FieldError]:
    """Errors of *value*, whose root is called *prefix*. What did not change since the correlated value is forgiven."""
    if conforms(value, node):
        return []
    outcome = _Validation(prefix).validate(value, node, "", correlated)
    return list(outcome.errors.values())


class _Validation:
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def validate(self, value: Json, node: Node, path: str, correlated: Correlated | None) -> _Outcome:
        outcome = self._plain(value, node, path, correlated)
        if outcome.errors and correlated is not None and correlated.unchanged:
            return _Outcome(matches=outcome.matches)
        return outcome

    def _plain(self, value: Json, node: Node, path: str, correlated: Correlated | None) -> _Outcome:
        outcome = _Outcome()
        if value is None:
            self._type(None, node, path, outcome)
            self._enum(None, node, path, outcome)
            return outcome
        if type(value) is int and not -_INTEGERS <= value < _INTEGERS:
            value = as_float(value)
        kind = type(value)
        if node.types or node.format:
            self._type(value, node, path, outcome)
            outcome.matches += 1
        outcome.merge(self._combinations(value, node, path, correlated))
        if kind is str:
            self._text(value, node, path, outcome)
            outcome.matches += 1 + (node.format != "" and node.types in {(), ("string",)})
        elif kind is int or kind is float:
            self._number(value, node, path, outcome)
            outcome.matches += 1
        elif kind is list:
            outcome.merge(self._list(value, node, path, correlated))
            outcome.matches += 1
        self._enum(value, node, path, outcome)
        if kind is dict:
            outcome.merge(self._object(value, node, path, correlated))
            outcome.matches += 1
        outcome.matches += 3  # the combinations, the enum and the value itself were looked at
        return outcome

    def _at(self, path: str) -> str:
        """The field to blame: a path under the prefix."""
        name = path.removeprefix(".")
        if not name:
            return self.prefix or "<nil>"
        return f"{self.prefix}.{name}" if self.prefix else name

    def _blame(self, outcome: _Outcome, path: str, value: Json, text: str) -> None:
        if isinstance(value, float):
            outcome.add(text, FieldError(INVALID, self._at(path), f"Invalid value: {number_text(value)}: {text}"))
        else:
            outcome.add(text, invalid(self._at(path), value, text))

    def _blame_nobody(self, outcome: _Outcome, text: str) -> None:
        outcome.add(text, invalid(self.prefix or "<nil>", "", text))

    def _blame_type(self, outcome: _Outcome, path: str, wanted: str, got: str) -> None:
        text = f"{path} in body must be of type {wanted}: {quoted(got)}"
        outcome.add(text, type_invalid(self._at(path), got, text))

    def _type(self, value: Json, node: Node, path: str, outcome: _Outcome) -> None:
        types = node.types
        if value is None:
            if types and not node.nullable:
                self._blame_type(outcome, path, ",".join(types), "null")
            else:
                outcome.matches += 1
            return
        kind = type(value)
        name = TYPE_NAMES.get(kind, "")
        fits = (
            name in types
            or (kind is float and "integer" in types and near_integer(value))
            or (kind is int and "number" in types)
        )
        textual = kind is str or kind is list
        if not textual and node.format and not fits and _GO_FORMATS.get(kind, "") != node.format:
            self._blame_type(outcome, path, node.format, _GO_FORMATS.get(kind, ""))
        elif textual and node.format and not ({"number", "integer"} & set(types)):
            outcome.matches += 1
        elif not fits:
            self._blame_type(outcome, path, ",".join(types), name)
        else:
            outcome.matches += 1

    def _text(self, value: str, node: Node, path: str, outcome: _Outcome) -> None:
        self._length_and_pattern(value, node, path, outcome)
        if node.format and node.types in {(), ("string",)} and not has_format(value, node.format):
            self._blame_type(outcome, path, node.format, value)

    def _length_and_pattern(self, value: str, node: Node, path: str, outcome: _Outcome) -> None:
        if node.max_length is not None and len(value) > node.max_length:
            text = f"{path} in body should be at most {node.max_length} chars long"
            outcome.add(text, too_long(self._at(path), node.max_length))
        elif node.min_length is not None and len(value) < node.min_length:
            self._blame(outcome, path, value, f"{path} in body should be at least {node.min_length} chars long")
        elif node.pattern:
            try:
                if compiled(node.pattern).matches(value):
                    return
                wanted = node.pattern
            except BadExpression as bad:
                wanted = f"{node.pattern}, but pattern is invalid: {bad.what}"
            self._blame(outcome, path, value, f"{path} in body should match '{wanted}'")

    def _number(self, value: float, node: Node, path: str, outcome: _Outcome) -> None:
        for error in number_errors(value, node, path):
            if error.value is None:
                self._blame_nobody(outcome, error.text)
            else:
                self._blame(outcome, path, error.value, error.text)
        outcome.matches += 1

    def _enum(self, value: Json, node: Node, path: str, outcome: _Outcome) -> None:
        if not node.enum or (value is not None and in_enum(value, node.enum)):
            return
        words = [each if isinstance(each, str) else encode(each).decode() for each in node.enum]
        text = f"{path} in body should be one of {words}"
        outcome.add(text, not_supported(self._at(path), value, words))

    def _list(self, value: list[Json], node: Node, path: str, correlated: Correlated | None) -> _Outcome:
        outcome = _Outcome(matches=1)
        if node.items is not None:
            for index, each in enumerate(value):
                below = correlated.item(index) if correlated is not None else None
                outcome.merge(self.validate(each, node.items, f"{path}[{index}]", below))
        if node.min_items is not None and len(value) < node.min_items:
            self._blame(outcome, path, len(value), f"{path} in body should have at least {node.min_items} items")
        if node.max_items is not None and len(value) > node.max_items:
            text = f"{path} in body should have at most {node.max_items} items"
            outcome.add(text, too_many(self._at(path), len(value), node.max_items))
        if node.unique_items and has_duplicates(value):
            self._blame(outcome, path, "", f"{path} in body shouldn't contain duplicates")
        return outcome

    def _object(self, value: JsonObject, node: Node, path: str, correlated: Correlated | None) -> _Outcome:
        outcome = _Outcome()
        if node.min_properties is not None and len(value) < node.min_properties:
            text = f"{path} in body should have at least {node.min_properties} properties"
            self._blame(outcome, path, len(value), text)
        if node.max_properties is not None and len(value) > node.max_properties:
            text = f"{path} in body should have at most {node.max_properties} properties"
            outcome.add(text, too_many(self._at(path), len(value), node.max_properties))
        for name, child in value.items():
            if name in node.properties:
                continue
            if not node.additional_allowed:
                self._blame(outcome, path, name, f"{path}.{name} in body is a forbidden property")
            elif node.additional is not None:
                outcome.merge(self._field(child, node.additional, f"{path}.{name}", name, correlated))
        for name, below in node.properties.items():
            if name in value:
                place = f"{path}.{name}" if path else name
                outcome.merge(self._field(value[name], below, place, name, correlated))
        for name in node.required:
            if name not in value:
                place = f"{path}.{name}"
                outcome.add(f"{place} in body is required", required(self._at(place)))
        return outcome

    def _field(self, value: Json, node: Node, path: str, name: str, correlated: Correlated | None) -> _Outcome:
        below = correlated.field(name) if correlated is not None else None
        if not path.removesuffix(name) and name in {"apiVersion", "kind"}:
            below = None
        return self.validate(value, node, path, below)

    def _combinations(self, value: Json, node: Node, path: str, correlated: Correlated | None) -> _Outcome:
        outcome = _Outcome(matches=1)
        if node.any_of:
            self._any_of(value, node, path, correlated, outcome)
        if node.one_of:
            self._one_of(value, node, path, correlated, outcome)
        if node.all_of:
            self._all_of(value, node, path, correlated, outcome)
        if node.not_of is not None and not self._plain(value, node.not_of, path, correlated).errors:
            self._blame_nobody(outcome, f"{quoted(path)} must not validate the schema (not)")
        return outcome

    def _any_of(self, value: Json, node: Node, path: str, correlated: Correlated | None, outcome: _Outcome) -> None:
        best: _Outcome | None = None
        for each in node.any_of:
            result = self._plain(value, each, path, correlated)
            if not result.errors:
                outcome.merge(result)
                return
            if best is None or result.matches > best.matches:
                best = result
        self._blame_nobody(outcome, f"{quoted(path)} must validate at least one schema (anyOf)")
        if best is not None:
            outcome.merge(best)

    def _one_of(self, value: Json, node: Node, path: str, correlated: Correlated | None, outcome: _Outcome) -> None:
        best: _Outcome | None = None
        valid: list[_Outcome] = []
        for each in node.one_of:
            result = self._plain(value, each, path, correlated)
            if not result.errors:
                valid.append(result)
            elif not valid and (best is None or result.matches > best.matches):
                best = result
        if len(valid) == 1:
            outcome.merge(valid[0])
            return
        found = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
        self._blame_nobody(outcome, f"{quoted(path)} must validate one and only one schema (oneOf). {found}")
        if best is not None and not valid:
            outcome.merge(best)

    def _all_of(self, value: Json, node: Node, path: str, correlated: Correlated | None, outcome: _Outcome) -> None:
        results = [self._plain(value, each, path, correlated) for each in node.all_of]
        for result in results:
            outcome.merge(result)
        valid = sum(not result.errors for result in results)
        if valid != len(results):
            none = "" if valid else ". None validated"
            self._blame_nobody(outcome, f"{quoted(path)} must validate all the schemas (allOf){none}")
