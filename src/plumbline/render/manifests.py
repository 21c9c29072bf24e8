"""Documents into objects, and objects into manifests: what every tool's output goes through.

Rules of upstream: a list is what has `items`, and it is taken apart one level deep; an object has a kind and a name. Errors
say where, and never quote what is written there: it may be a Secret.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from plumbline.base.errors import BadDocument, InvalidInput
from plumbline.base.json import Json, JsonObject, encode
from plumbline.render.requests import Found, Manifest, Origin

if TYPE_CHECKING:
    from plumbline.base.documents import Document

_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_WARNINGS: Final = 20
_HOOK: Final = "argocd.argoproj.io/hook"
_SKIP: Final = "Skip"
_HELM_HOOK: Final = "helm.sh/hook"


def found_in(documents: "Iterable[Document]", path: str) -> Iterator[Found]:
    """The documents as objects. Each has a kind."""
    for number, document in enumerate(documents, 1):
        origin = Origin(path, number, document.line)
        if not has_kind(document.value):
            raise InvalidInput(
                f"Cannot use {origin}", why="Object 'Kind' is missing", hint="Give it apiVersion and kind."
            )
        yield Found(document.value, origin)


def has_kind(value: Json) -> bool:
    kind = value.get("kind") if isinstance(value, dict) else None
    return isinstance(kind, str) and kind != ""


def repeated(documents: "Iterable[Document]", path: str) -> tuple[str, ...]:
    """Keys that are set twice: upstream takes the last one and says nothing."""
    return tuple(
        f"{path}:{twice.line}: {'.'.join(map(str, twice.path))} is set twice, and the last one counts"
        for document in documents
        for twice in document.duplicates
    )[:_WARNINGS]


def as_utf8(text: bytes) -> bytes:
    """*text*, from UTF-16 where a mark at its beginning says so."""
    return text.decode("utf-16", "replace").encode() if text.startswith(_UTF16) else text


def manifests(found: Iterable[Found]) -> tuple[Manifest, ...]:
    """Every object encoded, lists taken apart; InvalidInput for one that no API server could take."""
    out = []
    for each in found:
        for body in _items(each):
            _check(body, each.origin)
            out.append(Manifest(encode(body), each.origin))
    return tuple(out)


def _items(found: Found) -> Iterator[JsonObject]:
    body, origin = found
    if "items" not in body:
        yield body
    elif isinstance(items := body["items"], list):
        for item in items:
            if not isinstance(item, dict):
                raise InvalidInput(f"Cannot use {origin}", why="items member should be an object")
            yield item
    elif items is not None or "spec" in body or "status" in body:
        yield body


def _check(body: JsonObject, origin: Origin) -> None:
    for key, shown in (("kind", "Kind"), ("apiVersion", "apiVersion")):
        if not isinstance(body.get(key), str) or not body[key]:
            raise InvalidInput(f"Cannot use {origin}", why=f"Object '{shown}' is missing")
    metadata = body.get("metadata")
    if not isinstance(metadata, dict):
        raise InvalidInput(f"Cannot use the {body['kind']} at {origin}", why="it has no metadata")
    for key in ("name", "generateName", "namespace"):
        if not isinstance(metadata.get(key, ""), str | None):
            raise BadDocument(
                f"Cannot use the {body['kind']} at {origin}",
                why=f"metadata.{key} is not a text",
                hint="Put quotes around it.",
            )
    if not metadata.get("name") and not metadata.get("generateName") and not _is_hook(metadata.get("annotations")):
        raise InvalidInput(f"Cannot use the {body['kind']} at {origin}", why="resource name may not be empty")


def _is_hook(annotations: Json) -> bool:
    """Whether it gets a name of its own from each sync that runs it."""
    return isinstance(annotations, dict) and (annotations.get(_HOOK, _SKIP) != _SKIP or _HELM_HOOK in annotations)
