"""Where Go finds fault with base64."""

import re
from typing import Final

_whole: Final = re.compile(rb"[\r\n]*+(?:(?:[A-Za-z0-9+/][\r\n]*+){4})*").match
_newlines: Final = re.compile(rb"[\r\n]*+").match
_digit: Final = re.compile(rb"[A-Za-z0-9+/]").match
_PAD: Final = ord("=")
_FEWEST: Final = 2


def base64_fault(text: bytes) -> str:
    """What is wrong with *text*; nothing if it is base64 with padding, broken into lines or not."""
    whole = _whole(text)
    at = _group_fault(text, whole.end() if whole else 0)
    return "" if at is None else f"illegal base64 data at input byte {at}"


def _group_fault(text: bytes, pos: int) -> int | None:
    """The place of what is wrong with the last group, which is the first that is not just four digits."""
    digits = 0
    while pos < len(text):
        if _digit(text, pos):
            digits += 1
        elif text[pos] not in b"\r\n":
            return _padding_fault(text, pos, digits)
        pos += 1
    return len(text) - digits if digits else None


def _padding_fault(text: bytes, pos: int, digits: int) -> int | None:
    if text[pos] != _PAD or digits < _FEWEST:
        return pos
    pos += 1
    if digits == _FEWEST:
        pos = _after_newlines(text, pos)
        if pos == len(text):
            return pos
        if text[pos] != _PAD:
            return pos - 1
        pos += 1
    pos = _after_newlines(text, pos)
    return pos if pos < len(text) else None


def _after_newlines(text: bytes, pos: int) -> int:
    found = _newlines(text, pos)
    return found.end() if found else pos
