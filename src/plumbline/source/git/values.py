"""What is told about repositories."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

import msgspec

from plumbline.base.errors import PlumblineError


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """How often the other side is asked, and how long it may take."""

    poll_s: float = 120.0
    jitter_s: float = 60.0
    """Added to each wait: something between nothing and this."""
    deadline_s: float = 90.0
    first_deadline_s: float = 900.0
    """For the first fetch of a repository, which brings all of it."""
    stalled_s: int = 20
    """A transfer that stays below 1 KB/s for so long is given up."""
    parallel: int = 32
    """Polls and refreshes at a time. Most of that time they wait for a network."""


class Resolved(NamedTuple):
    """What a revision meant at one moment."""

    commit: str
    tag: str = ""
    """The annotated tag through which it was reached, if it was: signatures may be on that."""


class Moved(NamedTuple):
    """The refs of a repository changed: what `resolve` answers may be something else now."""

    url: str
    """As `urls.mirror_key` writes it, which is equal for all spellings of one repository."""
    before: Mapping[str, str]
    after: Mapping[str, str]

    def refs(self) -> frozenset[str]:
        """Full names of those that are new, gone or somewhere else."""
        return frozenset(name for name, _ in self.before.items() ^ self.after.items())


class State(NamedTuple):
    """How a repository was last seen. With an `error`, what is known is as old as `succeeded_at`."""

    url: str
    succeeded_at: datetime | None = None
    error: PlumblineError | None = None
    failed_at: datetime | None = None
    failures: int = 0
    """In a row."""
    next_try_at: datetime | None = None
    refs: int = 0


class Commit(msgspec.Struct, frozen=True):
    sha: str
    author: str
    """`Name <address>`."""
    date: datetime
    message: str
    tags: tuple[str, ...]
    parents: tuple[str, ...]
