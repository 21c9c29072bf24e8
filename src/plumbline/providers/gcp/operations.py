"""Operations of Google's: which answers begin one, and how it is looked at."""

import msgspec

from plumbline.base.errors import Forbidden, NotFound, Refused
from plumbline.base.json import JsonObject
from plumbline.providers.gcp.rest import Account, Call, ask
from plumbline.providers.gcp.tables import Place, Table
from plumbline.providers.rest.connections import words
from plumbline.providers.rest.operations import Purpose, Remembered


class Running(msgspec.Struct, frozen=True):
    purpose: Purpose
    place: Place
    """With `operation`, and the parameters of the method that looks at it."""


class Operations:
    def __init__(self) -> None:
        self._running: Remembered[Running] = Remembered()

    def remember(self, uid: str, table: Table, purpose: Purpose, place: Place, answer: JsonObject) -> bool:
        """Whether the answer to a change is an operation that still runs."""
        self._running.forget(uid)
        if not table.operation or not answer.get("name") or _over(answer):
            return False
        name = str(answer["name"])
        self._running.put(uid, Running(purpose, {**place, "operation": name, "name": name}))
        return True

    async def look(self, uid: str, table: Table, account: Account) -> Running | None:
        """The one that still runs. Raises Refused, once, for one that has failed."""
        running = self._running.get(uid)
        if running is None:
            return None
        try:
            answer = await ask(account, table.facts, Call(method=table.operation, place=running.place))
        except (Forbidden, NotFound):
            # Operations are kept for weeks, for a deletion no longer than what it deletes, and not everybody may see them:
            # then the state of the resource has to do.
            self._running.forget(uid)
            return None
        if not _over(answer):
            return running
        self._running.forget(uid)
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
