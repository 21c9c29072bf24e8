"""Spots: the places of a kind where a random but valid change may happen, and how to draw one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from plumbline.base.json import Json, JsonObject

from .dice import Dice
from .trail import Drop, Edit, Item, Key, Member, Put, Trail, edited, fields, look

PLAIN: Final = "plain"
ATOMIC: Final = "atomic"
SET: Final = "set"
MAP: Final = "map"


@dataclass(frozen=True)
class Value:
    """A field that is one of *values*. Only an optional one is dropped: without a default nothing comes back."""

    path: str
    values: tuple[Json, ...]
    optional: bool = False
    listed: str = PLAIN


@dataclass(frozen=True)
class Entries:
    """Some keys of a map. Others that the map holds are left alone."""

    path: str
    keys: tuple[str, ...]
    values: tuple[Json, ...]
    listed: str = PLAIN


@dataclass(frozen=True)
class Members:
    """Some values of a set."""

    path: str
    values: tuple[Json, ...]
    listed: str = SET


@dataclass(frozen=True)
class Items:
    """Items of a list told apart by *keys*, each written out as the server completes it."""

    path: str
    keys: tuple[str, ...]
    items: tuple[JsonObject, ...]
    inner: "tuple[Spot, ...]" = ()
    patch_key: str = ""
    fixed: bool = False
    """No item comes or goes."""
    listed: str = MAP

    def step(self, item: JsonObject) -> Item:
        return Item(tuple((key, item[key]) for key in self.keys), self.patch_key)


Spot: TypeAlias = Value | Entries | Members | Items


def atomic(path: str, *values: list[Json], optional: bool = True) -> Value:
    return Value(path, values, optional, ATOMIC)


def under(prefix: str, spots: tuple[Spot, ...]) -> tuple[Spot, ...]:
    return tuple(replace(spot, path=f"{prefix}.{spot.path}") for spot in spots)


def kinds_of_lists(spots: tuple[Spot, ...]) -> set[str]:
    """Every list type that a change at *spots* can touch."""
    found = {spot.listed for spot in spots}
    return found.union(*(kinds_of_lists(spot.inner) for spot in spots if isinstance(spot, Items)))


def draw(spots: tuple[Spot, ...], listed: str, current: JsonObject, dice: Dice) -> Edit | None:
    """A change to *current* at a spot whose list type is *listed*; None where this draw found nothing to do."""
    able = [spot for spot in spots if spot.listed == listed or _leads_to(spot, listed)]
    return _change(dice.pick(able), listed, (), current, dice)


def _leads_to(spot: Spot, listed: str) -> bool:
    return isinstance(spot, Items) and listed in kinds_of_lists(spot.inner)


def _change(spot: Spot, listed: str, above: Trail, root: JsonObject, dice: Dice) -> Edit | None:
    trail = above + fields(spot.path)
    current = look(root, trail)
    match spot:
        case Value():
            if spot.optional and current is not None and dice.chance(0.3):
                return Drop(trail)
            return Put(trail, dice.pick(spot.values))
        case Entries():
            key = Key(dice.pick(spot.keys))
            if current and key in current and dice.chance(0.4):
                return Drop((*trail, key))
            return Put((*trail, key), dice.pick(spot.values))
        case Members():
            member = Member(dice.pick(spot.values))
            drop = current and member.value in current
            return Drop((*trail, member)) if drop else Put((*trail, member), member.value)
        case Items():
            return _change_items(spot, listed, trail, root, dice)


def _change_items(spot: Items, listed: str, trail: Trail, root: JsonObject, dice: Dice) -> Edit | None:
    item = dice.pick(spot.items)
    step = spot.step(item)
    known = look(root, (*trail, step)) is not None
    able = [inner for inner in spot.inner if inner.listed == listed or _leads_to(inner, listed)]
    if able and known and (spot.fixed or listed != MAP or dice.chance(0.6)):
        return _change(dice.pick(able), listed, (*trail, step), root, dice)
    if spot.fixed:
        return None
    if known:
        return Drop((*trail, step)) if len(look(root, trail)) > 1 else None
    return Put((*trail, step), _varied(spot, item, dice))


def _varied(spot: Items, item: JsonObject, dice: Dice) -> JsonObject:
    """*item* with some of its own spots filled."""
    for inner in spot.inner:
        if dice.chance(0.4):
            change = _change(inner, inner.listed, (), item, dice)
            item = edited(item, [change]) if change else item
    return item


def held(spots: tuple[Spot, ...], listed: str, config: JsonObject, above: Trail = ()) -> Iterator[tuple[Trail, bool]]:
    """Where *config* says something at a spot of this list type, and whether the object can be without it."""
    for spot in spots:
        trail = above + fields(spot.path)
        said = look(config, trail)
        if said is None:
            continue
        match spot:
            case Value(listed=kind) if kind == listed:
                yield trail, spot.optional
            case Entries(listed=kind) if kind == listed:
                yield from (((*trail, Key(key)), True) for key in spot.keys if key in said)
            case Members(listed=kind) if kind == listed:
                yield from (((*trail, Member(value)), True) for value in spot.values if value in said)
            case Items():
                for item in said:
                    if listed == MAP:
                        yield (*trail, spot.step(item)), not spot.fixed
                    yield from held(spot.inner, listed, config, (*trail, spot.step(item)))
            case _:
                pass


def completed(spots: tuple[Spot, ...], config: JsonObject, live: JsonObject, above: Trail = ()) -> JsonObject:
    """*config* with every item that *live* does not have written out in full, so that the server adds nothing."""
    for spot in spots:
        trail = above + fields(spot.path)
        if not isinstance(spot, Items):
            continue
        for said in look(config, trail) or ():
            step = spot.step(said)
            whole = next((item for item in spot.items if spot.step(item) == step), None)
            if whole is not None and look(live, (*trail, step)) is None:
                config = edited(config, [Put((*trail, step), {**whole, **said})])
            config = completed(spot.inner, config, live, (*trail, step))
    return config
