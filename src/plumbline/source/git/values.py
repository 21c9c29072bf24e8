"""What is told about repositories."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

import msgspec

from plumbline.source.polls import Lanes


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
    lanes: Lanes = Lanes(parallel=32, slow=16, patience_s=10.0)


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


class Commit(msgspec.Struct, frozen=True):
    sha: str
    author: str
    """`Name <address>`."""
    date: datetime
    message: str
    tags: tuple[str, ...]
    parents: tuple[str, ...]
