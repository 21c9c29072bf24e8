"""What a webhook comes down to."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

LONGEST_URL: Final = 2048
LONGEST_REF: Final = 1024
_MOST_URLS: Final = 8


class Push(msgspec.Struct, frozen=True):
    """Somebody moved one ref of one repository, or so it is said."""

    urls: tuple[str, ...]
    """Of one and the same repository, as its forge writes them; `oci://` ones name a repository of a registry."""
    ref: str
    """In full where the forge says it in full; of a registry, the tag."""
    before: str = ""
    after: str = ""
    files: frozenset[str] | None = None
    """What changed between the two; None where that is not said, or not said completely."""
    default_branch: str | None = None
    """Without `refs/heads/`; None where the forge does not say."""


class Ignored(NamedTuple):
    """A webhook that there is nothing to do about."""

    reason: str


class Delivery(NamedTuple):
    """A webhook as it came; names of headers are in lower case."""

    headers: Mapping[str, str]
    body: bytes | bytearray

    def header(self, name: str) -> str:
        return self.headers.get(name, "")


def revision(ref: str) -> str:
    """The name of a branch or tag, without what kind of ref it is."""
    return ref.split("/", 2)[-1]


def unborn(commit: str) -> bool:
    """Whether there is no such commit: the ref is new, or gone."""
    return not commit.strip("0")


def addresses(urls: Iterable[str | None]) -> tuple[str, ...]:
    """Those that can be addresses, each spelling of host and path once, whatever the scheme."""
    kept: dict[tuple[str, str], str] = {}
    for url in urls:
        if url and len(url) <= LONGEST_URL and len(kept) < _MOST_URLS:
            kept.setdefault(place(url), url)
    return tuple(kept.values())


def place(url: str) -> tuple[str, str]:
    """Host and path of an address in any of git's forms, in lower case; no host where it has none."""
    scheme, separator, _ = url.partition("://")
    if not separator or not scheme.isalnum():
        host, colon, path = url.partition(":")
        if not colon or "/" in host:
            return "", url
        return host.rpartition("@")[2].lower(), _bare(path)
    try:
        parts = urlsplit(url)
        return (parts.hostname or "").lower(), _bare(parts.path)
    except ValueError:
        return "", url


def _bare(path: str) -> str:
    return path.strip("/").lower().removesuffix(".git")
