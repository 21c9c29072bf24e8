"""How a process that runs for weeks deals with its memory. What each of these gains is in `bench/README.md`."""

import ctypes
import gc
import linecache
from typing import Final

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
_LARGE_BYTES: Final = 128 * 1024


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
