"""YAML and hexadecimal."""

import base64
from collections.abc import Mapping
from typing import Final

from plumbline.base.documents import dump_yaml, load_documents
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json
from plumbline.base.limits import REQUESTS
from plumbline.gotemplate import Failed, Function, Typed, Value, function
from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.builtins import budgeted
from plumbline.gotemplate.layouts import written
from plumbline.gotemplate.moments import Time
from plumbline.gotemplate.sprig.told import raw, text
from plumbline.gotemplate.values import INVALID, Raw
from plumbline.secrets.external.shaping.gojson import floating

_RFC_3339: Final = "2006-01-02T15:04:05.999999999Z07:00"
_INTEGERS: Final = (-(2**63), 2**64)
_HEXADECIMAL: Final = frozenset(b"0123456789abcdefABCDEF")


@budgeted
def _to_yaml(budget: Budget, value: Value) -> str:
    """Never a complaint: what cannot be written becomes nothing, as upstream has it."""
    budget.weigh(value)
    try:
        return dump_yaml(_plain(value)).removesuffix("\n")
    except (Failed, InvalidInput):
        return ""


def _plain(value: Value) -> Json:
    """As JSON would have it, where a number that is whole has no fraction."""
    if isinstance(value, Time):
        return written(value, _RFC_3339)
    if isinstance(value, Typed):
        return _plain(value.json())
    if isinstance(value, Raw):
        return base64.b64encode(value).decode()
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() and _INTEGERS[0] <= value < _INTEGERS[1] else value
    if isinstance(value, int) and not isinstance(value, bool):
        return int(value)
    return None if value is INVALID else value


@budgeted
def _from_yaml(budget: Budget, source: str) -> Value:
    """An object, with the complaint under `Error` where it is none."""
    budget.hold(len(source))
    try:
        found = load_documents(raw(source), limits=REQUESTS, repeats="report")
    except InvalidInput as fault:
        return {"Error": str(fault)}
    value = floating(found[0].value) if found else None
    if value is None:
        return {}
    return value if isinstance(value, dict) else {"Error": "error unmarshaling JSON: it is no object"}


def _from_hexadecimal(digits: str) -> str:
    """What is wrong becomes the text, as in Sprig's other decoders."""
    octets = raw(digits)
    wrong = next((byte for byte in octets if byte not in _HEXADECIMAL), None)
    if wrong is not None:
        shown = chr(wrong) if chr(wrong).isprintable() else ""
        return f"encoding/hex: invalid byte: U+{wrong:04X}" + (f" '{shown}'" if shown else "")
    if len(octets) % 2:
        return "encoding/hex: odd length hex string"
    return text(bytes.fromhex(octets.decode()))


FUNCTIONS: Final[Mapping[str, Function]] = {
    "fromYaml": function("string", _from_yaml),
    "hexdec": function("string", _from_hexadecimal),
    "toYaml": function("any", _to_yaml),
}
