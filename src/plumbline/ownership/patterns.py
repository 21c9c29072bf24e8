"""Texts with `*` for anything, as policies and half-known ids are written."""

from collections.abc import Iterable


def fits(text: str, pattern: str) -> bool:
    """Whether *pattern* stands for *text*; in time linear in both, whatever anybody writes."""
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    last = rest.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in rest:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def allowed(text: str, patterns: Iterable[str]) -> bool:
    """Whether one of *patterns* stands for *text* and none with `!` before it does; `!` alone means all others."""
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")]
    denied = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    return (not wanted or any(fits(text, each) for each in wanted)) and not any(fits(text, each) for each in denied)
