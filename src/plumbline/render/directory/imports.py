"""What a Jsonnet program may import, found without running it: imports are literals, so all of them can be seen.

More may be found than is used (a comment can hold an import), never less. With that a program gets the few files that it
needs instead of a repository, and its key changes when one of them does and not with every commit.
"""

import posixpath
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from plumbline.base.errors import LimitExceeded
from plumbline.base.json import decode
from plumbline.base.tree import Tree, followed, read_text
from plumbline.render.kept import Kept
from plumbline.render.keys import content_of

_KEYWORD: Final = re.compile(r"\bimport(str|bin)?\b")
_GAP: Final = r"(?:\s|//[^\n]*+|#[^\n]*+|/\*(?:[^*]|\*(?!/)){0,4096}\*/)*"
_LITERAL: Final = re.compile(
    _GAP + r"""(?:(?P<raw>@)(?:'(?P<raw1>(?>(?:[^']|''){0,4096}))'|"(?P<raw2>(?>(?:[^"]|""){0,4096}))")"""
    r"""|'(?P<text1>(?:[^'\\]|\\.){0,4096})'|"(?P<text2>(?:[^"\\]|\\.){0,4096})")""",
    re.DOTALL,
)
_FILES: Final = 5_000
_BYTES: Final = 32 << 20


class Closure(NamedTuple):
    """A program and everything that it can import, under the paths that imports come to."""

    files: dict[str, bytes]
    seen: tuple[tuple[str, str], ...]
    """Every path that was looked at and what was there, nothing included."""

    @property
    def weight(self) -> int:
        return 1024 + sum(map(len, self.files.values()))


_closures: Final[Kept[tuple[str, tuple[str, ...]], Closure]] = Kept(64 << 20)


def closure(tree: Tree, program: str, libs: tuple[str, ...]) -> Closure:
    """The closure of *program* with *libs*, last one first. It is made anew only when something that was seen changed."""
    memo = (program, libs)
    known = _closures.get(memo)
    if known is None or any(content_of(tree, path) != content for path, content in known.seen):
        known = _closure(tree, program, libs)
        _closures.put(memo, known, known.weight)
    return known


def _closure(tree: Tree, program: str, libs: tuple[str, ...]) -> Closure:
    files: dict[str, bytes] = {}
    seen: dict[str, str] = {}
    left = _BYTES
    pending = [(program, True)]
    scanned: set[str] = set()
    while pending:
        path, code = pending.pop()
        seen[path] = content_of(tree, path)
        if path not in files:
            files[path] = read_text(tree, followed(tree, path)[0])
            left -= len(files[path])
        if left < 0 or len(seen) > _FILES:
            raise LimitExceeded(f"Cannot evaluate {program}", why="it can import too many files, or too large ones")
        if code and path not in scanned:
            scanned.add(path)
            for name, is_code in imports(files[path]):
                found = _found(tree, (posixpath.dirname(path), *reversed(libs)), name, seen)
                if found:
                    pending.append((found, is_code))
    return Closure(files, tuple(sorted(seen.items())))


def _found(tree: Tree, places: tuple[str, ...], name: str, seen: dict[str, str]) -> str:
    """The file that an import comes to, empty for none; every place that was looked at before it counts as seen."""
    if posixpath.isabs(name) or "\\" in name or "\0" in name:
        return ""
    for place in places:
        path = posixpath.normpath(posixpath.join(place, name))
        if path in {".", ".."} or path.startswith("../"):
            return ""
        _, entry = followed(tree, path)
        seen[path] = content_of(tree, path)
        if entry is not None and entry.kind == "file":
            return path
    return ""


def imports(program: bytes) -> Iterator[tuple[str, bool]]:
    """The paths of all imports in *program*, and whether each is of code."""
    text = program.decode("utf-8", "replace")
    for keyword in _KEYWORD.finditer(text):
        literal = _LITERAL.match(text, keyword.end())
        if literal is not None:
            yield _path(literal), keyword[1] is None


def _path(literal: re.Match[str]) -> str:
    if literal["raw"]:
        quoted = literal["raw1"]
        return str(literal["raw2"].replace('""', '"') if quoted is None else quoted.replace("''", "'"))
    text = literal["text2"] if literal["text1"] is None else literal["text1"].replace("\\'", "'").replace('"', '\\"')
    try:
        return decode(b'"' + text.encode() + b'"', type=str)
    except msgspec.DecodeError:
        return str(text)
