"""Actions of kinds: which an object has now, and one of them carried out."""

from typing import NamedTuple

from plumbline.base.clock import SystemClock
from plumbline.base.errors import NotFound
from plumbline.base.evaluator import Evaluator
from plumbline.base.json import JsonObject, decode, encode
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import AS_PERSON, Applications
from plumbline.delivery.actions import Asked, offered, outcome
from plumbline.delivery.settings.customizations import Actions
from plumbline.delivery.settings.reading import CONTROL_PLANE, PARAMETERS, SettingsReader, Sources
from plumbline.delivery.tree import Node, tree_of
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.patch.merge_patch import create_merge_patch


class Filters(NamedTuple):
    """Which objects. None means any; an empty group is the core group."""

    group: str | None = None
    kind: str = ""
    namespace: str = ""
    name: str = ""

    def fits(self, node: Node) -> bool:
        named = ((self.kind, node.kind), (self.namespace, node.namespace), (self.name, node.name))
        return self.group in {None, node.group} and all(not wanted or wanted == found for wanted, found in named)


class Available(NamedTuple):
    node: Node
    name: str
    disabled: bool = False

    def as_json(self) -> JsonObject:
        node = self.node
        named = {"group": node.group, "kind": node.kind, "name": node.name}
        return {**named, "action": self.name, "disabled": self.disabled}


async def chosen(apps: Applications, name: AppName, filters: Filters) -> list[Node]:
    """Objects of the application, and the application itself."""
    app = await apps.get(name)
    tree = await tree_of(apps.client, app, ())
    gvk = GroupVersionKind.of(app)
    itself = Node(gvk.group, gvk.kind, name.namespace, name.name, str(app["metadata"].get("uid") or ""), app)
    found = [node for node in (*tree.roots, itself) if node.obj and filters.fits(node)]
    if not found:
        raise NotFound(f"{name} has no such object", why="no matching resource found")
    return found


async def defined(apps: Applications) -> dict[str, Actions]:
    """What the settings say about actions, by kind."""
    sources = Sources(await apps.config_map(CONTROL_PLANE), await apps.config_map(PARAMETERS), None, None)
    return dict(SettingsReader(apps.namespace).read(sources).customizations.actions)


async def available(evaluator: Evaluator, node: Node, settings: dict[str, Actions]) -> list[Available]:
    """What the object offers now."""
    return [Available(node, each.name, each.disabled) for each in await offered(evaluator, node.obj, settings)]


async def run(apps: Applications, evaluator: Evaluator, node: Node, settings: dict[str, Actions], action: str) -> None:
    """Have *action* change the object, or make others, as it says."""
    asked = Asked(node.obj, {}, SystemClock().now())
    for operation, obj in await outcome(evaluator, asked, settings, action):
        resource = await apps.client.discovery.resource(GroupVersionKind.of(obj))
        metadata = obj["metadata"]
        target = resource.target(str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))
        if operation == "create":
            await apps.client.create(target.collection, encode(obj), AS_PERSON)
            continue
        live = node.obj if metadata.get("uid") == node.uid else decode(await apps.client.get(target))
        patch = create_merge_patch(live, obj)
        if patch:
            await apps.client.patch(target, encode(patch), "merge", AS_PERSON)
