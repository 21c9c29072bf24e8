"""What a scalar means to Kubernetes.

`kubectl` reads YAML with go-yaml v2 and turns it into JSON before anything looks at it. That makes YAML 1.1 with rules
of its own: `yes` and `on` are booleans, `010` is eight but `08` is eight too, `1.0` ends up as the integer 1, a date
stays text, a number too large for a float stays text, and keys that are numbers become text in single precision.
The rules here are those, proved against the real kubectl in tests/conformance.
"""

import binascii
import calendar
import math
import re
import struct
from decimal import Decimal
from typing import Final, TypeAlias

from plumbline.base.json import Json

Resolved: TypeAlias = str | int | float | bool | None
"""A scalar before it is a JSON value: integers up to uint64, and floats that are still known to be floats."""

_PREFIX: Final = "tag:yaml.org,2002:"
MERGE_TAG: Final = _PREFIX + "merge"
COLLECTION_TAGS: Final = frozenset({None, "!", *(_PREFIX + name for name in ("map", "omap", "pairs", "seq", "set"))})
"""Tags that say no more about a mapping or list than that it is one."""

_INT64_MIN: Final = -(2**63)
_INT64_MAX: Final = 2**63 - 1
_UINT64_MAX: Final = 2**64 - 1
_EXACT_INTEGERS: Final = 2.0**53

WORDS: Final[dict[str, Resolved]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
NUMBER_STARTS: Final = frozenset("+-.0123456789")

_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))\Z", re.ASCII)
_SURELY_INT64: Final = 19
_BASES: Final = (16, 2, 8, 10)
_INTEGER_DIGITS: Final = 70  # more than 64 bits in any base, leading zeros aside
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_POINT_FIRST = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?\Z")
_SIGNED_BINARY = re.compile(r"0b([-+][01]+)\Z")
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:[Tt]([01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9](?:[.,][0-9]+)?(?:Z|[-+](?:[01][0-9]|2[0-4]):[0-5][0-9])"
    r"| ([01]?[0-9]|2[0-3]):[0-5]?[0-9]:[0-5]?[0-9](?:[.,][0-9]+)?)?\Z"
)
_MONTHS: Final = 12
_ESCAPED_BYTE = re.compile("[\udc80-\udcff]")


class UnreadableScalar(ValueError):
    """Why a scalar cannot be what it claims to be. Never holds the scalar: it may be a secret."""


def resolve(text: str) -> Resolved:
    """Read a plain, untagged scalar. It is text unless it is one of WORDS or begins with one of NUMBER_STARTS."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in NUMBER_STARTS:
        return text
    if text[0] != ".":
        return _number(text)
    return _finite(text, text) if _POINT_FIRST.match(text) else text


def resolve_tagged(tag: str, text: str) -> Resolved:
    """Read a scalar that says what it is, or refuse it if it is not."""
    if tag in {"!", _PREFIX + "str"}:
        return text
    if tag == _PREFIX + "binary":
        return _binary(text)
    if tag == _PREFIX + "timestamp" and looks_like_time(text):
        return text
    expected = _TAGGED.get(tag)
    if expected is None:
        raise UnreadableScalar(f"the tag {short_tag(tag)} is not one that is read")
    resolved = resolve(text)
    if expected is float and type(resolved) is int and resolved <= _INT64_MAX:
        return float(resolved)
    if type(resolved) is not expected:
        raise UnreadableScalar(f"the value is not what its tag {short_tag(tag)} says")
    return resolved


_TAGGED: Final[dict[str, type]] = {
    _PREFIX + "bool": bool,
    _PREFIX + "float": float,
    _PREFIX + "int": int,
    _PREFIX + "null": type(None),
    _PREFIX + "timestamp": object,
}


def looks_like_time(text: str) -> bool:
    """Whether go-yaml takes it for a time. As a value it stays text, but it is quoted when it is written."""
    match = _TIMESTAMP.match(text)
    if match is None or not 1 <= int(match[2]) <= _MONTHS:
        return False
    return 1 <= int(match[3]) <= calendar.monthrange(int(match[1]), int(match[2]))[1]


def as_value(resolved: Resolved) -> Json:
    """The JSON value it becomes: whole floats are integers, and integers that int64 cannot hold are floats."""
    if type(resolved) is float:
        return json_number(resolved)
    if type(resolved) is int and resolved > _INT64_MAX:
        return float(resolved)
    return resolved


def as_key(resolved: Resolved) -> str:
    """The key it becomes. Null and integers beyond int64 cannot be keys."""
    if isinstance(resolved, str):
        return resolved
    if resolved is None:
        raise UnreadableScalar("a key is empty or null")
    if isinstance(resolved, bool):
        return "true" if resolved else "false"
    if isinstance(resolved, float):
        return _single_precision(resolved)
    if resolved > _INT64_MAX:
        raise UnreadableScalar("a key is a number larger than 64 bits can hold")
    return str(resolved)


def json_number(value: float) -> int | float:
    """The number that is read back after Go has written this float as JSON."""
    if not math.isfinite(value):
        raise UnreadableScalar("JSON has no number for infinity or not-a-number")
    if not value.is_integer():
        return value
    if -_EXACT_INTEGERS <= value <= _EXACT_INTEGERS:
        return int(value)
    # Go writes the shortest digits that give the float back and fills up with zeros: not the float's exact value.
    written = Decimal(repr(value))
    return int(written) if _INT64_MIN <= written <= _INT64_MAX else value


def go_float(digits: str) -> str:
    """Lay out a float as Go's %g does, given its shortest digits in Python's e-notation."""
    mantissa, exponent_text = digits.split("e")
    exponent = int(exponent_text)
    sign = "-" if mantissa.startswith("-") else ""
    figures = mantissa.lstrip("-").replace(".", "").rstrip("0") or "0"
    if exponent < -4 or exponent >= _LONGEST_PLAIN:  # noqa: PLR2004 - where %g changes over
        point = "." if len(figures) > 1 else ""
        return f"{sign}{figures[0]}{point}{figures[1:]}e{exponent:+03d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{figures}"
    whole, fraction = figures[: exponent + 1].ljust(exponent + 1, "0"), figures[exponent + 1 :]
    return f"{sign}{whole}.{fraction}" if fraction else sign + whole


_LONGEST_PLAIN: Final = 6


def _number(text: str) -> Resolved:
    if len(text) < _SURELY_INT64 and text.isdecimal() and text.isascii() and text[0] != "0":
        return int(text)
    plain = text.replace("_", "")
    if (match := _INTEGER.match(plain)) and (integer := _integer(match)) is not None:
        return integer
    if _FLOAT.match(plain):
        return _finite(plain, text)
    if match := _SIGNED_BINARY.match(plain):
        signed = int(match[1], 2)
        return signed if _INT64_MIN <= signed <= _INT64_MAX else text
    return text


def _integer(match: re.Match[str]) -> int | None:
    """None if 64 bits cannot hold it; only an unsigned literal may use all of them."""
    sign, *by_base = match.groups()
    digits, base = next((digits.lstrip("0"), base) for digits, base in zip(by_base, _BASES, strict=True) if digits)
    if len(digits) > _INTEGER_DIGITS:
        return None
    value = int(sign + (digits or "0"), base)
    return value if _INT64_MIN <= value <= (_INT64_MAX if sign else _UINT64_MAX) else None


def _finite(plain: str, text: str) -> float | str:
    value = float(plain)
    return text if math.isinf(value) else value


def _binary(text: str) -> str:
    digits = text.replace("\r", "").replace("\n", "")
    try:
        raw = binascii.a2b_base64(digits, strict_mode=True)
    except ValueError:
        raw = None
    if raw is None or len(digits) % 4:
        raise UnreadableScalar("the value is not the base64 that its tag !!binary says")
    # JSON cannot hold bytes. Go puts one replacement character for each byte that is not part of a character.
    return _ESCAPED_BYTE.sub("\ufffd", raw.decode("utf-8", "surrogateescape"))


def _single_precision(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    try:
        single = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    nine_are_enough = (f"{single:.{figures}e}" for figures in range(9))
    return go_float(
        next(text for text in nine_are_enough if struct.unpack("f", struct.pack("f", float(text)))[0] == single)
    )


def short_tag(tag: str) -> str:
    return "!!" + tag.removeprefix(_PREFIX) if tag.startswith(_PREFIX) else tag
