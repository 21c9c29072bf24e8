"""What is wrong with one field, in the words of the API server.

Validation collects these; the API answers 422 with all of them.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.base.json import Json, encode
from plumbline.kube.gotext import printed, quoted

INVALID = "FieldValueInvalid"
REQUIRED = "FieldValueRequired"
NOT_SUPPORTED = "FieldValueNotSupported"
FORBIDDEN = "FieldValueForbidden"
DUPLICATE = "FieldValueDuplicate"
TOO_LONG = "FieldValueTooLong"
TOO_MANY = "FieldValueTooMany"
TYPE_INVALID = "FieldValueTypeInvalid"
NOT_FOUND = "FieldValueNotFound"
INTERNAL = "InternalError"
TOO_FEW = "FieldValueTooFew"
TOO_SHORT = "FieldValueTooShort"

_ESCAPED_IN_GO = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


class FieldError(NamedTuple):
    """`reason` is the cause's reason, `message` what follows the field's name and a colon."""

    reason: str
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


class Word(str):
    """A text that has a type of its own on the server (as the values of enumerations have), which prints it as JSON."""

    __slots__ = ()


class _Omitted:
    """In place of a bad value: the complaint does not quote any."""


OMITTED: Final = _Omitted()


def shown(value: Json) -> str:
    """A bad value as the API server prints it."""
    if value is None:
        return "null"
    if isinstance(value, str) and not isinstance(value, Word):
        return quoted(value)
    if isinstance(value, (bool, int, float)):
        return printed(value)
    return as_json(str(value) if isinstance(value, Word) else value)


def as_json(value: Json) -> str:
    """*value* as Go encodes it, which keeps markup out of JSON."""
    return encode(value).decode().translate(_ESCAPED_IN_GO)


def invalid(field: str, value: Json, detail: str) -> FieldError:
    return _with_value(INVALID, field, "Invalid value", value, detail)


def type_invalid(field: str, value: Json, detail: str) -> FieldError:
    return _with_value(TYPE_INVALID, field, "Invalid value", value, detail)


def not_supported(field: str, value: Json, supported: Iterable[str]) -> FieldError:
    words = ", ".join(quoted(each) for each in supported)
    detail = f"supported values: {words}" if words else ""
    return _with_value(NOT_SUPPORTED, field, "Unsupported value", value, detail)


def duplicate(field: str, value: Json, detail: str = "") -> FieldError:
    return _with_value(DUPLICATE, field, "Duplicate value", value, detail)


def not_found(field: str, value: Json, detail: str = "") -> FieldError:
    return _with_value(NOT_FOUND, field, "Not found", value, detail)


def required(field: str, detail: str = "") -> FieldError:
    return _bare(REQUIRED, field, "Required value", detail)


def forbidden(field: str, detail: str) -> FieldError:
    return _bare(FORBIDDEN, field, "Forbidden", detail)


def too_long(field: str, limit: int) -> FieldError:
    """Longer than *limit* bytes; with a negative one the limit is not told."""
    return _bare(TOO_LONG, field, "Too long", _at_most(limit, "byte"))


def too_long_characters(field: str, limit: int) -> FieldError:
    return _bare(TOO_LONG, field, "Too long", _at_most(limit, "character"))


def too_short(field: str, limit: int) -> FieldError:
    detail = f"must be at least {_counted(limit, 'character')}" if limit >= 0 else "value is too short"
    return _bare(TOO_SHORT, field, "Too short", detail)


def too_many(field: str, actual: int, limit: int) -> FieldError:
    """More than *limit* items; a negative count of what there are is not told."""
    detail = f"must have at most {_counted(limit, 'item')}" if limit >= 0 else "has too many items"
    return _with_value(TOO_MANY, field, "Too many", actual if actual >= 0 else OMITTED, detail)


def too_few(field: str, actual: int, limit: int) -> FieldError:
    detail = f"must have at least {_counted(limit, 'item')}" if limit >= 0 else "has too few items"
    return _with_value(TOO_FEW, field, "Too few", actual, detail)


def internal(field: str, detail: str) -> FieldError:
    return _bare(INTERNAL, field, "Internal error", detail)


def _at_most(limit: int, unit: str) -> str:
    return f"may not be more than {_counted(limit, unit)}" if limit >= 0 else "value is too long"


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def _with_value(reason: str, field: str, title: str, value: Json, detail: str) -> FieldError:
    return _bare(reason, field, title if value is OMITTED else f"{title}: {shown(value)}", detail)


def _bare(reason: str, field: str, title: str, detail: str) -> FieldError:
    return FieldError(reason, field, f"{title}: {detail}" if detail else title)
