"""Every field in which two versions of an object differ, whoever holds it: for objects that a server has made both of.

There nothing is left to be guessed. What one of them lacks is a difference, be it a default or empty, and so is the order
of a keyed list.
"""

from collections.abc import Callable, Iterator

from plumbline.base.json import Json, JsonObject
from plumbline.kube.apply.walk import same
from plumbline.kube.diff.differences import ABSENT, Absent, Change, Difference
from plumbline.kube.diff.walk import equal_scalars, items_by_element
from plumbline.kube.schema.shape import FREE, Form, Shape

Holders = Callable[[tuple[str, ...]], tuple[str, ...]]
_Place = tuple[str, ...]


def exact(after: JsonObject, live: JsonObject, shape: Shape, holders: Holders) -> list[Difference]:
    """How *after* differs from *live*; *holders* tells who holds a field of the live one."""
    return [
        Difference(place, _change(want, have), want, have, holders(place))
        for place, want, have in _maps(after, live, shape, ())
    ]


def _change(want: Json | Absent, have: Json | Absent) -> Change:
    return Change.ADD if have is ABSENT else Change.REMOVE if want is ABSENT else Change.CHANGE


_Found = Iterator[tuple[_Place, Json | Absent, Json | Absent]]


def _maps(after: JsonObject, live: JsonObject, shape: Shape, at: _Place) -> _Found:
    for name in dict.fromkeys((*after, *live)):
        want, have = after.get(name), live.get(name)  # null is what is not there
        yield from _values(_or_absent(want), _or_absent(have), shape.child(name) or FREE, (*at, f"f:{name}"))


def _or_absent(value: Json) -> Json | Absent:
    return ABSENT if value is None else value


def _values(want: Json | Absent, have: Json | Absent, shape: Shape, at: _Place) -> _Found:
    if want is have or (want is not ABSENT and have is not ABSENT and same(want, have)):
        return
    if isinstance(want, dict) and isinstance(have, dict):
        yield from _maps(want, have, shape, at)
    elif isinstance(want, list) and isinstance(have, list):
        yield from _lists(want, have, shape, at)
    elif ABSENT in (want, have) or not equal_scalars(want, have, shape):
        yield at, want, have


def _lists(want: list[Json], have: list[Json], shape: Shape, at: _Place) -> _Found:
    wanted, present = named_items(want, shape), named_items(have, shape)
    if wanted is None or present is None:
        for index in range(max(len(want), len(have))):
            asked, there = (items[index] if index < len(items) else ABSENT for items in (want, have))
            yield from _values(asked, there, shape.values, (*at, f"i:{index}"))
        return
    if [each for each in wanted if each in present] != [each for each in present if each in wanted]:
        yield at, want, have
        return
    for element in dict.fromkeys((*wanted, *present)):
        asked, there = wanted.get(element, ABSENT), present.get(element, ABSENT)
        yield from _values(asked, there, shape.values, (*at, element))


def named_items(items: list[Json], shape: Shape) -> dict[str, Json] | None:
    """Items of a keyed list by what field sets call them; None for a list that is held as a whole, or names one twice."""
    if shape.form not in {Form.TABLE, Form.SET} or shape.atomic:
        return None
    named = items_by_element(items, shape)
    return named if named is not None and len(named) == len(items) else None
