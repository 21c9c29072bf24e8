"""Which secrets of a store a search means, where the store itself cannot tell."""

from collections.abc import Callable

from plumbline.base.errors import InvalidInput
from plumbline.base.regex import compiled
from plumbline.secrets.stores.store import Search


def fitting(search: Search) -> Callable[[str], bool]:
    """Says of a name whether the search's expression occurs in it; of every name, where it has none.

    Raises BadExpression for an expression that Go does not read.
    """
    return compiled(search.name).matches if search.name else _everything


def _everything(_: str) -> bool:
    return True


def unspoken_search() -> InvalidInput:
    """For a search that gives nothing to search for."""
    return InvalidInput(
        "The search cannot be made",
        why="unexpected find operator",
        hint="Give find.name.regexp or find.tags; everything there is is found by the name .*",
    )
