"""The control plane as one object: storage, API and controllers, with or without sockets."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Final

from plumbline.access.identity import AUTHENTICATED, MASTERS, Identity
from plumbline.apiserver.admission import BuiltinAdmission, StoredObjects, builtin_plugins
from plumbline.apiserver.allocation import ServiceAllocator
from plumbline.apiserver.authentication.keys import SigningKey
from plumbline.apiserver.bootstrap import bootstrap
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Controller, Controllers
from plumbline.apiserver.controllers.definitions import CustomResources, DefinitionController
from plumbline.apiserver.controllers.housekeeping import TokenUse, housekeeping_controllers
from plumbline.apiserver.controllers.workloads import workload_controllers
from plumbline.apiserver.door import Door
from plumbline.apiserver.inprocess import InProcessTransport
from plumbline.apiserver.models.definition import builtin_models
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.nodes import Nodes
from plumbline.apiserver.objects.context import Context
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.requests.dispatch import Dispatch, Serve
from plumbline.apiserver.requests.reviews import review_resources
from plumbline.apiserver.requests.subresources.binding import serve_binding
from plumbline.apiserver.requests.subresources.connect import connect_subresources
from plumbline.apiserver.requests.subresources.eviction import serve_eviction
from plumbline.apiserver.requests.subresources.logs import serve_logs
from plumbline.apiserver.requests.subresources.proxy import Proxies
from plumbline.apiserver.requests.subresources.scale import serve_scale
from plumbline.apiserver.requests.subresources.tokens import serve_tokens
from plumbline.apiserver.rooms.documents import DocumentsRoom
from plumbline.apiserver.rooms.health import HealthRoom
from plumbline.apiserver.rooms.metrics import MetricsRoom, Tally
from plumbline.apiserver.rooms.openid import OpenIdRoom
from plumbline.apiserver.rooms.resources import ResourcesRoom
from plumbline.apiserver.rooms.room import Room
from plumbline.apiserver.security import Security
from plumbline.apiserver.storage.entries import Change, ChangeType, Entry
from plumbline.apiserver.storage.ledger import Stored
from plumbline.apiserver.storage.store import Ledger, Store
from plumbline.apiserver.webhooks import LocalAddresses, hook_caller, webhook_admission, webhook_conversion
from plumbline.base.clock import Clock
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject
from plumbline.base.tasks import task_group
from plumbline.kube.names import GroupKind

ADMIN: Final = Identity("kubernetes-admin", groups=(MASTERS, AUTHENTICATED))
_RBAC: Final = "rbac.authorization.k8s.io"


class Plane:
    """Use it within `running`. Without *key* nobody gets in over a socket: in-process callers need no credentials.

    With *workloads* there is a simulated node, and the controllers whose pods go there.
    """

    def __init__(  # noqa: PLR0913 - what a plane can be made from
        self,
        clock: Clock,
        ids: Ids,
        *,
        ledger: Ledger | None = None,
        stored: Stored | None = None,
        key: SigningKey | None = None,
        authority_pem: str = "",
        address: str = "",
        controllers: bool = True,
        workloads: bool = False,
        disabled_plugins: Collection[str] = (),
    ) -> None:
        stored = stored or Stored(1, ())
        self._address = address
        self.store = Store(clock, ledger, revision=stored.revision)
        self.store.load(stored.entries)
        self.registry = Registry(builtin_models())
        self.authorizer = Authorizer()
        plugins = builtin_plugins(StoredObjects(self.store), self.authorizer, clock, ids, disabled=disabled_plugins)
        self.addresses = LocalAddresses()
        """Where services of this plane really are; our own rooms announce themselves here."""
        self._hooks = hook_caller(self.store, clock, self.addresses)
        admission = BuiltinAdmission(plugins, self.authorizer)
        admission.webhooks = webhook_admission(self.store, self.registry, self._hooks, ids, again=admission.plugged)
        self.context = Context(self.store, clock, ids, admission, ServiceAllocator(self.store, ids))
        self.cluster = Cluster(self.registry, self.context)
        self._proxies = Proxies(self.cluster, self.addresses)
        self._custom = CustomResources(self.registry, webhook_conversion(self._hooks, ids), self.store.end_watches)
        self._custom.load(stored.entries)
        self._nodes = Nodes(self.cluster) if workloads else None
        built_in = self._built_in(authority_pem, key) if controllers else ()
        self._controllers = Controllers(self.store, self.cluster, built_in)
        self._token_use = TokenUse(self.cluster)
        self._security = self._secured(key, ids) if key else None
        self._door = self._made_door(ids, clock)
        self._observe_rbac(stored.entries)

    def _secured(self, key: SigningKey, ids: Ids) -> Security:
        return Security(key, lookup=self._lookup, used=self._token_use.note, clock=self.cluster.clock, ids=ids)

    def _built_in(self, authority_pem: str, key: SigningKey | None) -> tuple[Controller, ...]:
        definitions = DefinitionController(self.cluster, self._custom)
        housekeeping = housekeeping_controllers(self.cluster, authority_pem, key.token if key else None)
        if self._nodes is None:
            return (definitions, *housekeeping)
        return (definitions, *housekeeping, *workload_controllers(self.cluster), *self._nodes.controllers)

    def _made_door(self, ids: Ids, clock: Clock) -> Door:
        security = self._security
        subresources: dict[tuple[str, str], Serve] = {
            ("*", "scale"): serve_scale,
            ("pods", "binding"): serve_binding,
            ("pods", "eviction"): serve_eviction(self.cluster),
            **self._proxies.subresources(),
        }
        if security:
            subresources["serviceaccounts", "token"] = serve_tokens(security.issuer)
        if self._nodes:
            subresources |= {("pods", "log"): serve_logs(self._nodes)}
            subresources |= connect_subresources(self.authorizer, self._nodes.refuse_connection)
        authenticator = security.authenticator if security else None
        resources = {**review_resources(self.authorizer, authenticator), ("", "bindings"): serve_binding}
        dispatch = Dispatch(self.context, subresources=subresources, resources=resources)
        tally = Tally(lambda at: self.registry.serves(at.group, at.version, at.resource, at.subresource))
        rooms: list[Room] = [
            HealthRoom({"storage": lambda: self.store.writable}),
            MetricsRoom(self.store, tally),
            DocumentsRoom(self.registry, clock, self._address),
        ]
        if security:
            rooms.append(OpenIdRoom(security))
        rooms.append(ResourcesRoom(self.registry, dispatch))
        return Door(rooms, self.authorizer, ids, tally, authenticator.identity if authenticator else None)

    def _lookup(self, kind: str, namespace: str, name: str) -> JsonObject | None:
        return self.cluster.get(GroupKind("", kind), namespace, name)

    async def answer(self, call: Call) -> Answer:
        return await self._door.answer(call)

    def transport(self, identity: Identity = ADMIN) -> InProcessTransport:
        """For a client in this process, who is *identity* without having to prove it."""
        return InProcessTransport(self.answer, identity)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Plane"]:
        """Bootstrapped, with its controllers at work."""
        async with task_group() as tasks:
            tasks.create_task(self.store.run())
            await bootstrap(self.store, self.cluster, self._nodes.bootstrap_objects if self._nodes else ())
            tasks.create_task(self._controllers.run())
            tasks.create_task(self._token_use.run())
            try:
                yield self
            finally:
                self._controllers.stop()
                self._token_use.stop()
                self.store.close()
                await self._proxies.close()
                await self._hooks.close()

    def _observe_rbac(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if entry.key.collection.group == _RBAC:
                self.authorizer.observe(entry.body)
        self.store.listen(self._observe)

    def _observe(self, change: Change) -> None:
        if change.entry.key.collection.group != _RBAC:
            return
        if change.type is ChangeType.DELETED:
            obj = change.entry.object()
            self.authorizer.forget(obj["kind"], change.entry.key.namespace, change.entry.key.name)
        else:
            self.authorizer.observe(change.entry.body)
