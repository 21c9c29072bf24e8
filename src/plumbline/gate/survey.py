"""What a cluster shows of other controllers, and the mandate that is kept in it: the gate's edge."""

from collections.abc import Callable, Iterable
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import NotFound, RivalAlive, UnknownKind
from plumbline.base.json import JsonObject, decode, encode
from plumbline.gate.authority import adopted, released
from plumbline.gate.rivals import QUIET_S, Facts, rivals
from plumbline.kinds.crd import Create, crd_manifest, plan_crd
from plumbline.kinds.mandate import MANDATE, Grant, MandateSpec
from plumbline.kinds.read import read
from plumbline.kinds.values import written
from plumbline.kube.client import Client, Selection, Target, Writing
from plumbline.kube.names import GroupVersionResource

MANDATE_NAME: Final = "default"
_MANDATE: Final = Target(MANDATE.resource, name=MANDATE_NAME)
_WORKLOADS: Final = tuple(GroupVersionResource("apps", "v1", name) for name in ("deployments", "statefulsets"))
_LEASES: Final = GroupVersionResource("coordination.k8s.io", "v1", "leases")
_CRDS: Final = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_AS_US: Final = Writing(field_manager="plumbline")


async def facts(client: Client, collections: Iterable[GroupVersionResource]) -> Facts:
    """What tells whether anybody else looks after *collections*."""
    workloads = [obj for gvr in _WORKLOADS for obj in await _listed(client, gvr)]
    leases = await _listed(client, _LEASES)
    objects = [obj for gvr in collections for obj in await _listed(client, gvr, metadata_only=True)]
    return Facts(tuple(workloads), tuple(leases), tuple(objects))


async def _listed(client: Client, gvr: GroupVersionResource, *, metadata_only: bool = False) -> list[JsonObject]:
    try:
        page = await client.list(Target(gvr), Selection(metadata_only=metadata_only))
    except (NotFound, UnknownKind):
        return []  # a cluster without that kind has nobody who looks after it
    return [decode(raw) for raw in page.items]


async def mandate_of(client: Client) -> MandateSpec:
    """The mandate as it is; a cluster without one is observed."""
    try:
        return read(MANDATE, decode(await client.get(_MANDATE))).spec
    except (NotFound, UnknownKind):
        return MandateSpec()


async def install_mandate(client: Client) -> None:
    """Make the kind known to the cluster, if it is not; a CRD that is somebody else's stays as it is."""
    ours = crd_manifest(MANDATE)
    target = Target(_CRDS, name=MANDATE.crd_name)
    try:
        live = decode(await client.get(target))
    except NotFound:
        live = None
    if isinstance(plan_crd(ours, live), Create):
        await client.create(target.collection, encode(ours), _AS_US)


async def hand_over(
    client: Client, grant: Grant, collections: Iterable[GroupVersionResource], clock: Clock, quiet_s: float = QUIET_S
) -> MandateSpec:
    """Take *grant* into the mandate, or raise RivalAlive with the names of who else looks after it."""
    found = rivals(grant.group or "", await facts(client, collections), clock.now(), quiet_s)
    if found:
        names = tuple(rival.name for rival in found)
        raise RivalAlive(f"{', '.join(names)} is alive", rivals=names, why="; ".join(map(str, found)))
    return await _changed(client, lambda mandate: adopted(mandate, grant))


async def hand_back(client: Client, grant: Grant) -> MandateSpec:
    return await _changed(client, lambda mandate: released(mandate, grant))


async def _changed(client: Client, change: Callable[[MandateSpec], MandateSpec]) -> MandateSpec:
    """Write the mandate pinned to the version that was read: two people who hand over at once do not undo each other."""
    try:
        live = decode(await client.get(_MANDATE))
    except NotFound:
        spec = change(MandateSpec())
        body = {"apiVersion": MANDATE.gvk.api_version, "kind": MANDATE.kind, "metadata": {"name": MANDATE_NAME}}
        await client.create(_MANDATE.collection, encode({**body, "spec": written(spec)}), _AS_US)
        return spec
    spec = change(read(MANDATE, live).spec)
    await client.update(_MANDATE, encode({**live, "spec": written(spec)}), _AS_US)
    return spec
