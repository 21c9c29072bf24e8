"""What pods print, line by line, and which lines somebody wants to see."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.kinds.timestamp import Time

LONGEST_LINE: Final = 1 << 20


class Lines(NamedTuple):
    """Which lines."""

    text: str = ""
    inverse: bool = False
    match_case: bool = False
    until: datetime | None = None

    @classmethod
    def parse(cls, wanted: str, until: str, *, match_case: bool) -> "Lines":
        try:
            moment = Time.read(until).moment if until else None
        except ValueError as reason:
            raise InvalidInput(f"{until!r} is no time", why=f"expected {reason}") from reason
        bare = wanted.removeprefix("!")
        return cls(bare if match_case else bare.lower(), bare != wanted, match_case, moment)

    def fits(self, line: str) -> bool:
        found = self.text in (line if self.match_case else line.lower())
        return not self.text or found is not self.inverse

    def over(self, stamp: str) -> bool:
        """Whether a line with that time stamp comes too late."""
        if self.until is None:
            return False
        try:
            return Time.read(stamp).moment > self.until
        except ValueError:
            return False


async def split_lines(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[str, None]:
    """Line by line, whatever pieces they come in. A line that is too long is cut where it is."""
    rest = b""
    async for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace").rstrip("\r")
        if len(rest) > LONGEST_LINE:
            yield rest.decode("utf-8", "replace")
            rest = b""
    if rest:
        yield rest.decode("utf-8", "replace")
