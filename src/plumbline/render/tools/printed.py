"""Manifests that a tool printed, as objects."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.render.requests import Found, Origin

if TYPE_CHECKING:
    from plumbline.base.documents import Document

Placed: TypeAlias = "Callable[[Document], Origin]"


async def objects(
    text: bytes, source: str, placed: Placed, *, inline_bytes: int
) -> tuple[tuple[Found, ...], tuple[str, ...]]:
    """Every object in *text*, and warnings about keys that are set twice. More than *inline_bytes* leave the loop."""
    if len(text) <= inline_bytes:
        return _objects(text, source, placed)
    return await asyncio.to_thread(_objects, text, source, placed)


def _objects(text: bytes, source: str, placed: Placed) -> tuple[tuple[Found, ...], tuple[str, ...]]:
    from plumbline.base.documents import load_documents  # noqa: PLC0415 - loads YAML

    found: list[Found] = []
    warnings: list[str] = []
    for document in load_documents(text, source=source, repeats="report"):
        origin = placed(document)
        if not isinstance(document.value, dict):
            raise InvalidInput(f"Cannot use what {origin} gives", why="it is not an object")
        found.append(Found(document.value, origin))
        warnings += [f"{origin} sets {_dotted(each.path)} twice; the last one counts" for each in document.duplicates]
    return tuple(found), tuple(warnings)


def _dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(map(str, path))
