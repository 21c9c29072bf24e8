"""Which files differ between two trees: only folders that differ are looked into."""

from plumbline.base.tree import Entry, Tree


def touched(before: Tree, after: Tree, most: int) -> frozenset[str] | None:
    """Paths of files, links and submodules that differ, are new or are gone; None for more than *most*."""
    found: set[str] = set()
    pending = [""] if before.digest != after.digest else []
    while pending:
        folder = pending.pop()
        old, new = dict(before.children(folder)), dict(after.children(folder))
        for name in old.keys() | new.keys():
            one, other = old.get(name), new.get(name)
            if one == other:
                continue
            path = f"{folder}/{name}" if folder else name
            if _is(one, "folder") or _is(other, "folder"):
                pending.append(path)
            if _leaf(one) or _leaf(other):
                found.add(path)
                if len(found) > most:
                    return None
    return frozenset(found)


def _is(entry: Entry | None, kind: str) -> bool:
    return entry is not None and entry.kind == kind


def _leaf(entry: Entry | None) -> bool:
    return entry is not None and entry.kind != "folder"
