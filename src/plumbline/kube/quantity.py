"""Resource quantities: `500m`, `1.5Gi`, `1e3`. Exact numbers, and the one spelling the API server gives each of them.

The server keeps what was written where it takes it for canonical already, and that is a matter of digits and not of
value: `1.500` stays, `1.50` becomes `1500m`. Two quantities are equal when their numbers are; `canonical` tells what
the server will store.
"""

import re
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from plumbline.base.errors import BadQuantity
from plumbline.base.json import Json
from plumbline.kube.gotext import printed


class Format(Enum):
    DECIMAL_SI = "DecimalSI"
    BINARY_SI = "BinarySI"
    DECIMAL_EXPONENT = "DecimalExponent"


class _Suffix(NamedTuple):
    base: int
    exponent: int
    format: Format


_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_SUFFIXES: Final = {text: _Suffix(10, exponent, Format.DECIMAL_SI) for text, exponent in _DECIMAL.items()} | {
    text: _Suffix(2, exponent, Format.BINARY_SI) for text, exponent in _BINARY.items()
}
_DECIMAL_TEXTS: Final = {exponent: text for text, exponent in _DECIMAL.items()}
_BINARY_TEXTS: Final = ["", *_BINARY]

_PARTS: Final = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_EXPONENT: Final = re.compile(r"[eE]([+-]?[0-9]{1,9})")

_NANO: Final = -9
_LARGEST_BINARY: Final = 2**63 - 1
_KIBI: Final = 1024
_SHORT_DIGITS: Final = 18
"""So many decimal digits always fit the server's 64-bit numbers, whose text it may keep."""
_SHORT_BINARY_DIGITS: Final = 14
"""The same for binary suffixes, with those of the suffix counted roughly, as the server does."""
_BYTES: Final = 512
_EXPONENT_LIMIT: Final = 1000
"""Numbers beyond are of no use to anybody and cost memory; the API server takes them."""

_FORMAT_FAULT: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_NUMBER_FAULT: Final = "unable to parse numeric part of quantity"
_SUFFIX_FAULT: Final = "unable to parse quantity's suffix"


class Quantity:
    """An exact number, `digits` times ten to the `exponent`, and the family of suffixes it is written with."""

    __slots__ = ("_text", "digits", "exponent", "format")

    digits: int
    exponent: int
    format: Format

    def __init__(self, digits: int, exponent: int = 0, format: Format = Format.DECIMAL_SI) -> None:  # noqa: A002 - upstream's word
        self.digits = digits
        self.exponent = exponent
        self.format = format
        self._text = ""

    @classmethod
    def parse(cls, text: str) -> "Quantity":
        """Read *text* as the API server does, or raise BadQuantity."""
        parts = _PARTS.fullmatch(text)
        if not text or len(text) > _BYTES or not parts:
            raise _bad(text, _FORMAT_FAULT)
        sign, whole, fraction, suffix_text = parts.groups()
        suffix = _SUFFIXES.get(suffix_text) or _exponent_suffix(text, suffix_text)
        read = _Read(text, sign == "-", whole or "0", fraction or "", suffix)
        quantity = _read_short(read)
        if quantity is None:
            if not any(map(str.isdigit, text[: parts.start(4)])):
                raise _bad(text, _NUMBER_FAULT)
            quantity = _read_long(read)
        return quantity

    @classmethod
    def from_json(cls, value: Json) -> "Quantity":
        """Read a field of an object, which may be a string or a number."""
        if isinstance(value, str):
            return cls.parse(value.strip())
        if isinstance(value, int | float) and not isinstance(value, bool):
            return cls.parse(printed(value))
        raise _bad(printed(value), _FORMAT_FAULT)

    def __str__(self) -> str:
        """The spelling the API server would store."""
        if not self._text:
            self._text = _spelled(self)
        return self._text

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and _normal(self) == _normal(other)

    def __hash__(self) -> int:
        return hash(_normal(self))

    def __lt__(self, other: "Quantity") -> bool:
        return self._difference(other) < 0

    def __le__(self, other: "Quantity") -> bool:
        return self._difference(other) <= 0

    def __gt__(self, other: "Quantity") -> bool:
        return self._difference(other) > 0

    def __ge__(self, other: "Quantity") -> bool:
        return self._difference(other) >= 0

    def __bool__(self) -> bool:
        return self.digits != 0

    def __neg__(self) -> "Quantity":
        return Quantity(-self.digits, self.exponent, self.format)

    def __add__(self, other: "Quantity") -> "Quantity":
        """The sum, in the format of the first unless that is zero."""
        exponent = min(self.exponent, other.exponent)
        digits = _digits_at(self, exponent) + _digits_at(other, exponent)
        return Quantity(digits, exponent, self.format if self.digits else other.format)

    def __sub__(self, other: "Quantity") -> "Quantity":
        return self + -other

    def __mul__(self, factor: int) -> "Quantity":
        return Quantity(self.digits * factor, self.exponent, self.format)

    def to_decimal(self) -> Decimal:
        sign = 1 if self.digits < 0 else 0
        return Decimal((sign, tuple(map(int, str(abs(self.digits)))), self.exponent))

    def rounded_up(self, exponent: int = 0) -> int:
        """In units of ten to the *exponent*, away from zero: 0 for whole numbers, -3 for thousandths."""
        return _digits_at(self, exponent)

    def _difference(self, other: "Quantity") -> int:
        exponent = min(self.exponent, other.exponent)
        return _digits_at(self, exponent) - _digits_at(other, exponent)


@lru_cache(maxsize=8192)
def canonical(text: str) -> str:
    """What the API server stores for *text*."""
    return str(Quantity.from_json(text))


@lru_cache(maxsize=8192, typed=True)
def same_quantity(left: str | float, right: str | float) -> bool:
    """Whether two fields hold the same number, however spelled; what is no quantity is like nothing else."""
    try:
        return Quantity.from_json(left) == Quantity.from_json(right)
    except BadQuantity:
        return False


class _Read(NamedTuple):
    text: str
    negative: bool
    whole: str
    fraction: str
    suffix: _Suffix


def _exponent_suffix(text: str, suffix: str) -> _Suffix:
    exponent = _EXPONENT.fullmatch(suffix)
    if not exponent or abs(int(exponent[1])) > _EXPONENT_LIMIT:
        raise _bad(text, _SUFFIX_FAULT)
    return _Suffix(10, int(exponent[1]), Format.DECIMAL_EXPONENT)


def _read_short(read: _Read) -> Quantity | None:
    """Read what the server reads into 64 bits, where it may keep the text; None for the rest."""
    shifted = read.whole + read.fraction
    if read.suffix.format is Format.BINARY_SI:
        if read.fraction or len(read.whole) + read.suffix.exponent * 3 // 10 > _SHORT_BINARY_DIGITS:
            return None
        digits, exponent = int(shifted) << read.suffix.exponent, 0
        kept = int(shifted) % 8 != 0
    else:
        exponent = read.suffix.exponent - len(read.fraction)
        if len(shifted) > _SHORT_DIGITS or exponent < _NANO:
            return None
        digits = int(shifted)
        kept = exponent % 3 == 0 and not shifted.endswith("000") and shifted[0] != "0"
    quantity = Quantity(-digits if read.negative else digits, exponent, read.suffix.format)
    if kept:
        quantity._text = read.text  # noqa: SLF001 - ours, a moment old
    return quantity


def _read_long(read: _Read) -> Quantity:
    digits, exponent = int(read.whole + read.fraction), -len(read.fraction)
    if read.suffix.base == 2:  # noqa: PLR2004 - the base
        digits <<= read.suffix.exponent
    else:
        exponent += read.suffix.exponent
    if exponent < _NANO:
        # Whoever asks for something gets something, even if it is less than the smallest unit.
        digits, exponent = _digits_at(Quantity(digits, exponent), _NANO), _NANO
    quantity = Quantity(digits, exponent, read.suffix.format)
    if quantity.format is Format.BINARY_SI:
        if quantity > Quantity(_LARGEST_BINARY):
            quantity = Quantity(_LARGEST_BINARY, 0, Format.BINARY_SI)
        elif quantity and quantity < Quantity(1):
            quantity.format = Format.DECIMAL_SI
    return -quantity if read.negative else quantity


def _spelled(quantity: Quantity) -> str:
    if not quantity.digits:
        return "0"
    if quantity.format is Format.BINARY_SI:
        whole = _digits_at(quantity, 0)
        # Small numbers and fractions would need rounding, or a suffix below Ki.
        if abs(whole) >= _KIBI and Quantity(whole) == quantity:
            return _spelled_binary(whole)
    digits, exponent = _normal(quantity)
    digits *= 10 ** (exponent % 3)
    exponent -= exponent % 3
    suffix = _DECIMAL_TEXTS.get(exponent) if quantity.format is not Format.DECIMAL_EXPONENT else None
    if suffix is None:
        # Upstream prints decimal numbers beyond E without any suffix, which is another number.
        suffix = f"e{exponent}" if exponent else ""
    return f"{digits}{suffix}"


def _spelled_binary(whole: int) -> str:
    step = 0
    while whole % _KIBI == 0:
        whole //= _KIBI
        step += 1
    return f"{whole}{_BINARY_TEXTS[step]}"


def _normal(quantity: Quantity) -> tuple[int, int]:
    digits, exponent = quantity.digits, quantity.exponent
    if not digits:
        return 0, 0
    while digits % 10 == 0:
        digits //= 10
        exponent += 1
    return digits, exponent


def _digits_at(quantity: Quantity, exponent: int) -> int:
    """The number in units of ten to the *exponent*, rounded away from zero."""
    shift = quantity.exponent - exponent
    if shift >= 0:
        return quantity.digits * 10**shift
    away, rest = divmod(abs(quantity.digits), 10**-shift)
    away += rest > 0
    return -away if quantity.digits < 0 else away


def _bad(text: str, why: str) -> BadQuantity:
    shown = text if len(text) <= _BYTES else f"{text[:_BYTES]}..."
    return BadQuantity(f"cannot read {shown!r} as a quantity", why=why)
