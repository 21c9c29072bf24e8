"""Complaints as the headers that warn of them."""

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

LONGEST: Final = 256
MOST: Final = 4 * 1024
"""Characters of all warnings together, beyond which each is cut."""
_PREFIXES: Final = ("yaml: unmarshal errors:\n", "error converting YAML to JSON: yaml: unmarshal errors:\n")


def warnings_of(complaints: Iterable[str]) -> Iterator[str]:
    """One for each complaint; those about YAML come in one."""
    for complaint in complaints:
        prefix = next((each for each in _PREFIXES if complaint.startswith(each)), "")
        if prefix:
            yield from (line.strip() for line in complaint[len(prefix) :].split("\n"))
        else:
            yield complaint


def warning_headers(warnings: Iterable[str]) -> list[str]:
    """The values of as many headers: each warning once, none that a header cannot hold, and all of them short enough."""
    once = [each for each in dict.fromkeys(warnings) if each]
    written, cut = 0, False
    shown: list[str] = []
    for index, each in enumerate(once):
        if cut and written >= MOST:
            break
        text = each[:LONGEST] if cut else each
        if not _printable(text):
            continue
        if not cut and written + len(text) > MOST:
            cut = True
            shown = [text[:LONGEST] for text in once[: index + 1] if _printable(text[:LONGEST])]
            written = sum(map(len, shown))
            continue
        written += len(text)
        shown.append(text)
    return [f"299 - {_quoted(text)}" for text in shown]


def _printable(text: str) -> bool:
    return text.isprintable() or not any(unicodedata.category(char) == "Cc" for char in text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
