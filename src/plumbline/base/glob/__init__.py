"""Patterns with `*`, as the two libraries read them that upstream matches with, in time linear in the text.

`glob` has classes, braces and separators (gobwas/glob), `path_glob` is Go's `path.Match`. Patterns come from whoever may
write a project or an Application, so that none may take longer than its length allows: nothing here backtracks.
"""

from plumbline.base.errors import InvalidInput
from plumbline.base.glob.automaton import Glob
from plumbline.base.glob.braces import glob
from plumbline.base.glob.paths import path_glob

__all__ = ["Glob", "glob", "glob_matches", "path_glob", "path_glob_matches"]


def glob_matches(pattern: str, text: str, separators: str = "") -> bool:
    """Whether *pattern* stands for the whole of *text*. One that cannot be read stands for nothing.

    Whoever denies with patterns uses `glob` itself: what cannot be read must not permit.
    """
    try:
        return glob(pattern, separators).matches(text)
    except InvalidInput:
        return False


def path_glob_matches(pattern: str, text: str) -> bool:
    """The same for `path.Match`."""
    try:
        return path_glob(pattern).matches(text)
    except InvalidInput:
        return False
