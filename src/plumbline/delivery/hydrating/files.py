"""What is written, byte by byte as upstream writes it, and only where the manifests are others. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from plumbline.base.documents import dump_documents
from plumbline.base.json import JsonObject, encode
from plumbline.base.tree import Tree
from plumbline.delivery.hydrating.commits import Dry
from plumbline.delivery.hydrating.paths import check_places, check_ways

MANIFEST: Final = "manifest.yaml"
METADATA: Final = "hydrator.metadata"
README: Final = "README.md"
ATTRIBUTES: Final = ".gitattributes"
_ATTRIBUTES: Final = b"**/README.md linguist-generated=true\n**/hydrator.metadata linguist-generated=true"
_INSTALLATION: Final = ("argocd.argoproj.io/tracking-id", "argocd.argoproj.io/installation-id")


class Written(NamedTuple):
    """One application: its folder, its objects and how they are made by hand."""

    path: str
    manifests: bytes
    commands: tuple[str, ...] = ()


Readme = Callable[[tuple[str, ...]], str]


def plan_files(tree: Tree | None, dry: Dry, applications: Sequence[Written], readme: Readme) -> Mapping[str, bytes]:
    """What has to be otherwise on a branch that holds *tree*; nothing where every manifest is there already.

    A commit of the dry source that changes no manifest changes no branch, whatever else it says.
    """
    files: dict[str, bytes] = {}
    if tree is not None:
        check_ways(tree, (each.path for each in applications))
    for each in applications:
        place = f"{each.path}/{MANIFEST}"
        if tree is not None and _held(tree, place) == each.manifests:
            continue
        files[place] = each.manifests
        files[f"{each.path}/{METADATA}"] = _metadata(
            {"repoURL": dry.repo_url, "drySha": dry.sha, **({"commands": [*each.commands]} if each.commands else {})}
        )
        files[f"{each.path}/{README}"] = readme(each.commands).encode()
    if files:
        files |= {METADATA: _metadata(dry.written()), ATTRIBUTES: _ATTRIBUTES}
    check_places(tree, files)
    return files


def manifests(objects: Sequence[JsonObject], label: str) -> bytes:
    """All objects in the order in which they were rendered, without the marks of whoever delivers them.

    *label* is the one that marks them too, where the installation marks with a label.
    """
    return dump_documents([_unmarked(each, label) for each in objects]).encode()


def _unmarked(obj: JsonObject, label: str) -> JsonObject:
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return obj
    changed = dict(metadata)
    for field, names in (("annotations", _INSTALLATION), ("labels", (label,))):
        entries = metadata.get(field)
        if isinstance(entries, dict) and any(name in entries for name in names):
            kept = {name: value for name, value in entries.items() if name not in names}
            changed = {**changed, field: kept} if kept else {k: v for k, v in changed.items() if k != field}
    return {**obj, "metadata": changed}


def _held(tree: Tree, path: str) -> bytes | None:
    entry = tree.entry(path)
    return tree.read(path) if entry is not None and entry.kind == "file" else None


def _metadata(content: JsonObject) -> bytes:
    return msgspec.json.format(encode(content), indent=2) + b"\n"
