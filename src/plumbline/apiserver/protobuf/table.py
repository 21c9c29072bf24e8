"""The facts that messages are read and written by, as `tools/protobuf_table` wrote them down.

A message begins with its name, and with the group-version that serves it if it is a kind. Below it, a line per field:
its name in JSON (`-` where its fields stand in those of its owner), number, type, and its name in Go where that does
not follow from the one in JSON. A type is a scalar or the name of a message, after `*` for a pointer, `[]` for a list
or `{}` for a map with strings as keys. A `?` at its end says that JSON leaves it out where it is empty, a `!` where it
is zero; all others are always there.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

SCALARS: Final = frozenset({"string", "bool", "int32", "int64", "double", "bytes", "raw"})
_TYPE: Final = re.compile(r"(\*|\[\]|\{\}|)(.+?)([?!]?)")


class Field(NamedTuple):
    name: str
    number: int
    shape: str
    """`*`, `[]`, `{}` or nothing, as in the table."""
    type: str
    """A scalar, or the full name of a message."""
    omitted: bool
    """Whether JSON is without it where it is empty."""
    go_name: str


class Table:
    """Read when somebody asks for a message, and then only the lines of that one."""

    def __init__(self, file_name: str) -> None:
        self._file = Path(__file__).with_name(file_name)

    @cached_property
    def kinds(self) -> dict[tuple[str, str], str]:
        """The message of each group-version and kind."""
        heads = (block.partition("\n")[0].split() for block in self._blocks.values())
        return {(head[1], head[0].rpartition(".")[2]): head[0] for head in heads if len(head) > 1}

    @property
    def messages(self) -> Iterator[str]:
        return iter(self._blocks)

    def fields(self, message: str) -> Iterator[Field]:
        package, dot, _ = message.rpartition(".")
        for line in self._blocks[message].splitlines()[1:]:
            name, number, kind, *go_name = line.split()
            shape, bare, mark = _parts(kind)
            full = bare if bare in SCALARS or "." in bare else f"{package}{dot}{bare}"
            yield Field(name, int(number), shape, full, bool(mark), *go_name or [name[0].upper() + name[1:]])

    @cached_property
    def _blocks(self) -> dict[str, str]:
        return {block.split(None, 1)[0]: block for block in self._file.read_text().split("\n\n")}


def _parts(kind: str) -> tuple[str, ...]:
    match = _TYPE.fullmatch(kind)
    assert match, kind  # noqa: S101 - the tables are ours, and a test reads all of them
    return match.groups()


BODIES: Final = Table("messages.txt")
OPENAPI: Final = Table("openapi_v2.txt")
