"""Answers an API server that asks whether something may be deleted, and remembers that somebody wanted it to be.

Every process answers, whichever of them leads: what is in use must not depend on who is asked.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from plumbline.base.errors import Conflict, InvalidInput, NotFound, PlumblineError, UnknownKind
from plumbline.base.json import Json, JsonObject, decode
from plumbline.base.log import logger
from plumbline.composition import marks
from plumbline.composition.usages.deciding import Deletion, deletion_of, denied
from plumbline.composition.usages.finding import Finder
from plumbline.composition.usages.register import ordered
from plumbline.composition.usages.values import ATTEMPT, KINDS, Usage, usage_of
from plumbline.gate.gate import Gate
from plumbline.gate.hands import Behalf, Hands
from plumbline.kinds.kind import Kind
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.reviews import allowed, refused, request_of

Known: TypeAlias = Callable[[Ref], list[Usage] | None]
"""Who uses it; None where that is not known."""

_ATTEMPTS: Final = 3
_DEADLINE_S: Final = 6.0
"""Of each call: whoever asks waits for ten."""
_WRITING: Final = Writing(field_manager="crossplane")
_BAD_REQUEST, _INTERNAL = 400, 500

log = logger(__name__)


def nothing_known(used: Ref) -> list[Usage] | None:
    del used
    return None


class Admissions:
    """*gate* need not know who leads: that somebody wanted a deletion can be written twice."""

    def __init__(self, client: Client, gate: Gate) -> None:
        self._client = client.within(_DEADLINE_S)
        self._finder = Finder(self._client)
        self._hands = Hands(gate, self._client, marks.ACTOR)
        self.known: Known = nothing_known
        """Set by whoever follows all usages, for as long as that is so. Else the API server is asked for them."""

    async def validate(self, review: Json) -> JsonObject:
        """The answer to an AdmissionReview of version v1. Raises InvalidInput for what is none."""
        request = request_of(review)
        try:
            deletion = deletion_of(request)
        except InvalidInput as bad:
            return refused(request, _BAD_REQUEST, bad.what)
        try:
            usages = await self._usages_of(deletion.ref)
            if not usages:
                return allowed(request)
            if not deletion.dry_run and not deletion.recorded:
                await self._record(deletion, usages[0])
        except PlumblineError as error:
            log.warning("deletion not judged", ref=str(deletion.ref), code=error.code, error=str(error))
            return refused(request, _INTERNAL, str(error))
        log.info("deletion refused", ref=str(deletion.ref), usages=len(usages))
        return denied(request, usages)

    async def _usages_of(self, used: Ref) -> list[Usage]:
        known = self.known(used)
        if known is not None:
            return known
        found = [usage for kind in KINDS for usage in await self._listed(kind)]
        return ordered(usage for usage in found if usage.of == used)

    async def _listed(self, kind: Kind[Any, Any]) -> list[Usage]:
        try:
            page = await self._client.list(Target(kind.resource))
        except (NotFound, UnknownKind):
            return []
        return [usage_of(kind, decode(each)) for each in page.items]

    async def _record(self, deletion: Deletion, first: Usage) -> None:
        """Only on the very object that was to be deleted, whatever has been written to it meanwhile."""
        target = await self._finder.place(GroupVersionKind.of(deletion.object), deletion.ref)
        live: JsonObject | None = deletion.object
        change = {"metadata": {"annotations": {ATTEMPT: deletion.policy}}}
        for attempt in range(_ATTEMPTS):
            if target is None or live is None or live["metadata"]["uid"] != deletion.object["metadata"]["uid"]:
                return
            try:
                await self._hands.patch(target, live, change, _WRITING, Behalf(first.ref, None))
            except NotFound:
                return
            except Conflict:
                if attempt == _ATTEMPTS - 1:
                    raise
                live = await self._finder.get(target)
            else:
                return
