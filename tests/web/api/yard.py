"""The API of an installation on a control plane in this process, and people who ask it things."""

import asyncio
import base64
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import NamedTuple
from urllib.parse import quote

from tests import planes

from plumbline.access.policy import Policy, policy_source
from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.errors import NotFound, Unauthenticated, UnknownKind
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.delivery.eventlabels import labels_in
from plumbline.delivery.installation import Installation
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gotemplate import Surroundings
from plumbline.journal import sqlite
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger
from plumbline.source.local import nowhere
from plumbline.web.api.applications import ApplicationsApi
from plumbline.web.api.certificates import Certificates
from plumbline.web.api.clusters import Clusters
from plumbline.web.api.desk import Desk
from plumbline.web.api.gpgkeys import GpgKeys
from plumbline.web.api.links import Links
from plumbline.web.api.notifications import Notifications
from plumbline.web.api.projects import Projects
from plumbline.web.api.repositories import Repositories
from plumbline.web.api.rights import Rights
from plumbline.web.api.settings import Doors, Settings
from plumbline.web.api.telling import Herald
from plumbline.web.api.version import Version
from plumbline.web.api.writing import Pen
from plumbline.web.board import Board, Sight
from plumbline.web.requests import Request
from plumbline.web.routes import Routes

REPO = "https://git.example.org/shop.git"
SERVER = "https://kubernetes.default.svc"
CRDS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
SECRETS = GroupVersionResource("", "v1", "secrets")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
EVENTS = GroupVersionResource("", "v1", "events")
PERMISSIVE = {
    "sourceRepos": ["*"],
    "destinations": [{"server": "*", "namespace": "*"}],
    "sourceNamespaces": ["*"],
}
POLICY = """
p, role:dev, applications, get, shop/*, allow
p, role:dev, applications, sync, shop/*, allow
p, role:dev, projects, get, shop, allow
p, role:dev, repositories, get, https://git.example.org/*, allow
g, dev, role:dev
g, ada, role:admin
"""


class Who(NamedTuple):
    name: str
    groups: tuple[str, ...] = ()
    issuer: str = "argocd"

    @property
    def username(self):
        return self.name


class Answer(NamedTuple):
    status: int
    body: bytes
    headers: dict
    stream: object = None

    @property
    def json(self):
        return decode(self.body)


def application(name="web", project="shop", **more):
    spec = {
        "project": project,
        "source": {"repoURL": REPO, "path": name, "targetRevision": "main"},
        "destination": {"server": SERVER, "namespace": project},
        **more.pop("spec", {}),
    }
    found = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": name}, "spec": spec}
    metadata = {**found["metadata"], **more.pop("metadata", {})}
    return {**found, "metadata": metadata, **more}


class Counting:
    """A transport that remembers what was asked of the cluster."""

    def __init__(self, transport):
        self._transport = transport
        self.asked = []

    async def send(self, request):
        self.asked.append((request.method, request.path))
        return await self._transport.send(request)

    async def close(self): ...


class Yard:
    def __init__(self, client, transport, desk, api, journal):
        self.client, self.transport, self.desk, self.api, self.journal = client, transport, desk, api, journal
        self.routes = Routes(api.routes)
        self.source = {"policy.csv": POLICY}
        self.policy = Policy.compiled(policy_source(self.source))
        self.mandate = MandateSpec(mode="Enforce")
        self.absent = set()
        self.tested = []
        self.described = []
        self.broken = None
        self.visited = []
        """Clusters that somebody went to."""
        self.cut = None
        self.tried = []
        self.hopeless = ""
        """Why nothing comes of applications."""

    def allow(self, more):
        self.policy = Policy.compiled(policy_source({"policy.csv": POLICY + more}))

    async def asker(self, request):
        name = request.header("x-who")
        if not name or name in self.absent:
            raise Unauthenticated("no session information")
        return Who(name, tuple(filter(None, request.header("x-groups").split(","))))

    async def test(self, repository):
        self.tested.append(repository.url)
        self.described.append(repository)
        if self.broken is not None:
            raise self.broken

    async def ask(self, method, path, body=None, *, who="ada", raw=None, **headers):
        path, _, query = path.partition("?")
        sent = raw if raw is not None else encode(body) if body is not None else b""
        named = {"x-who": who, "content-length": str(len(sent)), **{k.replace("_", "-"): v for k, v in headers.items()}}
        if sent:
            named.setdefault("content-type", "application/json")
        scope = {
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), str(value).encode()) for name, value in named.items() if value],
        }
        pieces = [{"type": "http.request", "body": sent, "more_body": False}]

        async def receive():
            return pieces.pop() if pieces else await asyncio.Event().wait()

        route = self.routes.find(path)
        assert route is not None, path
        answered = await route.serve(Request(scope, receive))
        return Answer(answered.status, answered.body, dict(answered.headers), answered.stream)

    async def whole(self, method, path, **more):
        """An answer that is streamed, put together."""
        answered = await self.ask(method, path, **more)
        if answered.stream is None:
            return answered
        return answered._replace(body=b"".join([piece async for piece in answered.stream]))

    async def create(self, resource, body, namespace="argocd"):
        whole = {"apiVersion": resource.api_version, **body}
        return decode(await self.client.create(Target(resource, namespace), encode(whole)))

    async def deploy(self, *names, namespace="argocd", **more):
        for name in names:
            await self.create(APPLICATION.resource, application(name, **more), namespace)
        await self.seen(*names, namespace=namespace)

    async def seen(self, *names, namespace="argocd"):
        """Wait until the board knows them."""
        await self.desk.board.rows()
        await until(lambda: all(self.desk.board.row((namespace, name)) for name in names))

    async def get(self, resource, name, namespace="argocd"):
        return decode(await self.client.get(Target(resource, namespace, name)))

    async def app(self, name="web", namespace="argocd"):
        return await self.get(APPLICATION.resource, name, namespace)

    async def patch(self, name, change, namespace="argocd"):
        target = Target(APPLICATION.resource, namespace, name)
        raw = await self.client.patch(target, encode(change), "merge")
        version = decode(raw)["metadata"]["resourceVersion"]
        await self.desk.board.rows()
        await until(lambda: self.desk.board.row((namespace, name)).version == version)

    async def secret(self, called, kind, **data):
        coded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
        labels = {"argocd.argoproj.io/secret-type": kind}
        before = len(self.desk.installation.secrets(kind))
        await self.create(SECRETS, {"kind": "Secret", "metadata": {"name": called, "labels": labels}, "data": coded})
        await until(lambda: len(self.desk.installation.secrets(kind)) > before)

    async def configure(self, name, **data):
        before = self.desk.installation.config_map(name)
        if before is None:
            await self.create(CONFIG_MAPS, {"kind": "ConfigMap", "metadata": {"name": name}, "data": data})
        else:
            await self.client.update(Target(CONFIG_MAPS, "argocd", name), encode({**before, "data": data}))
        await until(lambda: (self.desk.installation.config_map(name) or {}).get("data") == data)

    async def told(self, kind, name, count, namespace="argocd"):
        """Reasons and messages of events, oldest first, once there are *count* of them."""
        for _ in range(1000):
            found = await told(self.client, namespace, kind, name)
            if len(found) >= count:
                return [(each["reason"], each["message"]) for each in found]
            await asyncio.sleep(0.005)
        raise AssertionError("it was not told")

    async def written(self):
        """Who did what to what, as the journal has it."""
        page = await self.journal.page(limit=500)
        return [
            (str(each.actor), each.verb, each.subject.name)
            for each in sorted(page.entries, key=lambda entry: entry.seq)
            if each.kind == "performed"
        ]


async def told(client, namespace, kind, name):
    """Events that the API wrote about an object, oldest first."""
    page = await client.list(Target(EVENTS, namespace))
    events = sorted(map(decode, page.items), key=lambda each: int(each["metadata"]["resourceVersion"]))
    return [
        each
        for each in events
        if each["source"] == {"component": "argocd-server"}
        and (each["involvedObject"]["kind"], each["involvedObject"]["name"]) == (kind, name)
    ]


async def until(condition, tries=1000):
    for _ in range(tries):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come about")


def at(url):
    """As it is written in a path."""
    return quote(url, safe="")


@cache
def _founded():
    return planes.founded(_found)


async def _found(client):
    for namespace in ("argocd", "shop", "team"):
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
        await client.create(Target(NAMESPACES), encode(body))
    for kind in (APPLICATION, APP_PROJECT):
        await client.create(Target(CRDS), encode(crd_manifest(kind)))
    for name in ("default", "shop", "bank"):
        body = {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "AppProject",
            "metadata": {"name": name},
            "spec": PERMISSIVE,
        }
        for _ in range(200):
            try:
                await client.create(Target(APP_PROJECT.resource, "argocd"), encode(body))
            except (NotFound, UnknownKind):
                await asyncio.sleep(0.01)
            else:
                break


@asynccontextmanager
async def yard(local=nowhere):
    clock, ids = SystemClock(), Ids(3)
    plane = Plane(clock, ids, stored=_founded(), controllers=True)
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        transport = Counting(plane.transport())
        client = Client(transport, clock=clock, ids=ids)
        world = World(clock, ids, Metrics())
        installation = Installation(client, "argocd", world, local=local)
        made = None

        async def asking(request):
            return await made.asker(request)

        async def test(repository):
            await made.test(repository)

        async def tries(app):
            made.tried.append(app["metadata"]["name"])
            return made.hopeless

        @asynccontextmanager
        async def way(cluster):
            made.visited.append(cluster.server)
            if made.cut is not None:
                raise made.cut
            yield client

        def looked_at(namespace):
            return installation.settings.applications_in(namespace)

        gate = Gate(Powers(lambda: made.mandate, Ledger(), lambda: None), Live(journal), clock)
        rights = Rights(asking, lambda: made.policy)
        herald = Herald(gate, client, clock, partial(labels_in, installation))
        desk = Desk(
            client=client,
            clock=clock,
            namespace="argocd",
            installation=installation,
            rights=rights,
            pen=Pen(gate, client, herald),
            board=Board(client, world.metrics),
            sight=Sight("argocd", rights.policy, looked_at),
        )
        links = Links(Surroundings(clock.now, ids))
        more = (
            *Projects(
                desk, links, lambda subject, life_s, number: (f"{subject}/{number}", 1000, life_s), ids
            ).endpoints,
            *Repositories(desk, test).endpoints,
            *Clusters(desk, way).endpoints,
            *Certificates(desk).endpoints,
            *GpgKeys(desk).endpoints,
            *Notifications(desk).endpoints,
            *Settings(desk, Doors).endpoints,
            *Version(desk, "1.2.3").endpoints,
        )
        api = ApplicationsApi(desk, links, more, tries)
        made = Yard(client, transport, desk, api, journal)
        async with task_group() as group:
            running = [group.create_task(each.run()) for each in (installation, api, herald)]
            await installation.synced()
            try:
                yield made
            finally:
                for task in running:
                    task.cancel()
