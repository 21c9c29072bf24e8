"""Tables that a server makes of objects, put together as kubectl does: wide columns left out, namespaces in front."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from plumbline.base.json import Json, JsonObject
from plumbline.cli.terminal import Styled, plain, table

_COLOURS: Final = {
    "Healthy": "green", "Synced": "green", "Running": "green", "Ready": "green", "True": "green", "Bound": "green",
    "Active": "green", "Progressing": "cyan", "Pending": "cyan", "ContainerCreating": "cyan", "OutOfSync": "yellow",
    "Suspended": "yellow", "Missing": "yellow", "Terminating": "yellow", "Degraded": "red", "Failed": "red", "Error": "red",
    "CrashLoopBackOff": "red", "ImagePullBackOff": "red", "ErrImagePull": "red", "Unknown": "magenta", "False": "red",
}  # fmt: skip
"""States that mean the same wherever they stand. The word is always there; colour comes on top."""


class Drawn(NamedTuple):
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def text(self) -> str:
        return table(self.header, [[_cell(each) for each in row] for row in self.rows])

    def without_header(self, like: "Drawn") -> str:
        """Rows that come later, in the columns of *like*."""
        widths = [max(map(len, column)) for column in zip(like.header, *like.rows, strict=True)]
        lines = []
        for row in self.rows:
            cells = [plain(cell).ljust(width) for cell, width in zip(row, widths, strict=False)]
            lines.append("   ".join(cells).rstrip())
        return "\n".join(lines)

    def csv(self) -> str:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([_harmless(each) for each in row] for row in self.rows)
        return out.getvalue()


def drawn(answer: JsonObject, *, wide: bool, namespaces: bool, prefix: str = "") -> Drawn:
    """*answer* is a Table. *prefix* goes before names, where several kinds are shown."""
    columns: Sequence[JsonObject] = answer.get("columnDefinitions") or []
    shown = [at for at, column in enumerate(columns) if wide or not column.get("priority")]
    first = ("NAMESPACE",) if namespaces else ()
    header = (*first, *(str(columns[at].get("name", "")).upper() for at in shown))
    named = next((at for at in shown if columns[at].get("format") == "name"), 0)
    rows = []
    for row in answer.get("rows") or []:
        cells = row.get("cells") or []
        values = [f"{prefix}{_text(cells[at])}" if at == named and prefix else _text(cells[at]) for at in shown if at < len(cells)]  # fmt: skip
        where = ((row.get("object") or {}).get("metadata") or {}).get("namespace") or ""
        rows.append((*((str(where),) if namespaces else ()), *values))
    return Drawn(header, tuple(rows))


def names(answer: JsonObject) -> Iterable[str]:
    for row in answer.get("rows") or []:
        yield str(((row.get("object") or {}).get("metadata") or {}).get("name") or "")


def _text(value: Json) -> str:
    if value is None:
        return "<none>"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cell(text: str) -> str | Styled:
    colour = _COLOURS.get(text)
    return Styled(text, colour) if colour else text


def _harmless(text: str) -> str:
    """What a spreadsheet would take for a formula is a text."""
    return f"'{text}" if text[:1] in {"=", "+", "-", "@", "\t", "\r"} else text
