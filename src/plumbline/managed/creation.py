"""What is on record about a creation: begun before the call, settled after it. Pure.

A process that dies in between leaves a creation that was begun and never settled; what to do then depends on whether the
provider can find again what it was asked to make. The record holds against clocks that jump back: what is written later
never looks earlier.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from plumbline.base.clock import rfc3339
from plumbline.base.errors import NeedsConsent, NotYet, PlumblineError, Refused, Throttled, Unreachable
from plumbline.managed.spec import moment

PENDING: Final = "crossplane.io/external-create-pending"
SUCCEEDED: Final = "crossplane.io/external-create-succeeded"
FAILED: Final = "crossplane.io/external-create-failed"
GRACE_S: Final = 30.0
"""How long a provider may take to show what it has made."""
INCOMPLETE: Final = f"cannot determine creation result - remove the {PENDING} annotation if it is safe to proceed"
_SECOND: Final = timedelta(seconds=1)


def begun(annotations: Mapping[str, str]) -> bool:
    return moment(annotations.get(PENDING, "")) is not None


def incomplete(annotations: Mapping[str, str]) -> bool:
    """Whether a creation was begun of which nobody knows how it ended."""
    pending = moment(annotations.get(PENDING, ""))
    settled = _settled(annotations)
    return pending is not None and (settled is None or pending > settled)


def failed(annotations: Mapping[str, str]) -> bool:
    """Whether the last creation certainly came to nothing."""
    at, pending = moment(annotations.get(FAILED, "")), moment(annotations.get(PENDING, ""))
    succeeded = moment(annotations.get(SUCCEEDED, ""))
    return at is not None and (pending is None or at >= pending) and (succeeded is None or at > succeeded)


def certainly_not(error: PlumblineError) -> bool:
    """Whether nothing was made: the provider said no, or was never asked. Anything else has to be looked at."""
    refused = isinstance(error, NotYet | Refused | Throttled) and not isinstance(error, NeedsConsent)
    return refused or (isinstance(error, Unreachable) and not error.sent)


def succeeded_lately(annotations: Mapping[str, str], now: datetime) -> bool:
    """Whether it was made so short a time ago that its absence may be a delay."""
    succeeded = moment(annotations.get(SUCCEEDED, ""))
    return succeeded is not None and abs((now - succeeded).total_seconds()) < GRACE_S


def beginning(annotations: Mapping[str, str], now: datetime) -> str:
    """The time to write for a creation that begins: later than whatever was settled before."""
    settled = _settled(annotations)
    return rfc3339(now if settled is None else max(now, settled + _SECOND))


def settling(annotations: Mapping[str, str], now: datetime) -> str:
    """The time to write for a creation that is over: not earlier than it began."""
    pending = moment(annotations.get(PENDING, ""))
    return rfc3339(now if pending is None else max(now, pending))


def _settled(annotations: Mapping[str, str]) -> datetime | None:
    times = [moment(annotations.get(name, "")) for name in (SUCCEEDED, FAILED)]
    return max((each for each in times if each is not None), default=None)
