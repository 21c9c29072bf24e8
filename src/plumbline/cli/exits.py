"""What the program's exit code means, in one table for all verbs.

1 says "the answer is no" and nothing else, so a script can trust it.
"""

from enum import IntEnum
from typing import Final

from plumbline.base.errors import (
    AlreadyExists,
    Conflict,
    FieldConflict,
    FieldNotFound,
    Forbidden,
    InvalidInput,
    NeedsConsent,
    NotFound,
    OwnedElsewhere,
    PlanStale,
    PlumblineError,
    RivalAlive,
    TimedOut,
    Unauthenticated,
    UnknownKind,
)


class Exit(IntEnum):
    DONE = 0
    """Done, or no difference."""
    NO = 1
    """It differs, has drifted, is unhealthy, or a check failed."""
    USAGE = 2
    """The command line, or a file that it names, cannot be used."""
    FAILED = 3
    """The operation failed: a server or a tool said no, or could not be reached."""
    DENIED = 4
    """Not logged in, or not allowed."""
    NOT_FOUND = 5
    """There is no such object or kind."""
    REFUSED = 6
    """Refused because of a conflict, or because somebody else owns it."""
    TIMED_OUT = 7
    """Timed out waiting."""
    NEEDS_APPROVAL = 8
    """A person must approve it first."""
    BUG = 70
    """A bug in Plumbline; a report was written."""
    INTERRUPTED = 130
    """Interrupted by Ctrl-C."""
    UNREAD = 141
    """Nobody reads the output any more, as after `| head`."""


_OF: Final[tuple[tuple[type[PlumblineError], Exit], ...]] = (
    (Unauthenticated, Exit.DENIED),
    (Forbidden, Exit.DENIED),
    (NotFound, Exit.NOT_FOUND),
    (UnknownKind, Exit.NOT_FOUND),
    (FieldNotFound, Exit.NOT_FOUND),
    (AlreadyExists, Exit.REFUSED),
    (NeedsConsent, Exit.NEEDS_APPROVAL),
    (RivalAlive, Exit.REFUSED),
    (Conflict, Exit.REFUSED),
    (FieldConflict, Exit.REFUSED),
    (OwnedElsewhere, Exit.REFUSED),
    (PlanStale, Exit.REFUSED),
    (TimedOut, Exit.TIMED_OUT),
    (InvalidInput, Exit.USAGE),
)


def exit_of(error: PlumblineError) -> Exit:
    return next((code for type_, code in _OF if isinstance(error, type_)), Exit.FAILED)
