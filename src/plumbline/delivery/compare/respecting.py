"""What is applied of an object whose fields are partly ignored.

Upstream ignores when it compares, and then applies Git's value all the same whenever anything else changes: an image
push puts an autoscaler back to what Git says. Here an ignored field that somebody else holds is left out of what we
apply, so that it stays as it is. A field that nobody else holds would vanish if it were left out, so it is written:
with Git's value, or with the live one where `RespectIgnoreDifferences=true` asks for that. Where the object is replaced
nothing stays for being left out, so that what somebody else holds is written as well, as it is.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from plumbline.base.json import Json, JsonObject
from plumbline.delivery.compare.difference import NO_ANSWERS, Answers, ignoring, sides
from plumbline.delivery.compare.ignored import insert, item_names
from plumbline.delivery.compare.known import known_shape
from plumbline.delivery.compare.migration import owners
from plumbline.delivery.compare.rules import MANAGER, Rules
from plumbline.kube.apply.fieldset import FieldSet
from plumbline.kube.apply.walk import granular
from plumbline.kube.diff import Owners, diff
from plumbline.kube.names import Ref
from plumbline.kube.schema.shape import FREE, Form, Shape

_NEVER: Final = frozenset({"apiVersion", "kind", "status"})
"""At the root: what names the object, and what belongs to its own controller."""
_NAMES: Final = frozenset({"name", "namespace", "generateName"})


def respected(
    desired: JsonObject,
    live: JsonObject,
    shape: Shape,
    rules: Rules,
    answers: Answers = NO_ANSWERS,
    *,
    take_live: bool = False,
) -> JsonObject:
    """What to apply where *live* is there already; *take_live* is `RespectIgnoreDifferences=true`.

    Of an object that is not there, all of *desired* is applied, ignored or not.
    """
    return _settled(
        desired, live, shape, rules, answers, settlement=partial(_Settlement, take_live=take_live, whole=False)
    )


def replacing(
    desired: JsonObject,
    live: JsonObject,
    shape: Shape,
    rules: Rules,
    answers: Answers = NO_ANSWERS,
    *,
    take_live: bool = False,
) -> JsonObject:
    """What to put in the place of *live*, instead of applying it."""
    return _settled(
        desired, live, shape, rules, answers, settlement=partial(_Settlement, take_live=take_live, whole=True)
    )


def _settled(
    desired: JsonObject,
    live: JsonObject,
    shape: Shape,
    rules: Rules,
    answers: Answers,
    *,
    settlement: Callable[[Owners], "_Settlement"],
) -> JsonObject:
    applying = rules.applying(Ref.of(desired))
    if not (applying.expressions or applying.managers or any(path[0] not in _NEVER for path in applying.pointers)):
        return desired
    shape = known_shape(shape, applying.known) if applying.known else shape
    want, have = sides(desired, live, rules, applying)
    held = owners(live, shape)
    ignored = {
        element: node
        for element, node in ignoring(want, have, shape, applying, answers).items()
        if element[2:] not in _NEVER
    }
    if applying.managers:
        for each in diff(want, have, shape, manager=MANAGER, owners=held):
            if not applying.managers.isdisjoint(each.managers):
                insert(ignored, _atomic_part(each.elements))
    if not ignored:
        return desired
    target = want if desired.get("kind") == "Secret" else desired
    return settlement(held).object(target, live, ignored, shape)


def _atomic_part(elements: tuple[str, ...]) -> tuple[str, ...]:
    """*elements* up to the list that is held as a whole: none of its items is anybody's alone."""
    return next((elements[:at] for at, element in enumerate(elements) if element[0] == "i"), elements)


class _Settlement:
    """One object being put together. Shares with both what it does not change."""

    def __init__(self, owners: Owners, *, take_live: bool, whole: bool) -> None:
        self._owners = owners
        self._take_live = take_live
        self._whole = whole

    def object(self, want: JsonObject, have: JsonObject, ignored: FieldSet, shape: Shape) -> JsonObject:
        fields = dict(ignored)
        metadata = fields.get("f:metadata")
        if metadata is not None and not metadata:
            # All of it: but what names the object is what it is applied by.
            fields["f:metadata"] = {f"f:{name}": {} for name in (*_mapping(want.get("metadata")), *_mapping(have.get("metadata")))}  # fmt: skip
        if "f:metadata" in fields:
            fields["f:metadata"] = {each: node for each, node in fields["f:metadata"].items() if each[2:] not in _NAMES}
        return self._map(want, have, fields, shape, ())

    def _settled(
        self, want: Json, have: Json, ignored: FieldSet, shape: Shape, at: tuple[str, ...]
    ) -> tuple[Json, bool]:
        """The value to apply, and whether there is one at all. *ignored* is empty where all of the value is."""
        if not ignored and not (granular(want, shape) and granular(have, shape) and type(want) is type(have)):
            return self._leaf(want, have, at)
        if not ignored:
            ignored = {element: {} for element in (*_elements(want, shape), *_elements(have, shape))}
        if isinstance(want, dict) and isinstance(have, dict):
            if shape.atomic:
                return self._atomic(want, have, ignored, at), True
            return self._map(want, have, ignored, shape, at), True
        if isinstance(want, list) and isinstance(have, list):
            return self._list(want, have, ignored, shape, at)
        return want, True

    def _leaf(self, want: Json, have: Json, at: tuple[str, ...]) -> tuple[Json, bool]:
        if self._owners.theirs(at):
            return have, self._whole
        return (have, True) if self._take_live else (want, True)

    def _atomic(self, want: Json, have: Json, ignored: FieldSet, at: tuple[str, ...]) -> Json:
        """Part of a value that is held as a whole cannot be left out: it is live, if that is whose the whole is."""
        return _copied(want, have, ignored) if self._take_live or self._owners.theirs(at) else want

    def _map(
        self, want: JsonObject, have: JsonObject, ignored: FieldSet, shape: Shape, at: tuple[str, ...]
    ) -> JsonObject:
        kept = dict(want)
        for element, node in ignored.items():
            name, place = element[2:], (*at, element)
            child = shape.child(name) or FREE
            if name in want and name in have:
                value, there = self._settled(want[name], have[name], node, child, place)
            elif name in have:
                value, there = have[name], not node and self._kept(place)
            else:
                value, there = want.get(name), name in want and not (self._take_live and not node)
            if there:
                kept[name] = value
            else:
                kept.pop(name, None)
        return kept

    def _list(
        self, want: list[Json], have: list[Json], ignored: FieldSet, shape: Shape, at: tuple[str, ...]
    ) -> tuple[Json, bool]:
        if shape.form not in {Form.TABLE, Form.SET} or shape.atomic:
            return self._atomic(want, have, ignored, at), True
        present = dict(zip(item_names(have, shape), have, strict=True))
        names = item_names(want, shape)
        kept: list[Json] = []
        for name, item in zip(names, want, strict=True):
            if name not in ignored:
                kept.append(item)
            elif name in present:
                value, there = self._item(item, present[name], ignored[name], shape, (*at, name))
                kept.extend([value] if there else [])
            elif ignored[name] or not self._take_live:
                kept.append(item)
        kept.extend(
            present[name]
            for name, node in ignored.items()
            if not node and name in present and name not in names and self._kept((*at, name))
        )
        return kept, True

    def _kept(self, at: tuple[str, ...]) -> bool:
        """Whether what is there, and not in Git, has to be written to stay."""
        return self._whole if self._owners.theirs(at) else self._take_live

    def _item(self, want: Json, have: Json, ignored: FieldSet, shape: Shape, at: tuple[str, ...]) -> tuple[Json, bool]:
        if not ignored and self._owners.theirs(at) and not self._owners.wrote(at):
            return have, self._whole
        value, there = self._settled(want, have, ignored, shape.values, at)
        if there and isinstance(value, dict) and isinstance(want, dict):
            # An item without its keys is another item, or none.
            value = {**{key: want[key] for key in shape.keys if key in want}, **value}
        return value, there


def _copied(want: Json, have: Json, ignored: FieldSet) -> Json:
    """*want* with *have*'s values of what is ignored, in places where field ownership does not reach."""
    if not ignored:
        return have
    if isinstance(want, dict) and isinstance(have, dict):
        kept = dict(want)
        for element, node in ignored.items():
            name = element[2:]
            if name in have:
                kept[name] = _copied(want.get(name), have[name], node) if name in want or not node else have[name]
            elif not node:
                kept.pop(name, None)
        return kept
    if isinstance(want, list) and isinstance(have, list):
        items = list(want)
        for element, node in ignored.items():
            place = int(element[2:]) if element[0] == "i" else len(items)
            if place < min(len(want), len(have)):
                items[place] = _copied(want[place], have[place], node)
        return items
    return want


def _elements(value: Json, shape: Shape) -> list[str]:
    return [f"f:{name}" for name in value] if isinstance(value, dict) else item_names(value, shape)


def _mapping(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
