"""What a store says about requests that fail: made again here, before anybody hears of it."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeVar

from plumbline.base.clock import Clock
from plumbline.base.errors import InvalidInput, Throttled, Transient
from plumbline.kinds.duration import Duration
from plumbline.kinds.externalsecrets.secretstore import RetrySettings

T = TypeVar("T")

_MOST: Final = 20
_LONGEST_S: Final = 30.0
_INTERVAL_S: Final = 1.0


class Patience(NamedTuple):
    """How often a request is made again, and how long is waited before."""

    times: int = 0
    interval_s: float = _INTERVAL_S


def patience(settings: RetrySettings | None) -> Patience:
    """What *settings* ask for, within reason. Raises InvalidInput for an interval that is none."""
    if settings is None:
        return Patience()
    interval_s = Duration.parse(settings.retry_interval).seconds if settings.retry_interval else _INTERVAL_S
    if interval_s < 0:
        raise InvalidInput("retrySettings cannot be used", why="its retryInterval is less than nothing")
    return Patience(min(max(settings.max_retries or 0, 0), _MOST), min(interval_s, _LONGEST_S))


async def patiently(work: Callable[[], Awaitable[T]], settings: RetrySettings | None, clock: Clock) -> T:
    """What *work* comes to, once it is tried as often as *settings* say. Only what may pass by itself is tried again."""
    times, interval_s = patience(settings)
    for _ in range(times):
        try:
            return await work()
        except Throttled:
            raise  # who is asked to come less often does not come again at once
        except Transient:
            await clock.sleep(interval_s)
    return await work()
