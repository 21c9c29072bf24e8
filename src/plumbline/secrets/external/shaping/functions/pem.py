"""PEM as Go reads and writes it: what is no block is passed over, and so is a block that is broken."""

import base64
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from plumbline.gotemplate import Function, function
from plumbline.secrets.external.shaping.functions.told import Told, raw
from plumbline.secrets.external.shaping.gobase64 import read_base64

_BEGIN: Final = "-----BEGIN "
_END: Final = "-----END "
_DASHES: Final = "-----"
_WIDTH: Final = 64
_PROC_TYPE: Final = "Proc-Type"


class Block(NamedTuple):
    kind: str
    headers: Mapping[str, str]
    body: bytes

    def __repr__(self) -> str:
        return f"<{self.kind}>"


def blocks(text: str) -> list[Block]:
    """All of them, in order."""
    return list(_blocks(text))


def _blocks(text: str) -> Iterator[Block]:
    kind: str | None = None
    lines: list[str] = []
    for line in text.split("\n"):
        stripped = line.rstrip(" \t\r")
        if stripped.startswith(_BEGIN) and stripped.endswith(_DASHES):
            kind, lines = stripped[len(_BEGIN) : -len(_DASHES)], []
        elif kind is not None and stripped.startswith(_END):
            block = _block(kind, lines) if stripped == f"{_END}{kind}{_DASHES}" else None
            if block is not None:
                yield block
            kind = None
        elif kind is not None:
            lines.append(stripped)


def _block(kind: str, lines: list[str]) -> Block | None:
    headers: dict[str, str] = {}
    at = 0
    while at < len(lines) and ":" in lines[at]:
        name, _, value = lines[at].partition(":")
        headers[name.strip()] = value.strip()
        at += 1
    body = read_base64(raw("".join(lines[at:]).replace(" ", "").replace("\t", "")))
    return None if body is None else Block(kind, headers, body)


def encoded(kind: str, body: bytes, headers: Mapping[str, str] | None = None) -> str:
    """One block, with a line break at its end."""
    text = base64.b64encode(body).decode()
    lines = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)]
    given = headers or {}
    names = [*(name for name in given if name == _PROC_TYPE), *sorted(name for name in given if name != _PROC_TYPE)]
    heads = [*(f"{name}: {given[name]}" for name in names), ""] if names else []
    return "".join(f"{line}\n" for line in (f"{_BEGIN}{kind}{_DASHES}", *heads, *lines, f"{_END}{kind}{_DASHES}"))


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
    _, found, after = text.rpartition(_END)
    return after.partition("\n")[2] if found else text


FUNCTIONS: Final[Mapping[str, Function]] = {"filterPEM": function("string string", _filtered)}
