"""What the verbs of `plumb proj` do to a spec. Pure: specs go in and come out."""

from collections.abc import Callable

from plumbline.base.errors import AlreadyExists, NotFound
from plumbline.base.json import JsonObject
from plumbline.cli.projecting.values import Edit, resource


def added(field: str, item: JsonObject, what: str, same: Callable[[JsonObject], bool] | None = None) -> Edit:
    """*item* at the end of a list. Raises AlreadyExists where one is there that is the *same*."""
    alike = same or item.__eq__

    def edit(spec: JsonObject) -> JsonObject:
        items = spec.get(field) or []
        if any(alike(each) for each in items):
            raise AlreadyExists(f"the {what} is already defined in the project")
        return {**spec, field: [*items, item]}

    return edit


def removed(field: str, same: Callable[[JsonObject], bool], what: str) -> Edit:
    def edit(spec: JsonObject) -> JsonObject:
        items = spec.get(field) or []
        kept = [each for each in items if not same(each)]
        if len(kept) == len(items):
            raise NotFound(f"the {what} does not exist in the project")
        return _with(spec, field, kept)

    return edit


def with_text(field: str, text: str) -> Edit:
    """*text* in a list of patterns; nothing where it is there, or everything is."""

    def edit(spec: JsonObject) -> JsonObject | None:
        texts = spec.get(field) or []
        return None if "*" in texts or text in texts else {**spec, field: [*texts, text]}

    return edit


def without_text(field: str, text: str) -> Edit:
    def edit(spec: JsonObject) -> JsonObject | None:
        texts = spec.get(field) or []
        return _with(spec, field, [each for each in texts if each != text]) if text in texts else None

    return edit


def ignoring(item: JsonObject) -> Edit:
    """Orphans that are not counted; who names some wants others to be counted."""

    def edit(spec: JsonObject) -> JsonObject:
        orphans = spec.get("orphanedResources") or {}
        return {**spec, "orphanedResources": added("ignore", item, "resource")(orphans)}

    return edit


def not_ignoring(item: JsonObject) -> Edit:
    def edit(spec: JsonObject) -> JsonObject:
        orphans = spec.get("orphanedResources") or {}
        changed = removed("ignore", lambda each: _filled(each) == item, "resource")(orphans)
        return {**spec, "orphanedResources": changed}

    return edit


def listed(field: str, item: JsonObject, *, add: bool) -> Edit:
    """A kind in one of the four lists, or out of it; nothing where it is so already."""

    def edit(spec: JsonObject) -> JsonObject | None:
        items = spec.get(field) or []
        there = any(_filled(each) == item for each in items)
        if there == add:
            return None
        kept = [*items, item] if add else [each for each in items if _filled(each) != item]
        return _with(spec, field, kept)

    return edit


def _filled(item: JsonObject) -> JsonObject:
    """With what is left out where it is empty."""
    return resource(str(item.get("group") or ""), str(item.get("kind") or ""), str(item.get("name") or ""))


def _with(spec: JsonObject, field: str, items: list[JsonObject]) -> JsonObject:
    rest = {key: value for key, value in spec.items() if key != field}
    return {**rest, field: items} if items else rest
