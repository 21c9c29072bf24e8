"""PEM, sorted by kinds of blocks."""

from collections.abc import Mapping
from typing import Final

from plumbline.gotemplate import Function, function
from plumbline.gotemplate.sprig.pem import END, Block, blocks, encoded
from plumbline.gotemplate.sprig.told import Told


def _filtered(kind: str, text: str) -> str:
    """Blocks of one kind. What holds no block at all is junk, unless it is nothing."""
    found = blocks(text)
    wanted = [encoded(*_parts(block)) for block in found if block.kind.casefold() == kind.casefold()]
    if not wanted and _rest(text):
        raise Told("error filtering pem: found junk")
    return "".join(wanted)


def _parts(block: Block) -> tuple[str, bytes, Mapping[str, str]]:
    return block.kind, block.body, block.headers


def _rest(text: str) -> str:
    """What is left behind the last block."""
    _, found, after = text.rpartition(END)
    return after.partition("\n")[2] if found else text


FUNCTIONS: Final[Mapping[str, Function]] = {"filterPEM": function("string string", _filtered)}
