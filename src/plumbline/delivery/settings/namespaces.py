"""Names of namespaces and the patterns that lists of them are made of: globs, or expressions between slashes."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.glob import glob_matches
from plumbline.base.regex import found_in

_SLASHES: Final = 2


def listed(namespace: str, patterns: Iterable[str]) -> bool:
    """Whether one of *patterns* stands for *namespace*. One that cannot be read stands for nothing."""
    return any(_stands_for(pattern, namespace) for pattern in patterns)


def _stands_for(pattern: str, namespace: str) -> bool:
    if len(pattern) >= _SLASHES and pattern.startswith("/") and pattern.endswith("/"):
        try:
            return found_in(pattern[1:-1], namespace)
        except InvalidInput:
            return False
    return glob_matches(pattern, namespace)
