"""Saying yes or no to a plan, under one's own name."""

import hashlib
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from plumbline.base.errors import AlreadyExists, NotFound
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kinds.terraform import PLAN_APPROVAL
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.object import owner_reference
from plumbline.terraform.objects.store import AS_PERSON
from plumbline.terraform.plans.digest import SHORTEST_PREFIX

Word: TypeAlias = Literal["Approve", "Reject"]
DECIDED: Final = {"Approve": "approved", "Reject": "rejected"}
_REVIEWS: Final = GroupVersionResource("authentication.k8s.io", "v1", "selfsubjectreviews")
_LONGEST_NAME: Final = 200
_LETTERS: Final = 8


class Person(NamedTuple):
    name: str
    groups: tuple[str, ...]


class Said(NamedTuple):
    """What somebody says about which plan."""

    decision: Word
    digest: str
    comment: str = ""


class Hand(Protocol):
    """How it is written."""

    async def create(self, target: Target, body: JsonObject) -> object: ...

    async def delete(self, target: Target, uid: str) -> object: ...


class OwnHand(NamedTuple):
    """That of whoever the client is."""

    client: Client

    async def create(self, target: Target, body: JsonObject) -> object:
        return await self.client.create(target.collection, encode(body), AS_PERSON)

    async def delete(self, target: Target, uid: str) -> object:
        return await self.client.delete(target, uid=uid)


async def who(client: Client) -> Person:
    """Whom the API server takes us for."""
    question = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    reply: JsonObject = decode(await client.create(Target(_REVIEWS), encode(question)))
    told = (reply.get("status") or {}).get("userInfo") or {}
    return Person(str(told.get("username") or ""), tuple(map(str, told.get("groups") or ())))


async def say(client: Client, hand: Hand, obj: JsonObject, said: Said) -> Person:
    """Make the PlanApproval about the Terraform object *obj*, in the name by which the API server knows *client*.

    Somebody who thinks again takes back what they said, and says something else.
    """
    person = await who(client)
    metadata = obj["metadata"]
    name = _name(metadata["name"], said.digest, person)
    target = Target(PLAN_APPROVAL.resource, metadata["namespace"], name)
    body = _approval(obj, name, person, said)
    try:
        await hand.create(target, body)
    except AlreadyExists:
        await _replaced(client, hand, target, body)
    return person


async def _replaced(client: Client, hand: Hand, target: Target, body: JsonObject) -> None:
    try:
        before = decode(await client.get(target))
        if before["spec"].get("decision", "Approve") == body["spec"]["decision"]:
            return
        await hand.delete(target, before["metadata"]["uid"])
    except NotFound:
        pass
    await hand.create(target, body)


def _name(terraform: str, digest: str, person: Person) -> str:
    """The same for the same person and plan, so that nobody counts twice by accident."""
    letters = hashlib.sha256(person.name.encode()).hexdigest()[:_LETTERS]
    return f"{terraform[:_LONGEST_NAME].rstrip('-.')}-{digest[:SHORTEST_PREFIX]}-{letters}"


def _approval(obj: JsonObject, name: str, person: Person, said: Said) -> JsonObject:
    spec: JsonObject = {
        "terraform": obj["metadata"]["name"],
        "plan": said.digest,
        "decision": said.decision,
        "by": person.name,
        "groups": sorted(set(person.groups)),
    }
    return {
        "apiVersion": PLAN_APPROVAL.gvk.api_version,
        "kind": PLAN_APPROVAL.kind,
        "metadata": {
            "name": name,
            "namespace": obj["metadata"]["namespace"],
            # It goes with the object whose plan it is about.
            "ownerReferences": [owner_reference(obj)],
        },
        "spec": {**spec, **({"comment": said.comment} if said.comment else {})},
    }
