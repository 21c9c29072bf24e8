"""What clocks and calendars show, and how Go's layouts write it: `2006-01-02` shows how a date is to look."""

import re
from typing import Final, NamedTuple

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
PART: Final = re.compile(
    r"January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|002|01|02|03|04|05|06|15|_2006|__2|_2|2006|PM|pm"
    r"|[-Z]07:00:00|[-Z]07:00|[-Z]070000|[-Z]0700|[-Z]07|[.,](?:0+|9+)(?![0-9])|1|2|3|4|5"
)
_HALF_DAY: Final = 12


class Clockface(NamedTuple):
    """What a clock and a calendar show."""

    year: int
    month: int
    day: int
    weekday: int
    yearday: int
    hour: int
    minute: int
    second: int
    ns: int
    zone: str
    offset_s: int


def shown(face: Clockface, layout: str) -> str:
    """*face* as *layout* shows."""
    return PART.sub(lambda found: _shown(found[0], face), layout)


def _shown(part: str, face: Clockface) -> str:
    hour = face.hour
    if part[0] in "-Z" and part[1:3] == "07":
        return _offset(part, face.offset_s)
    if part[0] in ".,":
        return _fraction(part, face.ns)
    shown = {
        "2006": f"{face.year:04d}", "_2006": f"_{face.year:04d}", "06": f"{face.year % 100:02d}",
        "January": MONTHS[face.month - 1], "Jan": MONTHS[face.month - 1][:3], "01": f"{face.month:02d}", "1": f"{face.month}",
        "Monday": DAYS[face.weekday], "Mon": DAYS[face.weekday][:3],
        "02": f"{face.day:02d}", "_2": f"{face.day:2d}", "2": f"{face.day}",
        "002": f"{face.yearday:03d}", "__2": f"{face.yearday:3d}",
        "15": f"{hour:02d}", "03": f"{hour % 12 or 12:02d}", "3": f"{hour % 12 or 12}",
        "04": f"{face.minute:02d}", "4": f"{face.minute}", "05": f"{face.second:02d}", "5": f"{face.second}",
        "PM": "PM" if hour >= _HALF_DAY else "AM", "pm": "pm" if hour >= _HALF_DAY else "am",
        "MST": face.zone or _offset("-0700", face.offset_s),
    }  # fmt: skip
    return shown[part]


def _offset(part: str, offset_s: int) -> str:
    if part[0] == "Z" and offset_s == 0:
        return "Z"
    size = abs(offset_s)
    text = f"{'-' if offset_s < 0 else '+'}{size // 3600:02d}"
    colon = ":" if ":" in part else ""
    if len(part) > 3:  # noqa: PLR2004 - minutes too
        text += f"{colon}{size // 60 % 60:02d}"
    if len(part.replace(":", "")) > 5:  # noqa: PLR2004 - and seconds
        text += f"{colon}{size % 60:02d}"
    return text


def _fraction(part: str, ns: int) -> str:
    digits = f"{ns:09d}"[: len(part) - 1]
    if part[1] == "9":
        digits = digits.rstrip("0")
        return part[0] + digits if digits else ""
    return part[0] + digits
