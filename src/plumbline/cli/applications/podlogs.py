"""What pods of an application print, several at once, line by line."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from datetime import datetime
from typing import Final, NamedTuple

import click

from plumbline.base.errors import InvalidInput, NotFound, PlumblineError
from plumbline.base.json import JsonObject
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.store import Applications
from plumbline.cli.applications.trees import Node, Tree, tree_of
from plumbline.cli.connecting import Where
from plumbline.kinds.timestamp import Time
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

_PODS: Final = GroupVersionResource("", "v1", "pods")
_MOST_PODS: Final = 100
_LONGEST_LINE: Final = 1 << 20
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


class Lines(NamedTuple):
    """Which lines."""

    text: str = ""
    inverse: bool = False
    match_case: bool = False
    until: datetime | None = None

    @classmethod
    def parse(cls, wanted: str, until: str, *, match_case: bool) -> "Lines":
        try:
            moment = Time.read(until).moment if until else None
        except ValueError as reason:
            raise InvalidInput(f"{until!r} is no time", why=f"expected {reason}") from reason
        bare = wanted.removeprefix("!")
        return cls(bare if match_case else bare.lower(), bare != wanted, match_case, moment)

    def fits(self, line: str) -> bool:
        found = self.text in (line if self.match_case else line.lower())
        return not self.text or found is not self.inverse

    def over(self, stamp: str) -> bool:
        """Whether a line with that time stamp comes too late."""
        if self.until is None:
            return False
        try:
            return Time.read(stamp).moment > self.until
        except ValueError:
            return False


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
        async with aclosing(client.logs(target, parameters)) as pieces, aclosing(_lines(pieces)) as read:
            async for line in read:
                stamp, _, text = line.partition(" ")
                if lines.over(stamp):
                    return
                if lines.fits(text):
                    click.echo(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))
    except PlumblineError as error:
        click.echo(f"{pod.name}: {error}", err=True)


async def _lines(pieces: AsyncGenerator[bytes, None]) -> AsyncGenerator[str, None]:
    rest = b""
    async for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace").rstrip("\r")
        if len(rest) > _LONGEST_LINE:
            yield rest.decode("utf-8", "replace")
            rest = b""
    if rest:
        yield rest.decode("utf-8", "replace")
