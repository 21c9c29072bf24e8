"""A commit that we make ourselves, and its way to the other side. Never by force: who moved a branch meanwhile was first."""

import asyncio
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from plumbline.base.errors import (
    Conflict,
    Forbidden,
    InvalidInput,
    LimitExceeded,
    PlumblineError,
    TimedOut,
    ToolFailed,
    Unauthenticated,
)
from plumbline.base.process import Command, Finished, run
from plumbline.base.redaction import redact_text
from plumbline.base.tree import Tree
from plumbline.source.git.access import access
from plumbline.source.git.commands import Git, kept_as
from plumbline.source.git.failures import explained, said_by
from plumbline.source.git.library import library
from plumbline.source.git.mirror import Mirror
from plumbline.source.repository import Credentials, Repository
from plumbline.source.urls import redacted

if TYPE_CHECKING:
    import pygit2

HEADS: Final = "refs/heads/"
_FILE: Final = 0o100644
_EXECUTABLE: Final = 0o100755
_OUTRUN: Final = re.compile(
    r"\[(?:remote )?rejected\][^\n]*\((?:fetch first|non-fast-forward|stale info|already exists|cannot lock ref|"
    r"failed to update ref|reference already exists|incorrect old value)|cannot lock ref|remote ref does not match"
)
_DECLINED: Final = re.compile(r"\[remote rejected\]|hook declined|protected branch")
_WRITING: Final = "Writing takes a Secret of its own, with the label argocd.argoproj.io/secret-type: repository-write."


class Standing(NamedTuple):
    """Where a branch was last seen."""

    commit: str
    tree: Tree


class Author(NamedTuple):
    name: str
    email: str


class Note(NamedTuple):
    """What is said of a commit beside it, where `git notes` looks for it."""

    ref: str
    text: str


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """One commit, as it is to be on *branch*, or a note alone where no file is to be another."""

    url: str
    branch: str
    on: str
    """The commit that it comes after; empty to begin a history of its own, with a commit that holds nothing."""
    founds: str = ""
    """Another branch, which is not there yet and begins with that empty commit."""
    files: Mapping[str, bytes]
    """What it holds otherwise than the commit before it."""
    executable: frozenset[str] = frozenset()
    """Which of them are so where they are new. One that was there stays as it was."""
    message: str
    author: Author
    at: datetime
    note: Note | None = None
    """Of that commit."""


async def published(
    git: Git, mirror: Mirror, writer: Repository, proposal: Proposal, *, credentials: Credentials, deadline_s: float
) -> str:
    """Push it, as *writer*; the hash of the commit. Raises Conflict where the branch is no longer where it was.

    Only while nobody else talks to the other side.
    """
    what = f"Cannot push to {proposal.branch} of {redacted(writer.url)}"
    async with access(writer, credentials, mirror.path.parent) as reached:
        if proposal.note is not None:
            notes = proposal.note.ref
            await _ran(what, git.fetch_notes(mirror.path, reached, notes, deadline_s=deadline_s))
        made = await asyncio.to_thread(_made, mirror, proposal)
        refspecs = tuple(f"{sha}:{name}" for name, sha in made.refs.items())
        if refspecs:
            await _ran(what, git.push(mirror.path, reached, refspecs, deadline_s=deadline_s))
    return made.commit


async def _ran(what: str, command: Command) -> None:
    try:
        error = _meant(what, await run(command))
    except (TimedOut, LimitExceeded, ToolFailed) as ended:
        error = type(ended)(what, why=ended.why)
    if error is not None:
        raise error


class _Made(NamedTuple):
    commit: str
    refs: Mapping[str, str]
    """What each is to be on the other side."""


def _made(mirror: Mirror, proposal: Proposal) -> _Made:
    """Write commits and note into the mirror, where nothing that is followed leads to them."""
    pygit2 = library()
    for name in (proposal.branch, proposal.founds or proposal.branch):
        _check_name(name)
    repository = pygit2.Repository(str(mirror.path))
    try:
        author = pygit2.Signature(proposal.author.name, proposal.author.email, int(proposal.at.timestamp()), 0)
    except (ValueError, pygit2.GitError) as odd:
        raise InvalidInput(
            "Nobody can be the author of a commit by that name",
            why=str(odd),
            hint="Correct commit.author.name and commit.author.email in argocd-cm.",
        ) from odd
    refs: dict[str, str] = {}
    on = proposal.on
    if proposal.founds or not on:
        first = _committed(repository, author, f"Initial commit for {proposal.founds or proposal.branch}", (), "")
        refs |= {HEADS + proposal.founds: first} if proposal.founds else {}
        on = on or first
    if proposal.files or not proposal.on:
        on = refs[HEADS + proposal.branch] = _committed(repository, author, proposal.message, _files(proposal), on)
    if proposal.note is not None:
        refs |= _noted(repository, author, on, proposal.note)
    mirror.objects.reopen()
    return _Made(on, refs)


def _check_name(name: str) -> None:
    """Raise InvalidInput for what is no name, and for one that is read as something else wherever a revision is named."""
    if not name or not library().reference_is_valid_name(HEADS + name):
        raise InvalidInput(f"{name!r} is no name of a branch", why="Git does not allow it")
    if name == "HEAD" or name.startswith(("-", "refs/")):
        raise InvalidInput(f"{name!r} is no name of a branch", why="it would be taken for an option or for another ref")


def _noted(repository: "pygit2.Repository", author: "pygit2.Signature", commit: str, note: Note) -> dict[str, str]:
    """The notes with *note* of *commit* among them; nothing where it is there already."""
    kept = kept_as(note.ref)
    try:
        if repository.lookup_note(commit, kept).message.strip() == note.text:
            return {}
    except KeyError:
        pass  # it has none, or there are no notes at all
    repository.create_note(f"{note.text}\n", author, author, commit, kept, True)
    return {note.ref: str(repository.references[kept].target)}


class _File(NamedTuple):
    path: str
    content: bytes
    mode: int


def _files(proposal: Proposal) -> list[_File]:
    return [
        _File(path, content, _EXECUTABLE if path in proposal.executable else _FILE)
        for path, content in sorted(proposal.files.items())
    ]


def _committed(
    repository: "pygit2.Repository", author: "pygit2.Signature", message: str, files: Iterable[_File], on: str
) -> str:
    pygit2 = library()
    index = pygit2.Index()
    if on:
        index.read_tree(repository[on].peel(pygit2.Tree))
    for file in files:
        before = index[file.path].mode if file.path in index else None
        mode = before if before in {_FILE, _EXECUTABLE} else file.mode
        entry = pygit2.IndexEntry(file.path, repository.create_blob(file.content), mode)
        try:
            index.add(entry)
        except (OSError, pygit2.GitError) as refused:
            raise InvalidInput(
                f"{file.path!r} cannot be in a repository", why="Git does not allow the name"
            ) from refused
    tree = index.write_tree(repository)
    return str(repository.create_commit(None, author, author, message, tree, [on] if on else []))


def _meant(what: str, finished: Finished) -> PlumblineError | None:
    """What came of a push: what is said of writing is something else than what is said of reading."""
    if finished.exit_code == 0:
        return None
    said = redact_text(finished.stderr.decode("utf-8", "replace"))
    if _OUTRUN.search(said):
        return Conflict(what, why="it moved meanwhile")
    if _DECLINED.search(said):
        return Forbidden(what, why=said_by("the other side does not take it", said))
    error = explained(what, finished)
    if isinstance(error, Unauthenticated | Forbidden):
        return type(error)(what, why=said_by("it does not let us write", said), hint=_WRITING)
    return error
