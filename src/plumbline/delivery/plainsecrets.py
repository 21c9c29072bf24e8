"""Secrets that lie in Git for everybody to read, and how they are sealed. Pure."""

from collections.abc import Iterable, Iterator
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kube.object import Object
from plumbline.render.requests import Manifest, Rendered

WARNING: Final = "PlainSecretWarning"
_FROM_FILES: Final = frozenset({"Directory", "Kustomize"})
"""What a chart or a program makes up is not in Git."""
_MOST_NAMED: Final = 5


def plain_secrets(rendered: Iterable[Rendered]) -> Iterator[str]:
    """One sentence for each source that has some."""
    for source in rendered:
        if source.source_type not in _FROM_FILES:
            continue
        found = [(each, obj) for each in source.manifests if (obj := _plain(each)) is not None]
        if found:
            yield _sentence(found)


def _plain(manifest: Manifest) -> JsonObject | None:
    if b'"Secret"' not in manifest.body:  # nearly all are something else, and need not be read for that
        return None
    obj = manifest.object()
    if obj.get("kind") != "Secret" or obj.get("apiVersion") != "v1":
        return None
    return obj if any(_filled(obj.get(field)) for field in ("data", "stringData")) else None


def _filled(entries: object) -> bool:
    return isinstance(entries, dict) and any(entries.values())


def _sentence(found: list[tuple[Manifest, JsonObject]]) -> str:
    names = [f"{Object(obj).name} ({each.origin.path})" for each, obj in found[:_MOST_NAMED]]
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    many = "Secrets are" if len(found) > 1 else "Secret is"
    path = found[0][0].origin.path
    return (
        f"{len(found)} {many} in Git for everybody to read: {', '.join(names)}{more}. "
        f"Change the values where they are used, then seal the new ones: plumb seal -f {path} -w {path}"
    )
