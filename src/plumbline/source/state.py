"""What is told about a repository that is followed."""

from datetime import datetime
from typing import NamedTuple

from plumbline.base.errors import PlumblineError


class State(NamedTuple):
    """How a repository was last seen. With an `error`, what is known is as old as `succeeded_at`."""

    url: str
    succeeded_at: datetime | None = None
    error: PlumblineError | None = None
    failed_at: datetime | None = None
    failures: int = 0
    """In a row."""
    next_try_at: datetime | None = None
    known: int = 0
    """Refs in a Git repository, charts in an index; of a registry, those that somebody uses."""
