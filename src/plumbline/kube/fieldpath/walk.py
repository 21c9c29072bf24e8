"""Getting, setting, deleting and finding values by field path.

A path that leads nowhere raises FieldNotFound, which callers may take for an answer; a path that does not fit what is
there (an index into an object) raises BadFieldPath, which they may not. Nothing here changes its input: what is set or
deleted is so in the returned root, which shares everything beside the path with the old one.
"""

from typing import Final

from plumbline.base.errors import BadFieldPath, FieldNotFound, LimitExceeded
from plumbline.base.json import Json, JsonObject
from plumbline.kube.fieldpath.path import WILDCARD, FieldPath, Segment
from plumbline.kube.gotext import quoted

LARGEST_INDEX: Final = 1024


def get_path(root: Json, path: str | FieldPath) -> Json:
    """The value at *path*; a null that is there is a value."""
    parsed = _parsed(path)
    node = root
    for depth, segment in enumerate(parsed):
        node = _below(node, segment, parsed, depth)
    # Upstream has no value at the empty path; so does this.
    return node if parsed else None


def set_path(root: JsonObject, path: str | FieldPath, value: Json) -> JsonObject:
    """*root* with *value* at *path*, and with the objects and lists that are missing on the way there."""
    parsed = _parsed(path)
    _check_indices(parsed)
    if not parsed:
        return root
    changed: JsonObject = dict(root)
    node: Json = changed
    for depth, segment in enumerate(parsed[:-1]):
        _check_fits(node, segment, parsed, depth)
        node[segment] = _prepared(node, segment, parsed[depth + 1])
        node = node[segment]
    _check_fits(node, parsed[-1], parsed, len(parsed) - 1)
    node[parsed[-1]] = value
    return changed


def delete_path(root: JsonObject, path: str | FieldPath) -> JsonObject:
    """*root* without what is at *path*; *root* itself where nothing is. Items behind a deleted one move up."""
    parsed = _parsed(path)
    if not parsed or not _present(root, parsed):
        return root
    changed: JsonObject = dict(root)
    node: Json = changed
    for segment in parsed[:-1]:
        node[segment] = node[segment].copy()
        node = node[segment]
    del node[parsed[-1]]
    return changed


def expand_wildcards(root: Json, path: str | FieldPath) -> list[FieldPath]:
    """The paths that *path* stands for in *root*; none where something on the way is missing."""
    parsed = _parsed(path)
    try:
        return _expanded(root, parsed, 0)
    except (BadFieldPath, FieldNotFound) as fault:
        what = f"cannot expand wildcards for segments: {quoted(str(parsed))}"
        raise type(fault)(what, why=str(fault)) from fault


def _parsed(path: str | FieldPath) -> FieldPath:
    return path if isinstance(path, FieldPath) else FieldPath.parse(path)


def _below(node: Json, segment: Segment, path: FieldPath, depth: int) -> Json:
    if isinstance(segment, int):
        if not isinstance(node, list):
            raise BadFieldPath(str(path.upto(depth)), why="not an array")
        if segment >= len(node):
            raise FieldNotFound(str(path.upto(depth + 1)), why="no such element")
        return node[segment]
    if isinstance(node, dict):
        if segment not in node:
            raise FieldNotFound(str(path.upto(depth + 1)), why="no such field")
        return node[segment]
    if node is None:
        raise FieldNotFound(str(path.upto(depth)), why="expected map, got nil")
    raise BadFieldPath(str(path.upto(depth)), why="not an object")


def _check_indices(path: FieldPath) -> None:
    for segment in path:
        if isinstance(segment, int) and segment > LARGEST_INDEX:
            raise LimitExceeded(f"index {segment} is greater than max allowed index {LARGEST_INDEX}")


def _check_fits(node: Json, segment: Segment, path: FieldPath, depth: int) -> None:
    wanted, name = (list, "an array") if isinstance(segment, int) else (dict, "an object")
    if not isinstance(node, wanted):
        raise BadFieldPath(f"{path.upto(depth)} is not {name}")


def _prepared(node: Json, segment: Segment, following: Segment) -> Json:
    """What is to stand at *segment*, ours to change, and long enough for *following*."""
    # A null item is filled like a missing one; a null field is somebody's decision.
    missing = node[segment] is None if isinstance(segment, int) else segment not in node
    if missing:
        return [None] * (following + 1) if isinstance(following, int) else {}
    there = node[segment]
    if isinstance(there, list) and isinstance(following, int):
        return there + [None] * (following + 1 - len(there))
    return there.copy() if isinstance(there, dict | list) else there


def _present(root: Json, path: FieldPath) -> bool:
    """Whether there is something to delete at *path*; BadFieldPath where the path does not fit."""
    node = root
    for depth, segment in enumerate(path):
        _check_deletable(node, segment, path, depth)
        if segment >= len(node) if isinstance(segment, int) else segment not in node:
            return False
        node = node[segment]
    return True


def _check_deletable(node: Json, segment: Segment, path: FieldPath, depth: int) -> None:
    if depth < len(path) - 1:
        _check_fits(node, segment, path, depth)
    elif not isinstance(node, list if isinstance(segment, int) else dict):
        why = "not an array" if isinstance(segment, int) else "not an object"
        raise BadFieldPath(f"cannot delete {path}", why=why)


def _expanded(node: Json, path: FieldPath, depth: int) -> list[FieldPath]:
    for at in range(depth, len(path)):
        if path[at] == WILDCARD:
            return _fanned_out(node, path, at)
        try:
            node = _below(node, path[at], path, at)
        except FieldNotFound:
            return []
    return [path]


def _fanned_out(node: Json, path: FieldPath, at: int) -> list[FieldPath]:
    if node is None:
        raise FieldNotFound(f"wildcard field {quoted(str(path.upto(at)))} is not found in the path")
    if not isinstance(node, dict | list):
        raise BadFieldPath(quoted(str(path.upto(at))), why="unexpected wildcard usage")
    found: list[FieldPath] = []
    for segment in node if isinstance(node, dict) else range(len(node)):
        expanded = path.replaced(at, segment)
        try:
            found += _expanded(node[segment], expanded, at + 1)
        except (BadFieldPath, FieldNotFound) as fault:
            what = f"{quoted(str(expanded))}: cannot expand wildcards"
            raise type(fault)(what, why=str(fault)) from fault
    return found
