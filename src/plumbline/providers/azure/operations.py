"""Operations of Azure's: which answers begin one, and how it is looked at."""

from typing import Final

import msgspec

from plumbline.base.errors import Refused
from plumbline.providers.azure.arm import Account, Answer, Call, ask
from plumbline.providers.azure.refusals import why_failed
from plumbline.providers.rest.operations import Purpose, Remembered

LOOK_AGAIN_S: Final = 10.0
_ACCEPTED: Final = 202


class Running(msgspec.Struct, frozen=True):
    purpose: Purpose
    path: str
    query: str
    by_status: bool
    after_s: float = LOOK_AGAIN_S


class Operations:
    def __init__(self) -> None:
        self._running: Remembered[Running] = Remembered()

    def remember(self, uid: str, purpose: Purpose, answer: Answer) -> bool:
        """Whether the answer to a change is an operation that still runs."""
        self._running.forget(uid)
        if not answer.operation:
            return False
        path, _, query = answer.operation.partition("?")
        self._running.put(uid, Running(purpose, path, query, answer.by_status, answer.after_s or LOOK_AGAIN_S))
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
            self._running.forget(uid)
            return None
        if _runs(answer, by_status=running.by_status):
            return msgspec.structs.replace(running, after_s=answer.after_s or running.after_s)
        self._running.forget(uid)
        if str(answer.body.get("status", "")).casefold() in {"failed", "canceled", "cancelled"}:
            why = why_failed(answer.body)
            raise Refused(f"The operation to {running.purpose} it failed", why=why, hint="It is tried again.")
        return None


def _runs(answer: Answer, *, by_status: bool) -> bool:
    if by_status:
        return answer.status == _ACCEPTED
    return str(answer.body.get("status", "")).casefold() not in {"succeeded", "failed", "canceled", "cancelled"}
