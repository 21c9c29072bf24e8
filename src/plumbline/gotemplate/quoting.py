"""Go's quoted strings, both ways."""

import re
from typing import Final

from plumbline.gotemplate.values import Failed

_SIMPLE: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"',
}  # fmt: skip
_NAMES: Final = {char: f"\\{name}" for name, char in _SIMPLE.items() if name not in "'\""}
_escape: Final = re.compile(
    r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))|\\"
)
_LAST_RUNE: Final = 0x10FFFF
_BAD: Final = "invalid syntax"


def quoted(text: str, quote: str = '"', *, ascii_only: bool = False) -> str:
    """*text* as `%q` prints it."""
    return quote + "".join(_escaped(char, quote, ascii_only=ascii_only) for char in text) + quote


def _escaped(char: str, quote: str, *, ascii_only: bool) -> str:
    if char == quote:
        return f"\\{char}"
    if char in _NAMES:
        return _NAMES[char]
    point = ord(char)
    if char.isascii():
        return char if char.isprintable() else f"\\x{point:02x}"
    if 0xDC80 <= point <= 0xDCFF:  # noqa: PLR2004 - a byte that is no text
        return f"\\x{point - 0xDC00:02x}"
    if char.isprintable() and not ascii_only:
        return char
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"  # noqa: PLR2004 - the end of the first plane


def unquoted(text: str) -> str:
    """What a literal in double quotes or backquotes says. Raises Failed."""
    if text.startswith("`"):
        return text[1:-1].replace("\r", "")
    return _unescaped(text[1:-1], "'")


def rune(text: str) -> int:
    """The number of the character in a literal with single quotes. Raises Failed."""
    char = _unescaped(text[1:-1], '"')
    if len(char) != 1:
        raise Failed(f"malformed character constant: {text}" if len(char) > 1 else _BAD)
    return ord(char)


def _unescaped(text: str, never: str) -> str:
    """*never* is the quote that may not be escaped in such a literal."""
    raw = bytearray()
    done = 0
    for found in _escape.finditer(text):
        raw += text[done : found.start()].encode(errors="surrogateescape")
        raw += _meant(found, never)
        done = found.end()
    raw += text[done:].encode(errors="surrogateescape")
    return raw.decode(errors="surrogateescape")


def _meant(found: re.Match[str], never: str) -> bytes:
    simple, byte, short, long, octal = found.groups()
    if simple is not None and simple != never:
        return _SIMPLE[simple].encode()
    if byte is not None:
        return bytes([int(byte, 16)])
    if octal is not None and int(octal, 8) < 256:  # noqa: PLR2004 - a byte
        return bytes([int(octal, 8)])
    point = int(short or long or "110000", 16)
    if point > _LAST_RUNE or 0xD800 <= point <= 0xDFFF:  # noqa: PLR2004 - halves of pairs are no characters
        raise Failed(_BAD)
    return chr(point).encode()
