"""How an API server is told to ask us: a ValidatingWebhookConfiguration, and whether it is as it should be."""

import base64
from typing import Final, NamedTuple

from plumbline.base.errors import NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.composition.usages.values import IN_USE
from plumbline.gate.hands import Behalf, Hands
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource, Ref

NAME: Final = "crossplane-no-usages"
HOOK: Final = "nousages.protection.crossplane.io"
PATH: Final = "/validate-no-usages"
TIMEOUT_S: Final = 10
NO_ADDRESS: Final = (
    "Nothing keeps the used resource from being deleted: the API server does not know where to ask. "
    "Name the Service that leads here with --admission-service, or run `plumb up`"
)
OBSERVED: Final = "Nothing keeps the used resource from being deleted: this installation only observes"
_TARGET: Final = Target(
    GroupVersionResource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"), "", NAME
)
_WRITING: Final = Writing(field_manager="crossplane")


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


def configuration(reached: Reached) -> JsonObject:
    """Every field is said, those that have defaults too: so that what is stored can be compared with it."""
    client: JsonObject = {"caBundle": base64.b64encode(reached.authority_pem).decode()}
    if isinstance(reached.where, Service):
        namespace, name, port = reached.where
        client["service"] = {"namespace": namespace, "name": name, "port": port, "path": PATH}
    else:
        client["url"] = f"{reached.where}{PATH}"
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["DELETE"], "resources": ["*"], "scope": "*"}
    hook = {
        "name": HOOK,
        "admissionReviewVersions": ["v1"],
        "clientConfig": client,
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "namespaceSelector": {},
        "objectSelector": {"matchLabels": {IN_USE: "true"}},
        "rules": [rule],
        # The attempt is recorded on the object, but not where nothing is really to be deleted.
        "sideEffects": "NoneOnDryRun",
        "timeoutSeconds": TIMEOUT_S,
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": NAME},
        "webhooks": [hook],
    }


async def unenforced(client: Client, hands: Hands, reached: Reached | None) -> str:
    """Have the API server ask us; returns why it does not, empty where it does.

    A configuration that is there already is taken over whole: what is left of another installation, which is gone, would
    refuse every deletion. Where nobody said how to get here it is left alone: then another installation answers.
    """
    live = await _live(client)
    if reached is None:
        return "" if live is not None else NO_ADDRESS
    wanted = configuration(reached)
    behalf = Behalf(Ref.of(wanted), None)
    if live is None:
        reply = await hands.create(
            _TARGET.collection, wanted, _WRITING, behalf, "Have deletions of what is used refused"
        )
        return OBSERVED if reply is None else ""
    if live.get("webhooks") == wanted["webhooks"]:
        return ""
    reply = await hands.patch(_TARGET, live, {"webhooks": wanted["webhooks"]}, _WRITING, behalf)
    return OBSERVED if reply is None else ""


async def _live(client: Client) -> JsonObject | None:
    try:
        found: JsonObject = decode(await client.get(_TARGET))
    except NotFound:
        return None
    return found
