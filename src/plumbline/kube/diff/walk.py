"""The walk of a desired object against the live one: linear, without a server, and total over whatever it is given."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import BadQuantity, SchemaViolation
from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply.elements import element_of
from plumbline.kube.apply.fieldset import SELF, FieldSet
from plumbline.kube.apply.walk import same
from plumbline.kube.diff.differences import ABSENT, Absent, Change, Difference
from plumbline.kube.diff.owners import Owners
from plumbline.kube.quantity import same_quantity
from plumbline.kube.schema.shape import FREE, Form, Shape

_DEFAULTS: Final[Mapping[str, Json]] = {
    "apiVersion": "v1", "defaultMode": 420, "divisor": "0", "operator": "Equal", "protocol": "TCP", "scheme": "HTTP",
}  # fmt: skip
"""What the server writes into items of lists that are owned as a whole, where nobody else can have written it."""


class Walk:
    """One diff under way. `strict` inside a value that is owned as a whole and not by us: there every field counts."""

    def __init__(self, owners: Owners) -> None:
        self._owners = owners
        self.found: list[Difference] = []

    def compare(
        self, desired: JsonObject, live: JsonObject, shape: Shape, at: tuple[str, ...], *, strict: bool = False
    ) -> None:
        fields = shape.fields if shape.form is Form.RECORD else {}
        for name, want in desired.items():
            have = live.get(name)
            if have is None:
                if not _says_nothing(want):
                    self._report(Change.ADD, (*at, f"f:{name}"), want, ABSENT)
            elif want is not None and not same(want, have):
                child = fields.get(name) or shape.values
                self._compare_values(want, have, child, (*at, f"f:{name}"), strict=strict)
        if strict:
            self._report_extras(desired, live, at)

    def _compare_values(self, want: Json, have: Json, shape: Shape, at: tuple[str, ...], *, strict: bool) -> None:
        if isinstance(want, dict) and isinstance(have, dict):
            strict = strict or (shape.atomic and not self._owners.ours_alone(at))
            self.compare(want, have, shape, at, strict=strict)
        elif isinstance(want, list) and isinstance(have, list):
            self._compare_lists(want, have, shape, at, strict=strict)
        elif not _equal_scalars(want, have, shape):
            self._report(Change.CHANGE, at, want, have)

    def _compare_lists(
        self, want: list[Json], have: list[Json], shape: Shape, at: tuple[str, ...], *, strict: bool
    ) -> None:
        if shape.form in {Form.TABLE, Form.SET} and not shape.atomic:
            wanted, present = items_by_element(want, shape), items_by_element(have, shape)
            if wanted is not None and present is not None:
                self._compare_items(wanted, present, shape, at, strict=strict)
                return
        strict = strict or not self._owners.ours_alone(at)
        for index, item in enumerate(want):
            place = (*at, f"i:{index}")
            if index >= len(have):
                self._report(Change.ADD, place, item, ABSENT)
            elif not same(item, have[index]):
                self._compare_values(item, have[index], shape.values, place, strict=strict)
        for index in range(len(want), len(have)):
            self._report(Change.REMOVE, (*at, f"i:{index}"), ABSENT, have[index])

    def _compare_items(
        self, want: dict[str, Json], have: dict[str, Json], shape: Shape, at: tuple[str, ...], *, strict: bool
    ) -> None:
        for element, item in want.items():
            if element not in have:
                self._report(Change.ADD, (*at, element), item, ABSENT)
            elif not same(item, have[element]):
                self._compare_values(item, have[element], shape.values, (*at, element), strict=strict)
        if strict:
            for element, item in have.items():
                if element not in want:
                    self._report(Change.REMOVE, (*at, element), ABSENT, item)

    def _report_extras(self, desired: JsonObject, live: JsonObject, at: tuple[str, ...]) -> None:
        for name, value in live.items():
            if name not in desired and not _says_nothing(value) and _DEFAULTS.get(name) != value:
                self._report(Change.REMOVE, (*at, f"f:{name}"), ABSENT, value)

    def given_up(self, ours: FieldSet, desired: Json, live: Json, shape: Shape, at: tuple[str, ...]) -> None:
        """Report what we wrote once, is still there, is no longer desired, and nobody else holds."""
        wanted, present = _children(desired, shape), _children(live, shape)
        for element, node in ours.items():
            value = present.get(element)
            if element == SELF or value is None:
                continue
            place = (*at, element)
            want = wanted.get(element)
            if want is None and not self._owners.theirs(place):
                self._report(Change.REMOVE, place, ABSENT, value)
            elif node and isinstance(value, dict | list):
                child = shape.child(element[2:]) if element[0] == "f" else shape.values
                self.given_up(node, type(value)() if want is None else want, value, child or FREE, place)

    def _report(self, change: Change, at: tuple[str, ...], want: Json | Absent, have: Json | Absent) -> None:
        managers = () if have is ABSENT else self._owners.holding(at)
        self.found.append(Difference(at, change, want, have, managers))


def items_by_element(items: list[Json], shape: Shape) -> dict[str, Json] | None:
    """Items under the names that field sets give them; None where one cannot be named, and the list is compared by place."""
    try:
        return {element_of(item, shape): item for item in items}
    except SchemaViolation:
        return None


def _children(value: Json, shape: Shape) -> Mapping[str, Json]:
    if isinstance(value, dict):
        return {f"f:{name}": child for name, child in value.items()}
    if isinstance(value, list) and shape.form in {Form.TABLE, Form.SET}:
        return items_by_element(value, shape) or {}
    return {}


def _says_nothing(value: Json) -> bool:
    """Null, and maps and lists with nothing in them: the server keeps none of these apart from absence."""
    if isinstance(value, dict):
        return all(_says_nothing(child) for child in value.values())
    return value is None or value == []


def _equal_scalars(want: Json, have: Json, shape: Shape) -> bool:
    if shape.kind == "quantity" and isinstance(want, str | int | float) and isinstance(have, str | int | float):
        try:
            return same_quantity(want, have)
        except BadQuantity:
            return False
    numbers = isinstance(want, int | float) and isinstance(have, int | float)
    return numbers and want == have and isinstance(want, bool) == isinstance(have, bool)
