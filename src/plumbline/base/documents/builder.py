"""Values from YAML events, in one pass and without a tree of nodes in between.

libyaml's scanner and parser keep their state on the heap, so events are safe at any depth. What PyYAML builds from them
is not, and it knows neither limits nor Kubernetes' scalars. Rendering reads hundreds of documents: the way of an
ordinary key and value through here is short, and what is unusual is dealt with elsewhere.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from yaml import (  # noqa: TID251 - this is the one place
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from yaml._yaml import CParser  # noqa: TID251 - this is the one place

from plumbline.base.documents.meter import Meter, Reading, Weight
from plumbline.base.documents.places import REPORTED, Document, Duplicate, Part, Spot, lines_of
from plumbline.base.documents.scalars import (
    COLLECTION_TAGS,
    MERGE_TAG,
    NUMBER_STARTS,
    WORDS,
    Resolved,
    UnreadableScalar,
    as_key,
    as_value,
    resolve,
    resolve_tagged,
    short_tag,
)
from plumbline.base.errors import BadDocument
from plumbline.base.json import Json, JsonObject

_MERGE: Final = "<<"
_NOT_TEXT: Final = frozenset(WORDS) | {_MERGE}
_ENDS: Final = frozenset({MappingEndEvent, SequenceEndEvent})
_ANCHORS: Final = 10_000
"""In one document: each is kept until its end, whether an alias uses it or not."""
_QUOTE_KEY: Final = "Put quotes around the key."
_RENDER_FIRST: Final = "Quote it; if it is a template, render it first."


class _Anchor(NamedTuple):
    event: Any
    value: Json = None
    weight: Weight | None = None
    """None while its node is still being read: an alias in there would contain itself."""


class Builder:
    """Reads one document of one text. Events are `Any`: which attributes they have depends on their type."""

    def __init__(self, text: bytes, part: Part, reading: Reading) -> None:
        piece = lines_of(text, part)
        self._events: Callable[[], Any] = CParser(piece).get_event
        self._next: Callable[[], Any] = self._events if reading.meter is None else self._metered
        self._last: Any = None
        self._usual = b"!" not in piece and b"&" not in piece
        """There are no tags and no anchors, so that most nodes need no second look."""
        self._part = part
        self._source = reading.source
        self._limits = reading.limits
        self._depth = reading.limits.depth
        self._meter = reading.meter
        self._repeats = reading.repeats
        self._path: list[str | int] = []
        self._anchors: dict[str, _Anchor] = {}
        self._duplicates: list[Duplicate] = []

    def document(self) -> Document | None:
        """The document, or None where there is only space, comments or null."""
        self._events()
        start = self._events()
        if type(start) is StreamEndEvent:
            return None
        root = self._next()
        value = self._scalar(root) if type(root) is ScalarEvent else self._collection(root)
        self._events()
        if type(after := self._events()) is not StreamEndEvent:
            raise self._bad(after, "more text follows the end of the document", hint="Put a line --- between the two.")
        return None if value is None else Document(value, self._at(root)[0], self._part, tuple(self._duplicates))

    def _mapping(self) -> JsonObject:
        out: JsonObject = {}
        merged: set[str] = set()
        take, usual, path = self._next, self._usual, self._path
        while (kind := type(event := take())) is not MappingEndEvent:
            if kind is not ScalarEvent:
                key = self._collection_key(event)
            elif (key := event.value) in _NOT_TEXT or key[0] in NUMBER_STARTS or not usual:
                if key == _MERGE and (event.implicit[0] or event.tag == MERGE_TAG):
                    self._merge(out, merged, event)
                    continue
                key = self._key(event)
            if key in out:
                self._repeat(key, merged, event)
            event = take()
            if type(event) is ScalarEvent:
                text = event.value
                if usual and text not in WORDS and text[0] not in NUMBER_STARTS:
                    out[key] = text
                else:
                    out[key] = self._scalar(event)
            else:
                path.append(key)
                out[key] = self._collection(event)
                path.pop()
        return out

    def _sequence(self) -> list[Json]:
        out: list[Json] = []
        take = self._next
        while (kind := type(event := take())) is not SequenceEndEvent:
            if kind is ScalarEvent:
                out.append(self._scalar(event))
            else:
                self._path.append(len(out))
                out.append(self._collection(event))
                self._path.pop()
        return out

    def _scalar(self, event: Any) -> Json:
        text = event.value
        if text not in WORDS and text[0] not in NUMBER_STARTS and (self._usual or not (event.tag or event.anchor)):
            return text
        try:
            value = as_value(scalar_of(event))
        except UnreadableScalar as unreadable:
            raise self._bad(event, str(unreadable)) from None
        if event.anchor is not None:
            self._remember(event, _Anchor(event, value, _scalar_weight(event)))
        return value

    def _collection(self, event: Any) -> Json:
        if len(self._path) >= self._depth:
            raise self._source.exceeded(f"it is deeper than {self._depth} levels", self._at(event))
        kind = type(event)
        if kind is AliasEvent or not self._usual:
            return self._unusual(event)
        return self._mapping() if kind is MappingStartEvent else self._sequence()

    def _unusual(self, event: Any) -> Json:
        if type(event) is AliasEvent:
            return self._alias(event)
        if event.tag not in COLLECTION_TAGS:
            raise self._bad(event, f"the tag {short_tag(event.tag)} is not one that is read")
        if event.anchor is not None:
            return self._anchored(event)
        if self._meter is not None:
            self._meter.deepest = max(self._meter.deepest, len(self._path) + 1)
        return self._mapping() if type(event) is MappingStartEvent else self._sequence()

    def _anchored(self, event: Any) -> Json:
        self._remember(event, _Anchor(event))
        meter = self._meter or Meter(self._limits)
        nodes, chars = meter.nodes + meter.expanded_nodes, meter.expanded_chars
        outside, meter.deepest = meter.deepest, len(self._path) + 1
        value = self._mapping() if type(event) is MappingStartEvent else self._sequence()
        weight = Weight(
            nodes=meter.nodes + meter.expanded_nodes - nodes + 1,
            chars=meter.expanded_chars - chars + (self._last or event).end_mark.index - event.start_mark.index,
            height=meter.deepest - len(self._path),
        )
        meter.deepest = max(meter.deepest, outside)
        self._anchors[event.anchor] = _Anchor(event, value, weight)
        return value

    def _remember(self, event: Any, anchor: _Anchor) -> None:
        if len(self._anchors) == _ANCHORS:
            raise self._source.exceeded(f"it has more than {_ANCHORS:,} anchors", self._at(event))
        self._anchors[event.anchor] = anchor

    def _alias(self, event: Any) -> Json:
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            raise self._bad(event, f"the alias *{event.anchor} stands for nothing that comes before it")
        if anchor.weight is None:
            raise self._bad(event, f"the alias *{event.anchor} is part of what it stands for")
        if self._meter is not None:
            self._meter.count_alias(anchor.weight, len(self._path), self._source, self._at(event))
        return anchor.value

    def _merge(self, out: JsonObject, merged: set[str], key: Any) -> None:
        """Set what `<<` brings at the moment it stands there: it wins over keys before it, as it does in kubectl."""
        event = self._next()
        self._path.append(_MERGE)
        value = self._scalar(event) if type(event) is ScalarEvent else self._collection(event)
        self._path.pop()
        parts = value if type(event) is SequenceStartEvent else [value]
        if not all(isinstance(part, dict) for part in parts):
            raise self._bad(event, "only a mapping or a list of mappings can be merged with <<")
        written = out.keys() - merged
        for part in reversed(parts):
            for repeated in sorted(written & part.keys()):
                self._note(repeated, key)
            out.update(part)
            merged.update(part.keys() - written)

    def _key(self, event: Any) -> str:
        try:
            resolved = scalar_of(event)
            key = as_key(resolved)
        except UnreadableScalar as unreadable:
            raise self._bad(event, str(unreadable), hint=_QUOTE_KEY) from None
        if event.anchor is not None:
            self._remember(event, _Anchor(event, as_value(resolved), _scalar_weight(event)))
        return key

    def _collection_key(self, event: Any) -> str:
        if type(event) is AliasEvent:
            self._alias(event)
            anchored = self._anchors[str(event.anchor)].event
            if type(anchored) is ScalarEvent:
                return self._key(anchored)
        raise self._bad(event, "a mapping or a list cannot be a key", hint=_RENDER_FIRST)

    def _repeat(self, key: str, merged: set[str], event: Any) -> None:
        if key in merged:
            merged.discard(key)
        else:
            self._note(key, event)

    def _note(self, key: str, event: Any) -> None:
        if self._repeats == "ignore" or len(self._duplicates) == REPORTED:
            return
        repeat = Duplicate((*self._path, key), *self._at(event))
        if self._repeats == "refuse":
            raise self._source.repeated(repeat)
        self._duplicates.append(repeat)

    def _metered(self) -> Any:
        event = self._last = self._events()
        kind = type(event)
        if kind not in _ENDS and self._meter is not None:
            self._meter.nodes += 1
            long = kind is ScalarEvent and len(event.value) > self._meter.worth_a_look
            if long or self._meter.nodes > self._meter.limits.nodes:
                self._meter.check(event.value if long else "", self._source, self._at(event))
        return event

    def _at(self, event: Any) -> Spot:
        mark = event.start_mark
        return self._part.lines_before + mark.line + 1, mark.column + 1

    def _bad(self, event: Any, why: str, *, hint: str = "") -> BadDocument:
        return self._source.bad(why, self._at(event), hint=hint)


def scalar_of(event: Any) -> Resolved:
    if event.tag is not None:
        return resolve_tagged(event.tag, event.value)
    return resolve(event.value) if event.implicit[0] else event.value


def _scalar_weight(event: Any) -> Weight:
    return Weight(1, event.end_mark.index - event.start_mark.index, 0)
