"""A control plane that asks webhooks and serves the subresources that reach beyond the store."""

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

import msgspec
from tests.apiserver.scripts.steps import Reply

from plumbline.access.identity import Identity
from plumbline.apiserver.admission import BuiltinAdmission, StoredObjects, builtin_plugins
from plumbline.apiserver.bootstrap import bootstrap
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.nodes.logs.serving import refuse_connection
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.apiserver.requests.dispatch import Dispatch
from plumbline.apiserver.requests.subresources.binding import serve_binding
from plumbline.apiserver.requests.subresources.connect import connect_subresources
from plumbline.apiserver.requests.subresources.eviction import serve_eviction
from plumbline.apiserver.requests.subresources.proxy import Proxies
from plumbline.apiserver.requests.subresources.scale import serve_scale
from plumbline.apiserver.rooms.resources import ResourcesRoom
from plumbline.apiserver.webhooks import LocalAddresses, hook_caller, webhook_admission
from plumbline.base.clock import Clock, SystemClock
from plumbline.base.errors import RequestRefused
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject, decode, encode

T = TypeVar("T")


class HookedPlane:
    """Without controllers, and without the plugins that the reference cluster does not run either."""

    def __init__(self, clock: Clock | None = None) -> None:
        clock, ids = clock or SystemClock(), Ids()
        plane = Plane(clock, ids, controllers=False)
        self.addresses = LocalAddresses()
        self.caller = hook_caller(plane.store, clock, self.addresses)
        disabled = ("ServiceAccount",)
        plugins = builtin_plugins(StoredObjects(plane.store), plane.authorizer, clock, ids, disabled=disabled)
        inner = BuiltinAdmission(plugins, plane.authorizer)
        hooks = webhook_admission(plane.store, plane.registry, self.caller, ids, again=inner.mutated)
        admission = BuiltinAdmission(plugins, plane.authorizer, webhooks=hooks)
        self.context = msgspec.structs.replace(plane.context, admission=admission)
        self.cluster = Cluster(plane.registry, self.context)
        self.proxies = Proxies(self.cluster, self.addresses)
        subresources = {
            ("*", "scale"): serve_scale,
            ("pods", "binding"): serve_binding,
            ("pods", "eviction"): serve_eviction(self.cluster),
            **connect_subresources(plane.authorizer, self._refuse),
            **self.proxies.subresources(),
        }
        dispatch = Dispatch(self.context, subresources=subresources, resources={("", "bindings"): serve_binding})
        self.plane = plane
        door = plane._door
        rooms = (ResourcesRoom(plane.registry, dispatch) if isinstance(r, ResourcesRoom) else r for r in door._rooms)
        door._rooms = tuple(rooms)

    def _refuse(self, namespace: str, name: str, subresource: str, call: Call) -> RequestRefused:
        return refuse_connection(self.cluster, namespace, name, subresource, call)

    async def start(self) -> None:
        await bootstrap(self.plane.store, self.cluster)

    async def close(self) -> None:
        await self.caller.close()
        await self.proxies.close()
        await asyncio.sleep(0.05)  # transports say farewell on later turns of the loop

    async def ask(
        self,
        method: str,
        target: str,
        body: Json = None,
        *,
        headers: Mapping[str, str] | None = None,
        identity: Identity = ADMIN,
        type_: str = "application/json",
    ) -> Reply:
        path, _, query = target.partition("?")
        payload = b"" if body is None else body if isinstance(body, bytes) else encode(body)
        named = {"user-agent": "test/1", "content-type": type_}
        named.update({name.lower(): value for name, value in (headers or {}).items()})
        call = Call(method, path, query, named, payload, identity=identity)
        return await _reply(await self.plane.answer(call))

    async def make(self, target: str, body: JsonObject) -> JsonObject:
        """Created, or the test fails."""
        reply = await self.ask("POST", target, body)
        assert reply.status == 201, reply.body
        return decode(reply.body)


async def _reply(answer: Answer) -> Reply:
    pieces = [piece async for piece in answer.stream] if answer.stream is not None else [answer.body]
    found: dict[str, tuple[str, ...]] = {"content-type": (answer.content_type,)} if answer.content_type else {}
    for name, value in answer.headers:
        found[name.lower()] = (*found.get(name.lower(), ()), value)
    return Reply(answer.status, found, b"".join(pieces))


class HookedServer:
    """The same for scripts, on a loop of its own and in real time. Close it."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        self.plane = self.run(_started())

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(coroutine)

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        return self.run(self.plane.ask(method, target, body, headers=headers))

    def close(self) -> None:
        self.run(self.plane.close())
        self._runner.close()


async def _started() -> HookedPlane:
    plane = HookedPlane()
    await plane.start()
    return plane


def hook(name: str, client: JsonObject, **extra: Json) -> JsonObject:
    """One webhook for everything, unless *extra* says otherwise."""
    everything = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}
    return {
        "name": name,
        "clientConfig": client,
        "rules": [everything],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **extra,
    }


def configuration(sort: str, name: str, *hooks: JsonObject) -> JsonObject:
    """*sort* is Mutating or Validating."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": f"{sort}WebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": list(hooks),
    }


def collection(sort: str) -> str:
    return f"/apis/admissionregistration.k8s.io/v1/{sort.lower()}webhookconfigurations"
