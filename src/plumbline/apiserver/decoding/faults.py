"""What Go's JSON scanner says of text that is none."""

import re
from enum import Enum
from typing import Final

from plumbline.kube.gotext import quoted


class NotJson(Exception):
    """The text is the reason, in Go's words."""


class State(Enum):
    """Where the text stops making sense; the value is what Go says there."""

    VALUE = "looking for beginning of value"
    KEY = "looking for beginning of object key string"
    COLON = "after object key"
    PAIR_END = "after object key:value pair"
    ITEM_END = "after array element"
    END = "after top-level value"


_ENDED: Final = "unexpected end of JSON input"
_space: Final = re.compile(rb"[ \t\r\n]*+")
_plain: Final = re.compile(rb'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_digits: Final = re.compile(rb"[0-9]*+")
_hex: Final = re.compile(rb"[0-9a-fA-F]{0,4}+")
_LITERALS: Final = {ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}
_DIGITS: Final = frozenset(b"0123456789")
_AFTER_COMMA: Final = {State.PAIR_END: State.KEY, State.ITEM_END: State.VALUE}


class _Fault(Exception):
    """Found; the text is what to say."""


def fault_at(body: bytes, pos: int, state: State, after: State) -> str:
    """What is wrong from *pos* on, where *state* is the last that was right, and *after* what comes after a value."""
    # At the end Go looks whether a space could follow.
    walk = _Walk(body + b" ", pos, after)
    try:
        while True:
            state = walk.step(state)
    except _Fault as fault:
        return str(fault)


def too_deep(opener: bytes) -> str:
    return _unexpected(opener[0], "exceeded max depth")


class _Walk:
    """On to the next fault, which is known to come before the container ends."""

    def __init__(self, body: bytes, pos: int, after: State) -> None:
        self._body = body
        self._pos = pos
        self._after = after

    def step(self, state: State) -> State:
        body = self._body
        self._pos = _skipped(_space, body, self._pos)
        if self._pos >= len(body):
            raise _Fault(_ENDED)
        char = body[self._pos]
        if state is State.VALUE:
            self._scalar(char)
            return self._after
        if state is State.KEY and char == ord('"'):
            self._string()
            return State.COLON
        if state is State.COLON and char == ord(":"):
            self._pos += 1
            return State.VALUE
        if char == ord(",") and state in _AFTER_COMMA:
            self._pos += 1
            return _AFTER_COMMA[state]
        raise _Fault(_unexpected(char, state.value))

    def _scalar(self, char: int) -> None:
        if char == ord('"'):
            self._string()
        elif char in _LITERALS:
            self._literal(_LITERALS[char])
        elif char == ord("-") or char in _DIGITS:
            self._number()
        else:
            raise _Fault(_unexpected(char, State.VALUE.value))

    def _string(self) -> None:
        self._pos += 1
        while True:
            self._pos = _skipped(_plain, self._body, self._pos)
            char = self._next()
            if char == ord('"'):
                return
            if char != ord("\\"):
                raise _Fault(_unexpected(char, "in string literal"))
            char = self._next()
            if char == ord("u"):
                self._unicode()
            elif char not in b'"\\/bfnrt':
                raise _Fault(_unexpected(char, "in string escape code"))

    def _unicode(self) -> None:
        end = _skipped(_hex, self._body, self._pos)
        if end < self._pos + 4:
            self._pos = end
            where = "in \\u hexadecimal character escape"
            raise _Fault(_unexpected(self._next(), where))
        self._pos = end

    def _literal(self, literal: bytes) -> None:
        for wanted in literal:
            char = self._next()
            if char != wanted:
                raise _Fault(_unexpected(char, f"in literal {literal.decode()} (expecting '{chr(wanted)}')"))

    def _number(self) -> None:
        body = self._body
        self._pos += body[self._pos] == ord("-")
        if body[self._pos] == ord("0"):
            self._pos += 1
        else:
            self._expect_digits("in numeric literal")
        if body[self._pos] == ord("."):
            self._pos += 1
            self._expect_digits("after decimal point in numeric literal")
        if body[self._pos] in b"eE":
            self._pos += 1
            self._pos += body[self._pos] in b"+-"
            self._expect_digits("in exponent of numeric literal")

    def _expect_digits(self, where: str) -> None:
        end = _skipped(_digits, self._body, self._pos)
        if end == self._pos:
            raise _Fault(_unexpected(self._next(), where))
        self._pos = end

    def _next(self) -> int:
        """The byte here; the last one is the space that is not there."""
        if self._pos >= len(self._body):
            raise _Fault(_ENDED)
        char = self._body[self._pos]
        self._pos += 1
        return char


def _skipped(pattern: re.Pattern[bytes], body: bytes, pos: int) -> int:
    found = pattern.match(body, pos)
    return found.end() if found else pos


def _unexpected(char: int, where: str) -> str:
    if char == ord("'"):
        shown = r"\'"
    elif char == ord('"'):
        shown = '"'
    else:
        shown = quoted(chr(char))[1:-1]
    return f"invalid character '{shown}' {where}"
