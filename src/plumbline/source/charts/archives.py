"""Archives as trees: what `helm package` packs, and folders of manifests. Nothing is written to a disk."""

import tarfile
from typing import NamedTuple

from plumbline.base.tree import MemoryTree, joined
from plumbline.source.charts.tar import PACKED_BYTES, Inflated, Member, Plain, members, too_large, unusable


class Unpacked(NamedTuple):
    files: dict[str, bytes]
    links: dict[str, str]
    executables: frozenset[str]

    @property
    def size_bytes(self) -> int:
        return sum(map(len, self.files.values()))

    def tree(self) -> MemoryTree:
        return MemoryTree(self.files, self.links, self.executables)

    def within(self, folder: str) -> "Unpacked":
        start = len(folder) + 1
        return Unpacked(
            {path[start:]: content for path, content in self.files.items() if path.startswith(f"{folder}/")},
            {path[start:]: target for path, target in self.links.items() if path.startswith(f"{folder}/")},
            frozenset(path[start:] for path in self.executables if path.startswith(f"{folder}/")),
        )


def unpacked(content: bytes, *, compressed: bool = True) -> Unpacked:
    """Everything in the archive, or InvalidInput where a single entry is not what belongs there.

    Links stay links, wherever they point to: `base.tree.resolve` refuses those that lead out. Blocks; no pure text takes
    longer than a second.
    """
    if len(content) > PACKED_BYTES:
        raise too_large(f"it has more than {PACKED_BYTES:,} bytes")
    files: dict[str, bytes] = {}
    links: dict[str, str] = {}
    executables: set[str] = set()
    seen: dict[str, str] = {}
    for member in members(Inflated(content) if compressed else Plain(content)):
        path = _path(member)
        if not path or member.kind == tarfile.DIRTYPE:
            continue
        # On some disks these are one file, and which of the two it is differs between tools.
        other = seen.setdefault(path.casefold(), path)
        if path in files or path in links or other != path:
            raise unusable(f"{other!r:.200} and {path!r:.200} are in it, which some systems cannot tell apart")
        if member.kind == tarfile.SYMTYPE:
            links[path] = member.target
        else:
            files[path] = member.content
        if member.executable:
            executables.add(path)
    return Unpacked(files, links, frozenset(executables))


def chart_of(archive: Unpacked, name: str) -> Unpacked:
    """The folder of the chart *name*, which is the only one unless somebody packed more beside it."""
    tops = {path.partition("/")[0] for path in (*archive.files, *archive.links) if "/" in path}
    called = name.rpartition("/")[2]
    if called not in tops and len(tops) != 1:
        raise unusable(f"it has no folder {called!r:.200}, and {len(tops)} others")
    found = archive.within(called if called in tops else tops.pop())
    if "Chart.yaml" not in found.files:
        raise unusable("there is no Chart.yaml in its folder")
    return found


def _path(member: Member) -> str:
    if member.name.startswith("/") or ".." in member.name.split("/"):
        raise unusable(f"{member.name!r:.200} leads out of it")
    return joined("", member.name)
