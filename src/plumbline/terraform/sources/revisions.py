"""Which commit a GitRepository means, and how that is written. Pure."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.versions import Version, constraint, is_version, parse
from plumbline.kinds.flux.gitrepository import GitRepositoryRef

_BRANCHES: Final = "refs/heads/"
_TAGS: Final = "refs/tags/"
_MASTER: Final = "master"
_SHA: Final = re.compile(r"[0-9a-f]{40}")
_COMPLETE: Final = re.compile(r"v?[0-9]+\.[0-9]+\.[0-9]+(?:[-+].*)?", re.DOTALL)
_HASH: Final = re.compile(r"(?:.*@)?(?:sha1:)?([0-9a-f]{40})", re.DOTALL)


class Located(NamedTuple):
    """What was meant, at one moment."""

    commit: str
    reference: str = ""
    """Full name of the branch, tag or other reference that led there."""
    tag: str = ""
    """The annotated tag through which it was reached, if it was."""


def sought(ref: GitRepositoryRef) -> str:
    """Full name of the reference to look for; empty where it is a commit or a range of versions."""
    if ref.commit:
        return ""
    if ref.name:
        if not ref.name.startswith("refs/") and ref.name != "HEAD":
            raise InvalidInput(f"Cannot use the reference {ref.name[:200]!r}", why="its name does not begin with refs/")
        return ref.name
    if ref.semver:
        return ""
    return _TAGS + ref.tag if ref.tag else _BRANCHES + (ref.branch or _MASTER)


def pinned(ref: GitRepositoryRef) -> Located:
    """The commit that is named by its hash."""
    if not _SHA.fullmatch(ref.commit):
        raise InvalidInput(
            f"Cannot use the commit {ref.commit[:200]!r}", why="a commit is named by its hash of 40 digits"
        )
    return Located(ref.commit, _BRANCHES + ref.branch if ref.branch else "")


def newest(semver: str, names: Iterable[str]) -> tuple[str, ...]:
    """Tags with the highest version in a range: several where they differ in build metadata or spelling alone."""
    wanted = constraint(semver)
    tags = (name.removeprefix(_TAGS) for name in names if name.startswith(_TAGS))
    versions: list[Version] = [parse(tag) for tag in tags if _COMPLETE.fullmatch(tag) and is_version(tag)]
    fitting = [version for version in versions if wanted.allows(version)]
    if not fitting:
        raise InvalidInput(f"no match found for semver: {semver}")
    highest = max(version.order for version in fitting)
    return tuple(sorted(_TAGS + version.original for version in fitting if version.order == highest))


def written(ref: GitRepositoryRef, found: Located) -> str:
    """`main@sha1:…`; in full where the reference was named in full, and without one where there was none."""
    name = found.reference if ref.name else "/".join(found.reference.split("/")[2:])
    return f"{name}@sha1:{found.commit}" if name else f"sha1:{found.commit}"


def commit_in(revision: str) -> str:
    """The hash in a revision, empty where there is none."""
    match = _HASH.fullmatch(revision)
    return match[1] if match else ""
