"""What Go's JSON decoder finds wrong with bytes that should hold an object. Complaints about Secrets quote it."""

import re
from typing import Final

from plumbline.kube.gotext import quoted

_END: Final = "unexpected end of JSON input"
_SPACE: Final = b" \t\r\n"
_DEEPEST: Final = 10000
_LITERALS: Final = {ord("t"): b"true", ord("f"): b"false", ord("n"): b"null"}
_ESCAPES: Final = b'bfnrt\\/"'
_HEX: Final = b"0123456789abcdefABCDEF"
_plain: Final = re.compile(rb'[^"\\\x00-\x1f]*').match
_digits: Final = re.compile(rb"[0-9]*").match
_OPENERS: Final = {ord("{"): "key or end", ord("["): "element or end"}
_TYPES: Final = {ord("["): "array", ord('"'): "string", ord("t"): "bool", ord("f"): "bool"}
_AFTER: Final = {
    "key": "looking for beginning of object key string",
    "key or end": "looking for beginning of object key string",
    "colon": "after object key",
    "pair end": "after object key:value pair",
    "element end": "after array element",
    "top end": "after top-level value",
}


def object_fault(content: bytes) -> str:
    """Why *content* does not decode to an object, or nothing where it does."""
    if fault := _Scan(content).fault():
        return fault
    first = content.lstrip(_SPACE)[0]
    if first in b"{n":
        return ""
    return f"json: cannot unmarshal {_TYPES.get(first, 'number')} into Go value of type map[string]interface {{}}"


class _Scan:
    def __init__(self, content: bytes) -> None:
        # At the end the decoder looks whether a space could follow.
        self._content = content + b" "
        self._at = 0
        self._state = "value"
        self._open: list[str] = []

    def fault(self) -> str:
        content = self._content
        while self._at < len(content):
            char = content[self._at]
            if char in _SPACE:
                self._at += 1
            elif fault := self._step(char):
                return fault
        return "" if self._state == "top end" else _END

    def _step(self, char: int) -> str:
        state = self._state
        if state == "value" or (state == "element or end" and char != ord("]")):
            return self._value(char)
        if state in {"key", "key or end"} and char == ord('"'):
            self._state = "colon"
            return self._string()
        self._at += 1
        if state == "colon" and char == ord(":"):
            self._state = "value"
        elif char == ord(",") and state in {"pair end", "element end"}:
            self._state = "key" if state == "pair end" else "value"
        elif (state in {"pair end", "key or end"} and char == ord("}")) or (
            state in {"element end", "element or end"} and char == ord("]")
        ):
            self._open.pop()
            self._state = self._after()
        else:
            return _unexpected(char, _AFTER[state])
        return ""

    def _after(self) -> str:
        return self._open[-1] if self._open else "top end"

    def _value(self, char: int) -> str:
        if char in _OPENERS:
            self._at += 1
            self._open.append("pair end" if char == ord("{") else "element end")
            self._state = _OPENERS[char]
            return "exceeded max depth" if len(self._open) > _DEEPEST else ""
        self._state = self._after()
        if char == ord('"'):
            return self._string()
        if literal := _LITERALS.get(char):
            return self._literal(literal)
        if char in b"-0123456789":
            return self._number()
        return _unexpected(char, "looking for beginning of value")

    def _literal(self, literal: bytes) -> str:
        for wanted in literal:
            found = self._next()
            if found is None:
                return _END
            if found != wanted:
                return _unexpected(found, f"in literal {literal.decode()} (expecting '{chr(wanted)}')")
        return ""

    def _number(self) -> str:
        first = self._next()
        if first == ord("-"):
            first = self._next()
        if first is None or first not in b"0123456789":
            return _END if first is None else _unexpected(first, "in numeric literal")
        if first != ord("0"):
            self._skip_digits()
        if self._peek() in b".":
            self._at += 1
            if fault := self._digits("after decimal point in numeric literal"):
                return fault
        if self._peek() in b"eE":
            self._at += 1
            if self._peek() in b"+-":
                self._at += 1
            return self._digits("in exponent of numeric literal")
        return ""

    def _digits(self, where: str) -> str:
        first = self._next()
        if first is None or first not in b"0123456789":
            return _END if first is None else _unexpected(first, where)
        self._skip_digits()
        return ""

    def _string(self) -> str:
        self._at += 1
        while True:
            plain = _plain(self._content, self._at)
            self._at = plain.end() if plain else self._at
            char = self._next()
            if char == ord('"'):
                return ""
            if char is None or char != ord("\\"):
                return _END if char is None else _unexpected(char, "in string literal")
            if fault := self._escape():
                return fault

    def _escape(self) -> str:
        char = self._next()
        if char is None:
            return _END
        if char != ord("u"):
            return "" if char in _ESCAPES else _unexpected(char, "in string escape code")
        for _ in range(4):
            digit = self._next()
            if digit is None or digit not in _HEX:
                return _END if digit is None else _unexpected(digit, "in \\u hexadecimal character escape")
        return ""

    def _skip_digits(self) -> None:
        digits = _digits(self._content, self._at)
        self._at = digits.end() if digits else self._at

    def _next(self) -> int | None:
        if self._at >= len(self._content):
            return None
        self._at += 1
        return self._content[self._at - 1]

    def _peek(self) -> bytes:
        return self._content[self._at : self._at + 1] or b" "


def _unexpected(char: int, where: str) -> str:
    shown = {ord("'"): r"'\''", ord('"'): "'\"'"}.get(char) or f"'{quoted(chr(char))[1:-1]}'"
    return f"invalid character {shown} {where}"
