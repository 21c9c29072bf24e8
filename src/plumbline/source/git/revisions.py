"""From what people write as a target revision to the one commit that it means now.

As upstream does it, in this order: a hash of 40 digits is itself; a version constraint is the highest tag that it allows;
then names of branches, tags and other refs, short or in full; then the beginning of a hash. Where a branch and a tag have
the same name upstream takes whichever it comes across first; here it is refused, unless both are the same commit.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from plumbline.base.errors import InvalidInput
from plumbline.base.versions import best, is_constraint, is_version
from plumbline.source.git.values import Resolved

_BRANCHES: Final = "refs/heads/"
_TAGS: Final = "refs/tags/"
_TRUNCATED: Final = re.compile(r"[0-9A-Fa-f]{7,39}")
_REF: Final = re.compile(r"refs/(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)|/\.|/$|\.$))[^\x00-\x20~^:?*\[\\\x7f]+")
_FORGES: Final = ("changes/", "merge-requests/", "pull-requests/", "pull/")
"""How forges begin the names of refs for proposed changes, below `refs/`."""
_LONGEST: Final = 512
_ANSWERS: Final = 4096


class Refs:
    """The refs of one repository at one moment, and what was asked about them."""

    def __init__(self, names: Mapping[str, str], commit_of: Callable[[str], str | None]) -> None:
        self.names = names
        self._commit_of = commit_of
        self._known: dict[tuple[str, str], Resolved | None] = {}
        self._tags: tuple[str, ...] | None = None
        self._tagged: dict[str, tuple[str, ...]] | None = None

    @property
    def tags(self) -> tuple[str, ...]:
        if self._tags is None:
            self._tags = tuple(name.removeprefix(_TAGS) for name in self.names if name.startswith(_TAGS))
        return self._tags

    def resolved(self, revision: str, tag_prefix: str = "") -> Resolved | None:
        """What a name or a constraint means, None where there is no such. Answers are kept."""
        key = (revision, tag_prefix)
        if key not in self._known:
            if len(self._known) >= _ANSWERS:
                self._known.clear()
            ref = self._ref(revision or "HEAD", tag_prefix)
            self._known[key] = None if ref is None else self._at(ref)
        return self._known[key]

    def tags_of(self, commit: str) -> tuple[str, ...]:
        """Names of the tags on a commit. The first question reads every tag."""
        if self._tagged is None:
            found: dict[str, list[str]] = {}
            for tag in self.tags:
                found.setdefault(self._commit_of(self.names[_TAGS + tag]) or "", []).append(tag)
            self._tagged = {sha: tuple(sorted(tags)) for sha, tags in found.items()}
        return self._tagged.get(commit, ())

    def _ref(self, revision: str, tag_prefix: str) -> str | None:
        if is_constraint(revision):
            chosen = best(revision, self.tags, tag_prefix)
            if chosen is not None:
                return _TAGS + chosen
        elif is_version(revision):
            revision = tag_prefix + revision
            if _TAGS + revision in self.names:
                return _TAGS + revision
        return self._unique(revision)

    def _unique(self, name: str) -> str | None:
        found = [ref for ref in _spellings(name) if ref in self.names]
        if len({self._at(ref).commit for ref in found}) > 1:
            raise InvalidInput(
                f"Cannot resolve {name}",
                why=f"it is the name of several: {', '.join(found)}",
                hint="Write the full name of the one that you mean.",
            )
        return found[0] if found else None

    def _at(self, ref: str) -> Resolved:
        sha = self.names[ref]
        commit = self._commit_of(sha)
        if commit is None:
            raise InvalidInput(f"Cannot use {ref}", why="it is not a commit, nor the tag of one")
        return Resolved(commit, "" if sha == commit else sha)


def truncated(revision: str) -> bool:
    return _TRUNCATED.fullmatch(revision) is not None


def special(revision: str) -> str:
    """The full name of a ref that is fetched only when asked for, such as that of a pull request; else nothing."""
    name = f"refs/{revision}" if revision.startswith(_FORGES) else revision
    ordinary = name.startswith((_BRANCHES, _TAGS, "refs/plumbline/"))
    return name if not ordinary and len(name) <= _LONGEST and _REF.fullmatch(name) else ""


def _spellings(name: str) -> Iterator[str]:
    """The refs that have this short name, or this full one."""
    if name == "HEAD" or name.startswith("refs/"):
        yield name
    yield _BRANCHES + name
    yield _TAGS + name
    if not name.startswith(("heads/", "tags/", "remotes/")):
        yield f"refs/{name}"
