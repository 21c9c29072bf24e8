"""The walk of a desired object against the live one: linear, without a server, and total over whatever it is given."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple, TypeAlias

from plumbline.base.errors import BadQuantity, SchemaViolation
from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply.elements import element_of
from plumbline.kube.apply.fieldset import SELF, FieldSet
from plumbline.kube.apply.walk import granular, same
from plumbline.kube.diff.defaults import counts_as_absent, is_zero, written_by_server
from plumbline.kube.diff.differences import ABSENT, Absent, Change, Difference
from plumbline.kube.diff.owners import Owners
from plumbline.kube.quantity import same_quantity
from plumbline.kube.schema.shape import FREE, Form, Shape


class _Extras(Enum):
    """What is to be said about fields that are live and not desired, inside of a value that is owned as a whole."""

    COUNT = "count"
    """Each is a difference, but for what the server itself writes."""
    REMEMBER = "remember"
    """A difference only if we wrote it the last time: defaults of custom kinds are not known here."""


class _Whole(NamedTuple):
    """The atomic value that the walk is inside of."""

    extras: _Extras
    before: Json | Absent = ABSENT
    """What we wrote there the last time, where that is known."""

    def below(self, key: str | int) -> "_Whole":
        before: Json | Absent = ABSENT
        if isinstance(self.before, dict):
            before = self.before.get(key, ABSENT)
        elif isinstance(self.before, list) and isinstance(key, int) and key < len(self.before):
            before = self.before[key]
        return _Whole(self.extras, before)

    def wrote(self, name: str) -> bool:
        return isinstance(self.before, dict) and name in self.before


class Walk:
    """One diff under way. `typed` for built-in kinds, which the server holds as structures and not as documents."""

    def __init__(self, owners: Owners, *, typed: bool) -> None:
        self._owners = owners
        self._typed = typed
        self.found: list[Difference] = []

    def compare(
        self, desired: JsonObject, live: JsonObject, shape: Shape, at: tuple[str, ...], whole: _Whole | None = None
    ) -> None:
        fields = shape.fields if shape.form is Form.RECORD else {}
        for name, want in desired.items():
            have = live.get(name)
            child = fields.get(name) or shape.values
            if have is None:
                if not _says_nothing(want, child) and not self._left_out(name, want, shape, at, whole):
                    self._report(Change.ADD, (*at, f"f:{name}"), want, ABSENT)
            elif want is not None and not same(want, have):
                self._compare_values(want, have, child, (*at, f"f:{name}"), whole and whole.below(name))
        if whole is not None:
            self._report_extras(desired, live, shape, at, whole)

    def _left_out(self, name: str, want: Json, shape: Shape, at: tuple[str, ...], whole: _Whole | None) -> bool:
        """Whether *want* is live although it cannot be seen: zeros and empty structures are not stored everywhere.

        We hold the field, so it was written, and nobody took it away; that somebody removed it would have ended that.
        """
        if whole is not None:
            return self._typed and counts_as_absent(name, want, shape)
        return (is_zero(want) or want == {}) and self._owners.wrote((*at, f"f:{name}"))

    def _compare_values(self, want: Json, have: Json, shape: Shape, at: tuple[str, ...], whole: _Whole | None) -> None:
        if isinstance(want, dict) and isinstance(have, dict):
            self.compare(want, have, shape, at, self._entered(at, whole) if shape.atomic else whole)
        elif isinstance(want, list) and isinstance(have, list):
            self._compare_lists(want, have, shape, at, whole)
        elif not equal_scalars(want, have, shape):
            self._report(Change.CHANGE, at, want, have)

    def _entered(self, at: tuple[str, ...], whole: _Whole | None) -> _Whole:
        if whole is not None:
            return whole
        if self._typed or not self._owners.ours_alone(at):
            return _Whole(_Extras.COUNT)
        return _Whole(_Extras.REMEMBER, self._owners.last_value(at))

    def _compare_lists(
        self, want: list[Json], have: list[Json], shape: Shape, at: tuple[str, ...], whole: _Whole | None
    ) -> None:
        if shape.form in {Form.TABLE, Form.SET} and not shape.atomic:
            wanted, present = items_by_element(want, shape), items_by_element(have, shape)
            if wanted is not None and present is not None:
                self._compare_items(wanted, present, shape, at, whole)
                return
        whole = self._entered(at, whole)
        for index, item in enumerate(want):
            place = (*at, f"i:{index}")
            if index >= len(have):
                self._report(Change.ADD, place, item, ABSENT)
            elif not same(item, have[index]):
                self._compare_values(item, have[index], shape.values, place, whole.below(index))
        for index in range(len(want), len(have)):
            self._report(Change.REMOVE, (*at, f"i:{index}"), ABSENT, have[index])

    def _compare_items(
        self, want: dict[str, Json], have: dict[str, Json], shape: Shape, at: tuple[str, ...], whole: _Whole | None
    ) -> None:
        inside = None if whole is None else _Whole(whole.extras)
        for element, item in want.items():
            if element not in have:
                self._report(Change.ADD, (*at, element), item, ABSENT)
            elif not same(item, have[element]):
                self._compare_values(item, have[element], shape.values, (*at, element), inside)
        if whole is not None and whole.extras is _Extras.COUNT:
            for element, item in have.items():
                if element not in want:
                    self._report(Change.REMOVE, (*at, element), ABSENT, item)

    def _report_extras(
        self, desired: JsonObject, live: JsonObject, shape: Shape, at: tuple[str, ...], whole: _Whole
    ) -> None:
        for name, value in live.items():
            if name in desired or written_by_server(name, value, shape):
                continue
            child = shape.child(name) or FREE
            counts = whole.wrote(name) if whole.extras is _Extras.REMEMBER else not _says_nothing(value, child)
            if counts:
                self._report(Change.REMOVE, (*at, f"f:{name}"), ABSENT, value)

    def given_up(self, desired: JsonObject, live: JsonObject, shape: Shape) -> None:
        """Report what we wrote once, is still there, is no longer desired, and nobody else holds."""
        dropped: list[_Dropped] = []
        _collect_dropped(self._owners.ours, desired, shape, (), dropped)
        for node, child, place in dropped:
            value = _value_at(live, shape, place)
            if value is not None:
                self._relinquish(node, value, child, place)

    def _relinquish(self, node: FieldSet, value: Json, shape: Shape, at: tuple[str, ...]) -> None:
        if not self._owners.theirs(at):
            # An empty map that we wrote does not make ours what is in it now.
            if node or not granular(value, shape):
                self._report(Change.REMOVE, at, ABSENT, value)
            return
        present = _children(value, shape) if node and isinstance(node, dict) else {}
        for element, child in present.items():
            if element in node and child is not None:
                self._relinquish(node[element], child, _shape_below(shape, element), (*at, element))

    def _report(self, change: Change, at: tuple[str, ...], want: Json | Absent, have: Json | Absent) -> None:
        self.found.append(Difference(at, change, want, have, self._owners.holding(at)))


def items_by_element(items: list[Json], shape: Shape) -> dict[str, Json] | None:
    """Items under the names that field sets give them; None where one cannot be named, and the list is compared by place."""
    try:
        return {element_of(item, shape): item for item in items}
    except SchemaViolation:
        return None


_Dropped: TypeAlias = tuple[FieldSet, Shape, tuple[str, ...]]


def _collect_dropped(ours: FieldSet, desired: Json, shape: Shape, at: tuple[str, ...], into: list[_Dropped]) -> None:
    """What is in *ours* and not in *desired*: mostly nothing, so that the live object need not be looked at."""
    if isinstance(desired, dict):
        for element, node in ours.items():
            want = desired.get(element[2:])
            if want is not None:
                if node and isinstance(node, dict):
                    _collect_dropped(node, want, shape.child(element[2:]) or FREE, (*at, element), into)
            elif element != SELF:
                into.append((node, shape.child(element[2:]) or FREE, (*at, element)))
        return
    present = _children(desired, shape)
    for element, node in ours.items():
        if element == SELF:
            continue
        if element not in present:
            into.append((node, shape.values, (*at, element)))
        elif node and isinstance(node, dict):
            _collect_dropped(node, present[element], shape.values, (*at, element), into)


def _value_at(value: Json, shape: Shape, place: tuple[str, ...]) -> Json:
    """The value at *place*, or None."""
    for element in place:
        value = _children(value, shape).get(element)
        shape = _shape_below(shape, element)
    return value


def _shape_below(shape: Shape, element: str) -> Shape:
    return (shape.child(element[2:]) if element[0] == "f" else shape.values) or FREE


def _children(value: Json, shape: Shape) -> Mapping[str, Json]:
    if isinstance(value, dict):
        return {f"f:{name}": child for name, child in value.items()}
    if isinstance(value, list) and shape.form in {Form.TABLE, Form.SET}:
        return items_by_element(value, shape) or {}
    return {}


def _says_nothing(value: Json, shape: Shape) -> bool:
    """Null, and maps and lists with nothing in them: the server keeps none of these apart from absence.

    A structure is something even if it is empty: `podSelector: {}` means every pod.
    """
    if isinstance(value, dict):
        return not _is_structure(shape) and all(_says_nothing(child, shape.values) for child in value.values())
    return value is None or value == []


def _is_structure(shape: Shape) -> bool:
    """Schemas show a type without fields as a map of anything."""
    return shape.form is Form.RECORD or (shape.form is Form.MAP and shape.values is FREE)


def equal_scalars(want: Json, have: Json, shape: Shape) -> bool:
    """Whether two different spellings are of one number or quantity."""
    if shape.kind == "quantity" and isinstance(want, str | int | float) and isinstance(have, str | int | float):
        try:
            return same_quantity(want, have)
        except BadQuantity:
            return False
    numbers = isinstance(want, int | float) and isinstance(have, int | float)
    return numbers and want == have and isinstance(want, bool) == isinstance(have, bool)
