"""What a source keeps from being destroyed."""

from typing import Final

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.base.tree import Tree, walk
from plumbline.terraform.plans import guarded

_CODE: Final = (".tf", ".tofu", ".tf.json", ".tofu.json")


def guards_in(tree: Tree, path: str) -> frozenset[str]:
    """Blocks that the source guards. Blocks; what cannot be read guards nothing that we would know of."""
    files = {each: tree.read(each) for each, entry in walk(tree) if entry.kind == "file" and each.endswith(_CODE)}
    try:
        return guarded(files, path)
    except (BadDocument, LimitExceeded):
        return frozenset()
