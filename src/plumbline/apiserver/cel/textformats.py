"""Formats of strings that schemas may ask for, checked as the API server checks them."""

import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from typing import Final

from plumbline.apiserver.cel.times import Duration, parse_duration
from plumbline.apiserver.cel.urls import parse_request_uri
from plumbline.base.errors import EvaluationFailed, InvalidInput
from plumbline.base.regex import compiled

_NUMBER_FORMATS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    ("integer",): ("int32", "int64"),
    ("number",): ("float", "double"),
}
_HOSTNAME: Final = (
    r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}]"
    r"(([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$"
)
_BYTE: Final = "(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])"
_CARD: Final = (
    "4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    "|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11}"
)

_ATOM: Final = r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\x80-\U0010ffff]+"
_QUOTED: Final = r'"(?:[^"\\\r\n]|\\.)*"'
_TWO: Final = "[0-9a-fA-F]{2}"
_FOUR: Final = "[0-9a-fA-F]{4}"
_PATTERNS: Final = {
    "uuid": r"(?i:[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})",
    "byte": r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})",
    "hexcolor": r"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})",
    "rgbcolor": rf"rgb\(\s*{_BYTE}\s*,\s*{_BYTE}\s*,\s*{_BYTE}\s*\)",
    "creditcard": _CARD,
    "ssn": r"[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}",
    "isbn10": r"[0-9]{9}[0-9X]",
    "isbn13": r"[0-9]{13}",
    "bsonobjectid": r"[0-9a-fA-F]{24}",
    "clock": r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))",
    "k8sshortname": r"[a-z0-9]([-a-z0-9]*[a-z0-9])?",
    "mac": (
        rf"{_TWO}(?:([:-]){_TWO})(?:\1{_TWO}){{4}}(?:(?:\1{_TWO}){{2}}(?:(?:\1{_TWO}){{12}})?)?"
        rf"|{_FOUR}(?:\.{_FOUR}){{2}}(?:\.{_FOUR}(?:(?:\.{_FOUR}){{6}})?)?"
    ),
    "address": rf"(?:{_ATOM}(?:\.{_ATOM})*|{_QUOTED})@(?:{_ATOM}(?:\.{_ATOM})*|\[[^\[\]\\\s]*\])",
    "name": rf"\s*(?:(?:{_ATOM}|{_QUOTED}|\.)\s*)*",
}
"""None of these can backtrack far: every repetition is followed by what it cannot match itself."""
_SECOND: Final = 1_000_000_000
_SPOKEN_UNITS: Final = (
    (("ns", "nano"), 1), (("us", "µs", "micro"), 1_000), (("ms", "milli"), 1_000_000), (("s", "sec"), _SECOND),
    (("m", "min"), 60 * _SECOND), (("h", "hr", "hour"), 3_600 * _SECOND), (("d", "day"), 86_400 * _SECOND),
    (("w", "wk", "week"), 7 * 86_400 * _SECOND),
)  # fmt: skip
_HOST_BYTES: Final = 255
_LABEL_BYTES: Final = 63
_NAME_BYTES: Final = 253
_SSN_BYTES: Final = 11


@cache
def _pattern(name: str) -> Callable[[str], re.Match[str] | None]:
    """Compiled when first asked for: most schemas use none of them."""
    return re.compile(_PATTERNS[name], re.ASCII).fullmatch


def supported_format(types: tuple[str, ...], name: str) -> str:
    """*name* where values of *types* are checked against it, else nothing: unknown formats are ignored."""
    if types in {(), ("string",)}:
        return name if name.replace("-", "") in FORMATS else ""
    return name if name in _NUMBER_FORMATS.get(types, ()) else ""


def has_format(text: str, name: str) -> bool:
    """Whether *text* has the format, which is one of `FORMATS` with or without dashes."""
    return FORMATS[name.replace("-", "")](text)


def duration_of(text: str) -> Duration:
    """As Go reads durations, or else in words such as `3 days`."""
    try:
        return parse_duration(text)
    except EvaluationFailed:
        total, found = 0, False
        for factor, written in re.findall(r"(\d+)\s*([A-Za-zµ]+)", text, re.ASCII):
            unit = written.lower()
            for variants, nanoseconds in _SPOKEN_UNITS:
                if unit in variants or unit.startswith(variants[-1]):
                    total, found = total + int(factor) * nanoseconds, True
        if not found:
            raise EvaluationFailed(f"unable to parse {text} as duration") from None
        return Duration(total)


def is_date(text: str) -> bool:
    try:
        return len(text) == len("2006-01-02") and text[4] == text[7] == "-" and bool(date.fromisoformat(text))
    except ValueError:
        return False


def is_date_time(text: str) -> bool:
    day, separator, rest = text.lower().partition("t")
    if not separator or not is_date(day):
        return False
    clock = _pattern("clock")(rest.partition("t")[0])
    return clock is not None and clock[1] <= "23" and clock[2] <= "59" and clock[3] <= "59"


def _is_duration(text: str) -> bool:
    try:
        duration_of(text)
    except EvaluationFailed:
        return False
    return True


def _is_uri(text: str) -> bool:
    try:
        parse_request_uri(text)
    except InvalidInput:
        return False
    return True


def _is_email(text: str) -> bool:
    """An address, with or without a name before it in which it is in angle brackets."""
    text = text.strip(" \t")
    if text.endswith(">"):
        name, bracket, address = text[:-1].rpartition("<")
        return bool(bracket) and _pattern("name")(name) is not None and _pattern("address")(address) is not None
    return _pattern("address")(text) is not None


def _is_hostname(text: str) -> bool:
    if len(text.encode()) > _HOST_BYTES or any(len(part.encode()) > _LABEL_BYTES for part in text.split(".")):
        return False
    return compiled(_HOSTNAME).matches(text)


def _sloppy_ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Leading zeros are allowed, and mean nothing."""
    head, colon, tail = text.rpartition(":")
    parts = tail.split(".")
    if len(parts) > 1 and all(part.isascii() and part.isdigit() for part in parts):
        tail = ".".join(str(int(part[:9])) for part in parts)
    try:
        return ipaddress.ip_address(head + colon + tail) if "%" not in text else None
    except ValueError:
        return None


def _is_cidr(text: str) -> bool:
    address, slash, bits = text.rpartition("/")
    ip = _sloppy_ip(address) if slash else None
    return ip is not None and bits.isascii() and bits.isdigit() and int(bits[:9]) <= ip.max_prefixlen


def _is_credit_card(text: str) -> bool:
    digits = re.sub("[^0-9]+", "", text)
    if not _pattern("creditcard")(digits):
        return False
    doubled = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0  # noqa: PLR2004 - Luhn


def _is_isbn_10(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not _pattern("isbn10")(digits):
        return False
    last = 10 if digits[9] == "X" else int(digits[9])
    return (sum((place + 1) * int(digits[place]) for place in range(9)) + 10 * last) % 11 == 0


def _is_isbn_13(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if not _pattern("isbn13")(digits):
        return False
    total = sum(int(digits[place]) * (3 if place % 2 else 1) for place in range(12))
    return int(digits[12]) == (10 - total % 10) % 10


def _is_uuid(text: str, version: str = "", variants: str = "") -> bool:
    if not _pattern("uuid")(text):
        return False
    digits = text.replace("-", "").lower()
    return (not version or digits[12] == version) and (not variants or digits[16] in variants)


def _is_long_name(text: str) -> bool:
    return len(text) <= _NAME_BYTES and all(_pattern("k8sshortname")(part) for part in text.split("."))


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "bsonobjectid": lambda text: _pattern("bsonobjectid")(text) is not None,
    "uri": _is_uri,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": lambda text: "." in text and _sloppy_ip(text) is not None,
    "ipv6": lambda text: ":" in text and "%" not in text and _is_ip(text),
    "cidr": _is_cidr,
    "mac": lambda text: _pattern("mac")(text) is not None,
    "uuid": _is_uuid,
    "uuid3": lambda text: _is_uuid(text, "3"),
    "uuid4": lambda text: _is_uuid(text, "4", "89ab"),
    "uuid5": lambda text: _is_uuid(text, "5", "89ab"),
    "isbn": lambda text: _is_isbn_10(text) or _is_isbn_13(text),
    "isbn10": _is_isbn_10,
    "isbn13": _is_isbn_13,
    "creditcard": _is_credit_card,
    "ssn": lambda text: len(text) == _SSN_BYTES and _pattern("ssn")(text) is not None,
    "hexcolor": lambda text: _pattern("hexcolor")(text) is not None,
    "rgbcolor": lambda text: _pattern("rgbcolor")(text) is not None,
    "byte": lambda text: _pattern("byte")(text) is not None,
    "password": lambda _text: True,
    "date": is_date,
    "duration": _is_duration,
    "datetime": is_date_time,
    "k8sshortname": lambda text: len(text) <= _LABEL_BYTES and _pattern("k8sshortname")(text) is not None,
    "k8slongname": _is_long_name,
}


def _is_ip(text: str) -> bool:
    try:
        return bool(ipaddress.ip_address(text))
    except ValueError:
        return False
