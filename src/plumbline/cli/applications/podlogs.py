"""Which pods of an application are meant, and what they print, several at once, line by line."""

from collections.abc import Iterator
from typing import Final

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.reaching import applications
from plumbline.cli.applications.seams import Chosen, Reading
from plumbline.cli.connecting import Where
from plumbline.delivery.tree import Node, Tree

_MOST_PODS: Final = 100
_KINDS: Final = (
    "Pod",
    "ReplicaSet",
    "StatefulSet",
    "Job",
    "ReplicationController",
    "DaemonSet",
    "Deployment",
    "Rollout",
)


def pods_of(tree: Tree, chosen: Chosen) -> list[Node]:
    """Pods that are, or stand behind, what was chosen; each once."""
    found: dict[str, Node] = {}
    for _, node in tree.walk():
        if chosen.fits(node):
            for each in _pods_below(tree, node):
                found.setdefault(each.uid, each)
    return sorted(found.values(), key=lambda node: node[:4])


def _pods_below(tree: Tree, node: Node) -> Iterator[Node]:
    if node.kind == "Pod" and not node.group and node.uid:
        yield node
    for child in tree.children.get(node.uid, ()) if node.uid else ():
        yield from _pods_below(tree, child)


async def print_logs(where: Where, name: str, app_namespace: str, reading: Reading) -> None:
    async with applications(where) as apps:
        app = await apps.get(apps.named(name, app_namespace))
        tree = await apps.behind.objects.tree(app, _KINDS)
        pods = pods_of(tree, reading.chosen)
        if not pods and tree.unread:
            raise tree.unread[0].error
        pods = _few(pods, AppName.of(app))
        await apps.behind.logs.print(app, pods, reading)


def _few(pods: list[Node], name: AppName) -> list[Node]:
    if not pods:
        raise NotFound(f"{name} has no such pods", hint=f"See its objects with: plumb app resources {name} -o tree.")
    if len(pods) > _MOST_PODS:
        raise InvalidInput(
            f"the logs of {len(pods)} pods are too many", hint="Choose some with --kind, --name or --namespace."
        )
    return pods
