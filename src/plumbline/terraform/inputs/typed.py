"""Outputs as other modules read them: JSON together with its type, as values that templates of Go know. Pure.

Numbers become float64, whatever they look like; sets lose what they hold twice and are in one order.
"""

import math
import re
import unicodedata
from typing import Final

from plumbline.base.documents import load_json
from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import Json, encode_sorted
from plumbline.gotemplate import Value
from plumbline.terraform.inputs.reading import Entries

TYPE_SUFFIX: Final = "__type"
"""Ends the key beside a value that says which type it has; a value without one is a string."""

_DEEPEST: Final = 50
_TRUE: Final = frozenset({"true", "1"})
_FALSE: Final = frozenset({"false", "0"})
_PLAIN: Final = frozenset({"string", "number", "bool", "dynamic"})
_NUMBER: Final = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,5})?").fullmatch
_COLLECTIONS: Final = frozenset({"list", "set", "map"})


def template_inputs(entries: Entries, source: str) -> dict[str, Value]:
    """Values by their keys, for templates. Raises InvalidInput that names the key and never the value."""
    found: dict[str, Value] = {}
    for key, value in sorted(entries.items()):
        if key.endswith(TYPE_SUFFIX):
            continue
        type_ = entries.get(key + TYPE_SUFFIX)
        try:
            found[key] = (
                go_text(value.reveal())
                if type_ is None
                else typed(_json(value.reveal(), key), read_type(_json(type_.reveal(), key + TYPE_SUFFIX)))
            )
        except (LimitExceeded, InvalidInput) as wrong:
            raise InvalidInput(
                f"{source} cannot be used", why=f"key {key[:253]!r}: {wrong.why or wrong.what}"
            ) from None
    return found


def _json(text: bytes, source: str) -> Json:
    try:
        return load_json(text, source=source).value
    except InvalidInput as wrong:
        why = "it is too large or too deep" if isinstance(wrong, LimitExceeded) else "it is not JSON"
        raise InvalidInput("It cannot be read", why=why) from None


def go_text(raw: bytes) -> str:
    """As Go makes text of bytes: each that is no UTF-8 becomes a replacement character."""
    text = raw.decode(errors="surrogateescape")
    return text if text.isascii() else "".join("\ufffd" if "\udc80" <= char <= "\udcff" else char for char in text)


def read_type(type_: Json, depth: int = 0) -> Json:
    """*type_* itself if it is a type, as the tool writes types in JSON; else InvalidInput."""
    if depth > _DEEPEST:
        raise InvalidInput("The type cannot be read", why=f"it is nested more than {_DEEPEST} levels deep")
    if isinstance(type_, str) and type_ in _PLAIN:
        return type_
    match type_:
        case [str(kind), inner] if kind in _COLLECTIONS:
            read_type(inner, depth + 1)
        case ["tuple", [*elements]]:
            for each in elements:
                read_type(each, depth + 1)
        case ["object", {**attributes}] | ["object", {**attributes}, [*_]]:
            for each in attributes.values():
                read_type(each, depth + 1)
        case _:
            raise InvalidInput("The type cannot be read", why="its type is none that outputs can have")
    return type_


def typed(value: Json, type_: Json) -> Value:
    """*value* as a value of *type_*, which has been read before."""
    if value is None:
        return None
    if isinstance(type_, str):
        return _plain(value, type_)
    kind, inner = type_[0], type_[1]
    if kind in {"list", "set", "tuple"}:
        if not isinstance(value, list):
            raise _misfit(kind)
        if kind == "tuple":
            if len(value) != len(inner):
                raise _misfit(f"tuple of {len(inner)}")
            return [typed(each, of) for each, of in zip(value, inner, strict=True)]
        found = [typed(each, inner) for each in value]
        return _set(found) if kind == "set" else found
    if not isinstance(value, dict):
        raise _misfit(kind)
    if kind == "map":
        return {_nfc(key): typed(each, inner) for key, each in value.items()}
    if value.keys() - inner.keys():
        raise _misfit("object with these attributes")
    return {key: typed(value.get(key), of) for key, of in inner.items()}


def _plain(value: Json, type_: str) -> Value:
    match type_, value:
        case "dynamic", {"type": inner, "value": held} if len(value) == len(("type", "value")):
            return typed(held, read_type(inner))
        case "bool", bool():
            return value
        case "bool", str() if value in _TRUE | _FALSE:
            return value in _TRUE
        case "string", str():
            return _nfc(value)
        case "string", bool():
            return "true" if value else "false"
        case "string", int() | float():
            return str(value)
        case "number", (int() | float()) if not isinstance(value, bool):
            return _number(str(value))
        case "number", str():
            return _number(value)
    raise _misfit(type_)


def _number(text: str) -> float:
    value = float(text) if _NUMBER(text) else math.inf
    if not math.isfinite(value):
        raise _misfit("number")
    return value


def _set(found: list[Value]) -> list[Value]:
    distinct = list({encode_sorted(each): each for each in found}.values())
    for kind in (str, float, bool):
        if all(type(each) is kind for each in distinct):
            return sorted(distinct)
    return distinct


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _misfit(type_: str) -> InvalidInput:
    return InvalidInput("The value cannot be read", why=f"its value is no {type_}")


def floating(value: Json) -> Json:
    """Numbers as Go decodes them from JSON when nobody says into what."""
    if isinstance(value, dict):
        return {key: floating(each) for key, each in value.items()}
    if isinstance(value, list):
        return [floating(each) for each in value]
    return float(value) if type(value) is int else value
