"""What a Helm repository offers: its index, kept as little more than text until somebody asks for a chart.

An index may list tens of thousands of versions, of which an installation uses a few dozen. Each chart is kept encoded,
and decoded when it is asked for.
"""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from plumbline.base.documents import load_document
from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.json import Json, encode
from plumbline.base.limits import MIB, Limits
from plumbline.base.versions import best, constraint, is_version, parse
from plumbline.source.charts.listed import Listed
from plumbline.source.charts.skim import skimmed

INDEX_BYTES: Final = 64 * MIB
CHARTS: Final = 50_000
VERSIONS: Final = 500_000

_LIMITS: Final = Limits(
    size_bytes=INDEX_BYTES,
    scalar_bytes=MIB,
    depth=50,
    nodes=6_000_000,
    expanded_nodes=6_000_000,
    expanded_chars=64 * MIB,
    documents=2,
)
_NAME: Final = re.compile(r"[^\x00-\x1f\x7f\\]{1,250}")
_DECODER: Final = msgspec.json.Decoder(tuple[Listed, ...])
_ANSWERS: Final = 4096
NEWEST: Final = "*"
"""The constraint that is meant by none."""


class Index:
    """*charts* by name, each the JSON of its `Listed` versions in the order of the index."""

    def __init__(self, charts: Mapping[str, bytes]) -> None:
        self.charts: Final = charts
        self._decoded: dict[str, tuple[Listed, ...]] = {}
        self._answers: dict[tuple[str, str], str | None] = {}
        self._found: dict[tuple[str, str], Listed | None] = {}

    def changed(self, before: "Index") -> frozenset[str]:
        """Names of charts that are new, gone, or have other versions than before."""
        others = before.charts
        return frozenset(
            name for name in self.charts.keys() | others.keys() if self.charts.get(name) != others.get(name)
        )

    def versions(self, chart: str) -> tuple[Listed, ...]:
        found = self._decoded.get(chart)
        if found is None:
            found = self._decoded[chart] = _DECODER.decode(self.charts.get(chart, b"[]"))
        return found

    def resolved(self, chart: str, revision: str) -> str | None:
        """The version that a target revision means, as `versions.best` has it. Thousands may ask the same."""
        key = (chart, revision)
        if key not in self._answers:
            if len(self._answers) >= _ANSWERS:
                self._answers.clear()
            self._answers[key] = best(revision or NEWEST, [each.version for each in self.versions(chart)])
        return self._answers[key]

    def listed(self, chart: str, version: str) -> Listed | None:
        """The entry that a version or constraint means: the one spelled like that, else the highest that fits."""
        key = (chart, version)
        if key not in self._found:
            if len(self._found) >= _ANSWERS:
                self._found.clear()
            listed = self.versions(chart)
            found = matching(version, [each.version for each in listed])
            self._found[key] = next((each for each in listed if each.version == found), None)
        return self._found[key]


def matching(version: str, candidates: list[str]) -> str | None:
    """As Helm looks for a version: the one that is spelled like that, else the highest that it allows.

    Unlike for Argo CD, `1.2` is a constraint here, and `v1.2.3` finds `1.2.3`.
    """
    if version in candidates:
        return version
    try:
        wanted = constraint(version or NEWEST)
    except InvalidInput:
        return None
    fitting = [found for each in candidates if is_version(each) and wanted.allows(found := parse(each))]
    return max(fitting, key=lambda each: each.order).original if fitting else None


def read(text: bytes) -> Index:
    """An index out of its text. Blocks: where it has not the shape that Helm writes, for seconds."""
    if len(text) > INDEX_BYTES:
        raise LimitExceeded("Cannot read the index", why=f"it has more than {INDEX_BYTES:,} bytes")
    found = skimmed(text)
    if found is None:
        found = _entries(load_document(text, limits=_LIMITS, source="index.yaml").value)
    count = sum(map(len, found.values()))
    if len(found) > CHARTS or count > VERSIONS:
        raise LimitExceeded("Cannot read the index", why=f"it lists {len(found):,} charts and {count:,} versions")
    return Index({name: encode(listed) for name, listed in found.items() if named(name)})


def named(chart: str) -> bool:
    """Whether it can be the name of a chart: no part of it means a folder to anybody."""
    return bool(_NAME.fullmatch(chart)) and not {"", ".", ".."} & set(chart.split("/"))


def _entries(value: Json) -> dict[str, list[Listed]]:
    entries = value.get("entries") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(entries, dict | None):
        raise InvalidInput("Cannot read the index", why="it is not the index of a Helm repository")
    return {name: _versions(listed) for name, listed in (entries or {}).items()}


def _versions(listed: Json) -> list[Listed]:
    """Those that can be read. Helm passes over the others as well, so that one bad entry does not hide the rest."""
    found = []
    for each in listed if isinstance(listed, list) else ():
        version = each.get("version") if isinstance(each, dict) else None
        if not isinstance(version, str) or not version:
            continue
        urls, digest = each.get("urls"), each.get("digest")
        texts = [url for url in urls if isinstance(url, str)] if isinstance(urls, list) else []
        found.append(Listed.of(version, digest if isinstance(digest, str) else "", texts))
    return found
