"""`.argocd-source.yaml` and `.argocd-source-<application>.yaml`: parameters of a source that lie beside its files."""

from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject, encode_sorted
from plumbline.base.limits import SETTINGS
from plumbline.base.tree import Tree, followed, read_text
from plumbline.kinds.application import ApplicationSource
from plumbline.kinds.values import converted, written
from plumbline.kube.patch import merge_patch
from plumbline.render.kept import Kept
from plumbline.render.requests import Request

_COMMON: Final = ".argocd-source.yaml"
_OWN: Final = ".argocd-source-{}.yaml"
_FREE: Final = "valuesObject"
"""Its nulls are values of a chart, and mean what they mean there."""

_merged: Final[Kept[tuple[bytes, str], ApplicationSource]] = Kept(4096)


def overridden(request: Request, place: str) -> ApplicationSource:
    """The request's source with what its folder, and then what its folder says about this application, merged into it."""
    source = request.source
    for name in (_COMMON, _OWN.format(request.app.known_as)):
        path = f"{place}/{name}" if place else name
        if request.tree.entry(path) is not None:
            source = _overridden(request.tree, path, source)
    return source


def _overridden(tree: Tree, path: str, source: ApplicationSource) -> ApplicationSource:
    found, entry = followed(tree, path)
    if entry is None or entry.kind != "file":
        return source
    memo = (encode_sorted(source), entry.digest)
    merged = _merged.get(memo)
    if merged is None:
        merged = _applied(source, _patch(read_text(tree, found, SETTINGS.size_bytes), path), path)
        _merged.put(memo, merged)
    return merged


def _patch(text: bytes, path: str) -> JsonObject:
    from plumbline.base.documents import load_documents  # noqa: PLC0415 - loads YAML

    documents = load_documents(text, limits=SETTINGS, source=path, repeats="ignore")
    if not documents:
        return {}
    patch = documents[0].value
    if len(documents) > 1 or not isinstance(patch, dict):
        raise InvalidInput(f"Cannot use {path}", why="it is not one mapping")
    return _without_nulls(patch)


def _applied(source: ApplicationSource, patch: JsonObject, path: str) -> ApplicationSource:
    merged = merge_patch(written(source), patch)
    try:
        read = converted(merged, ApplicationSource)
    except msgspec.ValidationError as error:
        raise InvalidInput(
            f"Cannot use {path}", why=str(error), hint="Write it as the source of an Application."
        ) from error
    # Where the files come from is for the Application alone to say.
    return msgspec.structs.replace(
        read,
        chart=source.chart,
        path=source.path,
        repo_url=source.repo_url,
        target_revision=source.target_revision,
    )


def _without_nulls(patch: Json, *, free: bool = False) -> Json:
    """*patch* without the nulls that upstream reads and then ignores: in these files nothing is taken away with null."""
    if free or not isinstance(patch, dict):
        return patch
    return {key: _without_nulls(value, free=key == _FREE) for key, value in patch.items() if value is not None}
