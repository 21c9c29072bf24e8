"""On whose behalf, and why, effects happen."""

from collections.abc import Callable, Mapping
from typing import Final

from plumbline.base.errors import NeedsConsent
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.delivery.effects import Acting, Effects
from plumbline.delivery.projects.accounts import service_account_for
from plumbline.delivery.steps.state import At, Target
from plumbline.delivery.valuesfrom.discretion import discreet_gate
from plumbline.gate.authority import authorised
from plumbline.gate.consent import CONSENT_ANNOTATION, POLICY_ANNOTATION
from plumbline.gate.gate import Gate
from plumbline.gate.intents import Intent
from plumbline.journal.causes import Cause, Commit, Person, change_of, without_credentials
from plumbline.journal.parties import Actor, LiveObject, printable
from plumbline.kinds.application import OperationState
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.object import Object

_NAMESPACE: Final = GroupVersionKind("", "v1", "Namespace")
_POLICIES: Final = frozenset({"enforce", "warn", "off"})
US: Final = Actor("controller", "delivery")
_SHA_DIGITS: Final = 40


class Actors:
    """Makes the hands of each application."""

    def __init__(self, gate: Gate, mandate: Callable[[], MandateSpec], ids: Ids) -> None:
        self._gate = gate
        self._mandate = mandate
        self._ids = ids

    def may_act(self, at: At) -> bool:
        subject = LiveObject.at("in-cluster", at.facts.ref)
        intent = Intent(actor=US, subject=subject, verb="sync", why="Sync", project=at.project.name)
        return authorised(self._mandate(), intent)

    async def effects(self, obj: JsonObject, at: At, why: str, cause: Cause | None) -> Effects:
        """The hands that act for the Application *obj*."""
        annotations = Object(obj).annotations
        destination = (obj.get("spec") or {}).get("destination") or {}
        namespace = str(destination.get("namespace") or "")
        acting = Acting(
            app=at.facts,
            project=at.project.name,
            why=printable(why),
            cause=cause,
            change=change_of(cause, self._ids) if cause is not None else "",
            consents=consents_of(annotations),
            policy=await destruction_policy(at, namespace),
            cluster=at.destination.journal_name,
        )
        gate = discreet_gate(self._gate, at.target.values if at.target is not None else None)
        return Effects(gate, at.destination.live, acting, client_of(at, namespace))


def client_of(at: At, namespace: str) -> Client:
    """Who writes: the service account that the project names for the destination, where the installation asks for one."""
    client, said = at.destination.live.client, at.settings.impersonation
    if not said.enabled:
        return client
    server = at.destination.cluster.server
    user = service_account_for(
        at.project, server, namespace, application_namespace=at.facts.namespace, enforced=said.enforced
    )
    return client if user is None else client.impersonating(user)


def consents_of(annotations: Mapping[str, str]) -> frozenset[str]:
    """Tokens of losses that somebody has agreed to."""
    return frozenset(filter(None, (each.strip() for each in annotations.get(CONSENT_ANNOTATION, "").split(","))))


async def destruction_policy(at: At, namespace: str) -> str:
    """What the destination's namespace says about destruction."""
    if not namespace:
        return "enforce"
    entry = await at.destination.live.find(_NAMESPACE, Ref("", "Namespace", "", namespace))
    said = entry.meta.annotations.get(POLICY_ANNOTATION, "") if entry is not None else ""
    return said if said in _POLICIES else "enforce"


def cause_of(state: OperationState, target: Target) -> Cause | None:
    """A person who asked for it, else the commit that brought it."""
    initiator = state.operation.initiated_by
    if not initiator.automated and initiator.username:
        return Person(name=printable(initiator.username))
    return next((commit for commit, _ in commits_of(target)), None)


def commits_of(target: Target) -> list[tuple[Commit, str]]:
    """What of a target comes from Git, with the address that it is asked for at."""
    return [
        (Commit(repo=without_credentials(source.repo_url), sha=revision), source.repo_url)
        for source, revision in zip(target.sources, target.revisions, strict=False)
        if len(revision) == _SHA_DIGITS and not source.chart
    ]


def agreeing(needed: NeedsConsent) -> str:
    """What would be lost, and how somebody says that it may be."""
    return f"{needed}. If it may be, annotate the Application with {CONSENT_ANNOTATION}={needed.token}"
