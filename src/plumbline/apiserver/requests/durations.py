"""How Go writes durations: `1h2m3.5s`."""

import re
from typing import Final

from plumbline.kube.gotext import quoted

_UNITS_S: Final = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_part: Final = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)([^0-9.]*)")
_LONGEST_S: Final = (1 << 63) / 1e9


def seconds(text: str) -> float:
    """Raises ValueError in the words of Go's parser."""
    sign = -1.0 if text.startswith("-") else 1.0
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0.0
    if not rest:
        raise ValueError(f"time: invalid duration {quoted(text)}")
    total = 0.0
    while rest:
        found = _part.match(rest)
        if found is None:
            raise ValueError(f"time: invalid duration {quoted(text)}")
        number, unit = found.groups()
        if not unit:
            raise ValueError(f"time: missing unit in duration {quoted(text)}")
        if unit not in _UNITS_S:
            raise ValueError(f"time: unknown unit {quoted(unit)} in duration {quoted(text)}")
        total += float(number) * _UNITS_S[unit]
        rest = rest[found.end() :]
    if total >= _LONGEST_S:
        raise ValueError(f"time: invalid duration {quoted(text)}")
    return sign * total
