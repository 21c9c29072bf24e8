"""What pods of an application print, several at once, line by line."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import aclosing
from typing import Final, NamedTuple

import click

from plumbline.base.errors import InvalidInput, NotFound, PlumblineError
from plumbline.base.json import JsonObject
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications
from plumbline.cli.connecting import Where
from plumbline.delivery.podlogs import Lines, split_lines
from plumbline.delivery.tree import Node, Tree, tree_of
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

_PODS: Final = GroupVersionResource("", "v1", "pods")
_MOST_PODS: Final = 100
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]")
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


class Chosen(NamedTuple):
    """Behind which objects. Empty means any."""

    group: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""

    def fits(self, node: Node) -> bool:
        asked = (
            (self.group, node.group),
            (self.kind, node.kind),
            (self.name, node.name),
            (self.namespace, node.namespace),
        )
        return all(not wanted or wanted == found for wanted, found in asked)


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


async def print_logs(
    where: Where, app: tuple[str, str], chosen: Chosen, parameters: Mapping[str, str], lines: Lines
) -> None:
    async with where.connected() as client:
        apps = Applications(client, where.namespace)
        name = apps.named(*app)
        pods = await _chosen_pods(client, await apps.get(name), name, chosen)
        asked = {key: value for key, value in parameters.items() if value} | {"timestamps": "true"}
        async with asyncio.TaskGroup() as group:
            for pod in pods:
                group.create_task(_printed(client, pod, asked, lines))


async def _chosen_pods(client: Client, app: JsonObject, name: AppName, chosen: Chosen) -> list[Node]:
    pods = pods_of(await tree_of(client, app, _KINDS), chosen)
    if not pods:
        raise NotFound(f"{name} has no such pods", hint=f"See its objects with: plumb app resources {name} -o tree.")
    if len(pods) > _MOST_PODS:
        raise InvalidInput(
            f"the logs of {len(pods)} pods are too many", hint="Choose some with --kind, --name or --namespace."
        )
    return pods


async def _printed(client: Client, pod: Node, parameters: Mapping[str, str], lines: Lines) -> None:
    """A pod that has nothing to say yet keeps nobody else from speaking."""
    target = Target(_PODS, pod.namespace, pod.name)
    try:
        async with aclosing(client.logs(target, parameters)) as pieces, aclosing(split_lines(pieces)) as read:
            async for line in read:
                stamp, _, text = line.partition(" ")
                if lines.over(stamp):
                    return
                if lines.fits(text):
                    click.echo(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))
    except PlumblineError as error:
        click.echo(f"{pod.name}: {error}", err=True)
