"""Actions of kinds, in Lua from the settings: which an object has now, and what one makes of it."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import EvaluationFailed, InvalidInput, NotFound
from plumbline.base.evaluator import Evaluator
from plumbline.base.glob import glob_matches
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import AS_PERSON, Applications
from plumbline.cli.applications.trees import Node, tree_of
from plumbline.delivery.settings.customizations import Actions
from plumbline.delivery.settings.reading import CONTROL_PLANE, PARAMETERS, SettingsReader, Sources
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.patch.merge_patch import create_merge_patch

_PARTS: Final = ("apiVersion", "kind", "metadata")


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


def actions_of(node: Node, settings: dict[str, Actions]) -> Actions | None:
    exact = settings.get(f"{node.group}/{node.kind}" if node.group else node.kind)
    if exact is not None:
        return exact
    for pattern, actions in settings.items():
        group, slash, kind = pattern.partition("/")
        if glob_matches(group if slash else "", node.group) and glob_matches(kind if slash else pattern, node.kind):
            return actions
    return None


async def available(evaluator: Evaluator, node: Node, actions: Actions) -> list[Available]:
    """What the object offers now."""
    answer = await evaluator.lua(actions.discovery_lua, {"obj": node.obj}) if actions.discovery_lua else {}
    offered: JsonObject = answer if isinstance(answer, dict) else {}
    return [Available(node, name, _disabled(said)) for name, said in sorted(offered.items())]


def _disabled(said: Json) -> bool:
    return isinstance(said, dict) and bool(said.get("disabled"))


async def run(apps: Applications, evaluator: Evaluator, node: Node, settings: dict[str, Actions], action: str) -> None:
    """Have *action* change the object, or make others, as its script says."""
    actions = actions_of(node, settings)
    script = next((each.lua for each in actions.definitions if each.name == action), "") if actions else ""
    if not script:
        raise NotFound(
            f"{node.shown} has no action {action!r}", hint="See which there are with: plumb app actions list."
        )
    result = await evaluator.lua(script, {"obj": node.obj})
    for operation, obj in _impacted(result):
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


def _impacted(result: Json) -> Iterator[tuple[str, JsonObject]]:
    """One object, or a list of operations on several, as upstream takes both."""
    listed: Sequence[Json] = result if isinstance(result, list) else [{"operation": "patch", "resource": result}]
    for each in listed:
        obj = each.get("resource") if isinstance(each, dict) else None
        if not isinstance(obj, dict) or not all(obj.get(part) for part in _PARTS):
            raise EvaluationFailed("the action gave nothing that can be applied")
        operation = str(each.get("operation") or "patch")
        if operation not in {"patch", "create"}:
            raise InvalidInput(f"the action asks for {operation!r}", why="only patch and create are known")
        yield operation, obj
