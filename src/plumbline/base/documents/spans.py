"""Where the entries of a document are written, to the character: for whoever changes one of them and nothing else."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from yaml import (  # noqa: TID251 - this is the one place
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    YAMLError,
)
from yaml._yaml import CParser  # noqa: TID251 - this is the one place

from plumbline.base.documents.builder import scalar_of
from plumbline.base.documents.places import Document, Path
from plumbline.base.documents.scalars import as_key
from plumbline.base.errors import BadDocument

Form: TypeAlias = Literal["plain", "single", "double", "block", "alias", "mapping", "flow", "list"]
_FORMS: Final[dict[str, Form]] = {"'": "single", '"': "double", "|": "block", ">": "block"}
_BYTE_ORDER_MARK: Final = "\ufeff"
_MERGE: Final = "<<"
_STARTS: Final = frozenset({MappingStartEvent, SequenceStartEvent})
_ENDS: Final = frozenset({MappingEndEvent, SequenceEndEvent})


class Span(NamedTuple):
    """From one character of the whole text up to another."""

    start: int
    end: int


class Written(NamedTuple):
    """A key and what stands there for its value, anchors and tags included."""

    path: Path
    key: Span
    value: Span
    """Of a mapping in block style it ends where the next thing begins, so comments in between are part of it."""
    form: Form
    key_form: Form


@dataclass
class _Container:
    mapping: bool
    start: int
    form: Form
    key: Any = None
    index: int = 0


def written(text: str, document: Document) -> Iterator[Written]:
    """Every entry of every mapping of *document*, which was read from *text*; inner ones before those they are in.

    Raises BadDocument for JSON that libyaml does not take, such as escaped surrogates.
    """
    raw = text.encode()
    part = document.part
    piece = raw[part.start : part.end].decode()
    before = len(raw[: part.start].decode())
    if piece.startswith(_BYTE_ORDER_MARK):
        # libyaml does not count it.
        piece, before = piece[1:], before + 1
    return _Reader(piece, before).entries()


class _Reader:
    def __init__(self, piece: str, before: int) -> None:
        self._take: Callable[[], Any] = CParser(piece.encode()).get_event
        self._before = before
        self._stack: list[_Container] = []
        self._anchored: dict[str, Any] = {}

    def entries(self) -> Iterator[Written]:
        while event := self._next():
            kind = type(event)
            if kind in _STARTS:
                mapping = kind is MappingStartEvent
                form: Form = ("flow" if event.flow_style else "mapping") if mapping else "list"
                self._stack.append(_Container(mapping, event.start_mark.index, form))
            elif kind in _ENDS:
                closed = self._stack.pop()
                yield from self._value(Span(closed.start, event.end_mark.index), closed.form)
            elif kind is ScalarEvent or kind is AliasEvent:
                yield from self._node(event)

    def _next(self) -> Any:
        try:
            return self._take()
        except YAMLError:
            raise BadDocument("The document cannot be looked at entry by entry", why="it is no YAML") from None

    def _node(self, event: Any) -> Iterator[Written]:
        if isinstance(event, ScalarEvent) and event.anchor:
            self._anchored[event.anchor] = event
        holder = self._stack[-1] if self._stack else None
        if holder is not None and holder.mapping and holder.key is None:
            holder.key = event
            return
        span = Span(event.start_mark.index, event.end_mark.index)
        yield from self._value(span, _form(event))

    def _value(self, span: Span, form: Form) -> Iterator[Written]:
        """What was read is the value of the key before it, or the next item of a list."""
        if not self._stack:
            return
        holder = self._stack[-1]
        if not holder.mapping:
            holder.index += 1
            return
        key = holder.key
        at = Span(key.start_mark.index + self._before, key.end_mark.index + self._before)
        yield Written(self._path(), at, Span(span.start + self._before, span.end + self._before), form, _form(key))
        holder.key = None

    def _path(self) -> Path:
        return tuple(self._name(each.key) if each.mapping else each.index for each in self._stack)

    def _name(self, key: Any) -> str:
        event = key if isinstance(key, ScalarEvent) else self._anchored[key.anchor]
        return _MERGE if event.value == _MERGE else as_key(scalar_of(event))


def _form(event: Any) -> Form:
    return "alias" if isinstance(event, AliasEvent) else _FORMS.get(event.style or "", "plain")
