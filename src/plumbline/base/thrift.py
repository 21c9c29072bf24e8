"""How a process that runs for weeks deals with its memory. What each of these gains is in `bench/README.md`."""

import ctypes
import gc
import linecache
from typing import Final

from plumbline.base.clock import Clock

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_LARGE_BYTES: Final = 128 * 1024
_EVERY_S: Final = 5.0
_BUSY: Final = 25
"""So many looks at young objects in that time, and somebody is waiting for something."""
_WORTH: Final = 10
_OVERDUE: Final = 500
"""Looks at those of middle age since the last one at the old: two minutes of a whole core."""
_THOROUGH_S: Final = 3600.0
_NEVER: Final = 1 << 30


def thrifty() -> None:
    """Give back to the system what is no longer used. Where the C library knows no such settings, nothing changes."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    # Python's lock lets one thread allocate at a time: a heap for each of them is only more to keep.
    mallopt(_ARENA_MAX, 1)
    # Said once, these stay: else the first large buffer that is freed has all later ones end up between small ones.
    mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
    mallopt(_TRIM_THRESHOLD, _LARGE_BYTES)


def settled() -> None:
    """All that was loaded by now stays for good: nobody looks through it for garbage any more."""
    linecache.clearcache()  # sources that were read for what they say of fields, and are not read again
    gc.collect()
    gc.freeze()


async def tidying(clock: Clock) -> None:
    """Look for garbage among old objects when nobody waits, for as long as this runs.

    Python does so whenever there is a quarter more of them: in the middle of a rush, for half a second with 5,000 applications, and finds
    nothing. What is still there after such a look is left alone by the next ones, except once an hour.
    """
    before = gc.get_threshold()
    gc.set_threshold(*before[:2], _NEVER)
    young, thorough_s = _young(), clock.monotonic()
    try:
        while True:
            await clock.sleep(_EVERY_S)
            looked, young = _young() - young, _young()
            old = gc.get_count()[2]
            if old < _WORTH or (looked > _BUSY and old < _OVERDUE):
                continue
            if clock.monotonic() >= thorough_s + _THOROUGH_S:
                thorough_s = clock.monotonic()
                gc.unfreeze()
            gc.collect()
            gc.freeze()
            young = _young()
    finally:
        gc.set_threshold(*before)


def _young() -> int:
    return int(gc.get_stats()[0]["collections"])
