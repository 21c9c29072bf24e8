"""Where in a text a field of one of its documents is written. Found when somebody asks, by reading it again."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from yaml import (  # noqa: TID251 - this is the one place
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from yaml._yaml import CParser  # noqa: TID251 - this is the one place

from plumbline.base.documents.builder import scalar_of
from plumbline.base.documents.places import Document, Part, Path, Source, lines_of
from plumbline.base.documents.scalars import as_key
from plumbline.base.documents.stream import as_bytes
from plumbline.base.documents.tokens import entries

_MERGE: Final = "<<"
_STARTS: Final = frozenset({MappingStartEvent, SequenceStartEvent})
_ENDS: Final = frozenset({MappingEndEvent, SequenceEndEvent})
_NODES: Final = _STARTS | {ScalarEvent, AliasEvent}


def line_of(text: bytes | str, document: Document, path: Path) -> int:
    """The line that sets the field at *path*, or the nearest to it that is written down.

    That is the `<<` that brings it, the alias that stands for it, or else the field that it would be in. *text* is the
    whole text that *document* was read from. Of a key that is set twice it is the last, whose value counts.
    """
    raw = as_bytes(text, Source())
    part = document.part
    ranks = {path[:length]: 2 * length for length in range(1, len(path) + 1)}
    ranks |= {(*path[:length], _MERGE): 2 * length + 1 for length in range(len(path)) if path[length] != _MERGE}
    best, where = 0, 0
    for entry, place in _json_places(raw, part) if part.form == "json" else _yaml_places(raw, part):
        if ranks.get(entry, 0) >= max(best, 1):
            best, where = ranks[entry], place
    if best == 0:
        return document.line
    return raw.count(b"\n", 0, where) + 1 if part.form == "json" else part.lines_before + where + 1


def paths_by_line(text: str, document: Document) -> dict[int, Path]:
    """The field that begins on each line of a YAML *text*, the innermost where several do; lines count from 1."""
    found: dict[int, Path] = {}
    for entry, place in _yaml_places(as_bytes(text, Source()), document.part):
        found[document.part.lines_before + place + 1] = entry
    return found


def _json_places(raw: bytes, part: Part) -> Iterator[tuple[Path, int]]:
    """Paths and byte offsets."""
    return ((entry.path, entry.offset) for entry in entries(raw, part.start, part.end))


def _yaml_places(raw: bytes, part: Part) -> Iterator[tuple[Path, int]]:
    """Paths and lines of the part. The part has been read before, so it is well-formed and within limits."""
    take: Callable[[], Any] = CParser(lines_of(raw, part)).get_event
    anchored: dict[str, Any] = {}
    path: list[Any] = []
    mappings: list[bool] = []
    key_is_next = False
    while event := take():
        kind = type(event)
        if kind in _NODES:
            if kind is ScalarEvent and event.anchor:
                anchored[event.anchor] = event
            if key_is_next:
                path[-1] = _key(event if kind is ScalarEvent else anchored[event.anchor])
            if path and (key_is_next or not mappings[-1]):
                yield tuple(path), event.start_mark.line
            if key_is_next:
                key_is_next = False
                continue
        if kind in _STARTS:
            mappings.append(kind is MappingStartEvent)
            path.append("" if mappings[-1] else 0)
            key_is_next = mappings[-1]
            continue
        if kind in _ENDS:
            mappings.pop()
            path.pop()
        if mappings:
            key_is_next = mappings[-1]
            if not key_is_next:
                path[-1] += 1


def _key(event: Any) -> str:
    return _MERGE if event.value == _MERGE else as_key(scalar_of(event))
