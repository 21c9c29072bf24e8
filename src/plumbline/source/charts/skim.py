"""The index of a Helm repository in the shape that Helm itself writes, read by its indentation alone.

Public indexes have tens of megabytes, of which three keys per version are wanted. A YAML parser takes seconds for them
and holds all of it in memory; this passes over the rest in long steps. Whatever does not have exactly that shape is not
read at all here: the answer is None, and a parser has to look.
"""

import re
from collections.abc import Iterator
from typing import Final

from plumbline.base.documents import load_document
from plumbline.base.errors import PlumblineError
from plumbline.base.limits import SETTINGS
from plumbline.source.charts.listed import Listed

_AT_KEY: Final = rb"(?:(?<=\n  - )|(?<=\n)    )"
"""Before a key of a version: behind the dash that begins it, or below that."""
_TOKEN: Final = re.compile(
    # Keys that nobody wants, each with the list or whatever else is further in than it.
    rb"(?P<other>(?:" + _AT_KEY + rb"(?!(?:version|digest|urls):)[A-Za-z][A-Za-z0-9]*+:(?: [^\n]*+)?\n"
    rb"(?:    - [^\n]*+\n| {5}[^\n]*+\n|\n)*)+)"
    rb"|" + _AT_KEY + rb"(?P<key>version|digest): ++(?P<value>[^\n]*+)\n(?! {5}|    - |\n)"
    rb"|" + _AT_KEY + rb"urls:\n(?P<urls>(?: {4}- [^\n]*+\n)+)(?! {4}- | {5}|\n)"
    rb"|(?<=\n)(?P<version>  - )(?=[A-Za-z])"
    rb"|(?<=\n)  (?P<chart>[A-Za-z][A-Za-z0-9._/-]*+):(?P<none> \[\])?\n"
    rb"|(?<=\n)(?P<entries>entries:)(?: \{\})?\n"
    rb"|(?<=\n)(?P<top>[A-Za-z]++):(?: [^\n]*+)?\n(?: [^\n]*+\n|\n)*"
    rb"|(?<=\A\n)---\n"
)  # fmt: skip
_PLAIN: Final = re.compile(
    rb"v?[0-9]+\.[0-9]+\.[0-9]+(?:[-+][0-9A-Za-z.+-]*)?|[0-9a-f]{64}|https?://[!$-9;-~]+|[A-Za-z][!$-9;-~]*\.tgz"
)
"""Texts that mean themselves in YAML: without quotes, and without a colon or number sign that could mean something."""
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_ITEM: Final = len(b"    - ")


def skimmed(text: bytes) -> dict[str, list[Listed]] | None:
    """Charts and their versions, or None where only a parser can tell."""
    if b"\r" in text:
        return None
    skimming = _Skimming()
    try:
        for token in _tokens(b"\n" + text + b"\n"):
            skimming.take(token)
        return skimming.finished()
    except _OtherShapeError:
        return None


class _OtherShapeError(Exception):
    pass


def _tokens(text: bytes) -> Iterator[re.Match[bytes]]:
    at, last = 1, len(text) - 1
    while at < last:
        token = _TOKEN.match(text, at)
        if token is None:
            raise _OtherShapeError
        yield token
        at = token.end()


class _Skimming:
    def __init__(self) -> None:
        self._charts: dict[str, list[Listed]] | None = None
        self._versions: list[Listed] | None = None
        self._fields: dict[bytes, str] | None = None
        self._urls: list[str] = []
        self._tops: set[bytes] = set()
        self._within = False

    def take(self, token: re.Match[bytes]) -> None:
        match token.lastgroup:
            case "other":
                self._open_fields()
            case "value":
                self._field(token["key"], _text(token["value"].rstrip()))
            case "urls":
                self._field(b"urls", "")
                self._urls = [_text(line[_ITEM:].strip()) for line in token["urls"].splitlines()]
            case "version":
                self._end_version()
                self._fields, self._urls = {}, []
            case "chart" | "none":
                self._chart(token["chart"].decode(), empty=token["none"] is not None)
            case "entries" | "top":
                self._top(token["entries"] or token["top"])

    def finished(self) -> dict[str, list[Listed]]:
        self._end_version()
        if self._charts is None:
            raise _OtherShapeError
        return self._charts

    def _top(self, key: bytes) -> None:
        if key in self._tops:
            raise _OtherShapeError
        self._tops.add(key)
        self._end_version()
        self._versions = None
        self._within = key == b"entries:"
        if self._within:
            self._charts = {}

    def _chart(self, name: str, *, empty: bool) -> None:
        if not self._within or self._charts is None or name in self._charts or name.lower() in _WORDS:
            raise _OtherShapeError
        self._end_version()
        self._charts[name] = []
        self._versions = None if empty else self._charts[name]

    def _field(self, key: bytes, value: str) -> None:
        fields = self._open_fields()
        if key in fields:
            raise _OtherShapeError
        fields[key] = value

    def _open_fields(self) -> dict[bytes, str]:
        if self._fields is None or self._versions is None:
            raise _OtherShapeError
        return self._fields

    def _end_version(self) -> None:
        if self._fields is not None:
            if self._versions is None:
                raise _OtherShapeError
            if self._fields.get(b"version"):
                self._versions.append(Listed.of(self._fields[b"version"], self._fields.get(b"digest", ""), self._urls))
        self._fields = None


def _text(written: bytes) -> str:
    if _PLAIN.fullmatch(written):
        return written.decode("ascii")
    try:
        value = load_document(b"v: " + written, limits=SETTINGS).value["v"]
    except (PlumblineError, TypeError, KeyError):
        raise _OtherShapeError from None
    if not isinstance(value, str):
        raise _OtherShapeError
    return value
