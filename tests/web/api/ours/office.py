"""Families of our own on the yard of the API, and people of all sorts who ask them."""

from contextlib import asynccontextmanager, suppress

from tests.web.api.yard import Who, until

from plumbline.base.errors import UnknownKind
from plumbline.base.json import encode
from plumbline.base.tasks import task_group
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.kernel.installing import served
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger
from plumbline.web.routes import Routes

CRDS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
BY_HAND = Writing(field_manager="kubectl", force=True)
TRACKED = "argocd.argoproj.io/tracking-id"

__all__ = ["BY_HAND", "CRDS", "TRACKED", "Who", "gate_of", "installed", "office", "put", "until"]


def gate_of(place):
    powers = Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None)
    return Gate(powers, Live(place.journal), place.desk.clock)


@asynccontextmanager
async def office(place, *apis):
    """With *place*, and the families beside those that it has."""
    place.routes = Routes([*place.api.routes, *(route for api in apis for route in api.routes)])
    async with task_group() as group:
        running = [group.create_task(api.run()) for api in apis]
        try:
            yield place
        finally:
            for task in running:
                task.cancel()


async def installed(place, *kinds):
    for kind in kinds:
        await place.client.create(Target(CRDS), encode(crd_manifest(kind)))
    for kind in kinds:
        await served(place.client, Target(kind.resource), place.desk.clock)
    place.client.discovery.forget()


async def put(place, resource, obj):
    """Make it, status and all."""
    metadata = obj["metadata"]
    target = Target(resource, metadata.get("namespace", ""), metadata["name"])
    raw = await place.client.apply(target, encode(obj), BY_HAND)
    if "status" in obj:
        status = target._replace(subresource="status")
        with suppress(UnknownKind):  # it was said with the rest
            raw = await place.client.patch(status, encode({"status": obj["status"]}), "merge", BY_HAND)
    return raw
