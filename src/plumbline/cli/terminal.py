"""How text reaches a terminal: colour where it is wanted, glyphs where they can be shown, nothing that steers it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Final, Literal, NamedTuple

import click

Colour = Literal["auto", "always", "never"]


@dataclass
class Settings:
    """What was asked for once, for the whole command line."""

    colour: Colour = "auto"
    verbose: bool = False
    log_format: str = ""
    """How errors are written, where somebody says so: `json` or `text`."""

    def coloured(self, environment: Mapping[str, str]) -> bool | None:
        """Whether to colour; None leaves it to whether each stream is a terminal."""
        if self.colour != "auto":
            return self.colour == "always"
        if environment.get("NO_COLOR"):
            return False
        if environment.get("FORCE_COLOR"):
            return True
        return False if environment.get("TERM") == "dumb" else None


class Sign:
    """A glyph and its colour. It never stands alone: a word beside it says the same."""

    def __init__(self, glyph: str, ascii_: str, colour: str) -> None:
        self.glyph = glyph
        self.ascii = ascii_
        self.colour = colour

    def text(self, stream: IO[str]) -> str:
        return self.glyph if encodable(self.glyph, stream) else self.ascii

    def shown(self, stream: IO[str]) -> str:
        return click.style(self.text(stream), fg=self.colour)


GOOD: Final = Sign("✔", "+", "green")
WARNING: Final = Sign("▲", "!", "yellow")
BAD: Final = Sign("✗", "x", "red")
BUSY: Final = Sign("●", "o", "cyan")


def encodable(text: str, stream: IO[str]) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def plain(text: str) -> str:
    """*text* on one line, without anything that a terminal would obey: escapes, bells, bidirectional overrides."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else " " if c in "\n\t\r" else c.encode("unicode_escape").decode() for c in text
    )


class Styled(NamedTuple):
    """A cell with a colour. It is made plain like any other, so nobody's text can bring its own."""

    text: str
    colour: str


def table(header: Sequence[str], rows: Sequence[Sequence[str | Styled]]) -> str:
    """Aligned columns, as kubectl prints them; the last one is as long as it is."""
    return "\n".join(line.rstrip() for line in _aligned(header, rows, 3))


def argo_table(header: Sequence[str], rows: Sequence[Sequence[str | Styled]], gap: int = 2) -> str:
    """The same as argocd prints them, for scripts that hold on to that: closer together, blanks at the end of a line kept."""
    return "\n".join(_aligned(header, rows, gap))


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str | Styled]], gap: int) -> Iterator[str]:
    lines = [[Styled(plain(name), "") for name in header], *([_cell(each) for each in row] for row in rows)]
    widths = [max(len(line[at].text) for line in lines) for at in range(len(header))]
    return (_line(line, widths, gap) for line in lines)


def _cell(value: str | Styled) -> Styled:
    return value._replace(text=plain(value.text)) if isinstance(value, Styled) else Styled(plain(value), "")


def _line(cells: Sequence[Styled], widths: Sequence[int], gap: int) -> str:
    last = len(cells) - 1
    return (" " * gap).join(
        _styled(cell) + ("" if at == last else " " * (width - len(cell.text)))
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )


def _styled(cell: Styled) -> str:
    return click.style(cell.text, fg=cell.colour) if cell.colour else cell.text
