"""A real argocd-server and our parts on one cluster: the same request to both."""

import asyncio
import base64
import json
import time
import urllib.error
import urllib.request
from contextlib import asynccontextmanager
from typing import NamedTuple

from plumbline.access.policy import Policy, policy_source
from plumbline.base.clock import SystemClock
from plumbline.base.errors import Unauthenticated
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.tasks import task_group
from plumbline.delivery.installation import Installation
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gotemplate import Surroundings
from plumbline.journal import sqlite
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Connection
from plumbline.ownership.ledger import Ledger
from plumbline.web.api.applications import ApplicationsApi
from plumbline.web.api.certificates import Certificates
from plumbline.web.api.clusters import Clusters
from plumbline.web.api.desk import Desk
from plumbline.web.api.gpgkeys import GpgKeys
from plumbline.web.api.links import Links
from plumbline.web.api.projects import Projects
from plumbline.web.api.repositories import Repositories
from plumbline.web.api.rights import Rights
from plumbline.web.api.settings import Doors, Settings
from plumbline.web.api.version import Version
from plumbline.web.api.writing import Pen
from plumbline.web.board import Board, Sight
from plumbline.web.requests import Request
from plumbline.web.routes import Routes

from ..argo import RealArgo, _free_ports, _wait_for  # noqa: TID252 - as its neighbours have it


class Reply(NamedTuple):
    status: int
    json: object


class Asker(NamedTuple):
    name: str
    groups: tuple[str, ...] = ()
    issuer: str = "argocd"

    @property
    def username(self):
        return self.name


class Server(RealArgo):
    """With its API server, and people who are logged in there."""

    def start(self) -> None:
        super().start()
        redis = self._running["redis"].args[1]
        repo = self._running["argocd-repo-server"].args
        port, metrics = _free_ports(2)
        self.url = f"http://127.0.0.1:{port}"
        self._spawn(
            "argocd-server", "--insecure", "--port", str(port), "--metrics-port", str(metrics), "--redis", redis,
            "--repo-server", f"127.0.0.1:{repo[repo.index('--port') + 1]}", "--repo-server-plaintext",
            "--kubeconfig", str(self._cluster.kubeconfig), "--namespace", "argocd", "--loglevel", "warn",
        )  # fmt: skip
        _wait_for(port)
        self.token = self._login()

    def ask(self, method, path, body=None, *, anonymous=False):
        headers = {"Content-Type": "application/json"}
        if not anonymous:
            headers["Authorization"] = f"Bearer {self.token}"
        sent = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, sent, headers, method=method)  # noqa: S310 - our own loopback
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:  # noqa: S310 - same
                return Reply(reply.status, json.loads(reply.read() or b"{}"))
        except urllib.error.HTTPError as refused:
            text = refused.read()
            return Reply(refused.code, json.loads(text) if text.startswith(b"{") else text.decode())

    def _login(self):
        until = time.monotonic() + 30
        while True:
            said = self._cluster.kubectl(
                "-n", "argocd", "get", "secret", "argocd-initial-admin-secret", "-o", "jsonpath={.data.password}"
            )
            if said.out.strip():
                break
            assert time.monotonic() < until, "the server made no password"
            time.sleep(0.2)
        password = base64.b64decode(said.out.strip()).decode()
        request = urllib.request.Request(  # noqa: S310 - same
            f"{self.url}/api/v1/session",
            json.dumps({"username": "admin", "password": password}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=30) as reply:  # noqa: S310 - same
            return json.loads(reply.read())["token"]


class Ours:
    def __init__(self, api):
        self._routes = Routes(api.routes)

    async def ask(self, method, path, body=None, *, anonymous=False):
        response = await self.serve(method, path, body, anonymous=anonymous)
        text = response.body
        if response.stream is not None:
            text = b"".join([piece async for piece in response.stream])
        return Reply(response.status, json.loads(text or b"{}"))

    async def serve(self, method, path, body=None, *, anonymous=False):
        path, _, query = path.partition("?")
        sent = encode(body) if body is not None else b""
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(sent)).encode())]
        if not anonymous:
            headers.append((b"x-who", b"admin"))
        scope = {
            "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(), "headers": headers,
        }  # fmt: skip
        pieces = [{"type": "http.request", "body": sent, "more_body": False}]

        async def receive():
            return pieces.pop() if pieces else await asyncio.Event().wait()

        return await self._routes.find(path).serve(Request(scope, receive))


async def _asker(request):
    if not request.header("x-who"):
        raise Unauthenticated("no session information")
    return Asker(request.header("x-who"))


@asynccontextmanager
async def ours(kubeconfig):
    clock, ids = SystemClock(), Ids()
    policy = Policy.compiled(policy_source({}))
    async with (
        Client.connect(Connection.load(kubeconfig)) as client,
        sqlite.in_memory(clock=clock, ids=ids) as journal,
        task_group() as group,
    ):
        world = World(clock, ids, Metrics())
        installation = Installation(client, "argocd", world)
        powers = Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None)
        rights = Rights(_asker, lambda: policy)
        desk = Desk(
            client=client,
            clock=clock,
            namespace="argocd",
            installation=installation,
            rights=rights,
            pen=Pen(Gate(powers, Live(journal), clock), client),
            board=Board(client, world.metrics),
            sight=Sight("argocd", rights.policy, lambda namespace: namespace == "argocd"),
        )
        links = Links(Surroundings(clock.now, ids))
        more = (
            *Projects(desk, links, lambda subject, life_s, number: (f"{subject}{number}", 1, life_s), ids).endpoints,
            *Repositories(desk).endpoints,
            *Clusters(desk).endpoints,
            *Certificates(desk).endpoints,
            *GpgKeys(desk).endpoints,
            *Settings(desk, Doors).endpoints,
            *Version(desk, "0").endpoints,
        )
        api = ApplicationsApi(desk, links, more)
        running = [group.create_task(installation.run()), group.create_task(api.run())]
        await installation.synced()
        try:
            yield Ours(api)
        finally:
            for task in running:
                task.cancel()


def shape(value, path=""):
    """Paths of everything in it, with the type of each; of lists all items together."""
    match value:
        case dict():
            return {path: "object"}.items() | {
                pair for key, each in value.items() for pair in shape(each, f"{path}.{key}")
            }
        case list():
            return {(path, "list")} | {pair for each in value for pair in shape(each, f"{path}[]")}
        case bool():
            return {(path, "bool")}
        case int() | float():
            return {(path, "number")}
        case None:
            return set()
        case _:
            return {(path, "text")}
