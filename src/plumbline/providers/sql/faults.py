"""What PostgreSQL's failures mean for people, and whether trying again can help."""

from typing import TYPE_CHECKING, Final

from plumbline.base.errors import (
    AlreadyExists,
    Conflict,
    Corrupted,
    Forbidden,
    InvalidInput,
    PlumblineError,
    Refused,
    ServerFault,
    StorageFailed,
    TimedOut,
    Transient,
    Unauthenticated,
    Unreachable,
)

if TYPE_CHECKING:
    from psycopg import Error

IN_USE: Final = "55006"
STILL_NEEDED: Final = "2BP01"
DUPLICATES: Final = frozenset({"42P04", "42710", "42P06", "23505"})
"""Database, role, schema; and the race of two who create the same, which ends in the catalogue's own index."""

_LONGEST: Final = 500
# By SQLSTATE, or by its class: the first two characters. What is missing may be made by somebody meanwhile: no refusal.
_MEANING: Final[dict[str, type[PlumblineError]]] = {
    "08": Unreachable,
    "22": InvalidInput,
    "23505": Conflict,
    "25006": Unreachable,  # read-only: a primary that became a standby
    "28": Unauthenticated,
    STILL_NEEDED: Transient,
    "3D000": Transient,  # no such database
    "3F000": Transient,  # no such schema
    "40": Conflict,
    "42501": Forbidden,
    "42704": Transient,  # no such role, type, wrapper
    "42883": Transient,  # no such function
    "42P01": Transient,  # no such table
    "42703": Transient,  # no such column
    "42710": AlreadyExists,
    "42P04": AlreadyExists,
    "42P06": AlreadyExists,
    "42": InvalidInput,
    "0A": InvalidInput,
    "0L": Forbidden,
    "53": StorageFailed,
    "53300": Unreachable,  # too many connections
    "54": InvalidInput,
    IN_USE: Transient,
    "55P03": TimedOut,
    "55": Refused,
    "57014": TimedOut,
    "57P": Unreachable,  # it shuts down or starts
    "58": StorageFailed,
    "XX001": Corrupted,
    "XX002": Corrupted,
}
_TLS_HINT: Final = "Set sslMode of the ProviderConfig to what the server offers; the default is verify-full."


def told(error: "Error", what: str) -> PlumblineError:
    """The same in our words. The driver's error itself knows the password: never chain it, never log it."""
    why = " ".join(str(error).split())[:_LONGEST]
    return _meaning(error)(what, why=why)


def told_connecting(error: "Error", what: str) -> PlumblineError:
    """A connection that was not made comes without SQLSTATE: only the words tell a refusal from an absence."""
    why = " ".join(str(error).split())[:_LONGEST]
    if "authentication failed" in why or "no pg_hba.conf entry" in why:
        return Unauthenticated(what, why=why, hint="Check username and password in the Secret that it names.")
    if "SSL" in why or "certificate" in why:
        return Unreachable(what, sent=False, why=why, hint=_TLS_HINT)
    return Unreachable(what, sent=False, why=why)


def _meaning(error: "Error") -> type[PlumblineError]:
    from psycopg import InterfaceError, OperationalError  # noqa: PLC0415 - loaded by whoever raised the error

    state = error.sqlstate or ""
    if not state and isinstance(error, OperationalError | InterfaceError):
        return Unreachable
    return _MEANING.get(state) or _MEANING.get(state[:3]) or _MEANING.get(state[:2]) or ServerFault
