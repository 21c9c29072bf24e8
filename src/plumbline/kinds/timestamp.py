"""Moments as Kubernetes writes them (metav1.Time): RFC 3339 in UTC, whole seconds."""

import re
from datetime import UTC, datetime
from functools import total_ordering
from typing import ClassVar, Final, Self

from plumbline.base.json import Json, JsonObject

_RFC3339: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d{1,64})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
_EXPECTED: Final = "a time such as 2026-01-31T12:00:00Z"


@total_ordering
class Time:
    """A moment, cut to the second because that is what a round trip through the API keeps."""

    __slots__ = ("moment",)

    openapi: ClassVar[JsonObject] = {"type": "string", "format": "date-time"}

    def __init__(self, moment: datetime) -> None:
        if moment.tzinfo is None:
            raise ValueError("a time with its offset from UTC")
        self.moment = moment.astimezone(UTC).replace(microsecond=0)

    @classmethod
    def read(cls, raw: Json) -> Self:
        match = _RFC3339.fullmatch(raw) if isinstance(raw, str) else None
        if match is None:
            raise ValueError(_EXPECTED)
        try:
            return cls(datetime.fromisoformat(match[1] + match[2]))
        except (ValueError, OverflowError) as reason:
            raise ValueError(_EXPECTED) from reason

    def write(self) -> str:
        return self.moment.isoformat().removesuffix("+00:00") + "Z"

    __str__ = write

    def __repr__(self) -> str:
        return f"Time({self})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Time) and self.moment == other.moment

    def __lt__(self, other: "Time") -> bool:
        return self.moment < other.moment

    def __hash__(self) -> int:
        return hash(self.moment)
