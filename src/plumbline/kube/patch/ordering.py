"""The order of a merged list.

The patch's items come in the order the patch gives them, the others in the order they had, and where the two meet, each
of the others stays before those of the patch's items that it stood before.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from plumbline.base.errors import BadPatch, InapplicablePatch
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import printed, type_name

DIRECTIVE: Final = "$patch"
DELETE: Final = "delete"

Key: TypeAlias = tuple[type[Json], Json]


def key_of(value: Json) -> Key:
    """*value* as something to compare and look up by, in which true is not 1."""
    if isinstance(value, dict | list):
        raise InapplicablePatch("cannot tell list items apart", why=f"{printed(value)} is no scalar")
    return type(value), value


def item_key(merge_key: str) -> Callable[[Json], Key]:
    """What tells the items of a list apart: the field *merge_key*, or where there is none, the item itself."""
    if not merge_key:
        return key_of

    def key_in(item: Json) -> Key:
        if not isinstance(item, dict):
            raise wrong_type("map[string]interface {}", item)
        if merge_key not in item:
            raise no_merge_key(item, merge_key)
        return key_of(item[merge_key])

    return key_in


def reordered(items: list[Json], order: list[Json], live: list[Json], merge_key: str) -> list[Json]:
    """*items* in the given *order*, with those it does not name between them as *live* had them."""
    key = item_key(merge_key)
    named = _places(order, key)
    lived = _places(live, key)
    keyed = [(key(item), item) for item in items]
    return _interleaved(
        _sorted([pair for pair in keyed if pair[0] not in named], lived),
        _sorted([pair for pair in keyed if pair[0] in named], named),
        lived,
    )


def check_order(patch: list[Json], order: list[Json], merge_key: str) -> None:
    """Refuse a patch whose items are not all in *order*, in that order; deleted ones aside."""
    if not patch or not order:
        return
    key = item_key(merge_key)
    kept = [item for item in patch if not (merge_key and _deleted(item))]
    at = place = 0
    while at < len(kept) and place < len(order):
        if isinstance(kept[at], dict) and DIRECTIVE in kept[at]:
            at += 1
        else:
            at += key(kept[at]) == key(order[place])
            place += 1
    if at < len(kept):
        asked = f"The order in patch list:\n{printed(patch)}\n doesn't match $setElementOrder list:\n{printed(order)}\n"
        raise BadPatch(asked)


def wrong_type(expected: str, value: Json) -> InapplicablePatch:
    return InapplicablePatch(f"expected a {expected}, but received a {type_name(value)}")


def no_merge_key(item: JsonObject, merge_key: str) -> InapplicablePatch:
    return InapplicablePatch(f"map: {printed(item)} does not contain declared merge key: {merge_key}")


def _deleted(item: Json) -> bool:
    if not isinstance(item, dict):
        raise wrong_type("map[string]interface {}", item)
    return item.get(DIRECTIVE) == DELETE


def _places(items: list[Json], key: Callable[[Json], Key]) -> dict[Key, int]:
    places: dict[Key, int] = {}
    for place, item in enumerate(items):
        places.setdefault(key(item), place)
    return places


def _sorted(keyed: list[tuple[Key, Json]], places: dict[Key, int]) -> list[tuple[Key, Json]]:
    if all(key in places for key, _ in keyed):
        return sorted(keyed, key=lambda pair: places[pair[0]])
    # An item without a place counts as less than any before it. That is no order, so the result depends on the way of
    # sorting, and this is upstream's for short lists.
    result: list[tuple[Key, Json]] = []
    for pair in keyed:
        at = len(result)
        while at and _before(pair[0], result[at - 1][0], places, unknown=True):
            at -= 1
        result.insert(at, pair)
    return result


def _interleaved(others: list[tuple[Key, Json]], named: list[tuple[Key, Json]], places: dict[Key, int]) -> list[Json]:
    result: list[Json] = []
    waiting = iter(named)
    following = next(waiting, None)
    for key, item in others:
        while following and not _before(key, following[0], places, unknown=False):
            result.append(following[1])
            following = next(waiting, None)
        result.append(item)
    if following:
        result.append(following[1])
    return result + [item for _, item in waiting]


def _before(left: Key, right: Key, places: dict[Key, int], *, unknown: bool) -> bool:
    if left in places and right in places:
        return places[left] < places[right]
    return unknown
