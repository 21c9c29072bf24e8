"""Groups of tasks: the one way to start any."""

import asyncio
import sys
from typing import Final

_LEAVES_A_MARK: Final = sys.version_info < (3, 11, 3)


class _Tidy(asyncio.TaskGroup):
    """Takes back the request to end with which a group wakes its owner when one of its tasks failed.

    Timeouts before Python 3.11.3 (Debian 12 has 3.11.2) count that request, once left, as somebody else's for as long as the
    owner lives: each later one ends the owner without a word, instead of what took too long.
    """

    async def __aexit__(self, *raised: object) -> None:
        owner = asyncio.current_task()
        asked_before = owner.cancelling() if owner else 0
        try:
            await super().__aexit__(*raised)  # type: ignore[arg-type]
        except BaseExceptionGroup:
            if owner and owner.cancelling() > asked_before:
                owner.uncancel()
            raise


def task_group() -> asyncio.TaskGroup:
    """A group whose failure leaves nothing behind in the task that had it, on every Python that we run on."""
    return _Tidy() if _LEAVES_A_MARK else asyncio.TaskGroup()
