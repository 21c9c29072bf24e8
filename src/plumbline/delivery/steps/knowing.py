"""What a plan has to know of the world besides the objects themselves."""

from collections.abc import Callable, Iterable
from typing import Final

from plumbline.delivery.projects.refusals import object_refusal
from plumbline.delivery.settings.clusters import Cluster
from plumbline.delivery.steps.state import At, Comparison, Target
from plumbline.delivery.sync.operation import Sync
from plumbline.delivery.sync.tasks import Facts, Kind
from plumbline.kernel.cache import Cached
from plumbline.kube.client.catalog import Catalog
from plumbline.kube.names import GroupVersionKind, Ref

_NAMESPACE: Final = GroupVersionKind("", "v1", "Namespace")

Scoped = Callable[[str], Iterable[Cluster]]


async def facts_of(at: At, target: Target, comparison: Comparison, sync: Sync, scoped: Scoped) -> Facts:
    kinds = at.destination.live.kinds
    for gvk in {each.gvk for each in target.desired}:
        await kinds.resource(gvk)  # asks the server again where a kind is new
    catalog = await kinds.catalog()
    return Facts(
        kind=lambda gvk: _kind(catalog, gvk),
        refused=_refused(at, scoped),
        namespace=await _namespace(at, sync),
        shared=next((each.message for each in comparison.conditions if each.type == "SharedResourceWarning"), ""),
    )


async def _namespace(at: At, sync: Sync) -> Cached | None:
    if not sync.said("CreateNamespace"):
        return None
    return await at.destination.live.find(_NAMESPACE, Ref("", "Namespace", "", sync.namespace))


def _refused(at: At, scoped: Scoped) -> Callable[[GroupVersionKind, Ref, bool], str]:
    project, cluster = at.project, at.destination.cluster
    return lambda _, ref, namespaced: object_refusal(project, ref, cluster, namespaced=namespaced, scoped=scoped)


def _kind(catalog: Catalog, gvk: GroupVersionKind) -> Kind:
    resource = catalog.by_kind(gvk)
    if resource is not None:
        return Kind(namespaced=resource.namespaced)
    other = catalog.by_kind(gvk.group_kind) or next((each for each in catalog.resources if each.kind == gvk.kind), None)
    return (
        Kind(served=False)
        if other is None
        else Kind(served=False, installed=other.version, installed_group=other.group)
    )
