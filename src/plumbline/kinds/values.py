"""Typed values from JSON and back: msgspec, with the scalars that have types of their own."""

from typing import Any, Final, TypeVar

import msgspec

from plumbline.base.json import Json, decode

T = TypeVar("T")


def converted(raw: Json, type_: type[T]) -> T:
    """*raw* as *type_*, or msgspec.ValidationError with what was expected and where."""
    return msgspec.convert(raw, type_, dec_hook=_read)


def written(value: Any) -> Json:
    """*value* as JSON can hold it, without fields that are at their default."""
    # Through bytes, because msgspec.to_builtins leaves tuples as they are and JSON knows only lists.
    return decode(_encoder.encode(value))


def _read(type_: Any, raw: Json) -> Any:
    try:
        return type_.read(raw)
    except ValueError as reason:
        raise ValueError(f"Expected {reason}") from reason


def _write(value: Any) -> Json:
    return value.write()


_encoder: Final = msgspec.json.Encoder(enc_hook=_write)
