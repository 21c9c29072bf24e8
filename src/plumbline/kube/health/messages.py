"""Messages of rules, with blanks that the object fills.

`{message}` is a field of the condition that decided, `{.status.phase}` one of the object, `{message,reason}` the first
of them that says something, and `{message|no reason given}` has a last resort.
"""

import re
from functools import lru_cache
from typing import Final, TypeAlias

import msgspec

from plumbline.base.json import JsonObject
from plumbline.kube.health.reading import at, printed

Path: TypeAlias = tuple[str, ...]

_PLACEHOLDER: Final = re.compile(r"\{([^{}|]+)(?:\|([^{}]*))?\}")


class _Blank(msgspec.Struct, frozen=True):
    sources: tuple[tuple[bool, Path], ...]
    """Where to look, first come first served: in the object (True) or in the condition."""
    resort: str


def render(template: str, obj: JsonObject, condition: JsonObject) -> str:
    return "".join(piece if isinstance(piece, str) else _filled(piece, obj, condition) for piece in _pieces(template))


def _filled(blank: _Blank, obj: JsonObject, condition: JsonObject) -> str:
    for in_object, path in blank.sources:
        found = printed(at(obj if in_object else condition, *path))
        if found:
            return found
    return blank.resort


@lru_cache(maxsize=1024)
def _pieces(template: str) -> tuple[str | _Blank, ...]:
    pieces: list[str | _Blank] = []
    end = 0
    for found in _PLACEHOLDER.finditer(template):
        pieces.append(template[end : found.start()])
        sources = (source.strip() for source in found[1].split(","))
        paths = tuple((source.startswith("."), tuple(source.removeprefix(".").split("."))) for source in sources)
        pieces.append(_Blank(paths, found[2] or ""))
        end = found.end()
    return (*pieces, template[end:])
