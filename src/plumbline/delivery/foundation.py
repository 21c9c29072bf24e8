"""What has to be on a cluster before anything can be delivered: kinds, the namespace of the settings, a first project."""

from typing import Any, Final

from plumbline.base.clock import Clock
from plumbline.base.errors import AlreadyExists, NotFound, UnknownKind
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.crd import Create, Update, crd_manifest, plan_crd
from plumbline.kinds.kind import Kind
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource

KINDS: Final[tuple[Kind[Any, Any], ...]] = (APPLICATION, APP_PROJECT)
_CRDS: Final = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")
_AS_US: Final = Writing(field_manager="plumbline")
_SERVED_WITHIN: Final = 100
_GLANCE_S: Final = 0.05
_EVERYTHING: Final[JsonObject] = {
    "sourceRepos": ["*"],
    "destinations": [{"namespace": "*", "server": "*"}],
    "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
}


async def founded(client: Client, namespace: str, clock: Clock) -> None:
    """Make what is missing. What is there stays as it is, whoever made it."""
    for kind in KINDS:
        await _defined(client, kind)
    await _made(client, Target(_NAMESPACES), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    project = {
        "apiVersion": APP_PROJECT.gvk.api_version,
        "kind": APP_PROJECT.kind,
        "metadata": {"name": "default", "namespace": namespace},
        "spec": _EVERYTHING,
    }
    await _once_served(client, Target(APP_PROJECT.resource, namespace), project, clock)
    await _listed(client, Target(APPLICATION.resource, namespace), clock)


async def _defined(client: Client, kind: Kind[Any, Any]) -> None:
    ours, target = crd_manifest(kind), Target(_CRDS, name=kind.crd_name)
    try:
        live = decode(await client.get(target))
    except NotFound:
        live = None
    plan = plan_crd(ours, live)
    if isinstance(plan, Create):
        await _made(client, target.collection, plan.manifest)
    elif isinstance(plan, Update):
        await client.update(target, encode(plan.manifest), _AS_US)


async def _made(client: Client, collection: Target, obj: JsonObject) -> None:
    try:
        await client.create(collection, encode(obj), _AS_US)
    except AlreadyExists:
        return


async def _once_served(client: Client, collection: Target, obj: JsonObject, clock: Clock) -> None:
    """A server takes a moment between being told of a kind and serving it."""
    for _ in range(_SERVED_WITHIN):
        try:
            await _made(client, collection, obj)
        except (NotFound, UnknownKind):
            await clock.sleep(_GLANCE_S)
        else:
            return
    await _made(client, collection, obj)


async def _listed(client: Client, collection: Target, clock: Clock) -> None:
    for _ in range(_SERVED_WITHIN):
        try:
            await client.list(collection)
        except (NotFound, UnknownKind):
            await clock.sleep(_GLANCE_S)
        else:
            return
