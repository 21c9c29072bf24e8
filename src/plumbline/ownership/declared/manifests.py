"""Objects in files, each with the line where it begins and the way to the line of any of its fields."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.documents import Document, line_of, load_documents
from plumbline.base.documents.tokens import entries
from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.base.json import Json, JsonObject
from plumbline.base.limits import MIB
from plumbline.kube.names import GroupKind, GroupVersionKind, Ref
from plumbline.ownership.declared.files import File, Unread

Path = tuple[str | int, ...]

_READ_AGAIN_BYTES: Final = 64 * MIB
_HEAD: Final = re.compile(rb"^items:[ \t]*$", re.MULTILINE)
_ITEM: Final = re.compile(rb"^( *)- ", re.MULTILINE)


class Lines:
    """Finds lines of fields by reading a document again, as often as its budget allows.

    A document with ten thousand fields to find would be read ten thousand times; beyond the budget the line of the
    object has to do.
    """

    def __init__(self, budget_bytes: int = _READ_AGAIN_BYTES) -> None:
        self._left = budget_bytes

    def of(self, file: File, document: Document, path: Path) -> int | None:
        self._left -= document.part.end - document.part.start
        return line_of(file.content, document, path) if self._left > 0 else None


class Manifest(NamedTuple):
    obj: JsonObject
    file: File
    document: Document
    line: int
    """Where the object begins."""
    lines: Lines
    inside: Path = ()
    """Where in the document the object is: empty, or an item of a list."""

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def ref(self) -> Ref:
        return Ref.of(self.obj)

    @property
    def kind(self) -> GroupKind:
        return GroupVersionKind.of(self.obj).group_kind

    def line_of(self, path: Path) -> int:
        """The line of one field, or the nearest to it that can be had."""
        return self.lines.of(self.file, self.document, (*self.inside, *path)) or self.line


def read_manifests(file: File, lines: Lines) -> tuple[list[Manifest], list[Unread]]:
    """The objects of one file. What is YAML but no object is passed over: a repository holds many such files."""
    try:
        documents = load_documents(file.content, source=file.path, repeats="ignore")
    except (BadDocument, LimitExceeded) as fault:
        return [], [Unread(file.path, fault.why, fault.line)]
    return [manifest for document in documents for manifest in _objects(file, document, lines)], []


def _objects(file: File, document: Document, lines: Lines) -> Iterator[Manifest]:
    value = document.value
    if _is_list(value):
        starts = _item_lines(file.content, document, len(value["items"]))
        for at, item in enumerate(value["items"]):
            if _is_object(item):
                yield Manifest(item, file, document, starts[at], lines, ("items", at))
    elif _is_object(value):
        yield Manifest(value, file, document, document.line, lines)


def _item_lines(content: bytes, document: Document, count: int) -> list[int]:
    """Where each item of a list begins, in one pass; the list's own line where it is written in an unusual way."""
    part = document.part
    if part.form == "json":
        offsets = [each.offset for each in entries(content, part.start, part.end) if each.path[:-1] == ("items",)]
    else:
        head = _HEAD.search(content, part.start, part.end)
        found = list(_ITEM.finditer(content, head.end(), part.end)) if head else []
        # What is inside of an item is indented more, so the items are what stands as far left as the first.
        offsets = [match.start() for match in found if match[1] == found[0][1]]
    if len(offsets) != count:
        return [document.line] * count
    return _counted(content, offsets)


def _counted(content: bytes, offsets: list[int]) -> list[int]:
    lines: list[int] = []
    line, before = 1, 0
    for offset in offsets:
        line += content.count(b"\n", before, offset)
        before = offset
        lines.append(line)
    return lines


def _is_list(value: Json) -> bool:
    return (
        isinstance(value, dict) and str(value.get("kind", "")).endswith("List") and isinstance(value.get("items"), list)
    )


def _is_object(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    metadata = value.get("metadata")
    named = isinstance(metadata, dict) and (_text(metadata, "name") or _text(metadata, "generateName"))
    return bool(named and _text(value, "apiVersion") and _text(value, "kind"))


def _text(value: JsonObject, field: str) -> bool:
    return isinstance(value.get(field), str) and bool(value[field])
