"""Namespaces that go away take everything in them along."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns, itself
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.resources.resource import Resource
from plumbline.apiserver.storage.entries import Key
from plumbline.base.errors import RequestRefused
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupKind

NAMESPACE: Final = GroupKind("", "Namespace")
FINALIZER: Final = "kubernetes"
_POD: Final = GroupKind("", "Pod")
_AGAIN_S: Final = 1.0
_MOST_TOLD: Final = 10

# In the order in which the conditions are written, each with the reason and message of all being well.
_CONDITIONS: Final = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}


class NamespaceController:
    """Deletes the content of a namespace that is to go, says what is left, and lets it go when nothing is.

    A webhook that takes its time, or refuses, is the matter of what it is asked about.
    """

    name = "namespaces"
    at_once = 10

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {NAMESPACE: itself}

    async def reconcile(self, key: Key) -> float | None:
        namespace = self._cluster.at(key)
        if namespace is None or not metadata_of(namespace).get("deletionTimestamp"):
            return None
        if FINALIZER not in (namespace.get("spec", {}).get("finalizers") or ()):
            return None
        pods, refusals = await self._delete_pods(key.name)
        remaining: Sequence[tuple[Resource, JsonObject]] = ()
        if not pods and not refusals:
            refusals = await self._cluster.delete_each([obj for _, obj in self._content(key.name)])
            remaining = self._content(key.name)
        status = _status(namespace, remaining, refusals, self._cluster.now())
        namespace = await self._cluster.set_status(namespace, status)
        if refusals:
            raise refusals[0]
        if pods or remaining:
            return _AGAIN_S
        await self._cluster.edit(namespace, _without_finalizer, subresource="finalize")
        return None

    async def _delete_pods(self, namespace: str) -> tuple[bool, Sequence[RequestRefused]]:
        """Whether some are left. They go first, so that nothing they need or are bound by goes before them.

        The real server does not say in its conditions that it waits for them.
        """
        refusals = await self._cluster.delete_each(self._cluster.objects(_POD, namespace))
        return next(self._cluster.entries(_POD, namespace), None) is not None, refusals

    def _content(self, namespace: str) -> list[tuple[Resource, JsonObject]]:
        return [
            (resource, obj)
            for resource in self._cluster.namespaced_resources()
            for obj in self._cluster.objects(resource.group_kind, namespace)
        ]


def _without_finalizer(namespace: JsonObject) -> JsonObject:
    spec = namespace.get("spec") or {}
    kept = [each for each in spec.get("finalizers") or () if each != FINALIZER]
    return {**namespace, "spec": {**spec, "finalizers": kept}}


def _status(
    namespace: JsonObject,
    remaining: Sequence[tuple[Resource, JsonObject]],
    refusals: Sequence[RequestRefused],
    now: str,
) -> JsonObject:
    status: JsonObject = namespace.get("status") or {}
    there = {str(each.get("type")): each for each in status.get("conditions") or ()}
    wanted = {type_: ("False", reason, message) for type_, (reason, message) in _CONDITIONS.items()}
    wanted |= _remaining(remaining)
    if refusals:
        said = ", ".join(sorted({refused.what for refused in refusals})[:_MOST_TOLD])
        message = f"Failed to delete all resource types, {len(refusals)} remaining: {said}"
        wanted["NamespaceDeletionContentFailure"] = ("True", "ContentDeletionFailed", message)
    conditions = [_condition(type_, there.get(type_), told, now) for type_, told in wanted.items()]
    others = [each for type_, each in there.items() if type_ not in wanted]
    return {**status, "phase": "Terminating", "conditions": [*others, *conditions]}


def _remaining(remaining: Sequence[tuple[Resource, JsonObject]]) -> dict[str, tuple[str, str, str]]:
    if not remaining:
        return {}
    kinds = Counter(f"{resource.plural}.{resource.kind.group}" for resource, _ in remaining)
    listed = ", ".join(f"{kind} has {count} resource instances" for kind, count in sorted(kinds.items()))
    told = {"NamespaceContentRemaining": ("True", "SomeResourcesRemain", f"Some resources are remaining: {listed}")}
    finalizers = Counter(each for _, obj in remaining for each in metadata_of(obj).get("finalizers") or ())
    if finalizers:
        listed = ", ".join(f"{each} in {count} resource instances" for each, count in sorted(finalizers.items()))
        message = f"Some content in the namespace has finalizers remaining: {listed}"
        told["NamespaceFinalizersRemaining"] = ("True", "SomeFinalizersRemain", message)
    return told


def _condition(type_: str, there: Json, told: tuple[str, str, str], now: str) -> JsonObject:
    status, reason, message = told
    changed = there is None or there.get("status") != status
    since = now if changed else there.get("lastTransitionTime")
    return {"type": type_, "status": status, "lastTransitionTime": since, "reason": reason, "message": message}
