"""How an API server is told to ask us: a ValidatingWebhookConfiguration for each question, and whether it is as it should be."""

import base64
from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.gate.hands import Behalf, Hands
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource, Ref

TIMEOUT_S: Final = 10
_CONFIGURATIONS: Final = GroupVersionResource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations")
_WHERE: Final = "clientConfig"


class Service(NamedTuple):
    """A Service that leads to us, as the cluster names it."""

    namespace: str
    name: str
    port: int = 443


class Reached(NamedTuple):
    """How the API server gets here, and whom it trusts there."""

    where: str | Service
    """A URL of scheme, host and port, or a Service."""
    authority_pem: bytes


class Question(NamedTuple):
    """What an API server asks before it does something. Where nobody answers, it is not done."""

    name: str
    """Of the configuration."""
    hook: str
    """What people see in front of a refusal."""
    path: str
    rule: JsonObject
    writing: Writing
    why: str
    """It is asked at all, for the journal."""
    objects: JsonObject = {}  # noqa: RUF012 - never changed
    """A selector of those that it is asked about; all of them if empty."""
    side_effects: Literal["None", "NoneOnDryRun"] = "None"

    @property
    def target(self) -> Target:
        return Target(_CONFIGURATIONS, "", self.name)


Told: TypeAlias = Literal["asked", "unreached", "observing"]
"""unreached: nobody said how to get here, and nobody else has told it where to ask. observing: we may not write."""


def configuration(question: Question, reached: Reached) -> JsonObject:
    """Every field is said, those that have defaults too: so that what is stored can be compared with it."""
    client: JsonObject = {"caBundle": base64.b64encode(reached.authority_pem).decode()}
    if isinstance(reached.where, Service):
        namespace, name, port = reached.where
        client["service"] = {"namespace": namespace, "name": name, "port": port, "path": question.path}
    else:
        client["url"] = f"{reached.where}{question.path}"
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": question.name},
        "webhooks": [{**asking(question), _WHERE: client}],
    }


def asking(question: Question) -> JsonObject:
    """What is asked and when, whoever answers."""
    return {
        "name": question.hook,
        "admissionReviewVersions": ["v1"],
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": question.objects,
        "rules": [question.rule],
        "sideEffects": question.side_effects,
        "timeoutSeconds": TIMEOUT_S,
    }


def asks(question: Question, live: JsonObject | None) -> bool:
    """Whether an API server with the configuration *live* asks exactly this, be it here or elsewhere."""
    hooks = live.get("webhooks") if live is not None else None
    if not isinstance(hooks, list) or len(hooks) != 1 or not isinstance(hooks[0], dict):
        return False
    return {name: value for name, value in hooks[0].items() if name != _WHERE} == asking(question)


async def told(client: Client, hands: Hands, question: Question, reached: Reached | None) -> Told:
    """Have the API server ask us.

    A configuration that is there already is taken over whole: what is left of another installation, which is gone, would
    refuse everything. Where nobody said how to get here it is left alone: then another installation answers.
    """
    live = await found(client, question)
    if reached is None:
        return "asked" if live is not None else "unreached"
    wanted = configuration(question, reached)
    behalf = Behalf(Ref.of(wanted), None)
    if live is None:
        reply = await hands.create(question.target.collection, wanted, question.writing, behalf, question.why)
    elif live.get("webhooks") == wanted["webhooks"]:
        return "asked"
    else:
        change = {"webhooks": wanted["webhooks"]}
        reply = await hands.patch(question.target, live, change, question.writing, behalf)
    return "observing" if reply is None else "asked"


async def found(client: Client, question: Question) -> JsonObject | None:
    """The configuration as it is; None where there is none."""
    try:
        live: JsonObject = decode(await client.get(question.target))
    except NotFound:
        return None
    return live
