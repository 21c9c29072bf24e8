"""Asked of the cluster of the kubeconfig, as whoever that names."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

import click

from plumbline.base.clock import SystemClock
from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject, decode, encode
from plumbline.base.tasks import task_group
from plumbline.cli.applications.behind.printing import print_line
from plumbline.cli.applications.orphans import orphans_of
from plumbline.cli.applications.seams import Available, Behind, Change, Reading, Sought
from plumbline.cli.applications.store import AS_PERSON, Applications
from plumbline.delivery.settings.reading import CONTROL_PLANE, PARAMETERS, SettingsReader, Sources
from plumbline.delivery.tree import Node, Tree, tree_of
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionKind, GroupVersionResource, Ref
from plumbline.kube.patch.merge_patch import create_merge_patch

if TYPE_CHECKING:
    from plumbline.base.evaluator import Evaluator
    from plumbline.delivery.looks import Wanted
    from plumbline.delivery.podlogs import Lines
    from plumbline.delivery.settings.customizations import Actions as Defined

_PODS: Final = GroupVersionResource("", "v1", "pods")
_PATCHES: Final = {
    "application/merge-patch+json": "merge",
    "application/json-patch+json": "json",
    "application/strategic-merge-patch+json": "strategic",
}


def behind(apps: Applications) -> Behind:
    return Behind(_Objects(apps), _Actions(apps), _Git(apps), _Logs(apps.client))


class _Objects:
    def __init__(self, apps: Applications) -> None:
        self._apps = apps

    async def tree(self, app: JsonObject, kinds: Iterable[str] | None = None) -> Tree:
        return await tree_of(self._apps.client, app, kinds)

    async def orphans(self, app: JsonObject) -> tuple[Ref, ...]:
        return await orphans_of(self._apps, app)

    async def whole(self, app: JsonObject, node: Node) -> JsonObject:
        del app
        return node.obj

    async def patch(self, app: JsonObject, node: Node, change: Change) -> None:
        del app
        await self._apps.client.patch(await self._target(node), change.body, _PATCHES[change.kind], AS_PERSON)

    async def delete(self, app: JsonObject, node: Node, *, orphan: bool, force: bool) -> None:
        del app
        propagation, grace_period_s = "Orphan" if orphan else "Foreground", 0 if force else None
        target = await self._target(node)
        await self._apps.client.delete(target, uid=node.uid, propagation=propagation, grace_period_s=grace_period_s)

    async def _target(self, node: Node) -> Target:
        resource = await self._apps.client.discovery.resource(node.gvk)
        return resource.target(node.namespace, node.name)


class _Actions:
    """Those that the settings define, found and carried out here."""

    def __init__(self, apps: Applications) -> None:
        self._apps = apps

    async def offered(self, app: JsonObject, nodes: Sequence[Node]) -> list[Available]:
        from plumbline.base.evaluator import Evaluator  # noqa: PLC0415 - starts processes
        from plumbline.delivery.actions import offered  # noqa: PLC0415 - same

        del app
        settings, found = await self._defined(), []
        async with Evaluator() as evaluator:
            for node in nodes:
                offers = await offered(evaluator, node.obj, settings)
                found += [Available(node, each.name, each.disabled) for each in offers]
        return found

    async def run(self, app: JsonObject, nodes: Sequence[Node], action: str) -> None:
        from plumbline.base.evaluator import Evaluator  # noqa: PLC0415 - starts processes

        del app
        settings = await self._defined()
        async with Evaluator() as evaluator:
            for node in nodes:
                await self._run(evaluator, node, settings, action)

    async def _defined(self) -> "dict[str, Defined]":
        """What the settings say about actions, by kind."""
        apps = self._apps
        sources = Sources(await apps.config_map(CONTROL_PLANE), await apps.config_map(PARAMETERS), None, None)
        return dict(SettingsReader(apps.namespace).read(sources).customizations.actions)

    async def _run(self, evaluator: "Evaluator", node: Node, settings: "dict[str, Defined]", action: str) -> None:
        """Have *action* change the object, or make others, as it says."""
        from plumbline.delivery.actions import Asked, outcome  # noqa: PLC0415 - not for others

        client = self._apps.client
        asked = Asked(node.obj, {}, SystemClock().now())
        for operation, obj in await outcome(evaluator, asked, settings, action):
            resource = await client.discovery.resource(GroupVersionKind.of(obj))
            metadata = obj["metadata"]
            target = resource.target(str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))
            if operation == "create":
                await client.create(target.collection, encode(obj), AS_PERSON)
                continue
            live = node.obj if metadata.get("uid") == node.uid else decode(await client.get(target))
            patch = create_merge_patch(live, obj)
            if patch:
                await client.patch(target, encode(patch), "merge", AS_PERSON)


class _Git:
    """Rendered here."""

    def __init__(self, apps: Applications) -> None:
        self._apps = apps

    async def differences(self, sought: Sought) -> list[tuple[Ref, str]]:
        from plumbline.cli.applications.workshop import workshop  # noqa: PLC0415 - loads every room
        from plumbline.delivery.looks import differences  # noqa: PLC0415 - same

        async with workshop(self._apps.client, self._apps.namespace, sought.data) as bench:
            return await differences(await bench.found(_wanted(sought)))

    async def manifests(self, sought: Sought, *, live: bool) -> list[JsonObject]:
        from plumbline.cli.applications.workshop import workshop  # noqa: PLC0415 - loads every room
        from plumbline.delivery.looks import manifests  # noqa: PLC0415 - same

        async with workshop(self._apps.client, self._apps.namespace, sought.data) as bench:
            return manifests(await bench.found(_wanted(sought)), live=live)

    async def bodies(self, sought: Sought) -> list[str]:
        from plumbline.cli.applications.workshop import workshop  # noqa: PLC0415 - loads every room
        from plumbline.delivery.looks import bodies  # noqa: PLC0415 - same

        async with workshop(self._apps.client, self._apps.namespace, sought.data) as bench:
            return bodies(await bench.target(_wanted(sought)))


def _wanted(sought: Sought) -> "Wanted":
    from plumbline.delivery.looks import Wanted  # noqa: PLC0415 - loads every room

    by_hand = not sought.committed
    return Wanted(sought.app, sought.revisions, sought.folder, sought.fresh, sought.server_side, by_hand)


class _Logs:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def print(self, app: JsonObject, pods: Sequence[Node], reading: Reading) -> None:
        from plumbline.delivery.podlogs import Lines  # noqa: PLC0415 - only for logs

        del app
        lines = Lines.parse(reading.wanted, reading.until, match_case=reading.match_case)
        asked = {key: value for key, value in reading.parameters.items() if value} | {"timestamps": "true"}
        async with task_group() as group:
            for pod in pods:
                group.create_task(self._printed(pod, asked, lines))

    async def _printed(self, pod: Node, parameters: Mapping[str, str], lines: "Lines") -> None:
        """A pod that has nothing to say yet keeps nobody else from speaking."""
        from plumbline.delivery.podlogs import split_lines  # noqa: PLC0415 - only for logs

        target = Target(_PODS, pod.namespace, pod.name)
        try:
            async with aclosing(self._client.logs(target, parameters)) as pieces, aclosing(split_lines(pieces)) as read:
                async for line in read:
                    stamp, _, text = line.partition(" ")
                    if lines.over(stamp):
                        return
                    if lines.fits(text):
                        print_line(text)
        except PlumblineError as error:
            click.echo(f"{pod.name}: {error}", err=True)
