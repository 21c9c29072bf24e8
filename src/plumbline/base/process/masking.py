"""Keeping secret values out of captured output, in the forms that tools print them in."""

import base64
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote_from_bytes

from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext

MASK = b"***"

# What is shorter says little, and masking it would tear holes into innocent output.
_SHORTEST = 4
_ALIGNMENTS = 3


class Mask:
    """Replaces values: as they are, line by line, and in base64, URL and JSON form."""

    def __init__(self, secrets: Iterable[Plaintext]) -> None:
        forms = {form for secret in secrets for form in _forms(secret.reveal()) if len(form) >= _SHORTEST}
        self._longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self.margin_bytes = max(map(len, forms), default=1) - 1
        """How much more than it needs a reader must keep for `head` and `tail` to drop."""

    def apply(self, text: bytes) -> bytes:
        pattern = self._pattern(text)
        return pattern.sub(MASK, text) if pattern else text

    def head(self, text: bytes) -> bytes:
        """The masked beginning of something whose end is gone: a margin of it goes too, with any value in between."""
        cut = max(len(text) - self.margin_bytes, 0)
        return self.apply(text[: min((start for start, end in self._spans(text) if start < cut < end), default=cut)])

    def tail(self, text: bytes) -> bytes:
        """The masked end of something whose beginning is gone, likewise."""
        cut = min(self.margin_bytes, len(text))
        return self.apply(text[max((end for start, end in self._spans(text) if start < cut < end), default=cut) :])

    def _spans(self, text: bytes) -> Iterator[tuple[int, int]]:
        pattern = self._pattern(text)
        return (found.span() for found in pattern.finditer(text)) if pattern else iter(())

    def _pattern(self, text: bytes) -> re.Pattern[bytes] | None:
        """Of those that are there at all: to compile thousands that are not takes a second, to look for them almost none."""
        there = [form for form in self._longest_first if form in text]
        return re.compile(b"|".join(map(re.escape, there))) if there else None


def _forms(value: bytes) -> Iterator[bytes]:
    bare = value.strip()
    yield value
    yield bare
    yield from (line.strip() for line in bare.splitlines())
    yield quote_from_bytes(bare, safe="").encode()
    yield encode(bare.decode(errors="replace"))[1:-1]
    if len(bare) >= _SHORTEST:
        yield from _in_base64(bare)


def _in_base64(value: bytes) -> Iterator[bytes]:
    """Of each alignment the part that does not depend on the bytes before and after it."""
    for before in range(_ALIGNMENTS):
        whole = base64.b64encode(bytes(before) + value)
        bits = (before + len(value)) * 8
        start, end = -(-before * 8 // 6), bits // 6
        yield whole[start:end]
        yield whole[start:end].translate(bytes.maketrans(b"+/", b"-_"))
