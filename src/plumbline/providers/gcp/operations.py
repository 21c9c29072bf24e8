"""Operations that take Google minutes: remembered, looked at when somebody observes, never waited for.

The memory is of this process only. Without it everything still works, since what is being made can be observed: it saves
asking for the same change twice, and it tells why something that was accepted has failed later.
"""

from collections import OrderedDict
from typing import Final, Literal

import msgspec

from plumbline.base.errors import NotFound, Refused
from plumbline.base.json import JsonObject
from plumbline.providers.gcp.rest import Account, Call, ask
from plumbline.providers.gcp.tables import Place, Table
from plumbline.providers.rest.connections import words

Purpose = Literal["create", "update", "delete"]
_KEPT: Final = 10_000


class Running(msgspec.Struct, frozen=True):
    purpose: Purpose
    place: Place
    """With `operation`, and the parameters of the method that looks at it."""


class Operations:
    """Those that run, by the uid of the managed resource. The oldest is forgotten when there are too many."""

    def __init__(self) -> None:
        self._running: OrderedDict[str, Running] = OrderedDict()

    def remember(self, uid: str, table: Table, purpose: Purpose, place: Place, answer: JsonObject) -> bool:
        """Whether the answer to a change is an operation that still runs."""
        self._running.pop(uid, None)
        if not table.operation or not answer.get("name") or _over(answer):
            return False
        name = str(answer["name"])
        self._running[uid] = Running(purpose, {**place, "operation": name, "name": name})
        if len(self._running) > _KEPT:
            self._running.popitem(last=False)
        return True

    async def look(self, uid: str, table: Table, account: Account) -> Running | None:
        """The one that still runs. Raises Refused, once, for one that has failed."""
        running = self._running.get(uid)
        if running is None:
            return None
        try:
            answer = await ask(account, table.facts, Call(method=table.operation, place=running.place))
        except NotFound:
            # Operations are kept for weeks, and for a deletion no longer than what it deletes.
            self._running.pop(uid, None)
            return None
        if not _over(answer):
            return running
        self._running.pop(uid, None)
        if failure := failed(answer):
            raise Refused(f"The operation to {running.purpose} it failed", why=failure, hint="It is tried again.")
        return None


def _over(answer: JsonObject) -> bool:
    return answer.get("status") == "DONE" or answer.get("done") is True


def failed(answer: JsonObject) -> str:
    """Why an operation has failed, in Google's words; empty where it has not."""
    error = answer.get("error")
    if not isinstance(error, dict):
        return ""
    items = error.get("errors") or [error]
    return "; ".join(words(f"{item.get('message') or item.get('code') or 'no reason given'}") for item in items)
