"""What edits of projects are made of. It loads nothing, so that help can be printed without waiting."""

from collections.abc import Callable

from plumbline.base.json import JsonObject

Edit = Callable[[JsonObject], JsonObject | None]
"""From a spec to what it is to be; None where nothing is to change."""


def resource(group: str, kind: str, name: str = "") -> JsonObject:
    return {"group": group, "kind": kind} | ({"name": name} if name else {})
