"""What Go calls the types of fields, where that does not follow from the messages that they are in protobuf.

The table was written by `tools/go_types`. Below the name of a message, a line per field: its name in JSON, the name of
the type that a scalar or an item has, and where it is needed that of the whole list or map.
"""

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

_FILE: Final = Path(__file__).with_name("names.txt")


class Names(NamedTuple):
    item: str = ""
    whole: str = ""


@cache
def names_in(message: str) -> dict[str, Names]:
    """Per field; nothing of most messages."""
    found: dict[str, Names] = {}
    for line in _blocks().get(message, ()):
        field, item, *whole = line.split()
        found[field] = Names(item, *whole)
    return found


@cache
def _blocks() -> dict[str, list[str]]:
    blocks: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in _FILE.read_text().splitlines():
        if line.startswith(" "):
            lines.append(line)
        else:
            lines = blocks[line] = []
    return blocks
