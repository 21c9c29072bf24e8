"""What Go's fmt prints: `%v` and its relatives, for the values that templates have."""

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from plumbline.gotemplate.bounds import Budget
from plumbline.gotemplate.quoting import quoted
from plumbline.gotemplate.values import INVALID, Raw, Typed, Value, type_name

_directive: Final = re.compile(
    r"%([+\-# 0]*)(?:\[(\d+)\])?(\*|\d+)?(?:(\.)(?:\[(\d+)\])?(\*|\d*))?(?:\[(\d+)\])?(.?)", re.DOTALL
)
_INTEGER_VERBS: Final = {"b": "b", "o": "o", "O": "o", "x": "x", "X": "X", "d": "d"}
_WIDEST: Final = 1_000_000
_EXPONENT: Final = 6
"""Where `%v` begins to write exponents."""


class Spec(NamedTuple):
    """One directive: `%+08.3f`."""

    verb: str = "v"
    flags: str = ""
    width: int | None = None
    precision: int | None = None

    @property
    def sharp_v(self) -> bool:
        return self.verb == "v" and "#" in self.flags


_PLAIN: Final = Spec()


def printed(value: Value, budget: Budget) -> str:
    """As `%v`."""
    if isinstance(value, str):
        return value
    budget.weigh(value)
    return _value(value, _PLAIN)


def stringed(value: Value, budget: Budget) -> str:
    """As `%s`."""
    budget.weigh(value)
    return _value(value, Spec("s"))


def joined(values: Sequence[Value], budget: Budget) -> str:
    """As fmt.Sprint: with spaces between values if neither is a string."""
    parts: list[str] = []
    for at, value in enumerate(values):
        if at and not isinstance(value, str) and not isinstance(values[at - 1], str):
            parts.append(" ")
        parts.append(printed(value, budget))
    return "".join(parts)


def formatted(form: str, values: Sequence[Value], budget: Budget) -> str:
    """As fmt.Sprintf."""
    parts: list[str] = []
    at, done, reordered = 0, 0, False
    for found in _directive.finditer(form):
        parts.append(form[done : found.start()])
        done = found.end()
        said = _Directive(found, values, at)
        parts.append(said.printed(budget))
        at, reordered = said.at, reordered or said.indexed
    parts.append(form[done:])
    if not reordered and at < len(values):
        extra = ", ".join(_of_type(each, budget) for each in values[at:])
        parts.append(f"%!(EXTRA {extra})")
    budget.hold(sum(map(len, parts)))
    return "".join(parts)


class _Directive:
    def __init__(self, found: re.Match[str], values: Sequence[Value], at: int) -> None:
        flags, first, width, dot, second, precision, third, verb = found.groups()
        self.at = at
        self.indexed = bool(first or second or third)
        self._values = values
        self._flags, self._verb = flags, verb
        self._bad_index = False
        self._fault = ""
        self._index(first)
        self._width = self._number(width, "WIDTH")
        if self._width is not None and self._width < 0:
            self._flags, self._width = self._flags + "-", -self._width
        self._index(second)
        self._precision = (self._number(precision, "PREC") if precision else 0) if dot else None
        if self._precision is not None and self._precision < 0:
            self._precision = None
        self._index(third)

    def _index(self, said: str | None) -> None:
        if said is not None:
            self._bad_index = not 1 <= int(said) <= len(self._values)
            self.at = self.at if self._bad_index else int(said) - 1

    def _number(self, said: str | None, name: str) -> int | None:
        if said == "*":
            value = self._values[self.at] if self.at < len(self._values) else None
            self.at += 1
            if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _WIDEST:
                self._fault += f"%!(BAD{name})"
                return None
            return value
        return int(said) if said else None

    def printed(self, budget: Budget) -> str:
        verb = self._verb
        if not verb:
            return self._fault + "%!(NOVERB)"
        if verb == "%":
            return self._fault + "%"
        if self._bad_index:
            return f"{self._fault}%!{verb}(BADINDEX)"
        if self.at >= len(self._values):
            return f"{self._fault}%!{verb}(MISSING)"
        value = self._values[self.at]
        self.at += 1
        budget.weigh(value)
        budget.hold((self._width or 0) + (self._precision or 0))
        flags = self._flags.replace("+", "") if verb == "v" else self._flags
        spec = Spec(verb, flags, self._width, self._precision)
        if verb == "T":
            return self._fault + _padded(type_name(value), spec)
        return self._fault + _value(value, spec)


def _of_type(value: Value, budget: Budget) -> str:
    return "<nil>" if value is None else f"{type_name(value)}={printed(value, budget)}"


def _value(value: Value, spec: Spec) -> str:
    if isinstance(value, Typed):
        return _typed(value, spec)
    if value is None or value is INVALID:
        return _padded("<nil>", spec) if spec.verb == "v" else f"%!{spec.verb}(<nil>)"
    for kind, write in _WRITERS:
        if isinstance(value, kind):
            return write(value, spec)
    return "0x0"


def _typed(value: Typed, spec: Spec) -> str:
    if spec.verb in "vsxXq" and not spec.sharp_v:
        return _text(value.text(), spec)
    if isinstance(value, int) and (spec.verb in _INTEGER_VERBS or spec.verb in "cUv"):
        return _integer(int(value), spec)
    return _bad(value, spec)


def _bool(value: Value, spec: Spec) -> str:
    return _padded("true" if value else "false", spec) if spec.verb in "tv" else _bad(value, spec)


def _bad(value: Value, spec: Spec) -> str:
    # As `%v` then, but with the width and the flags of the verb that is wrong.
    shown = _value(value, spec._replace(verb="v", flags=spec.flags.replace("#", "")))
    return f"%!{spec.verb}({type_name(value)}={shown})"


def _padded(text: str, spec: Spec, *, number: bool = False) -> str:
    """With zeros if it says so: before a text, but after the sign of a number."""
    missing = (spec.width or 0) - len(text)
    if missing <= 0:
        return text
    if "-" in spec.flags:
        return text + " " * missing
    if "0" not in spec.flags:
        return " " * missing + text
    sign = text[:1] if number and text[:1] in {"+", "-", " "} else ""
    return sign + "0" * missing + text[len(sign) :]


def _integer(value: int, spec: Spec) -> str:
    verb = spec.verb
    if verb == "v":
        verb = "d"
    if verb == "c":
        return _padded(_char(value), spec)
    if verb == "q":
        return _padded(quoted(_char(value), "'", ascii_only="+" in spec.flags), spec)
    if verb == "U":
        point, spec = f"U+{value:04X}", spec._replace(flags=spec.flags.replace("0", ""))
        return _padded(f"{point} '{_char(value)}'" if "#" in spec.flags else point, spec)
    if verb not in _INTEGER_VERBS:
        return _bad(value, spec)
    digits = format(abs(value), _INTEGER_VERBS[verb])
    if spec.precision is not None:
        digits = "" if spec.precision == 0 and value == 0 else digits.zfill(spec.precision)
        spec = spec._replace(flags=spec.flags.replace("0", ""))
    prefix = "0o" if verb == "O" else ""
    if "#" in spec.flags and not spec.sharp_v:
        prefix = {"b": "0b", "o": "0", "x": "0x", "X": "0X"}.get(verb, prefix)
    sign = "-" if value < 0 else "+" if "+" in spec.flags else " " if " " in spec.flags else ""
    return _padded(sign + prefix + digits, spec, number=True)


def _char(value: int) -> str:
    return chr(value) if 0 <= value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF else "�"  # noqa: PLR2004 - no characters


def _float(value: float, spec: Spec) -> str:
    verb = "g" if spec.verb == "v" else spec.verb
    if verb not in "eEfFgG":
        return _bad(value, spec)
    if value != value or abs(value) == float("inf"):  # noqa: PLR0124 - that is what NaN is
        text = "NaN" if value != value else "+Inf" if value > 0 else "-Inf"  # noqa: PLR0124 - same
        return _padded(text, spec._replace(flags=spec.flags.replace("0", "")))
    if verb in "gG" and spec.precision is None:
        text = shortest(value, _EXPONENT)
        text = text.upper() if verb == "G" else text
    else:
        precision = 6 if spec.precision is None else spec.precision
        text = format(value, f".{precision}{verb}")
    sign = "" if text.startswith("-") else "+" if "+" in spec.flags else " " if " " in spec.flags else ""
    return _padded(sign + text, spec, number=True)


def shortest(value: float, most: int = 21) -> str:
    """The fewest digits that mean *value*, with an exponent from 10^*most* on."""
    text = repr(value)
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0") or "0"
    if digits == "0":
        return f"{sign}0"
    if point - 1 < -4 or point - 1 >= most:  # noqa: PLR2004 - where Go begins to write exponents
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{tail}e{'-' if point < 1 else '+'}{abs(point - 1):02d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if point >= len(digits):
        return sign + digits + "0" * (point - len(digits))
    return f"{sign}{digits[:point]}.{digits[point:]}"


def _text(text: str, spec: Spec) -> str:
    if spec.verb in "sv" or spec.verb == "q":
        cut = text if spec.precision is None else text[: spec.precision]
        if spec.verb == "q" or spec.sharp_v:
            raw = "#" in spec.flags and spec.verb == "q" and "`" not in cut and cut.isprintable()
            cut = f"`{cut}`" if raw else quoted(cut, ascii_only="+" in spec.flags)
        return _padded(cut, spec)
    if spec.verb in "xX":
        return _hex(text.encode(errors="surrogateescape"), spec)
    return _bad(text, spec)


def _hex(raw: bytes, spec: Spec) -> str:
    raw = raw if spec.precision is None else raw[: spec.precision]
    pairs = [format(byte, "02x" if spec.verb == "x" else "02X") for byte in raw]
    prefix = f"0{spec.verb}" if "#" in spec.flags else ""
    if " " in spec.flags:
        return _padded(" ".join(prefix + pair for pair in pairs), spec)
    return _padded(prefix + "".join(pairs) if pairs else "", spec)


def _bytes(raw: Raw, spec: Spec) -> str:
    if spec.verb in "sq":
        return _text(raw.decode(errors="surrogateescape"), spec)
    return _hex(raw, spec) if spec.verb in "xX" else "[" + " ".join(_integer(byte, spec) for byte in raw) + "]"


def _map(value: dict[str, Value], spec: Spec) -> str:
    if spec.sharp_v:
        pairs = ", ".join(f"{quoted(key)}:{_element(value[key], spec)}" for key in sorted(value))
        return f"{type_name(value)}{{{pairs}}}"
    return "map[" + " ".join(f"{_value(key, spec)}:{_nested(value[key], spec)}" for key in sorted(value)) + "]"


def _list(value: Sequence[Value], spec: Spec) -> str:
    if spec.sharp_v:
        return f"{type_name(value)}{{{', '.join(_element(each, spec) for each in value)}}}"
    return "[" + " ".join(_nested(each, spec) for each in value) + "]"


def _nested(value: Value, spec: Spec) -> str:
    """Nothing is nothing in there, whatever the verb and the width."""
    return "<nil>" if value is None else _value(value, spec)


def _element(value: Value, spec: Spec) -> str:
    return "interface {}(nil)" if value is None else _value(value, spec)


_WRITERS: Final[tuple[tuple[type, Callable[[Value, Spec], str]], ...]] = (
    (str, _text),
    (bool, _bool),
    (int, _integer),
    (float, _float),
    (dict, _map),
    (list, _list),
    (Raw, _bytes),
    (tuple, _list),
)
