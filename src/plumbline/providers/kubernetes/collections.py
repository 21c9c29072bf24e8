"""Collections: every object of another cluster that a selector selects, each mirrored by an Object that observes it."""

import hashlib
from contextlib import aclosing
from typing import Final

from plumbline.base.errors import InvalidInput, NotFound, Refused
from plumbline.base.json import JsonObject, decode, encode
from plumbline.kube.client import Selection, Target, Writing
from plumbline.kube.names import GroupVersionKind, GroupVersionResource
from plumbline.kube.object import Object as View
from plumbline.kube.selectors import LabelSelector
from plumbline.managed.external import ABSENT, Created, Difference, Managed, Observed, Updated
from plumbline.providers.kubernetes.clusters import Cluster
from plumbline.providers.kubernetes.reading import deleting

LABEL: Final = "kubernetes.crossplane.io/owned-by-collection"
_WRITING: Final = Writing(field_manager="kubernetes.crossplane.io/observed-object-collection-controller", force=True)
_HASH_DIGITS: Final = 7
_MOST_MEMBERS: Final = 10_000


class Collections:
    def __init__(self, cluster: Cluster, local: Cluster, members: GroupVersionResource) -> None:
        self._cluster = cluster
        self._local = local
        self._members = members

    async def observe(self, managed: Managed) -> Observed:
        """A collection is there as soon as somebody wants it; what differs are its members."""
        present = await self._present(managed)
        if deleting(managed):
            return Observed(exists=True, state="Available") if present else ABSENT
        wanted = await self._wanted(managed)
        names = sorted(name for name, member in wanted.items() if _differs(member, present.get(name)))
        extra = sorted(present.keys() - wanted.keys())
        differences = tuple(Difference(f"members[{name}]", wanted=True, found=False) for name in names)
        differences += tuple(Difference(f"members[{name}]", wanted=False, found=True) for name in extra)
        return Observed(exists=True, status={"membershipLabel": {LABEL: managed.ref.name}}, differences=differences)

    async def create(self, managed: Managed) -> Created:
        await self._make(managed)
        return Created()

    async def update(self, managed: Managed, observed: Observed) -> Updated:
        del observed
        await self._make(managed)
        return Updated()

    async def delete(self, managed: Managed, observed: Observed) -> None:
        del observed
        for name, member in (await self._present(managed)).items():
            await self._drop(managed, name, member)

    async def _make(self, managed: Managed) -> None:
        wanted, present = await self._wanted(managed), await self._present(managed)
        for name, member in wanted.items():
            if _differs(member, present.get(name)):
                await self._local.client.apply(self._target(managed, name), encode(member), _WRITING)
        for name in sorted(present.keys() - wanted.keys()):
            await self._drop(managed, name, present[name])

    async def _drop(self, managed: Managed, name: str, member: JsonObject) -> None:
        try:
            await self._local.client.delete(self._target(managed, name), uid=View(member).uid)
        except NotFound:
            return

    def _target(self, managed: Managed, name: str) -> Target:
        return Target(self._members, managed.ref.namespace, name)

    async def _present(self, managed: Managed) -> dict[str, JsonObject]:
        selection = Selection(labels=f"{LABEL}={managed.ref.name}")
        page = await self._local.client.list(Target(self._members, managed.ref.namespace), selection)
        found = [decode(raw) for raw in page.items]
        return {View(each).name: each for each in found if not View(each).deletion_timestamp}

    async def _wanted(self, managed: Managed) -> dict[str, JsonObject]:
        asked = View(managed.object).spec.get("observeObjects")
        if not isinstance(asked, dict) or not asked.get("apiVersion") or not asked.get("kind"):
            raise InvalidInput("spec.observeObjects cannot be used", why="it needs apiVersion and kind")
        gvk = GroupVersionKind.parse(str(asked["apiVersion"]), str(asked["kind"]))
        target = await self._cluster.collection(gvk, str(asked.get("namespace") or ""))
        selector = str(LabelSelector.from_object(asked.get("selector") or {}))
        selection = Selection(labels=selector, metadata_only=True)
        members: dict[str, JsonObject] = {}
        # Page by page: whoever wrote the kubeconfig may have written the server as well, and it need not ever end.
        async with aclosing(self._cluster.client.pages(target, selection)) as pages:
            async for page in pages:
                found = [_member(managed, self._members, gvk, View(decode(raw))) for raw in page.items]
                members |= {View(each).name: each for each in found}
                if len(members) > _MOST_MEMBERS:
                    why = f"it selects more than {_MOST_MEMBERS} objects"
                    raise Refused("spec.observeObjects cannot be used", why=why, hint="Write a narrower selector.")
        return members


def member_name(collection: str, gvk: GroupVersionKind, namespace: str, name: str) -> str:
    digest = hashlib.sha256(f"{gvk}/{namespace}/{name}".encode()).hexdigest()
    return f"{collection}-{digest[:_HASH_DIGITS]}"


def _member(managed: Managed, members: GroupVersionResource, gvk: GroupVersionKind, found: View) -> JsonObject:
    spec = View(managed.object).spec
    template = (spec.get("objectTemplate") or {}).get("metadata") or {}
    place = {"namespace": managed.ref.namespace} if managed.ref.namespace else {}
    inner = {"name": found.name, **({"namespace": found.namespace} if found.namespace else {})}
    owner = {
        "apiVersion": managed.object.get("apiVersion"),
        "kind": managed.ref.kind,
        "name": managed.ref.name,
        "uid": managed.uid,
    }
    metadata: JsonObject = {
        "name": member_name(managed.ref.name, gvk, found.namespace, found.name),
        **place,
        "labels": {**(template.get("labels") or {}), LABEL: managed.ref.name},
        "ownerReferences": [owner],
    }
    if template.get("annotations"):
        metadata["annotations"] = template["annotations"]
    manifest = {"apiVersion": gvk.api_version, "kind": gvk.kind, "metadata": inner}
    return {
        "apiVersion": members.api_version,
        "kind": "Object",
        "metadata": metadata,
        "spec": {
            "forProvider": {"manifest": manifest},
            "managementPolicies": ["Observe"],
            **({"providerConfigRef": spec["providerConfigRef"]} if spec.get("providerConfigRef") else {}),
        },
    }


def _differs(wanted: JsonObject, present: JsonObject | None) -> bool:
    if present is None:
        return True
    want, have = View(wanted), View(present)
    said = all(have.labels.get(key) == value for key, value in want.labels.items())
    noted = all(have.annotations.get(key) == value for key, value in want.annotations.items())
    return not (said and noted and all(have.spec.get(key) == value for key, value in want.spec.items()))
