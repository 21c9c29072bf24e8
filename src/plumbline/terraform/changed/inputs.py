"""The digest of everything that a root module is made of: equal content gives an equal digest, in whatever commit it is."""

import hashlib
from collections.abc import Iterator, Sequence

from plumbline.base.tree import Tree, walk
from plumbline.terraform.changed.roots import RootModule, RootModules


def inputs_digest(roots: RootModules, root: RootModule, var_files: Sequence[str] = ()) -> str:
    """SHA-256 over paths and contents of what *root* depends on, *var_files* included."""
    tree = roots.modules.tree
    paths = {path for watched in roots.watched(root).values() for path in watched.files}
    for folder in {folder for watched in roots.watched(root).values() for folder in watched.folders}:
        paths |= {path for path, entry in walk(tree, folder) if entry.kind != "folder"}
    lines = sorted(_lines(tree, paths | set(var_files)))
    told = f"{root.folder}\0{root.workspace}\0{','.join(var_files)}\n".encode("utf-8", "surrogateescape")
    return hashlib.sha256(told + b"".join(lines)).hexdigest()


def _lines(tree: Tree, paths: set[str]) -> Iterator[bytes]:
    for path in paths:
        entry = tree.entry(path)
        if entry is not None and entry.kind in {"file", "link"}:
            content = hashlib.sha256(tree.read(path)).hexdigest()
            yield f"{path}\0{entry.kind} {content} {entry.executable}\n".encode("utf-8", "surrogateescape")
