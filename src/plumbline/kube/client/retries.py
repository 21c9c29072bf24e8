"""When a request may be sent again, and after how long.

The server said "later" (429, or 503 with Retry-After): a 429 was turned away before anything was done, so every request
is repeated; a 503 may come from something in between, so only what is repeatable is. Without a Retry-After nothing is
repeated: an eviction that a disruption budget forbids is a 429 too.

The connection broke: nobody knows whether the request arrived. It is repeated only where arriving twice does no harm:

- reads and dry runs;
- server-side apply, which states a wish: stating it twice is stating it once, a moment later;
- updates and merge patches that carry a resourceVersion: the second arrival is a Conflict, and says so;
- deletes that carry a uid or resourceVersion: the second arrival finds nothing, or somebody else's object and stops;
- anything that never left this side.

Creates, JSON patches, and updates or deletes without such a pin are never repeated: the caller is told, and looks.
"""

from collections.abc import Iterator

import msgspec

from plumbline.base.errors import PlumblineError, Throttled, Unreachable
from plumbline.base.ids import Ids
from plumbline.kube.client.transport import Request

APPLY_PATCH = "application/apply-patch+yaml"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"

_LOST_ATTEMPTS = 4
_ASKED_ATTEMPTS = 10
_TOO_MANY = 429


class _Pins(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = ""
    uid: str = ""


class _Pinned(msgspec.Struct, frozen=True, rename="camel"):
    metadata: _Pins = _Pins()
    preconditions: _Pins = _Pins()
    dry_run: list[str] = []


_pinned = msgspec.json.Decoder(_Pinned)


def repeatable(request: Request) -> bool:
    """Whether a second arrival of *request* does no harm."""
    if request.method in {"GET", "HEAD"} or ("dryRun=All" in request.query and request.method != "DELETE"):
        return True
    kind = dict(request.headers).get("Content-Type", "")
    if request.method == "PATCH" and kind == APPLY_PATCH:
        return True
    if request.method == "POST" or kind == JSON_PATCH:
        return False
    try:
        pinned = _pinned.decode(request.body or b"{}")
    except (msgspec.DecodeError, RecursionError):
        return False
    if request.method == "DELETE":
        return bool(pinned.preconditions.uid or pinned.preconditions.resource_version or pinned.dry_run)
    return bool(pinned.metadata.resource_version)


class Patience:
    """How often one call has been tried, and what its next failure leads to."""

    def __init__(self, request: Request, ids: Ids) -> None:
        self._request = request
        self._asked = 0
        self._waits = backoff(ids, first_s=0.1, most_s=2.0)
        self._lost = 0

    def pause_s(self, error: PlumblineError, asked_by: int = 0) -> float | None:
        """How long to wait before the next try, or None where there is to be none.

        *asked_by* is the HTTP status with which the server asked us to come again, if it did.
        """
        if isinstance(error, Throttled) and asked_by:
            self._asked += 1
            willing = self._asked < _ASKED_ATTEMPTS and (asked_by == _TOO_MANY or repeatable(self._request))
            return error.after_s if willing else None
        if isinstance(error, Unreachable):
            self._lost += 1
            willing = self._lost < _LOST_ATTEMPTS and (not error.sent or repeatable(self._request))
            return next(self._waits) if willing else None
        return None


def backoff(ids: Ids, *, first_s: float, most_s: float) -> Iterator[float]:
    """Doubling waits up to *most_s*, each moved by up to a half, so that a thousand clients do not come back at once."""
    wait_s = first_s
    while True:
        yield ids.jitter(wait_s, 0.5)
        wait_s = min(wait_s * 2, most_s)
