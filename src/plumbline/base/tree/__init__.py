"""Files as they were at one revision: read-only, with a content hash for every folder, and no way out of them.

Git commits, chart archives and tests all give a `Tree`. Paths are relative, use `/`, and never begin or end with one; the
root is the empty path. `resolve` follows links and `..` inside of the tree and refuses what leads out of it.
"""

from plumbline.base.tree.memory import MemoryTree
from plumbline.base.tree.paths import followed, joined, resolve
from plumbline.base.tree.tree import Entry, Tree, read_text, walk
from plumbline.base.tree.writing import written

__all__ = ["Entry", "MemoryTree", "Tree", "followed", "joined", "read_text", "resolve", "walk", "written"]
