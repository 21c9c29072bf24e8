"""What stands behind claims, composites, managed resources, Terraform and sealed secrets, in the same tree.

These name what they are made of, which is not the same as to own it: whoever writes a claim can write any name. So what
is named is shown only where it says the same of whoever names it, or is the Secret that it writes in its own namespace.
"""

import asyncio
from collections.abc import Iterator
from typing import Final

from plumbline.base.errors import NotFound, PlumblineError
from plumbline.base.json import JsonObject, decode
from plumbline.base.tasks import task_group
from plumbline.composition import marks
from plumbline.composition.parts import Branch, below, branches, condition
from plumbline.delivery.tree import Node, Tree
from plumbline.kube.health import Health, Status
from plumbline.kube.names import GroupKind, GroupVersionKind, Ref
from plumbline.kube.object import Object
from plumbline.web.api.resources.asking import Place
from plumbline.web.api.resources.nodes import Portraits, ref_json

_SECRET: Final = GroupVersionKind("", "v1", "Secret")
_APPLICATION: Final = GroupKind("argoproj.io", "Application")
_MOST: Final = 1_000
_AT_ONCE: Final = 16
_WRITERS: Final = {
    GroupKind("infra.contrib.fluxcd.io", "Terraform"): ("writeOutputsToSecret", "name"),
    GroupKind("external-secrets.io", "ExternalSecret"): ("target", "name"),
}
"""Where kinds say into which Secret they write."""
_NAMESAKES: Final = frozenset({
    GroupKind("bitnami.com", "SealedSecret"), GroupKind("external-secrets.io", "ExternalSecret")
})  # fmt: skip
"""Kinds that write a Secret of their own name, unless they say another."""


class Infrastructure:
    def __init__(self, place: Place, portraits: Portraits) -> None:
        self._place = place
        self._portraits = portraits
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._read = 0

    async def behind(self, tree: Tree, nodes: dict[Ref, JsonObject]) -> dict[Ref, JsonObject]:
        """*nodes* with those behind them, each with what it says of itself."""
        found = dict(nodes)
        for ref, node in tree.nodes().items():
            told = _told(node.obj)
            if told:
                found[ref] = {**found[ref], "info": [*found[ref].get("info", ()), *told]}
        waiting = [each for each in tree.nodes().values() if each.uid]
        while waiting and self._read < _MOST:
            named = [(each, branch) for each in waiting for branch in _parts(each.obj)]
            async with task_group() as group:
                asked = [group.create_task(self._behind(*each)) for each in named[: _MOST - self._read]]
            waiting = []
            for (owner, _), task in zip(named, asked, strict=False):
                behind = task.result()
                if behind is not None:
                    waiting += await self._join(owner, behind, found)
        return found

    async def _join(self, owner: Node, behind: Node, found: dict[Ref, JsonObject]) -> list[Node]:
        parent = ref_json(owner.ref, owner.version, owner.uid)
        known = found.get(behind.ref)
        if known is not None:
            parents = known.get("parentRefs", [])
            if not any(each.get("uid") == owner.uid for each in parents):
                found[behind.ref] = {**known, "parentRefs": [*parents, parent]}
            return []
        shown = await self._portraits.node(behind, [parent])
        told = _told(behind.obj)
        found[behind.ref] = {**shown, "parentRefs": [parent], "info": [*shown.get("info", ()), *told]}
        return [behind] if behind.uid else []

    async def _behind(self, owner: Node, branch: Branch) -> Node | None:
        """None for what is none of this application's business. What cannot be read is shown as what names it names it."""
        self._read += 1
        gvk = branch.gvk
        try:
            async with self._turns:
                resource = await self._place.client.discovery.resource(gvk)
                namespace = branch.namespace if resource.namespaced else ""
                bare = gvk.group_kind == _SECRET.group_kind
                raw = await self._place.client.get(resource.target(namespace, branch.name), metadata_only=bare)
        except NotFound:
            return Node(gvk.group, gvk.kind, branch.namespace, branch.name, version=gvk.version)
        except PlumblineError as error:
            why = Health(Status.UNKNOWN, f"It cannot be read: {error.why or error.what}")
            return Node(gvk.group, gvk.kind, branch.namespace, branch.name, version=gvk.version, found=why)
        obj: JsonObject = {**decode(raw), "apiVersion": gvk.api_version, "kind": gvk.kind}
        if not self._answers(owner, obj):
            return None
        return Node(gvk.group, gvk.kind, namespace, branch.name, Object(obj).uid, obj, gvk.version)

    def _answers(self, owner: Node, obj: JsonObject) -> bool:
        """Whether *obj* says itself that it is *owner*'s."""
        seen = Object(obj)
        if any(each.uid == owner.uid for each in seen.owner_references):
            return True
        claim = below(obj, "spec", "claimRef")
        if (claim.get("kind"), claim.get("namespace"), claim.get("name")) == (owner.kind, owner.namespace, owner.name):
            return True
        beside = not owner.namespace or seen.namespace == owner.namespace
        return seen.group_kind == _SECRET.group_kind and beside and self._place.permitted(seen.ref)


def _parts(obj: JsonObject) -> Iterator[Branch]:
    kind = GroupVersionKind.of(obj).group_kind
    if kind == _APPLICATION:
        return  # an application of its own, with a page of its own
    yield from branches(obj, secrets=True)
    meta = Object(obj)
    path = _WRITERS.get(kind)
    name = below(obj, "spec", *path[:-1]).get(path[-1]) if path is not None else None
    if not name and kind in _NAMESAKES:
        name = below(obj, "spec", "template", "metadata").get("name") or meta.name
    if isinstance(name, str) and name:
        yield Branch(_SECRET, meta.namespace, name)


def _told(obj: JsonObject) -> list[JsonObject]:
    """What people look for first: what the cloud calls it, and whether it is as it should be."""
    said = [("External name", Object(obj).annotations.get(marks.EXTERNAL_NAME, ""))]
    if "forProvider" in below(obj, "spec") or condition(obj, "Synced"):
        said += [(name, str(condition(obj, name).get("status") or "")) for name in ("Synced", "Ready")]
    return [{"name": name, "value": value} for name, value in said if value]
