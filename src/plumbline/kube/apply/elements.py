"""How the items of associative lists are told apart, and named in field sets."""

import re
from typing import Final

from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, encode
from plumbline.kube.schema.shape import Form, Shape


def element_of(item: Json, shape: Shape) -> str:
    """The path element of *item* in a list of *shape*, or SchemaViolation where it cannot have one."""
    if shape.form is Form.SET:
        return _member_element(item)
    if not isinstance(item, dict):
        kind = "a null element" if item is None else "non-map elements"
        raise SchemaViolation(f"associative list with keys may not have {kind}")
    keys = shape.keys
    if len(keys) == 1:
        key = keys[0]
        value = item[key] if key in item else shape.key_defaults.get(key)
        if type(value) is str:
            return f'k:{{"{key}":{spelled(value)}}}'
    found = {key: item[key] if key in item else shape.key_defaults[key] for key in keys if _has_key(item, key, shape)}
    if not found:
        raise SchemaViolation(
            f"associative list with keys has an element that omits all key fields {_quoted(keys)}"
            " (and doesn't have default values for any key fields)"
        )
    return "k:{" + ",".join(f'"{key}":{spelled(value)}' for key, value in found.items()) + "}"


def _has_key(item: Json, key: str, shape: Shape) -> bool:
    return key in item or key in shape.key_defaults


def _quoted(keys: tuple[str, ...]) -> str:
    return "[" + " ".join(f'"{key}"' for key in keys) + "]"


def _member_element(item: Json) -> str:
    if isinstance(item, dict):
        raise SchemaViolation("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise SchemaViolation("not supported: associative list with lists as elements")
    if item is None:
        raise SchemaViolation("associative list without keys has an element that's an explicit null")
    return "v:" + spelled(item)


# The server's encoder escapes what would mean something in a web page, and knows fewer short escapes.
_ESCAPED: Final = re.compile(r"[<>&\u2028\u2029]|\\[bf]")
_SHORT: Final = {"\\b": "\\u0008", "\\f": "\\u000c"}


def spelled(value: Json) -> str:
    """The JSON of a scalar, letter by letter as the server writes it: elements are compared as text."""
    text = encode(value).decode()
    if type(value) is str:
        return _ESCAPED.sub(_escape, text) if _ESCAPED.search(text) else text
    if type(value) is float and "e" in text and "e-" not in text:
        return text.replace("e", "e+")
    return text


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    return _SHORT.get(found) or f"\\u{ord(found):04x}"
