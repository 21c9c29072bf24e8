"""Which part of a source a root module needs on the disk: itself and the local modules it uses, or everything.

A repository may hold hundreds of root modules, and a folder that changed concerns those alone that need it.
"""

from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import Tree, followed, joined, walk
from plumbline.terraform.tool.code import Seen, is_code, read
from plumbline.terraform.tool.facts import local
from plumbline.terraform.work import Workplace

_LARGEST_BYTES: Final = 1 << 20
_MOST_MODULES: Final = 1000
_MOST_KNOWN: Final = 8192
_LEADS_UP: Final = (b"path.cwd", b"abspath(", b"dirname(")
"""Ways to reach above a module without writing two dots."""
_PROSE: Final = (".md", ".markdown", ".adoc", ".rst")
EVERYTHING: Final = ("",)


class _File(NamedTuple):
    seen: Seen
    leaves: bool
    """Whether it may speak of something above its folder, other than modules."""


_known: Final[dict[tuple[str, str], _File]] = {}
"""By content, and by how it is read."""


class Need(NamedTuple):
    paths: tuple[str, ...]
    digest: str
    """Equal where the same is needed."""


def needed(tree: Tree, workplace: Workplace) -> Need:
    """What to write for *workplace*, whose module and files of variables are known to be there."""
    paths = _closure(tree, workplace) or EVERYTHING
    entries = ((path, followed(tree, path)[1]) for path in paths)
    return Need(paths, "\n".join(f"{path}\0{entry.digest}" for path, entry in entries if entry is not None))


def _closure(tree: Tree, workplace: Workplace) -> tuple[str, ...]:
    """Folders and files, none within another; nothing where it cannot be told."""
    root = joined("", workplace.path)
    if not root or any(_leads_up(each.content.reveal()) for each in workplace.files):
        return ()
    pending, found = [root], set[str]()
    while pending:
        folder = pending.pop()
        if folder in found:
            continue
        found.add(folder)
        called = _called(tree, folder)
        if called is None or len(found) > _MOST_MODULES:
            return ()
        pending += called
    found.update(joined("", path) for path in workplace.var_files)
    return tuple(sorted(path for path in found if not any(_within(path, other) for other in found)))


def _called(tree: Tree, folder: str) -> list[str] | None:
    """The local modules that *folder* uses, or None where it may use more than modules."""
    try:
        place, entry = followed(tree, folder)
        if entry is None or entry.kind != "folder":
            return []
        called = []
        for path, inner in walk(tree, place):
            if inner.kind == "link":
                # What it points to is written in its place, and changes without it.
                return None
            if inner.kind != "file" or path.endswith(_PROSE) or tree.size(path) > _LARGEST_BYTES:
                continue
            name = path.removeprefix(f"{place}/" if place else "")
            file = _file(name, inner.digest, tree, path)
            if file.leaves or "" in file.seen.modules or file.seen.unread:
                return None
            inside, _, _ = path.removeprefix(place).strip("/").rpartition("/")
            called += [joined(joined(folder, inside), each) for each in file.seen.modules if local(each)]
    except InvalidInput:
        return None
    return called


def _file(name: str, digest: str, tree: Tree, path: str) -> _File:
    code = is_code(name.rpartition("/")[2])
    kind = name.rpartition(".")[2] if code else ""
    known = _known.get((digest, kind))
    if known is None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        content = tree.read(path)
        seen = read(name, content) if code else Seen()
        for source in seen.modules:
            content = content.replace(b'"%s"' % source.encode(), b"")
        known = _known[digest, kind] = _File(seen, _leads_up(content))
    return known


def _leads_up(content: bytes) -> bool:
    return b".." in content.replace(b"...", b"") or any(word in content for word in _LEADS_UP)


def _within(path: str, folder: str) -> bool:
    return path != folder and (not folder or path.startswith(f"{folder}/"))
