"""Approving and rejecting: a PlanApproval as `plumb tf approve` makes it, in the name of whoever is logged in."""

import re
from typing import Annotated, Final, NamedTuple

import msgspec

from plumbline.base.errors import InvalidInput, PlanStale
from plumbline.base.json import JsonObject
from plumbline.gate.gate import Gate
from plumbline.kinds.terraform import PLAN_APPROVAL
from plumbline.kube.client import Client, Target
from plumbline.kube.names import Ref
from plumbline.terraform.objects.plans import meant, shown
from plumbline.terraform.objects.saying import DECIDED, Person, Said, Word, say
from plumbline.terraform.objects.store import Terraforms
from plumbline.web.api.rights import Asker
from plumbline.web.api.terraform.persons import as_person
from plumbline.web.api.writing import Errand, Pen

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_SHORT: Final = 12


class PlanWord(msgspec.Struct):
    """The body of an approval."""

    digest: str = ""
    """Of the plan that was seen, all of it."""
    comment: Annotated[str, msgspec.Meta(max_length=2000)] = ""


class _PersonsHand(NamedTuple):
    pen: Pen
    errand: Errand

    async def create(self, target: Target, body: JsonObject) -> object:
        return await self.pen.create(target, body, self._about(target))

    async def delete(self, target: Target, uid: str) -> object:
        return await self.pen.delete(target, uid, self._about(target))

    def _about(self, target: Target) -> Errand:
        ref = Ref(PLAN_APPROVAL.group, PLAN_APPROVAL.kind, target.namespace, target.name)
        return msgspec.structs.replace(self.errand, ref=ref)


class Sayings:
    """What people say about plans, through the gate. *client* may impersonate them."""

    def __init__(self, gate: Gate, client: Client) -> None:
        self._gate, self._client = gate, client

    async def say(self, asker: Asker, obj: JsonObject, decision: Word, wanted: PlanWord, project: str = "") -> Person:
        """Raises PlanStale where the plan that waits is not the one that was seen."""
        if not _DIGEST.fullmatch(wanted.digest):
            raise InvalidInput("no plan is named", hint="Send the whole digest of the plan that was looked at.")
        if not wanted.comment.replace("\n", " ").isprintable():
            raise InvalidInput("the comment cannot be read", why="it has control characters")
        metadata = obj["metadata"]
        client = as_person(self._client, asker)
        found = await shown(Terraforms(self._client, metadata["namespace"]), metadata["name"])
        if not found.standing.pending:
            raise PlanStale(f"no plan of {metadata['name']} waits", why=found.standing.message)
        digest = meant(found, wanted.digest)
        errand = Errand(
            asker=asker,
            ref=Ref.of(obj),
            why=f"{DECIDED[decision].capitalize()} the plan {digest[:_SHORT]} of {metadata['namespace']}/{metadata['name']}",
            project=project,
            details={"plan": digest, "decision": decision, **({"comment": wanted.comment} if wanted.comment else {})},
        )
        hand = _PersonsHand(Pen(self._gate, client), errand)
        return await say(client, hand, found.obj, Said(decision, digest, wanted.comment))
