"""The patterns of a policy, each as the cheapest test that says the same.

Nearly all of them are a plain word, `*`, `project/*` or `*/*`: these are answered by one or two searches in the text,
and the machines of `base.glob` and `base.regex` are for the others.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from operator import methodcaller
from typing import Final, NamedTuple

from plumbline.base.glob import glob
from plumbline.base.regex import compiled

GLOB: Final = "glob"
REGEX: Final = "regex"
_MOST_PATTERNS: Final = 16_384
_GLOB_SIGNS: Final = frozenset("?[]{}\\\0\ufffd")
_GLOB_HEAD: Final = re.compile(r"([^*?\[\]{}\\/]+)/")
_REGEX_SIGNS: Final = frozenset("\\.+*?()|[]{}^$")
# An expression that can only match texts with this first part; what follows the slash must not make it optional.
_REGEX_HEAD: Final = re.compile(r"\^([\w-]+)/(?![*?{])")


class Pattern(NamedTuple):
    text: str
    matches: Callable[[str], bool]
    """Whether it stands for a text. For texts of bounded length only: see `Policy`."""
    word: str | None = None
    """The only text that it stands for, if there is only one."""
    head: str | None = None
    """What every text that it stands for has before its first slash, if that is known."""


def _always(_: str) -> bool:
    return True


EVERYTHING: Final = Pattern("*", _always)


@lru_cache(maxsize=_MOST_PATTERNS)
def pattern(text: str, mode: str) -> Pattern:
    """Raises BadExpression."""
    return _regex(text) if mode == REGEX else _glob(text)


def _glob(text: str) -> Pattern:
    found = _GLOB_HEAD.match(text)
    head = found[1] if found else None
    if not _GLOB_SIGNS.isdisjoint(text):
        return Pattern(text, glob(text).matches, head=head)
    first, *middle = text.split("*")
    if not middle:
        return Pattern(text, text.__eq__, word=text)
    last = middle.pop()
    between = tuple(filter(None, middle))
    if between:
        return Pattern(text, _pieces(first, between, last), head=head)
    if first and last:
        return Pattern(text, _pieces(first, (), last), head=head)
    if first:
        return Pattern(text, methodcaller("startswith", first), head=head)
    return Pattern(text, methodcaller("endswith", last)) if last else EVERYTHING


def _pieces(first: str, between: tuple[str, ...], last: str) -> Callable[[str], bool]:
    """Each piece where it occurs first: if that leaves no room for the rest, no other place does."""
    least = len(first) + len(last)

    def matches(text: str) -> bool:
        if len(text) < least or not (text.startswith(first) and text.endswith(last)):
            return False
        at, end = len(first), len(text) - len(last)
        for piece in between:
            at = text.find(piece, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True

    return matches


def _regex(text: str) -> Pattern:
    if _REGEX_SIGNS.isdisjoint(text):
        return Pattern(text, lambda asked: text in asked)
    found = None if "|" in text else _REGEX_HEAD.match(text)
    return Pattern(text, compiled(text).matches, head=found[1] if found else None)
