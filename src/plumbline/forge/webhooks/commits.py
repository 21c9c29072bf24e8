"""Pushes in the form that GitHub, GitLab, Gogs and Gitea share: one ref, and commits with their files."""

from collections.abc import Sequence
from typing import Final

from plumbline.forge.webhooks.decoding import Part
from plumbline.forge.webhooks.push import LONGEST_REF, Ignored, Push, addresses, revision, unborn

_MOST_COMMITS: Final = 2048
"""GitHub names no more than that, and says nothing of the others."""


class Commit(Part):
    added: list[str | None] | None = None
    modified: list[str | None] | None = None
    removed: list[str | None] | None = None


class Ref(Part):
    """What is said of the ref itself."""

    ref: str | None = None
    before: str | None = None
    after: str | None = None
    commits: list[Commit | None] | None = None
    forced: bool | None = None
    total_commits: int | None = None
    """How many there are, where the forge names only some of them."""
    total_commits_count: int | None = None


def pushed(said: Ref, urls: Sequence[str | None], default_branch: str | None) -> tuple[Push, ...] | Ignored:
    found = addresses(urls)
    if not found:
        return Ignored("it names no repository")
    ref = said.ref or ""
    if not ref or len(ref) > LONGEST_REF:
        return Ignored("it names no ref")
    return (
        Push(
            urls=found,
            ref=ref,
            before=revision(said.before or ""),
            after=revision(said.after or ""),
            files=_files(said),
            default_branch=revision(default_branch) if default_branch else None,
        ),
    )


def _files(said: Ref) -> frozenset[str] | None:
    """What the commits touch together, unless that is not all that became different.

    Commits that a forced push took away, those before the first of a new branch, and those that are counted but not
    named, are not among them.
    """
    commits = said.commits or []
    total = max(said.total_commits or 0, said.total_commits_count or 0)
    if said.forced or unborn(said.before or "") or unborn(said.after or ""):
        return None
    if total > len(commits) or len(commits) >= _MOST_COMMITS:
        return None
    files = {
        file
        for commit in commits
        if commit
        for names in (commit.added, commit.modified, commit.removed)
        for file in names or ()
        if file
    }
    return frozenset(files) or None
