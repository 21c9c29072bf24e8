"""What the statuses of HTTP mean when a repository answers with them."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from plumbline.base.errors import (
    Forbidden,
    GarbledReply,
    NotFound,
    PlumblineError,
    ServerFault,
    Throttled,
    Unauthenticated,
)
from plumbline.source.replies import pause_s

_LONGEST_PAUSE_S: Final = 900.0
_TOO_MANY: Final = 429
_FAULTS: Final = range(500, 600)


class _Meaning(NamedTuple):
    error: type[PlumblineError]
    why: str
    hint: str


_CREDENTIALS: Final = "Check the credentials in the Secret of this repository."
_MISSING: Final = _Meaning(
    NotFound,
    "there is no such thing, or it is hidden from us",
    "Check its address and the credentials in its Secret.",
)
_MEANINGS: Final = {
    401: _Meaning(Unauthenticated, "it does not accept our credentials", _CREDENTIALS),
    403: _Meaning(Forbidden, "we may not read it", _CREDENTIALS),
    404: _MISSING,
    410: _MISSING,
}


def refused(what: str, status: int, headers: Mapping[str, str]) -> PlumblineError:
    """The error that *status* is. Header names are in lower case."""
    if status == _TOO_MANY:
        return Throttled(what, after_s=pause_s(headers, _LONGEST_PAUSE_S), why="it asks us to come less often")
    meaning = _MEANINGS.get(status)
    if meaning is not None:
        return meaning.error(what, why=f"{meaning.why} ({status})", hint=meaning.hint)
    if status in _FAULTS:
        return ServerFault(what, why=f"the server says that it failed ({status})")
    return GarbledReply(what, why=f"it answers with {status}", hint="Check that the address is that of a repository.")
