"""A cluster in memory: just enough of the API, with its real rules for versions, pins, apply and deletion.

It serves as transport. Nothing in it knows of faults; `faults.transport` goes round it.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Final, NamedTuple
from urllib.parse import parse_qs

import msgspec

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import FieldConflict, InvalidInput
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.kube.apply import Writer, apply, track_update
from plumbline.kube.client import Request, Response
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.patch import json_patch, merge_patch
from plumbline.kube.schema import FREE, Shape
from plumbline.kube.selectors import LabelSelector

_HISTORY: Final = 2000


class Resource(NamedTuple):
    """A kind that the cluster serves."""

    gvr: GroupVersionResource
    kind: str
    shape: Shape = FREE
    status_apart: bool = True


class Change(NamedTuple):
    version: int
    type: str
    gvr: GroupVersionResource
    obj: JsonObject


class Refusal(Exception):
    """An answer that is not success."""

    def __init__(self, code: int, reason: str, message: str, **details: Json) -> None:
        super().__init__(message)
        self.response = status_response(code, reason, message, **details)


def status_response(code: int, reason: str, message: str, **details: Json) -> Response:
    body: JsonObject = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message}
    body |= {"reason": reason, "code": code, "details": details}
    return Response(code, {"content-type": "application/json"}, encode(body))


Place = tuple[GroupVersionResource, str, str]


class MemoryCluster:
    def __init__(self, resources: tuple[Resource, ...], clock: Clock, ids: Ids) -> None:
        self.objects: dict[Place, JsonObject] = {}
        self.history: list[Change] = []
        self.version = 1
        self._resources = {_collection_root(each.gvr): each for each in resources}
        self._clock = clock
        self._ids = ids
        self.grown = asyncio.Event()
        """Set when something changes; whoever waits takes it before looking at the history."""

    async def close(self) -> None: ...

    async def send(self, request: Request) -> Response:
        try:
            return self._answer(request)
        except Refusal as refusal:
            return refusal.response

    def _answer(self, request: Request) -> Response:
        resource, namespace, name, subresource = self._located(request.path)
        query = {key: values[-1] for key, values in parse_qs(request.query).items()}
        place = (resource.gvr, namespace, name)
        if request.method == "GET" and not name:
            return (
                self._watch(resource, namespace, query)
                if query.get("watch")
                else self._list(resource, namespace, query)
            )
        if request.method == "GET":
            return _ok(self._found(place))
        if request.method == "POST":
            return self._create(resource, namespace, request, query)
        if request.method == "PUT":
            return self._write(place, decode(request.body), resource, subresource, query)
        if request.method == "PATCH":
            return self._patch(place, request, resource, subresource, query)
        return self._delete(place, decode(request.body) if request.body else {})

    def _located(self, path: str) -> tuple[Resource, str, str, str]:
        parts = path.strip("/").split("/")
        root, rest = ("/".join(parts[:2]), parts[2:]) if parts[0] == "api" else ("/".join(parts[:3]), parts[3:])
        namespace = ""
        if rest[0] == "namespaces" and len(rest) > 2:  # noqa: PLR2004 - /namespaces/NAME/RESOURCE
            namespace, rest = rest[1], rest[2:]
        resource = self._resources.get(f"{root}/{rest[0]}")
        if resource is None:
            raise Refusal(404, "NotFound", "the server could not find the requested resource")
        name, subresource = (*rest[1:], "", "")[:2]
        return resource, namespace, name, subresource

    def _found(self, place: Place) -> JsonObject:
        found = self.objects.get(place)
        if found is None:
            raise Refusal(404, "NotFound", f'{place[0]} "{place[2]}" not found', name=place[2], kind=place[0].resource)
        return found

    def selected(self, resource: GroupVersionResource, namespace: str, labels: str = "") -> list[JsonObject]:
        selector = LabelSelector.parse(labels) if labels else None
        return [
            obj
            for (gvr, within, _), obj in sorted(self.objects.items())
            if gvr == resource and namespace in {"", within}
            and (selector is None or selector.matches(obj["metadata"].get("labels") or {}))
        ]  # fmt: skip

    def _list(self, resource: Resource, namespace: str, query: dict[str, str]) -> Response:
        items = self.selected(resource.gvr, namespace, query.get("labelSelector", ""))
        body = {
            "kind": f"{resource.kind}List",
            "apiVersion": resource.gvr.api_version,
            "metadata": {"resourceVersion": str(self.version)},
            "items": items,
        }
        return _ok(body)

    def _watch(self, resource: Resource, namespace: str, query: dict[str, str]) -> Response:
        since = query.get("resourceVersion") or "0"
        if query.get("sendInitialEvents") == "true":
            initial = [("ADDED", obj) for obj in self.selected(resource.gvr, namespace)]
            mark = {"resourceVersion": str(self.version), "annotations": {"k8s.io/initial-events-end": "true"}}
            bookmark = {"kind": resource.kind, "apiVersion": resource.gvr.api_version, "metadata": mark}
            stream = _Stream(self, resource, namespace, self.version, [*initial, ("BOOKMARK", bookmark)])
        else:
            oldest = self.history[0].version if self.history else self.version
            if int(since) + 1 < oldest and int(since) < self.version:
                raise Refusal(410, "Expired", f"too old resource version: {since} ({oldest})")
            stream = _Stream(self, resource, namespace, int(since), [])
        return Response(200, {"content-type": "application/json"}, stream=stream)

    def _create(self, resource: Resource, namespace: str, request: Request, query: dict[str, str]) -> Response:
        obj = decode(request.body)
        metadata = {**obj["metadata"], **({"namespace": namespace} if namespace else {})}
        if not metadata.get("name"):
            metadata["name"] = metadata["generateName"] + self._ids.suffix()
        place = (resource.gvr, namespace, metadata["name"])
        if place in self.objects:
            raise Refusal(409, "AlreadyExists", f'{resource.gvr} "{metadata["name"]}" already exists')
        made = track_update(None, {**obj, "metadata": metadata}, self._writer(resource, query, ""), resource.shape)
        return self._stored(place, self._born(made, resource), "ADDED", status=201)

    def _born(self, obj: JsonObject, resource: Resource) -> JsonObject:
        made = {"uid": self._ids.uid(), "creationTimestamp": rfc3339(self._clock.now()), "generation": 1}
        kept = {name: value for name, value in obj.items() if name != "status" or not resource.status_apart}
        return {**kept, "metadata": {**obj["metadata"], **made}}

    def _patch(
        self, place: Place, request: Request, resource: Resource, subresource: str, query: dict[str, str]
    ) -> Response:
        form = next((value for name, value in request.headers if name == "Content-Type"), "")
        patch = decode(request.body)
        if "apply" in form:
            return self._apply(place, patch, resource, subresource, query)
        live = self._found(place)
        if "json-patch" in form:
            return self._write(place, json_patch(live, patch), resource, subresource, query)
        return self._write(place, merge_patch(live, patch), resource, subresource, query)

    def _apply(
        self, place: Place, config: JsonObject, resource: Resource, subresource: str, query: dict[str, str]
    ) -> Response:
        live = self.objects.get(place)
        self._check_pins(live, config.get("metadata") or {})
        config = {
            **config,
            "metadata": {k: v for k, v in config["metadata"].items() if k not in {"uid", "resourceVersion"}},
        }
        writer = self._writer(resource, query, subresource)
        try:
            made = apply(live, config, writer, resource.shape, force=query.get("force") == "true")
        except FieldConflict as conflict:
            causes = tuple({"reason": c.reason, "message": c.message, "field": c.field} for c in conflict.causes)
            raise Refusal(409, "Conflict", str(conflict), causes=causes) from conflict
        except InvalidInput as invalid:
            raise Refusal(422, "Invalid", str(invalid)) from invalid
        if live is None:
            return self._stored(place, self._born(made, resource), "ADDED", status=201)
        return self._changed(place, live, made, resource, subresource)

    def _write(
        self, place: Place, new: JsonObject, resource: Resource, subresource: str, query: dict[str, str]
    ) -> Response:
        live = self._found(place)
        self._check_pins(live, new["metadata"])
        tracked = track_update(live, new, self._writer(resource, query, subresource), resource.shape)
        return self._changed(place, live, tracked, resource, subresource)

    def _changed(
        self, place: Place, live: JsonObject, new: JsonObject, resource: Resource, subresource: str
    ) -> Response:
        """The part of *new* that this way of writing may change, stored if it is a change."""
        metadata = {**new["metadata"], **{key: live["metadata"].get(key) for key in ("uid", "creationTimestamp")}}
        if subresource == "status":
            metadata = {**live["metadata"], "managedFields": new["metadata"].get("managedFields")}
            new = {**live, "status": new.get("status")}
        elif resource.status_apart:
            new = {
                **{k: v for k, v in new.items() if k != "status"},
                **({"status": live["status"]} if "status" in live else {}),
            }
        bodies = [{k: v for k, v in obj.items() if k not in {"metadata", "status"}} for obj in (live, new)]
        metadata["generation"] = live["metadata"]["generation"] + (bodies[0] != bodies[1])
        metadata["resourceVersion"] = live["metadata"]["resourceVersion"]
        changed = {**new, "metadata": {key: value for key, value in metadata.items() if value is not None}}
        if changed == live:
            return _ok(live)
        if changed["metadata"].get("deletionTimestamp") and not changed["metadata"].get("finalizers"):
            return self._gone(place, changed)
        return self._stored(place, changed, "MODIFIED")

    def _check_pins(self, live: JsonObject | None, metadata: JsonObject) -> None:
        actual = (live or {}).get("metadata", {})
        for pin in ("uid", "resourceVersion"):
            if metadata.get(pin) and metadata[pin] != actual.get(pin):
                raise Refusal(
                    409, "Conflict", "the object has been modified; please apply your changes to the latest version"
                )

    def _delete(self, place: Place, options: JsonObject) -> Response:
        live = self._found(place)
        self._check_pins(live, options.get("preconditions") or {})
        metadata = live["metadata"]
        if not metadata.get("finalizers"):
            return self._gone(place, live)
        if metadata.get("deletionTimestamp"):
            return _ok(live)
        marked = {**metadata, "deletionTimestamp": rfc3339(self._clock.now()), "deletionGracePeriodSeconds": 0}
        return self._stored(place, {**live, "metadata": marked}, "MODIFIED")

    def _gone(self, place: Place, last: JsonObject) -> Response:
        del self.objects[place]
        obj = self._versioned(last)
        self._tell(Change(self.version, "DELETED", place[0], obj))
        return _ok({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"})

    def _stored(self, place: Place, obj: JsonObject, event: str, *, status: int = 200) -> Response:
        obj = self.objects[place] = self._versioned(obj)
        self._tell(Change(self.version, event, place[0], obj))
        return _ok(obj, status)

    def _versioned(self, obj: JsonObject) -> JsonObject:
        self.version += 1
        return {**obj, "metadata": {**obj["metadata"], "resourceVersion": str(self.version)}}

    def _tell(self, change: Change) -> None:
        self.history.append(change)
        del self.history[:-_HISTORY]
        grown, self.grown = self.grown, asyncio.Event()
        grown.set()

    def forget_history(self) -> None:
        """As compaction does: watches from before now must start over."""
        self.history.clear()

    def _writer(self, resource: Resource, query: dict[str, str], subresource: str) -> Writer:
        manager = query.get("fieldManager") or "unknown"
        return Writer(manager, resource.gvr.api_version, rfc3339(self._clock.now()), subresource)


class _Stream:
    """A watch: what there was at its start, then every change, until it is closed."""

    def __init__(
        self,
        cluster: MemoryCluster,
        resource: Resource,
        namespace: str,
        since: int,
        first: list[tuple[str, JsonObject]],
    ) -> None:
        self._cluster = cluster
        self._resource = resource
        self._namespace = namespace
        self._since = since
        self._first = first
        self._closed = False

    async def close(self) -> None:
        self._closed = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._first:
            yield b"".join(_line(kind, obj) for kind, obj in self._first)
        while not self._closed:
            grown = self._cluster.grown
            due = self._due()
            if due:
                self._since = due[-1].version
                yield b"".join(_line(change.type, change.obj) for change in due)
            else:
                await grown.wait()

    def _due(self) -> list[Change]:
        return [
            change
            for change in self._cluster.history
            if change.version > self._since and change.gvr == self._resource.gvr
            and self._namespace in {"", change.obj["metadata"].get("namespace", "")}
        ]  # fmt: skip


def _line(kind: str, obj: JsonObject) -> bytes:
    return encode({"type": kind, "object": obj}) + b"\n"


def _ok(body: JsonObject, status: int = 200) -> Response:
    return Response(status, {"content-type": "application/json"}, msgspec.json.encode(body))


def _collection_root(gvr: GroupVersionResource) -> str:
    return f"{gvr.root.strip('/')}/{gvr.resource}"
