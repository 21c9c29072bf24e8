"""Small sets that mostly hold one thing: the thing itself, and a dict of them only where there are more.

A ledger has one claim for nearly every resource, and a container for each would take more memory than the claims.
"""

from collections.abc import Iterable
from typing import TypeAlias, TypeVar

import msgspec

T = TypeVar("T", bound=msgspec.Struct)

Bag: TypeAlias = T | dict[T, None] | None


def added(bag: Bag[T], item: T) -> Bag[T]:
    if bag is None:
        return item
    if isinstance(bag, dict):
        bag[item] = None
        return bag
    return bag if bag == item else {bag: None, item: None}


def without(bag: Bag[T], item: T) -> Bag[T]:
    if not isinstance(bag, dict):
        return None if bag == item else bag
    bag.pop(item, None)
    return next(iter(bag)) if len(bag) == 1 else bag


def items(bag: Bag[T]) -> Iterable[T]:
    """What is in it, oldest first."""
    if bag is None:
        return ()
    return bag if isinstance(bag, dict) else (bag,)
