"""JSON patch, RFC 6902, as the API server does it.

Where it is laxer than the RFC, so is this: negative indices count from the end, `replace` of a field that is not there
adds it, `copy` of one gives null, and the part of a path before its first slash is ignored.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from plumbline.base.errors import BadPatch, InapplicablePatch, LimitExceeded
from plumbline.base.json import Json, JsonObject, encode
from plumbline.kube.equality import identical
from plumbline.kube.gotext import quoted

OPERATIONS: Final = 10_000
COPIED_BYTES: Final = 3 * 1024 * 1024

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_LONGEST_INDEX: Final = 18

_Container: TypeAlias = JsonObject | list[Json]


def json_patch(target: Json, operations: Json) -> Json:
    """*target* after all *operations*, or InapplicablePatch if one of them fails."""
    if not isinstance(operations, list) or not all(isinstance(operation, dict) for operation in operations):
        raise BadPatch("cannot decode the JSON patch", why="it is not a list of objects")
    if len(operations) > OPERATIONS:
        allowed = f"The allowed maximum operations in a JSON patch is {OPERATIONS}, got {len(operations)}"
        raise LimitExceeded(allowed, hint="Send several patches.")
    if not isinstance(target, dict | list):
        raise BadPatch("cannot apply a JSON patch", why="the document is neither an object nor a list")
    draft = _Draft(target)
    for operation in operations:
        kind = operation.get("op")
        step = _STEPS.get(kind) if isinstance(kind, str) else None
        if step is None:
            raise InapplicablePatch(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
        step(draft, operation)
    return draft.root


class _Missing(Exception):
    """No such place; the message is the reason."""


class _Draft:
    """The document as patched so far. It changes only containers that it made itself, so the input stays whole."""

    def __init__(self, root: _Container) -> None:
        self.root = root
        self.copied_bytes = 0
        # By identity; holding the containers keeps their identities from being used again.
        self._own: dict[int, _Container] = {}

    def find(self, path: str) -> tuple[_Container, str] | None:
        """The container that *path* ends in, as it is, and the last part of the path."""
        parts = path.split("/")
        if len(parts) == 1:
            return None
        node: Json = self.root
        for part in parts[1:-1]:
            try:
                node = _get(node, _unescaped(part))
            except _Missing:
                return None
            if not isinstance(node, dict | list):
                return None
        return node, _unescaped(parts[-1])

    def open(self, path: str) -> tuple[_Container, str]:
        """The same, ready to be changed; only for a path that was found."""
        self.root = self._owned(self.root)
        node: Json = self.root
        parts = path.split("/")
        for part in parts[1:-1]:
            key = _place_of(node, _unescaped(part))
            node[key] = self._owned(node[key])
            node = node[key]
        return node, _unescaped(parts[-1])

    def disown(self, value: Json) -> None:
        """From now on *value* stands in two places, so neither may be changed in place."""
        # Below what is not ours nothing is.
        if self._own.pop(id(value), None) is not None:
            for below in value.values() if isinstance(value, dict) else value:
                self.disown(below)

    def _owned(self, container: _Container) -> _Container:
        if id(container) not in self._own:
            container = container.copy()
            self._own[id(container)] = container
        return container


def _add(draft: _Draft, operation: JsonObject) -> None:
    path = _pointer(operation, "path", "add operation failed to decode path", "missing value")
    if draft.find(path) is None:
        raise _no_place("add", f'doc is missing path: "{path}"')
    _insert(draft, path, operation.get("value"), f"error in add for path: '{path}'")


def _remove(draft: _Draft, operation: JsonObject) -> None:
    path = _pointer(operation, "path", "remove operation failed to decode path", "missing value")
    if draft.find(path) is None:
        raise _no_place("remove", f'doc is missing path: "{path}"')
    try:
        _delete(*draft.open(path))
    except _Missing as missing:
        raise InapplicablePatch(f"error in remove for path: '{path}'", why=str(missing)) from None


def _replace(draft: _Draft, operation: JsonObject) -> None:
    path = _pointer(operation, "path", "replace operation failed to decode path")
    value = operation.get("value")
    if path == "":
        if not isinstance(value, dict | list):
            raise InapplicablePatch("replace operation value must be object or array")
        draft.root = value
        return
    if draft.find(path) is None:
        raise _no_place("replace", f"doc is missing path: {path}")
    container, key = draft.open(path)
    try:
        container[_place_of(container, key)] = value
    except _Missing:
        raise _no_place("replace", f"doc is missing key: {path}") from None


def _move(draft: _Draft, operation: JsonObject) -> None:
    source = _pointer(operation, "from", "move operation failed to decode from")
    if draft.find(source) is None:
        raise _no_place("move", f"doc is missing from path: {source}")
    place = draft.open(source)
    try:
        value = _get(*place)
        _delete(*place)
    except _Missing as missing:
        raise InapplicablePatch(f"error in move for path: '{place[1]}'", why=str(missing)) from None
    path = _pointer(operation, "path", "move operation failed to decode path")
    if draft.find(path) is None:
        raise _no_place("move", f"doc is missing destination path: {path}")
    _insert(draft, path, value, f"error in move for path: '{path}'")


def _copy(draft: _Draft, operation: JsonObject) -> None:
    source = _pointer(operation, "from", "copy operation failed to decode from")
    place = draft.find(source)
    if place is None:
        raise _no_place("copy", f"doc is missing from path: {source}")
    try:
        value = _get(*place)
    except _Missing as missing:
        raise InapplicablePatch(f"error in copy for from: '{source}'", why=str(missing)) from None
    path = _pointer(operation, "path", "copy operation failed to decode path", "missing value")
    if draft.find(path) is None:
        raise _no_place("copy", f"doc is missing destination path: {path}")
    draft.copied_bytes += len(encode(value)) if value is not None else 0
    if draft.copied_bytes > COPIED_BYTES:
        grown = f"the accumulated size increase of copy is {draft.copied_bytes}, exceeding the limit {COPIED_BYTES}"
        raise LimitExceeded("Unable to complete the copy", why=grown)
    draft.disown(value)
    _insert(draft, path, value, "error while adding value during copy")


def _test(draft: _Draft, operation: JsonObject) -> None:
    path = _pointer(operation, "path", "test operation failed to decode path")
    value = operation.get("value")
    found: Json = draft.root
    if path:
        place = draft.find(path)
        if place is None:
            raise _no_place("test", f"is missing path: {path}")
        try:
            found = _get(*place)
        except _Missing as missing:
            raise InapplicablePatch(f"error in test for path: '{path}'", why=str(missing)) from None
    if not identical(found, value):
        hint = "Read the object again: it is not as the patch expects."
        raise InapplicablePatch(f"testing value {path} failed", why="test failed", hint=hint)


_STEPS: Final[Mapping[str, Callable[[_Draft, JsonObject], None]]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _pointer(operation: JsonObject, field: str, what: str, why: str = "") -> str:
    pointer = operation.get(field)
    if isinstance(pointer, str):
        return pointer
    missing = "operation missing path field" if field == "path" else "operation, missing from field"
    raise InapplicablePatch(what, why=why or f"{missing}: missing value")


def _insert(draft: _Draft, path: str, value: Json, what: str) -> None:
    container, key = draft.open(path)
    if isinstance(container, dict):
        container[key] = value
    elif key == "-":
        container.append(value)
    else:
        try:
            container.insert(_index(key, len(container) + 1), value)
        except _Missing as missing:
            reason = str(missing)
            if reason.startswith("strconv"):
                reason = f"value was not a proper array index: '{key}': {reason}"
            raise InapplicablePatch(what, why=reason) from None


def _get(container: _Container, key: str) -> Json:
    return container.get(key) if isinstance(container, dict) else container[_index(key, len(container))]


def _delete(container: _Container, key: str) -> None:
    if isinstance(container, dict):
        if key not in container:
            raise _Missing(f"Unable to remove nonexistent key: {key}: missing value")
        del container[key]
    else:
        del container[_index(key, len(container))]


def _place_of(container: _Container, key: str) -> Any:
    return key if isinstance(container, dict) else _index(key, len(container))


def _index(key: str, length: int) -> int:
    """The index that *key* means in a list of *length*, or _Missing."""
    if not _INTEGER.fullmatch(key):
        raise _Missing(f"strconv.Atoi: parsing {quoted(key)}: invalid syntax")
    if len(key) > _LONGEST_INDEX:
        raise _Missing(f"strconv.Atoi: parsing {quoted(key)}: value out of range")
    index = int(key)
    if not -length <= index < length:
        raise _Missing(f"Unable to access invalid index: {index}: invalid index referenced")
    return index + length if index < 0 else index


def _unescaped(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def _no_place(operation: str, why: str) -> InapplicablePatch:
    return InapplicablePatch(f"{operation} operation does not apply", why=f"{why}: missing value")
