"""Objects from files: what `-f` names, read under limits, lists taken apart."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from plumbline.base.documents import load_documents
from plumbline.base.errors import BadDocument, InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.base.limits import MANIFESTS
from plumbline.kube.names import GroupVersionKind

_ENDINGS: Final = frozenset({".json", ".yaml", ".yml"})


class Given(NamedTuple):
    """An object and where it was read, for messages."""

    obj: JsonObject
    source: str
    line: int


def objects_in(paths: Iterable[Path], *, named: bool = True, supposed: GroupVersionKind | None = None) -> list[Given]:
    """Every object in the files, in folders' YAML and JSON files, and on stdin where `-` is given.

    Unless *named* is false, each must have a name. What does not say what it is, is what is *supposed*.
    """
    found: list[Given] = []
    for path in paths:
        for file in _files(path):
            found += [_checked(_supposed(each, supposed), named=named) for each in _objects(file)]
    return found


def _files(path: Path) -> list[Path]:
    if str(path) == "-" or not path.is_dir():
        return [path]
    files = sorted(each for each in path.iterdir() if each.suffix in _ENDINGS and each.is_file())
    if not files:
        raise InvalidInput(f"{path} has no YAML or JSON files", hint="Name files, or a folder that holds some.")
    return files


def _objects(path: Path) -> Iterator[Given]:
    source = "stdin" if str(path) == "-" else str(path)
    for document in load_documents(_content(path, source), source=source):
        if not isinstance(document.value, dict):
            why = f"line {document.line} begins something that is not an object"
            raise BadDocument(f"{source} holds no manifest", line=document.line, why=why)
        for obj in _taken_apart(document.value):
            yield _given(obj, source, document.line)


def _content(path: Path, source: str) -> bytes:
    try:
        if source == "stdin":
            return _bounded(sys.stdin.buffer)
        with path.open("rb") as file:
            return _bounded(file)
    except OSError as cause:
        raise InvalidInput(f"{source} cannot be read", why=cause.strerror or str(cause)) from cause


def _bounded(stream: BinaryIO) -> bytes:
    """No more than one byte beyond the limit: the reader of documents refuses it with the right words."""
    return stream.read(MANIFESTS.size_bytes + 1)


def _taken_apart(value: JsonObject) -> Iterator[Json]:
    """What `kubectl get -o yaml` writes around several objects is not an object itself."""
    items = value.get("items")
    if str(value.get("kind", "")).endswith("List") and isinstance(items, list):
        yield from items
    else:
        yield value


def _given(obj: Json, source: str, line: int) -> Given:
    if not isinstance(obj, dict):
        raise InvalidInput(f"{source}, line {line}, holds no manifest", why="an item of the list is not an object")
    return Given(obj, source, line)


def _supposed(given: Given, gvk: GroupVersionKind | None) -> Given:
    if gvk is None or given.obj.get("kind") or given.obj.get("apiVersion"):
        return given
    return given._replace(obj={**given.obj, "apiVersion": gvk.api_version, "kind": gvk.kind})


def _checked(given: Given, *, named: bool) -> Given:
    at = f"{given.source}, line {given.line},"
    gvk = GroupVersionKind.of(given.obj)
    if not gvk.kind or not gvk.version:
        raise InvalidInput(f"{at} holds no manifest", why="apiVersion or kind is missing")
    metadata = given.obj.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not name and not named:
        return given
    if not name:
        raise InvalidInput(f"{at} holds no named object", why=f"this {gvk.kind} has no metadata.name")
    if not isinstance(name, str):
        why = f"metadata.name of this {gvk.kind} reads as something else than a text"
        raise InvalidInput(f"{at} holds no named object", why=why, hint="Put the name in quotes.")
    return given
