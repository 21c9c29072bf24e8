"""Saying yes or no to a plan, under one's own name."""

import hashlib
import sys
from collections.abc import Callable
from typing import Final, NamedTuple

import click

from plumbline.base.errors import AlreadyExists, NeedsConsent, NotFound, PlanStale
from plumbline.base.json import JsonObject, decode, encode
from plumbline.cli.terraform.objects.drawing import described, prefix
from plumbline.cli.terraform.objects.plans import Shown, meant, shown
from plumbline.cli.terraform.objects.store import AS_PERSON, Terraforms
from plumbline.kinds.terraform import PLAN_APPROVAL
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.object import owner_reference

_REVIEWS: Final = GroupVersionResource("authentication.k8s.io", "v1", "selfsubjectreviews")
_LONGEST_NAME: Final = 200
_LETTERS: Final = 8
_DECIDED: Final = {"Approve": "approved", "Reject": "rejected"}

Ask = Callable[[str], bool]
"""Whether a person says yes."""


class Person(NamedTuple):
    name: str
    groups: tuple[str, ...]


async def who(client: Client) -> Person:
    """Whom the API server takes us for."""
    question = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    reply: JsonObject = decode(await client.create(Target(_REVIEWS), encode(question)))
    told = (reply.get("status") or {}).get("userInfo") or {}
    return Person(str(told.get("username") or ""), tuple(map(str, told.get("groups") or ())))


def on_terminal(question: str) -> bool:
    """Ask. Where nobody can answer, nothing is done, and that is an error of its own."""
    if not sys.stdin.isatty():
        raise NeedsConsent(
            "nobody can be asked here",
            why="this is no terminal",
            hint="Look at the plan with `plumb tf show`, then say --yes.",
            token="",
        )
    return click.confirm(question, default=False, err=True)


class Decision(NamedTuple):
    """What is said about which plan."""

    decision: str
    plan: str = ""
    comment: str = ""
    ask: Ask | None = on_terminal
    """None where nobody is to be asked."""


async def decide(terraforms: Terraforms, name: str, said: Decision) -> Shown | None:
    """Show the plan, ask, and say so under our name; None where the person thinks better of it.

    Raises PlanStale where the plan that was shown is not the one that waits any more.
    """
    found = await shown(terraforms, name)
    digest = meant(found, said.plan)
    click.echo(described(found), err=True)
    if said.ask is not None:
        verb = "Apply" if said.decision == "Approve" else "Reject"
        if not said.ask(f"{verb} plan {prefix(digest)} of {name}?"):
            click.echo("Nothing was said.", err=True)
            return None
        await _check_same(terraforms, name, digest)
    await record(terraforms, found.obj, digest, said)
    return found


async def _check_same(terraforms: Terraforms, name: str, digest: str) -> None:
    """People take their time."""
    now = await shown(terraforms, name)
    if now.digest != digest and (now.digest or not now.hidden):
        raise PlanStale(
            f"the plan of {name} is another than the one that was shown",
            why=f"{prefix(now.digest)} waits now" if now.digest else "none waits now",
            hint=f"Look at it with: plumb tf show {name}.",
        )


async def record(terraforms: Terraforms, obj: JsonObject, digest: str, said: Decision) -> None:
    person = await who(terraforms.client)
    target = Target(PLAN_APPROVAL.resource, terraforms.namespace, _name(obj["metadata"]["name"], digest, person))
    body = _approval(obj, target.name, digest, person, said)
    try:
        await terraforms.client.create(target.collection, encode(body), AS_PERSON)
    except AlreadyExists:
        await _replaced(terraforms.client, target, body)
    click.echo(f"Plan {prefix(digest)} {_DECIDED[said.decision]} by {person.name}.", err=True)


async def _replaced(client: Client, target: Target, body: JsonObject) -> None:
    """Somebody who thinks again takes back what they said, and says something else."""
    try:
        before = decode(await client.get(target))
        if before["spec"].get("decision", "Approve") == body["spec"]["decision"]:
            return
        await client.delete(target, uid=before["metadata"]["uid"])
    except NotFound:
        pass
    await client.create(target.collection, encode(body), AS_PERSON)


def _name(terraform: str, digest: str, person: Person) -> str:
    """The same for the same person and plan, so that nobody counts twice by accident."""
    letters = hashlib.sha256(person.name.encode()).hexdigest()[:_LETTERS]
    return f"{terraform[:_LONGEST_NAME].rstrip('-.')}-{prefix(digest)}-{letters}"


def _approval(obj: JsonObject, name: str, digest: str, person: Person, said: Decision) -> JsonObject:
    spec: JsonObject = {
        "terraform": obj["metadata"]["name"],
        "plan": digest,
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
