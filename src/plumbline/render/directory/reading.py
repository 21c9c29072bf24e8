"""Files of a directory into objects, as upstream reads them: forgiving about files that were never meant as manifests."""

from collections.abc import Sequence
from typing import Final

from plumbline.base.documents import Document, load_documents, load_json
from plumbline.base.errors import BadDocument, InvalidInput, LimitExceeded
from plumbline.base.limits import MANIFESTS
from plumbline.render.manifests import as_utf8, found_in, has_kind, repeated
from plumbline.render.tool import Output

_MARKS: Final = (b"apiVersion:", b"kind:", b"metadata:")
_SEPARATOR: Final = b"\n---"


def read_files(texts: Sequence[tuple[str, bytes]]) -> list[Output]:
    """Each text's objects, by path. Plain computation: it may run outside of the loop."""
    return [read_file(path, text) for path, text in texts]


def read_file(path: str, text: bytes) -> Output:
    text = as_utf8(text)
    documents = _single(path, text) if path.endswith(".json") else _several(path, text)
    return Output(tuple(found_in(documents, path)), repeated(documents, path))


def _single(path: str, text: bytes) -> list[Document]:
    try:
        return [load_json(text, limits=MANIFESTS, source=path, repeats="report")]
    except BadDocument as error:
        if _objects_before(text, 0, path) > 1:
            why = "Only single objects are allowed in JSON files."
            raise InvalidInput(
                f"Found multiple objects in {path}", why=why, hint="Name it .yaml, or make a List."
            ) from error
        raise


def _several(path: str, text: bytes) -> list[Document]:
    try:
        documents = load_documents(text, limits=MANIFESTS, source=path, repeats="report")
    except BadDocument as error:
        if _meant(text) or _objects_before(text, error.line, path):
            raise
        return []
    if documents and not has_kind(documents[0].value) and not _meant(text):
        return []
    return documents


def _meant(text: bytes) -> bool:
    """Whether it looks like a manifest. What does not and cannot be read is something else that is YAML by name."""
    return all(mark in text for mark in _MARKS)


def _objects_before(text: bytes, line: int, path: str) -> int:
    """How many objects there are before the document that *line* is in, or in all of it."""
    if line:
        start = 0
        for _ in range(line - 1):
            start = text.find(b"\n", start) + 1
        text = text[: max(text.rfind(_SEPARATOR, 0, start), 0)]
    try:
        documents = load_documents(text, limits=MANIFESTS, source=path, repeats="ignore")
    except (BadDocument, LimitExceeded):
        return 0
    return sum(has_kind(document.value) for document in documents)
