"""What Jsonnet's standard library has at upstream, and the engine here does not have yet.

Only files that use something of it are given it, in front of their first line, so that lines keep their numbers.
"""

import re
from typing import Final

import msgspec

_CODE: Final = (".jsonnet", ".libsonnet")
_SPACE: Final = "".join(
    f"\\u{each:04x}"
    for each in (
        *range(0x09, 0x0E),
        0x20,
        0x85,
        0xA0,
        0x1680,
        *range(0x2000, 0x200B),
        0x2028,
        0x2029,
        0x202F,
        0x205F,
        0x3000,
    )
)
"""Everything that Go trims, escaped: where there are other letters than those of ASCII the engine loses count of lines."""
_FUNCTIONS: Final = {
    "atan2": "atan2(y, x):: if x > 0 then engine.atan(y / x) else if x < 0 then engine.atan(y / x) + (if y < 0 then -1 else 1)"
    " * engine.acos(-1) else if y > 0 then engine.acos(0) else if y < 0 then -engine.acos(0) else 0",
    "deg2rad": "deg2rad(x):: x * engine.acos(-1) / 180",
    "flattenDeepArray": "flattenDeepArray(value):: local flat(x) = if engine.isArray(x)"
    " then engine.flatMap(flat, x) else [x]; flat(value)",
    "hypot": "hypot(a, b):: engine.sqrt(a * a + b * b)",
    "isNull": "isNull(x):: x == null",
    "log10": "log10(x):: engine.log(x) / engine.log(10)",
    "log2": "log2(x):: engine.log(x) / engine.log(2)",
    "pi": "pi:: engine.acos(-1)",
    "rad2deg": "rad2deg(x):: x * 180 / engine.acos(-1)",
    "trim": f"trim(str):: engine.stripChars(str, '{_SPACE}')",
}
_USED: Final = re.compile(rf"\bstd\s*\.\s*({'|'.join(_FUNCTIONS)}|thisFile)\b")


def completed(program: str, path: str) -> str:
    """*program* with what it lacks. A text that is only read as one is left alone, unless it is named like a program."""
    if not path.endswith(_CODE):
        return program
    used = sorted({found[1] for found in _USED.finditer(program)})
    if not used:
        return program
    known = {**_FUNCTIONS, "thisFile": f"thisFile:: {msgspec.json.encode(path).decode()}"}
    return f"local engine = std; local std = engine + {{{', '.join(known[name] for name in used)}}}; {program}"
