"""Patterns of paths as `.dockerignore` has them, which is what `when_modified` of an atlantis.yaml is written in."""

import posixpath
from collections.abc import Sequence
from typing import Final, NamedTuple

from plumbline.base.glob import Glob, glob

_BRACES: Final = str.maketrans({"{": r"\{", "}": r"\}"})


class _Rule(NamedTuple):
    glob: Glob
    allows: bool


class Patterns:
    """The last pattern that fits decides; one with `!` before it takes back what others gave.

    A pattern that fits a folder fits all that is in it. Raises BadExpression for one that cannot be read.
    """

    def __init__(self, patterns: Sequence[str], folder: str = "") -> None:
        self._rules = [rule for pattern in patterns if (rule := _rule(pattern.strip(), folder)) is not None]

    def verdict(self, path: str) -> bool | None:
        """Whether *path* is meant: True, False where it was taken back, None where nothing is said about it."""
        places = _upwards(path)
        for rule in reversed(self._rules):
            if any(rule.glob.matches(place) for place in places):
                return rule.allows
        return None


def _rule(pattern: str, folder: str) -> _Rule | None:
    allows = not pattern.startswith("!")
    bare = pattern.removeprefix("!").strip().lstrip("/")
    if not bare or pattern.startswith("#"):
        return None
    joined = posixpath.normpath(posixpath.join(folder, bare)).translate(_BRACES)
    return _Rule(glob(joined.replace("**/", "{**/,}"), "/"), allows)


def _upwards(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
