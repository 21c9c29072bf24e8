"""Patterns for paths, as Argo CD's value files and Kustomize's components are named, looked up in a tree.

Matching takes time in proportion to pattern and name, whatever somebody writes: there is no backtracking over more than
the last star.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.tree import Entry, Tree, followed

_META: Final = frozenset("*?[")
_ALTERNATIVES: Final = 256
_FOLDERS: Final = 20_000
_STAR: Final = None
_DEEP: Final = "**"


class _Class(NamedTuple):
    """One character out of a set, or outside of it."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool

    def holds(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) != self.negated


_Part: TypeAlias = _Class | str | None
"""A character itself, a set of them, any one (the empty text), or the star."""


def patterned(path: str) -> bool:
    """Whether *path* is a pattern at all."""
    return not _META.isdisjoint(path)


def globbed(tree: Tree, pattern: str) -> list[str]:
    """Paths in *tree* that match *pattern*, which starts at its root: `**` for any depth, `{a,b}` for either.

    They come in the order in which Argo CD gives them to Helm: folder by folder, the outer one first, each by name.
    """
    written = _alternatives(pattern)
    found = [path for each in written for path in _expanded(tree, each.split("/"), deep=True)]
    return list(dict.fromkeys(sorted(found) if len(written) > 1 else found))


def shallow(tree: Tree, pattern: str) -> list[str]:
    """The same for patterns of Go's standard library, which know neither depth nor alternatives."""
    return list(_expanded(tree, pattern.split("/"), deep=False))


def _expanded(tree: Tree, segments: list[str], *, deep: bool) -> Iterator[str]:
    folders = [""]
    for segment in segments[:-1]:
        inner = (below for folder in folders for below in _folders(tree, folder, segment, deep=deep))
        folders = list(dict.fromkeys(inner))
        if len(folders) > _FOLDERS:
            raise LimitExceeded("Cannot look up a pattern", why=f"it matches more than {_FOLDERS} folders")
    for folder in folders:
        yield from _everything(tree, folder, segments[-1], deep=deep)


def _folders(tree: Tree, folder: str, segment: str, *, deep: bool) -> Iterator[str]:
    if deep and segment == _DEEP:
        yield from _below(tree, folder)
        return
    for path in _named(tree, folder, segment):
        entry = followed(tree, path)[1]
        if entry is not None and entry.kind == "folder":
            yield path


def _everything(tree: Tree, folder: str, segment: str, *, deep: bool) -> Iterator[str]:
    if not deep or segment != _DEEP:
        yield from _named(tree, folder, segment)
        return
    for below in _below(tree, folder):
        yield from (_joined(below, name) for name, entry in _children(tree, below) if entry.kind != "folder")


def _below(tree: Tree, folder: str) -> Iterator[str]:
    """*folder* and every folder in it, outer ones first; links are not followed, they might go round in circles."""
    yield folder
    for name, entry in _children(tree, folder):
        if entry.kind == "folder":
            yield from _below(tree, _joined(folder, name))


def _named(tree: Tree, folder: str, segment: str) -> Iterator[str]:
    if not patterned(segment):
        if tree.entry(_joined(followed(tree, folder)[0], segment)) is not None:
            yield _joined(folder, segment)
        return
    parts = _parts(segment)
    yield from (_joined(folder, name) for name, _ in _children(tree, folder) if _matched(parts, name))


def _children(tree: Tree, folder: str) -> list[tuple[str, Entry]]:
    return tree.children(followed(tree, folder)[0])


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _matched(parts: tuple[_Part, ...], name: str) -> bool:
    at = star = 0
    seen: int | None = None
    index = 0
    while index < len(name):
        part = parts[at] if at < len(parts) else False
        if part is _STAR:
            star, seen = at, index
            at += 1
        elif part is not False and _fits(part, name[index]):
            at += 1
            index += 1
        elif seen is not None:
            # Only the last star can still give way, and it takes one character more.
            seen += 1
            at, index = star + 1, seen
        else:
            return False
    return all(part is _STAR for part in parts[at:])


def _fits(part: "_Class | str | bool", character: str) -> bool:
    if isinstance(part, _Class):
        return part.holds(character)
    return part in ("", character)


@lru_cache(maxsize=256)
def _parts(segment: str) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    index = 0
    while index < len(segment):
        character = segment[index]
        index += 1
        if character == "*":
            if not parts or parts[-1] is not _STAR:
                parts.append(_STAR)
        elif character == "?":
            parts.append("")
        elif character == "[":
            chosen, index = _class(segment, index)
            parts.append(chosen)
        else:
            parts.append(character)
    return tuple(parts)


def _class(segment: str, start: int) -> tuple[_Class, int]:
    negated = segment[start : start + 1] in {"^", "!"}
    index = start + negated
    end = segment.find("]", index)
    if end <= index:
        raise InvalidInput(f"Cannot use the pattern {segment!r}", why="a [ is not closed, or holds nothing")
    ranges = []
    while index < end:
        low = high = segment[index]
        if segment[index + 1 : index + 2] == "-" and index + 2 < end:
            high = segment[index + 2]
            index += 2
        ranges.append((low, high))
        index += 1
    return _Class(tuple(ranges), negated), end + 1


def _alternatives(pattern: str) -> list[str]:
    """*pattern* once for every choice that its braces leave."""
    pending, done = [pattern], []
    while pending:
        each = pending.pop(0)
        opened = each.find("{")
        if opened < 0:
            done.append(each)
            continue
        closed, commas = _braces(each, opened)
        if closed < 0:
            raise InvalidInput(f"Cannot use the pattern {pattern!r}", why="a { is not closed")
        bounds = [opened, *commas, closed]
        pending += [each[:opened] + each[begin + 1 : end] + each[closed + 1 :] for begin, end in pairwise(bounds)]
        if len(pending) + len(done) > _ALTERNATIVES:
            raise LimitExceeded(f"Cannot use the pattern {pattern!r}", why=f"it has over {_ALTERNATIVES} alternatives")
    return done


def _braces(text: str, opened: int) -> tuple[int, list[int]]:
    """Where the brace that opens at *opened* closes, and its commas; -1 if it does not close."""
    depth = 0
    commas: list[int] = []
    for index in range(opened, len(text)):
        match text[index]:
            case "{":
                depth += 1
            case "}":
                depth -= 1
                if not depth:
                    return index, commas
            case "," if depth == 1:
                commas.append(index)
    return -1, commas
