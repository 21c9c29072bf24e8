"""Asked of a server, which decides what somebody may see and do, and notes it under their name."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import Final

import click

from plumbline.base.documents import load_json
from plumbline.base.errors import GarbledReply, ServerFault
from plumbline.base.json import Json, JsonObject, decode
from plumbline.base.limits import MANIFESTS
from plumbline.cli.applications.behind.printing import print_line
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.packing import packed
from plumbline.cli.applications.seams import Available, Behind, Change, Reading, Sought
from plumbline.cli.server.api import Api, Query
from plumbline.delivery.compare.text import states_text
from plumbline.delivery.podlogs import split_lines
from plumbline.delivery.tree import Node, Tree, Unread
from plumbline.kube.client.transport import ByteStream
from plumbline.kube.health import Health, Status
from plumbline.kube.names import GroupVersionKind, Ref

_PARTS: Final = ("group", "kind", "namespace", "name")
_STREAM_S: Final = 24 * 3600.0
_HEALTHS: Final = {str(each): each for each in Status}


def behind(api: Api) -> Behind:
    return Behind(_Objects(api), _Actions(api), _Git(api), _Logs(api), judges=True)


def _at(app: JsonObject, *below: str) -> tuple[str, ...]:
    return "applications", AppName.of(app).name, *below


def _where(app: JsonObject) -> dict[str, str]:
    return {"appNamespace": AppName.of(app).namespace}


def _named(app: JsonObject, node: Node) -> dict[str, str]:
    named = {"group": node.group, "kind": node.kind, "version": node.version, "namespace": node.namespace}
    return {**_where(app), **named, "resourceName": node.name}


class _Objects:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def tree(self, app: JsonObject, kinds: Iterable[str] | None = None) -> Tree:
        del kinds  # a server tells all of it at once
        return _tree(app, await self._api.get(*_at(app, "resource-tree"), **_where(app)))

    async def orphans(self, app: JsonObject) -> tuple[Ref, ...]:
        said = await self._api.get(*_at(app, "resource-tree"), **_where(app))
        return tuple(_ref(each) for each in said.get("orphanedNodes") or ())

    async def whole(self, app: JsonObject, node: Node) -> JsonObject:
        said = await self._api.get(*_at(app, "resource"), **_named(app, node))
        return _object(said.get("manifest")) or {}

    async def patch(self, app: JsonObject, node: Node, change: Change) -> None:
        query = {**_named(app, node), "patchType": change.kind}
        await self._api.ask("POST", _at(app, "resource"), change.body.decode(), query)

    async def delete(self, app: JsonObject, node: Node, *, orphan: bool, force: bool) -> None:
        ways = {"orphan": "true" if orphan else "", "force": "true" if force else ""}
        await self._api.ask("DELETE", _at(app, "resource"), query={**_named(app, node), **ways})


def _ref(said: JsonObject) -> Ref:
    return Ref(*(str(said.get(part) or "") for part in _PARTS))


def _tree(app: JsonObject, said: JsonObject) -> Tree:
    """What Git names first, as the application lists it, and beneath it whatever says that it is owned."""
    nodes = [_node(each) for each in said.get("nodes") or ()]
    known = {each.ref: each for each in nodes}
    children: dict[str, list[Node]] = {}
    for each, told in zip(nodes, said.get("nodes") or (), strict=True):
        for parent in told.get("parentRefs") or ():
            children.setdefault(str(parent.get("uid") or ""), []).append(each)
    listed = dict.fromkeys(_ref(each) for each in (app.get("status") or {}).get("resources") or ())
    roots = tuple(known.get(ref) or Node(*ref) for ref in listed)
    unread = [Unread(each.ref, _silence(str(each.ref), each.found)) for each in nodes if not each.uid and each.found]
    unread += [
        Unread(Ref("", str(each.get("kind") or ""), str(each.get("namespace") or ""), ""), _unlisted(each))
        for each in said.get("unseen") or ()
    ]
    return Tree(roots, children, bool(said.get("truncated")), unread=tuple(unread))


def _silence(what: str, found: Health) -> ServerFault:
    return ServerFault(f"{what} cannot be read", why=found.message.removeprefix("It cannot be read: "))


def _unlisted(said: JsonObject) -> ServerFault:
    return ServerFault(f"{said.get('kind')} could not be listed", why=str(said.get("why") or ""))


def _node(said: JsonObject) -> Node:
    ref, version, uid = _ref(said), str(said.get("version") or ""), str(said.get("uid") or "")
    if not uid:
        health = _health(said.get("health") or {})
        unknown = health if health is not None and health.status is Status.UNKNOWN else None
        return Node(*ref, version=version, found=unknown)
    metadata = {"name": ref.name, "namespace": ref.namespace, "uid": uid, "creationTimestamp": said.get("createdAt")}
    gvk = GroupVersionKind(ref.group, version, ref.kind)
    obj: JsonObject = {"apiVersion": gvk.api_version, "kind": gvk.kind, "metadata": metadata}
    return Node(*ref, uid=uid, obj=obj, version=version, found=_health(said.get("health") or {}))


def _health(said: JsonObject) -> Health | None:
    status = _HEALTHS.get(str(said.get("status") or ""))
    return Health(status, str(said.get("message") or "")) if status is not None else None


class _Actions:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def offered(self, app: JsonObject, nodes: Sequence[Node]) -> list[Available]:
        found: list[Available] = []
        for node in nodes:
            said = await self._api.get(*_at(app, "resource", "actions"), **_named(app, node))
            found += [
                Available(node, str(each.get("name") or ""), bool(each.get("disabled")))
                for each in said.get("actions") or ()
            ]
        return found

    async def run(self, app: JsonObject, nodes: Sequence[Node], action: str) -> None:
        for node in nodes:
            body: JsonObject = {"name": AppName.of(app).name, **_named(app, node), "action": action}
            await self._api.ask("POST", _at(app, "resource", "actions", "v2"), body)


class _Git:
    """Rendered there, files at hand as well: with its tools, settings and plugins, as once they are committed."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def differences(self, sought: Sought) -> list[tuple[Ref, str]]:
        told = [(_ref(each), _text(each)) for each in await self._managed(sought)]
        return sorted((ref, text) for ref, text in told if text)

    async def manifests(self, sought: Sought, *, live: bool) -> list[JsonObject]:
        if live:
            found = [_object(each.get("liveState")) for each in await self._managed(sought)]
        else:
            said = await self._rendered(sought, "manifests")
            found = [_object(each) for each in said.get("manifests") or ()]
        return [each for each in found if each is not None]

    async def bodies(self, sought: Sought) -> list[str]:
        said = await self._rendered(sought, "local-manifests")
        return [str(each) for each in said.get("manifests") or ()]

    async def _managed(self, sought: Sought) -> list[JsonObject]:
        said = await self._rendered(sought, "managed-resources")
        return [each for each in said.get("items") or () if isinstance(each, dict)]

    async def _rendered(self, sought: Sought, what: str) -> JsonObject:
        at, query = _at(sought.app, what), _asked(sought)
        if sought.folder is None:
            return await self._api.ask("GET", at, query=query)
        if sought.folder.path is not None:
            query = {**query, "path": sought.folder.path or "."}
        return await self._api.upload(at, await asyncio.to_thread(packed, sought.folder.tree), query)


def _asked(sought: Sought) -> Query:
    query: dict[str, str | Sequence[str]] = {**_where(sought.app), "noCache": "true" if sought.fresh else ""}
    query["fromGit"] = "true" if sought.committed else ""
    if sought.server_side is not None:
        query["serverSideDiff"] = "true" if sought.server_side else "false"
    if (sought.app.get("spec") or {}).get("sources"):
        said = [(str(at), each) for at, each in enumerate(sought.revisions, 1) if each]
        return query | {"sourcePositions": [at for at, _ in said], "revisions": [each for _, each in said]}
    return query | {"revision": "".join(sought.revisions[:1])}


def _text(item: JsonObject) -> str:
    target, live = _object(item.get("targetState")), _object(item.get("liveState"))
    if target is not None and live is not None and not item.get("modified"):
        return ""
    changed = _object(item.get("predictedLiveState")) if target is not None else None
    return states_text(_object(item.get("normalizedLiveState")) or live, changed or target)


def _object(text: Json) -> JsonObject | None:
    """A server says objects as JSON in text, and null where there is none."""
    if not isinstance(text, str) or not text:
        return None
    value = load_json(text, limits=MANIFESTS, source="the server's answer").value
    return value if isinstance(value, dict) else None


class _Logs:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def print(self, app: JsonObject, pods: Sequence[Node], reading: Reading) -> None:
        del pods  # the server finds them by what they are behind
        came = await self._api.send("GET", _at(app, "logs"), query=_lines(app, reading), stream_s=_STREAM_S)
        if came.stream is None:
            raise GarbledReply(f"{self._api.server} does not stream logs")
        try:
            async with aclosing(split_lines(_pieces(came.stream))) as lines:
                async for line in lines:
                    _print(line)
        finally:
            await came.stream.close()


async def _pieces(stream: ByteStream) -> AsyncGenerator[bytes, None]:
    async for piece in stream:
        yield piece


def _lines(app: JsonObject, reading: Reading) -> Mapping[str, str]:
    chosen = reading.chosen
    return {
        **_where(app),
        **reading.parameters,
        "group": chosen.group,
        "kind": chosen.kind,
        "namespace": chosen.namespace,
        "resourceName": chosen.name,
        "filter": reading.wanted,
        "untilTime": reading.until,
        "matchCase": "true" if reading.match_case else "",
    }


def _print(line: str) -> None:
    said = decode(line.encode()) if line else {}
    told = said.get("result") or {}
    if told.get("last"):
        return
    if told.get("podName"):
        print_line(str(told.get("content") or ""))
    elif words := str(told.get("content") or (said.get("error") or {}).get("message") or ""):
        click.echo(words, err=True)
