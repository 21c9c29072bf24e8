"""Git's lines on the wire, as far as they tell what a push wants and what became of it. Total over any bytes."""

import re
from collections.abc import Iterator
from typing import Final

from plumbline.forge.local import RefUpdate

FLUSH: Final = b"0000"
_LENGTH: Final = re.compile(rb"[0-9a-fA-F]{4}")
_HEADER: Final = 4
_MOST_BYTES: Final = 4 << 20
_COMMAND: Final = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([^\0\n]+)(?:\0([^\n]*))?\n?")


def line(text: str) -> bytes:
    """One line with its length before it."""
    return f"{len(text) + _HEADER:04x}{text}".encode()


def _length(text: bytes | bytearray, at: int) -> int:
    """Of the line at that place, itself included; zero for a flush, and for what is no line."""
    return int(text[at : at + _HEADER], 16) if _LENGTH.fullmatch(text, at, at + _HEADER) else 0


def lines(piece: bytes) -> Iterator[bytes | None]:
    """Each line without its length, None for a flush; ends where it is no longer one."""
    at = 0
    while _LENGTH.fullmatch(piece, at, at + _HEADER):
        length = _length(piece, at)
        if length < _HEADER:
            yield None
            at += _HEADER
        elif at + length > len(piece):
            return
        else:
            yield piece[at + _HEADER : at + length]
            at += length


class Commands:
    """What a push wants to move, read from the beginning of its body while that passes by."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._at = 0
        self._ended = False

    def see(self, piece: bytes) -> None:
        """Keeps the lines up to the first flush, after which the pack comes."""
        if self._ended:
            return
        self._head += piece
        while not self._ended and len(self._head) - self._at >= _HEADER:
            length = _length(self._head, self._at)
            if len(self._head) - self._at < length:
                break
            self._at += max(length, _HEADER)
            self._ended = length < _HEADER
        self._ended = self._ended or len(self._head) > _MOST_BYTES
        if self._ended:
            del self._head[self._at :]

    def read(self) -> tuple[tuple[RefUpdate, ...], bool]:
        """The moves, and whether the report comes in a side band."""
        updates: list[RefUpdate] = []
        sideband = False
        for text in lines(bytes(self._head)):
            if text is None:
                break
            if found := _COMMAND.fullmatch(text):
                ref = found[3].decode(errors="replace")
                updates.append(RefUpdate(ref, found[1].decode(), found[2].decode()))
                sideband = sideband or b"side-band" in (found[4] or b"")
        return tuple(updates), sideband


def done(updates: tuple[RefUpdate, ...], report: bytes, *, sideband: bool) -> tuple[RefUpdate, ...]:
    """Those that happened. Without a report that can be read, all: to look once too often does no harm."""
    if sideband:
        report = b"".join(text[1:] for text in lines(report) if text and text[0] == 1)
    said = [text for text in lines(report) if text]
    if not any(text.startswith(b"unpack ") for text in said):
        return updates
    happened = {text[3:].strip().decode(errors="replace") for text in said if text.startswith(b"ok ")}
    return tuple(update for update in updates if update.ref in happened)
