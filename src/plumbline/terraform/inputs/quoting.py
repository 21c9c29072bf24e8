"""Texts and blocks of HCL that say exactly what they are given. Pure."""

import re
from collections.abc import Mapping
from typing import Final

_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL: Final = re.compile(r"[\\\"\x00-\x1f\x7f\u0085\u2028\u2029]|[$%](?=\{)")


def quoted(text: str) -> str:
    """*text* in quotes, with nothing in it that HCL would take for an expression."""
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04x}"


def attributes(values: Mapping[str, str], indent: str) -> str:
    """One line for each, aligned as the tool's own formatter does it. Values are HCL already."""
    width = max(map(len, values), default=0)
    return "".join(f"{indent}{name:<{width}} = {value}\n" for name, value in values.items())
