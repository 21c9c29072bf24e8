"""What PostgreSQL's failures mean for people, and whether to try again on another connection."""

from typing import TYPE_CHECKING, Final

from plumbline.base.errors import (
    Corrupted,
    Forbidden,
    PlumblineError,
    ServerFault,
    StorageFailed,
    TimedOut,
    Unreachable,
)

if TYPE_CHECKING:
    from psycopg import Error

_WHAT: Final = "the journal's database refused"
# By SQLSTATE, or by its class: the first two characters.
_MEANING: Final[dict[str, type[PlumblineError]]] = {
    "25006": Unreachable,  # read-only: a primary that became a standby
    "42501": Forbidden,
    "53": StorageFailed,  # disk full, out of memory
    "53300": Unreachable,  # too many connections
    "55P03": TimedOut,  # another writer held the head
    "57014": TimedOut,  # the statement's deadline
    "57P": Unreachable,  # it shuts down or starts
    "58": StorageFailed,
    "08": Unreachable,
    "25P03": TimedOut,  # we paused in the middle of a transaction, and lost our turn
    "40": TimedOut,  # two transactions in each other's way
    "XX001": Corrupted,
    "XX002": Corrupted,
}
_REPEATABLE: Final = (Unreachable, TimedOut)
_NOT_REPEATABLE: Final = {"55P03", "57014"}
"""These have waited long enough already."""


def told(error: "Error") -> PlumblineError:
    """The same in our words. psycopg never puts a password into its messages."""
    why = " ".join(str(error).split())[:500]
    return _meaning(error)(_WHAT, why=why)


def repeatable(error: "Error") -> bool:
    return issubclass(_meaning(error), _REPEATABLE) and error.sqlstate not in _NOT_REPEATABLE


def _meaning(error: "Error") -> type[PlumblineError]:
    from psycopg import InterfaceError, OperationalError  # noqa: PLC0415 - loaded by whoever raised the error

    state = error.sqlstate or ""
    if not state and isinstance(error, OperationalError | InterfaceError):
        return Unreachable  # no answer at all: there was no connection, or it broke
    return _MEANING.get(state) or _MEANING.get(state[:3]) or _MEANING.get(state[:2]) or ServerFault
