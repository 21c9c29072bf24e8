"""Handing objects over and back, and agreeing to a loss, against a cluster."""

from pathlib import Path

from plumbline.base.clock import SystemClock
from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode
from plumbline.gate.consent import CONSENT_ANNOTATION
from plumbline.gate.survey import hand_back, hand_over, install_mandate
from plumbline.kinds.mandate import Grant, MandateSpec
from plumbline.kube.client import Client, Connection, Writing
from plumbline.kube.names import GroupVersionResource


async def handed_over(grant: Grant, kubeconfig: Path | None, context: str, quiet_s: float) -> MandateSpec:
    clock = SystemClock()
    async with Client.connect(Connection.load(kubeconfig, context=context)) as client:
        collections = await _collections(client, grant)
        await install_mandate(client)
        return await hand_over(client, grant, collections, clock, quiet_s)


async def handed_back(grant: Grant, kubeconfig: Path | None, context: str) -> MandateSpec:
    async with Client.connect(Connection.load(kubeconfig, context=context)) as client:
        await install_mandate(client)
        return await hand_back(client, grant)


async def consented(target: str, token: str, namespace: str, kubeconfig: Path | None, context: str) -> None:
    kind, _, name = target.partition("/")
    if not kind or not name:
        raise InvalidInput(f"{target!r} does not name an object", hint="Write KIND/NAME, such as application/shop.")
    connection = Connection.load(kubeconfig, context=context)
    async with Client.connect(connection) as client:
        resource = await client.discovery.resource(kind)
        patch = {"metadata": {"annotations": {CONSENT_ANNOTATION: token}}}
        place = resource.target(namespace or connection.namespace, name)
        await client.patch(place, encode(patch), "merge", Writing(field_manager="plumbline-consent"))


async def _collections(client: Client, grant: Grant) -> list[GroupVersionResource]:
    """What the cluster serves of what is to be handed over."""
    catalog = await client.discovery.catalog()
    return [
        resource.gvr
        for resource in catalog.resources
        if resource.gvr.group == grant.group and "list" in resource.verbs and grant.kind in {"", resource.kind}
    ]
