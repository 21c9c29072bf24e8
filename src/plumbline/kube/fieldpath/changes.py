"""Objects with other values at some paths. What is given stays as it is; what is unchanged is shared with it."""

from typing import Final

from plumbline.base.errors import BadFieldPath
from plumbline.base.json import Json, JsonObject
from plumbline.kube.fieldpath.syntax import Segments, parsed, text_of

MOST_INDEX: Final = 1024
"""A list is not made longer than this for the sake of a path."""


class Draft:
    """An object in the making: what is on the way to a change is copied when first changed, and never again."""

    __slots__ = ("_own", "object")

    def __init__(self, of: JsonObject) -> None:
        self.object: JsonObject = of
        # Kept, not only remembered by id: the id of something that is gone may become that of something foreign.
        self._own: dict[int, Json] = {}

    def put(self, segments: Segments, value: Json) -> None:
        """Raises BadFieldPath where the object is of another shape, or a list would become too long. No path: no change."""
        if not segments:
            return
        _check_bounds(segments)
        self.object = node = self._owned(self.object)
        last = len(segments) - 1
        for at in range(last):
            here, following = segments[at], segments[at + 1]
            if not _fits(node, here):
                raise _misfit(segments, at)
            child = _child(node, here, following)
            if isinstance(child, dict | list):
                child = self._owned(child)
                if isinstance(following, int) and isinstance(child, list) and following >= len(child):
                    child.extend([None] * (following - len(child) + 1))
                node[here] = child
            node = child
        if not _fits(node, segments[last]):
            raise _misfit(segments, last)
        node[segments[last]] = value

    def remove(self, segments: Segments) -> None:
        """What is not there is no fault. Raises BadFieldPath where the object is of another shape."""
        if not segments:
            return
        *above, last = segments
        node: Json = self.object
        for at, segment in enumerate(above):
            if not _fits(node, segment):
                raise _misfit(segments, at)
            if segment not in (node if isinstance(node, dict) else range(len(node))):
                return
            node = node[segment]
        if not _fits(node, last):
            raise BadFieldPath(f"cannot delete {text_of(segments)}: not an {_shape(last)}")
        self.object = node = self._owned(self.object)
        for segment in above:
            node[segment] = self._owned(node[segment])
            node = node[segment]
        if isinstance(last, str):
            node.pop(last, None)
        elif last < len(node):
            del node[last]

    def _owned(self, node: Json) -> Json:
        if id(node) in self._own:
            return node
        copy = node.copy()
        self._own[id(copy)] = copy
        return copy


def _check_bounds(segments: Segments) -> None:
    for each in segments:
        if not isinstance(each, str) and each > MOST_INDEX:
            raise BadFieldPath(f"index {each} is greater than max allowed index {MOST_INDEX}")


def _fits(node: Json, segment: str | int) -> bool:
    return isinstance(node, dict if isinstance(segment, str) else list)


def _misfit(segments: Segments, at: int) -> BadFieldPath:
    return BadFieldPath(f"{text_of(segments[:at])} is not an {_shape(segments[at])}")


def _shape(segment: str | int) -> str:
    return "array" if isinstance(segment, int) else "object"


def _child(node: Json, here: str | int, following: str | int) -> Json:
    """What is there; where nothing is, something for what follows. A null field is something, a null element nothing."""
    if isinstance(node, dict):
        if here in node:
            return node[here]
    elif node[here] is not None:
        return node[here]
    return [] if isinstance(following, int) else {}


def with_value(of: JsonObject, segments: Segments, value: Json) -> JsonObject:
    """*of* with *value* there; see Draft.put."""
    draft = Draft(of)
    draft.put(segments, value)
    return draft.object


def set_path(of: JsonObject, path: str, value: Json) -> JsonObject:
    """As `with_value`, of a path that is text."""
    return with_value(of, parsed(path), value)


def without(of: JsonObject, segments: Segments) -> JsonObject:
    """*of* without what is there; see Draft.remove."""
    draft = Draft(of)
    draft.remove(segments)
    return draft.object
