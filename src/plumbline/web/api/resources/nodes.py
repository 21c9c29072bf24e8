"""Objects of a tree in the words of Argo CD's `ResourceNode`."""

from collections.abc import Iterable, Mapping

from plumbline.base.json import JsonObject
from plumbline.delivery.actions.acting import Lua
from plumbline.delivery.faring import fares
from plumbline.delivery.settings.values import Settings
from plumbline.delivery.tree import Node, Tree, portrait
from plumbline.kube.health import Health
from plumbline.kube.names import GroupVersionKind, Ref
from plumbline.kube.object import Object


def ref_json(ref: Ref, version: str = "", uid: str = "") -> JsonObject:
    said = {
        "group": ref.group,
        "version": version,
        "kind": ref.kind,
        "namespace": ref.namespace,
        "name": ref.name,
        "uid": uid,
    }
    return {name: value for name, value in said.items() if value}


def health_json(health: Health) -> JsonObject:
    said = {"status": str(health.status), "message": health.message}
    return {name: value for name, value in said.items() if value}


class Portraits:
    """Makes nodes of objects, as the settings say."""

    def __init__(self, lua: Lua, settings: Settings) -> None:
        self._lua = lua
        self._settings = settings

    async def node(self, node: Node, parents: Iterable[JsonObject]) -> JsonObject:
        shown = ref_json(node.ref, node.version, node.uid)
        if not node.uid:
            return {**shown, "health": health_json(node.found) if node.found is not None else {"status": "Missing"}}
        obj = Object(node.obj)
        health = await fares(self._lua, node.obj, self._settings.customizations.health)
        said = {
            "parentRefs": list(parents),
            **portrait(node.obj, self._settings.display.custom_labels),
            "resourceVersion": obj.resource_version,
            "health": health_json(health) if health is not None else None,
            "createdAt": obj.creation_timestamp,
        }
        return shown | {name: value for name, value in said.items() if value}

    async def nodes(self, tree: Tree) -> dict[Ref, JsonObject]:
        found = tree.nodes()
        owners = _owners(tree)
        return {ref: await self.node(each, _parents(each, found, owners)) for ref, each in found.items()}


def _owners(tree: Tree) -> dict[Ref, list[str]]:
    """Who owns an object although it does not say so itself."""
    owners: dict[Ref, list[str]] = {}
    for uid, children in tree.children.items():
        for child in children:
            owners.setdefault(child.ref, []).append(uid)
    return owners


def _parents(node: Node, found: Mapping[Ref, Node], owners: Mapping[Ref, list[str]]) -> list[JsonObject]:
    said = []
    for each in Object(node.obj).owner_references:
        gvk = GroupVersionKind.parse(each.api_version, each.kind)
        here = Ref(gvk.group, gvk.kind, node.namespace, each.name)
        said.append(ref_json(here if here in found else here._replace(namespace=""), gvk.version, each.uid))
    known = {each.get("uid") for each in said}
    by_uid = {uid for uid in owners.get(node.ref, ()) if uid not in known}
    inferred = (each for each in found.values() if each.uid in by_uid) if by_uid else ()
    return [*said, *(ref_json(each.ref, each.version, each.uid) for each in inferred)]
