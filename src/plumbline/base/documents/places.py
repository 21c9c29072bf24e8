"""Where in which text something is, and the errors that say so."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from plumbline.base.errors import BadDocument, DuplicateKey, LimitExceeded
from plumbline.base.json import Json

Path: TypeAlias = tuple[str | int, ...]
Spot: TypeAlias = tuple[int, int]
"""Line and column, both counted from 1; (0, 0) where there is no one place."""

Repeats: TypeAlias = Literal["refuse", "report", "ignore"]
"""What to do about a key that its mapping has set before. Where it is not refused the last one wins, as in kubectl."""

REPORTED: Final = 100
"""Duplicates of one document that are reported. Whoever has more than that does not read the list."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A key that its mapping has set before, and where it does so again."""

    path: Path
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a text with one document in it, and how many lines come before the piece."""

    start: int
    end: int
    lines_before: int
    form: Literal["json", "yaml"]


@dataclass(frozen=True, slots=True)
class Document:
    """What one document says.

    Where the text uses aliases, parts of the value are the same object. It is to be read, not written to.
    """

    value: Json
    line: int
    """Where the value begins in the whole text, counted from 1."""
    part: Part
    duplicates: tuple[Duplicate, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A text that errors can name."""

    name: str = ""

    def bad(self, why: str, spot: Spot = (0, 0), *, hint: str = "") -> BadDocument:
        line, column = spot
        error = BadDocument(f"{self._at(spot)} cannot be read", line=line, column=column, why=why, hint=hint)
        error.source = self.name
        return error

    def repeated(self, repeat: Duplicate) -> DuplicateKey:
        spot = line, column = repeat.line, repeat.column
        why = f"{dotted(repeat.path)} is set a second time"
        error = DuplicateKey(f"{self._at(spot)} cannot be read", line=line, column=column, why=why)
        error.source = self.name
        return error

    def exceeded(self, why: str, spot: Spot = (0, 0)) -> LimitExceeded:
        line, column = spot
        error = LimitExceeded(f"{self._at(spot)} goes beyond what is read", line=line, column=column, why=why)
        error.source = self.name
        return error

    def _at(self, spot: Spot) -> str:
        name = self.name or "The document"
        return f"{name}, line {spot[0]}, column {spot[1]}," if spot[0] else name


def dotted(path: Path) -> str:
    """A path as people write it: spec.containers[0].image."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def spot_of(text: bytes, offset: int) -> Spot:
    """Columns are counted in characters."""
    start = text.rfind(b"\n", 0, offset) + 1
    return text.count(b"\n", 0, offset) + 1, len(text[start:offset].decode("utf-8", "replace")) + 1


def lines_of(text: bytes, part: Part) -> bytes:
    """What the YAML parser gets: kubectl reads line by line and ends each with a newline, the last one too."""
    piece = text[part.start : part.end]
    if b"\r" in piece:
        piece = piece.replace(b"\r\n", b"\n")
    return piece if piece.endswith(b"\n") else piece + b"\n"
