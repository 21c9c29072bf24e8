"""Why something happened, and the change id that ties together everything that happened for the same reason."""

import hashlib
import re
from datetime import datetime
from typing import Final, TypeAlias
from urllib.parse import SplitResult, urlsplit

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.ids import Ids
from plumbline.journal.parties import ID_CHARS, LiveObject, checked

_SHA: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SCP: Final = re.compile(r"(?:[^@/\s]+@)?([^:/\s]{2,}):(?!//)(.+)")
_CHANGE: Final = re.compile(r"[a-z][0-9a-f]{24}")
_DIGITS: Final = 24


class Commit(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="commit", omit_defaults=True):
    repo: str
    sha: str
    committed_at: datetime | None = None
    """What Git says; it is the committer's clock, and no part of the change id."""

    def __str__(self) -> str:
        return f"commit:{self.sha}"

    def check(self) -> None:
        checked(self.repo, "the repository", ID_CHARS)
        if not _SHA.fullmatch(checked(self.sha, "the commit")):
            raise InvalidInput("a commit in a journal entry is a full lower-case hash", why=ascii(self.sha))
        if self.repo != without_credentials(self.repo):
            raise InvalidInput("a repository in a journal entry carries credentials", hint="Use without_credentials.")
        if self.committed_at is not None and self.committed_at.tzinfo is None:
            raise InvalidInput("a commit's time needs its offset from UTC")


class Person(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="person"):
    """Somebody asked for it: a click, a command, an approval."""

    name: str

    def __str__(self) -> str:
        return f"person:{self.name}"

    def check(self) -> None:
        checked(self.name, "the person")


class ObjectChange(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="object"):
    """Another object brought it about, and hands its change id down."""

    object: LiveObject
    change: str

    def __str__(self) -> str:
        return str(self.object)

    def check(self) -> None:
        self.object.check()
        check_change(self.change)


class Schedule(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="schedule"):
    name: str
    due: datetime

    def __str__(self) -> str:
        return f"schedule:{self.name}"

    def check(self) -> None:
        checked(self.name, "the schedule")
        if self.due.tzinfo is None:
            raise InvalidInput("the time that a schedule is due needs its offset from UTC")


Cause: TypeAlias = Commit | Person | ObjectChange | Schedule


def change_of(cause: Cause, ids: Ids) -> str:
    """The id of the change that *cause* belongs to.

    The same commit gives the same id everywhere, whatever address its repository is fetched from, and so does the same
    tick of a schedule; objects hand theirs down; what a person does is a change of its own, so ask once per action.
    """
    match cause:
        case Commit(repo=repo, sha=sha):
            return f"c{_digest(normalised(repo), sha.lower())}"
        case Schedule(name=name, due=due):
            return f"s{_digest(name, f'{due.timestamp():.3f}')}"
        case ObjectChange(change=change):
            return change
        case Person():
            return fresh_change(ids)


def fresh_change(ids: Ids) -> str:
    """A change of its own, for what a person does or what drifts without a known cause."""
    return f"p{ids.uid().replace('-', '')[-_DIGITS:]}"


def check_change(change: str) -> None:
    if not _CHANGE.fullmatch(checked(change, "the change")):
        raise InvalidInput("not a change id", why=ascii(change), hint="Change ids come from change_of.")


def normalised(repo: str) -> str:
    """Host and path of a repository: what all its addresses have in common.

    Scheme, user, port, letter case, a final slash and `.git` differ between people and webhooks that mean the same
    repository. The forges that people use ignore case in paths, and a wrong match would also need the same hash.
    """
    plain = repo.strip().lower()
    if where := _split(plain):
        host, path = where.hostname or "", where.path
    elif match := _SCP.fullmatch(plain):
        host, path = match[1], match[2]
    else:
        host, path = "", plain
    return f"{host}/{path.strip('/').removesuffix('.git').rstrip('/')}"


def without_credentials(repo: str) -> str:
    """The address without user and password where a scheme allows them; `git@` of SSH is no secret and stays."""
    scheme, separator, rest = repo.partition("://")
    if not separator:
        return repo
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    if scheme.lower() in {"ssh", "git+ssh"} and ":" not in user:
        return repo
    return f"{scheme}://{host}{slash}{path}" if at else repo


def _split(address: str) -> SplitResult | None:
    try:
        return urlsplit(address) if "://" in address else None
    except ValueError:  # brackets that are no address
        return None


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode(errors="backslashreplace")).hexdigest()[:_DIGITS]
