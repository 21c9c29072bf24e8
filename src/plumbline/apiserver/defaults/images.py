"""When an image is pulled, by its reference alone: always where it says `latest` or nothing, else if not present.

A reference is read as container registries do, with Docker Hub understood where no registry is named. What cannot be
read has no tag, and so is not pulled always.
"""

import re
from functools import lru_cache
from typing import Final

from plumbline.base.json import Json

ALWAYS: Final = "Always"
IF_NOT_PRESENT: Final = "IfNotPresent"

_HUB: Final = "docker.io"
_LEGACY_HUB: Final = "index.docker.io"
_PATH_LIMIT: Final = 255
_CACHED_LENGTH: Final = 512

_LABEL: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_REGISTRY: Final = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_COMPONENT: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_REFERENCE: Final = re.compile(
    rf"(?:{_REGISTRY}/)?({_COMPONENT}(?:/{_COMPONENT})*)(?::(\w[\w.-]{{0,127}}))?(?:@({_DIGEST}))?", re.ASCII
)
_KNOWN_DIGEST: Final = re.compile(r"sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}")
_IDENTIFIER: Final = re.compile(r"[a-f0-9]{64}")


def pull_policy(image: Json) -> str:
    """When the server has *image* pulled if nobody says."""
    if not isinstance(image, str):
        return IF_NOT_PRESENT
    return _cached(image) if len(image) <= _CACHED_LENGTH else _policy(image)


def _policy(image: str) -> str:
    return ALWAYS if _tag(image) == "latest" else IF_NOT_PRESENT


_cached = lru_cache(maxsize=2048)(_policy)


def _tag(image: str) -> str:
    if _IDENTIFIER.fullmatch(image):
        return ""
    registry, repository = _split(image)
    named = repository.partition(":")[0]
    read = _REFERENCE.fullmatch(f"{registry}/{repository}")
    if read is None or named.lower() != named or len(read[1]) > _PATH_LIMIT:
        return ""
    _, tag, digest = read.groups()
    if digest and not _KNOWN_DIGEST.fullmatch(digest):
        return ""
    return tag or ("" if digest else "latest")


def _split(image: str) -> tuple[str, str]:
    first, slash, rest = image.partition("/")
    if not slash:
        return _HUB, f"library/{image}"
    registry, repository = _HUB, image
    if first == _LEGACY_HUB:
        repository = rest
    elif first == "localhost" or "." in first or ":" in first or first.lower() != first:
        registry, repository = first, rest
    if registry == _HUB and "/" not in repository:
        repository = f"library/{repository}"
    return registry, repository
