"""One message of the table, ready to be read into the JSON object that Go would write for it.

A message is compiled when the first of its sort is met: a function per field, found by the tag that is on the wire, so
that a field with the wrong wire type is an unknown one until somebody asks why. Each function puts its value where it
belongs, and what occurs twice is merged as protobuf wants it: lists grow, objects are filled further, the last scalar
wins. Only messages that are no objects in JSON are replaced as a whole.
"""

from functools import cache, cached_property
from typing import Final, NamedTuple

from plumbline.apiserver.protobuf import scalars
from plumbline.apiserver.protobuf.folds import FOLDS
from plumbline.apiserver.protobuf.reading import ChunkStep, Default, NumberStep, Reading, Value
from plumbline.apiserver.protobuf.table import BODIES, SCALARS, Field
from plumbline.apiserver.protobuf.wire import (
    CHUNK,
    END_OF_GROUP,
    ENDED,
    FIXED64,
    MORE,
    VARINT,
    Malformed,
    after_unknown,
    int32,
    overrun,
    varint,
)
from plumbline.base.json import Json, JsonObject

_TIMES: Final = {"meta/v1.Time": "Timestamp", "meta/v1.MicroTime": "Timestamp"}
"""Go reads times as messages of another name."""
_TAG: Final = 2**35 - 1
"""Field numbers have 32 bits; the API server drops what is beyond."""


class Steps(NamedTuple):
    """What to do with which tag, and what has to be there in the end."""

    chunks: dict[int, ChunkStep]
    numbers: dict[int, NumberStep]
    doubles: dict[int, str]
    always: dict[str, Default]


class Message:
    def __init__(self, name: str) -> None:
        self.name = name
        self.fold = FOLDS.get(name)

    @cached_property
    def steps(self) -> Steps:
        steps = Steps({}, {}, {}, {})
        for field in BODIES.fields(self.name):
            _compile(field, steps)
        return steps

    def value(self, data: bytes, pos: int, end: int, reading: Reading) -> Json:
        """The message between two places of *data* as it is in JSON."""
        out: JsonObject = {}
        self.read(data, pos, end, out, reading)
        return out if self.fold is None else self.fold(out)

    def read(self, data: bytes, pos: int, end: int, out: JsonObject, reading: Reading) -> None:
        """Fill *out*; IndexError if a field runs past the end of *data*."""
        chunks, numbers, _, always = self.steps
        reading.enter()
        while pos < end:
            tag = data[pos]
            pos += 1
            if tag >= MORE:
                tag, pos = varint(data, pos - 1)
                tag &= _TAG
            if tag in chunks:
                size = data[pos]
                pos += 1
                if size >= MORE:
                    size, pos = varint(data, pos - 1)
                stop = pos + size
                if stop > end:
                    raise overrun(pos, size)
                chunks[tag](data, pos, stop, out, reading)
                pos = stop
            elif tag in numbers:
                value = data[pos]
                pos += 1
                if value >= MORE:
                    value, pos = varint(data, pos - 1)
                numbers[tag](value, out)
            else:
                reading.spend()
                pos = self._unusual(data, pos, end, tag, out)
        if pos > end:
            raise Malformed(ENDED)
        reading.depth -= 1
        for name, default in always.items():
            if name not in out:
                out[name] = default(reading)

    def _unusual(self, data: bytes, pos: int, end: int, tag: int, out: JsonObject) -> int:
        """Skip what is unknown, or say what is wrong with it."""
        number, wire_type = int32(tag >> 3), tag & 7
        name = self.steps.doubles.get(tag)
        if name is not None:
            out[name] = scalars.double(data, pos)
            return pos + 8
        if wire_type == END_OF_GROUP:
            raise Malformed(f"proto: {self._go_name}: wiretype end group for non-group")
        if number <= 0:
            raise Malformed(f"proto: {self._go_name}: illegal tag {number} (wire type {tag})")
        if number in self._go_names:
            raise Malformed(f"proto: wrong wireType = {wire_type} for field {self._go_names[number]}")
        return after_unknown(data, pos, end, wire_type)

    @cached_property
    def _go_names(self) -> dict[int, str]:
        return {field.number: field.go_name for field in BODIES.fields(self.name)}

    @property
    def _go_name(self) -> str:
        return _TIMES.get(self.name, self.name.rpartition(".")[2])


@cache
def message(name: str) -> Message:
    return Message(name)


def _compile(field: Field, steps: Steps) -> None:
    """Add what *field* needs to *steps*."""
    name, number, shape = field.name, field.number, field.shape
    chunk = number << 3 | CHUNK
    if not field.omitted and name != "-":
        steps.always[name] = _default(field)
    if shape == "{}":
        steps.chunks[chunk] = _entry(name, _value(field.type))
    elif field.type in scalars.NUMBERS:
        _compile_number(field, steps)
    elif shape == "[]":
        steps.chunks[chunk] = _item(name, _value(field.type))
    elif field.type == "string":
        steps.chunks[chunk] = scalars.kept_text(name) if _kept(field) else scalars.text_if_any(name)
    elif field.type in SCALARS or message(field.type).fold:
        steps.chunks[chunk] = _single(name, _value(field.type), kept=_kept(field))
    elif name == "-":
        steps.chunks[chunk] = message(field.type).read
        steps.always.update(message(field.type).steps.always)
    else:
        steps.chunks[chunk] = _object(name, message(field.type))


def _compile_number(field: Field, steps: Steps) -> None:
    name, number, read = field.name, field.number, scalars.NUMBERS[field.type]
    if field.type == "double":
        steps.doubles[number << 3 | FIXED64] = name
    elif field.shape == "[]":
        steps.numbers[number << 3 | VARINT] = scalars.number_item(name, read)
        steps.chunks[number << 3 | CHUNK] = scalars.packed(name, read)
    else:
        kept = _kept(field)
        steps.numbers[number << 3 | VARINT] = (
            scalars.kept_number(name, read) if kept else scalars.number_if_any(name, read)
        )


def _kept(field: Field) -> bool:
    """Whether it stays where it is empty: pointers say that somebody meant it."""
    return field.shape == "*" or not field.omitted


def _default(field: Field) -> Default:
    """Makes what Go writes for a field that nobody set."""
    if field.shape:
        return _null
    if field.type in SCALARS:
        zero = scalars.ZEROES[field.type]
        return lambda _: zero
    of = message(field.type)
    return lambda reading: of.value(b"", 0, 0, reading)


def _null(_: Reading) -> None:
    return None


def _value(kind: str) -> Value:
    return scalars.CHUNKS[kind] if kind in SCALARS else message(kind).value


def _single(name: str, value: Value, *, kept: bool) -> ChunkStep:
    def step(data: bytes, pos: int, stop: int, out: JsonObject, reading: Reading) -> None:
        found = value(data, pos, stop, reading)
        if kept or found:
            out[name] = found
        else:
            out.pop(name, None)

    return step


def _object(name: str, of: Message) -> ChunkStep:
    def step(data: bytes, pos: int, stop: int, out: JsonObject, reading: Reading) -> None:
        inner = out.get(name)
        if inner is None:
            inner = out[name] = {}
        of.read(data, pos, stop, inner, reading)

    return step


def _item(name: str, value: Value) -> ChunkStep:
    def step(data: bytes, pos: int, stop: int, out: JsonObject, reading: Reading) -> None:
        reading.spend()
        found = value(data, pos, stop, reading)
        items = out.get(name)
        if items is None:
            out[name] = [found]
        else:
            items.append(found)

    return step


def _entry(name: str, value: Value) -> ChunkStep:
    """Keys and values are told by their number alone, as in the API server; without a value there is an empty one."""

    def step(data: bytes, pos: int, stop: int, out: JsonObject, reading: Reading) -> None:
        reading.spend()
        key, start, end = "", pos, pos
        while pos < stop:
            tag, pos = varint(data, pos)
            if tag >> 3 not in {1, 2}:
                pos = after_unknown(data, pos, stop, tag & 7)
                continue
            size, pos = varint(data, pos)
            if pos + size > stop:
                raise overrun(pos, size)
            if tag >> 3 == 1:
                key = scalars.CHUNKS["string"](data, pos, pos + size, reading)
            else:
                start, end = pos, pos + size
            pos += size
        if pos > stop:
            raise Malformed(ENDED)
        entries = out.get(name)
        if entries is None:
            entries = out[name] = {}
        entries[key] = value(data, start, end, reading)

    return step
