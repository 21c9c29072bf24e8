"""Operations that take Azure minutes: remembered, looked at when somebody observes, never waited for.

The memory is of this process only. Without it everything still works, since what is being made can be observed: it saves
asking for the same change twice, and it tells why something that was accepted has failed later.
"""

from collections import OrderedDict
from typing import Final, Literal

import msgspec

from plumbline.base.errors import Refused
from plumbline.providers.azure.arm import Account, Answer, Call, ask
from plumbline.providers.azure.refusals import why_failed

Purpose = Literal["create", "update", "delete"]
LOOK_AGAIN_S: Final = 10.0
_ACCEPTED: Final = 202
_KEPT: Final = 10_000


class Running(msgspec.Struct, frozen=True):
    purpose: Purpose
    path: str
    query: str
    by_status: bool
    after_s: float = LOOK_AGAIN_S


class Operations:
    """Those that run, by the uid of the managed resource. The oldest is forgotten when there are too many."""

    def __init__(self) -> None:
        self._running: OrderedDict[str, Running] = OrderedDict()

    def remember(self, uid: str, purpose: Purpose, answer: Answer) -> bool:
        """Whether the answer to a change is an operation that still runs."""
        self._running.pop(uid, None)
        if not answer.operation:
            return False
        path, _, query = answer.operation.partition("?")
        self._running[uid] = Running(purpose, path, query, answer.by_status, answer.after_s or LOOK_AGAIN_S)
        if len(self._running) > _KEPT:
            self._running.popitem(last=False)
        return True

    async def look(self, uid: str, account: Account) -> Running | None:
        """The one that still runs. Raises Refused, once, for one that has failed."""
        running = self._running.get(uid)
        if running is None:
            return None
        try:
            answer = await ask(account, Call(verb="GET", path=running.path, query=running.query))
        except Refused:
            # Operations are kept for days, for a deletion no longer than what it deletes, and not everybody may see them:
            # then the state of the resource has to do.
            self._running.pop(uid, None)
            return None
        if _runs(answer, by_status=running.by_status):
            return msgspec.structs.replace(running, after_s=answer.after_s or running.after_s)
        self._running.pop(uid, None)
        if str(answer.body.get("status", "")).casefold() in {"failed", "canceled", "cancelled"}:
            why = why_failed(answer.body)
            raise Refused(f"The operation to {running.purpose} it failed", why=why, hint="It is tried again.")
        return None


def _runs(answer: Answer, *, by_status: bool) -> bool:
    if by_status:
        return answer.status == _ACCEPTED
    return str(answer.body.get("status", "")).casefold() not in {"succeeded", "failed", "canceled", "cancelled"}
