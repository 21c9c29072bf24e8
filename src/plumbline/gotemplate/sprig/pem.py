"""PEM as Go reads and writes it: what is no block is passed over, and so is a block that is broken."""

import base64
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from plumbline.gotemplate.gobase64 import read_base64
from plumbline.gotemplate.sprig.told import raw

_BEGIN: Final = "-----BEGIN "
END: Final = "-----END "
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
        elif kind is not None and stripped.startswith(END):
            block = _block(kind, lines) if stripped == f"{END}{kind}{_DASHES}" else None
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
    return "".join(f"{line}\n" for line in (f"{_BEGIN}{kind}{_DASHES}", *heads, *lines, f"{END}{kind}{_DASHES}"))
