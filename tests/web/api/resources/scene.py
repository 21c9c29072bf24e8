"""An installation in virtual time, whose applications really run, and the API that shows what is in them."""

import asyncio
from contextlib import asynccontextmanager

from tests.delivery.town import REPO, config_map, town
from tests.web.api.yard import Answer, Who, application

from plumbline.access.policy import Policy, policy_source
from plumbline.base.errors import NotFound, Unauthenticated
from plumbline.base.json import decode, encode
from plumbline.base.tree import MemoryTree
from plumbline.base.virtualtime import run_virtually
from plumbline.delivery.compare.comparer import Comparer
from plumbline.delivery.compare.foreseer import Foreseer
from plumbline.delivery.looks import Looking, Tools
from plumbline.delivery.named import Named
from plumbline.delivery.steps.comparing import Comparing
from plumbline.delivery.steps.orphans import Orphans
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.valuesfrom import Reading, ValueSources
from plumbline.gotemplate import Surroundings
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kube.client import Target
from plumbline.source.git.values import Commit
from plumbline.web.api.desk import Desk
from plumbline.web.api.links import Links
from plumbline.web.api.resources import Origins, Parts, ResourcesApi
from plumbline.web.api.rights import Rights
from plumbline.web.api.telling import Herald
from plumbline.web.api.writing import Pen
from plumbline.web.board import Board, Sight
from plumbline.web.requests import Request
from plumbline.web.routes import Routes

__all__ = ["REPO", "application", "config_map", "deployment", "scene", "secret", "told"]

POLICY = """
p, role:reader, applications, get, default/*, allow
p, role:reader, logs, get, default/*, allow
p, role:peeping, applications, get, default/*, allow
p, role:worker, applications, get, default/*, allow
p, role:worker, applications, action/apps/Deployment/restart, default/web, allow
p, role:worker, applications, delete//Pod/shop/*, default/web, allow
p, role:worker, applications, update//ConfigMap/shop/web, default/web, allow
p, role:owner, applications, *, default/web, allow
g, rita, role:reader
g, peer, role:peeping
g, walt, role:worker
g, olga, role:owner
g, ada, role:admin
"""


def deployment(name="web", replicas=1, image="nginx:1"):
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  replicas: {replicas}\n"
        f"  selector:\n    matchLabels:\n      app: {name}\n  template:\n    metadata:\n      labels:\n        app: {name}\n"
        f"    spec:\n      containers:\n      - name: main\n        image: {image}\n"
    )


def secret(name="key", value="hunter2"):
    return f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\nstringData:\n  password: {value}\n"


async def at_once(function):
    """Virtual time knows no threads either."""
    return function()


class Scripts:
    """Lua that is Python: virtual time knows no other processes."""

    def __init__(self):
        self.scripts = {}

    async def lua(self, script, variables, *, open_libs=False, deadline_s=1.0):
        return self.scripts[script](variables)


class Commits:
    def __init__(self, clock):
        self._clock = clock

    async def commit(self, url, sha, *, project=None):
        if len(sha) != 40:
            raise NotFound("no such commit")
        return Commit(sha, "Ada <ada@example.org>", self._clock.now(), "Make it so\n", ("v1",), ())


class Charts:
    async def tree(self, url, chart, version, *, project="", pass_credentials=False):
        said = "description: A web server\nhome: https://example.org\nmaintainers:\n- name: Ada\n  email: ada@example.org\n"
        return MemoryTree({"Chart.yaml": said.encode()})


class Scene:
    def __init__(self, place):
        self.place, self.client = place, place.client
        self.policy = Policy.compiled(policy_source({"policy.csv": POLICY}))
        self.absent, self.lua = set(), Scripts()
        self.renders, self.describes = True, True
        self.looking = None
        self.origins = Origins(Commits(place.world.clock), Charts())

    def wire(self):
        place, delivery = self.place, self.place.delivery
        rights = Rights(self.asker, lambda: self.policy)
        parts = delivery.parts
        self.herald = Herald(parts.gate, place.client, place.world.clock)
        self.desk = Desk(
            client=place.client,
            clock=place.world.clock,
            namespace="argocd",
            installation=delivery.installation,
            rights=rights,
            pen=Pen(parts.gate, place.client, self.herald),
            board=Board(place.client, place.world.metrics),
            sight=Sight("argocd", rights.policy, delivery.installation.settings.applications_in),
        )
        ruling = Ruling(delivery.installation, delivery.destinations)
        comparer = Comparer(parts.evaluator)
        comparing = Comparing(
            comparer,
            parts.evaluator,
            Orphans(lambda _: True, place.world.clock),
            ruling.scoped,
            names=Named(),
            foreseer=Foreseer(comparer, place.world.clock),
        )
        values = ValueSources(Reading(place.client))
        tools = Tools(parts.commits, parts.charts, parts.renderer, lambda: None, place.world.clock, values)
        self.looking = Looking(ruling, comparing, tools)
        self.api = ResourcesApi(
            Parts(
                desk=self.desk,
                destinations=delivery.destinations,
                gate=parts.gate,
                lua=self.lua,
                jq=parts.evaluator,
                links=Links(Surroundings(place.world.clock.now, place.world.ids)),
                still_valid=self.still_valid,
                rendering=lambda: self.looking if self.renders else None,
                origins=lambda: self.origins if self.describes else None,
                elsewhere=at_once,
            )
        )
        self.routes = Routes(self.api.routes)

    async def asker(self, request):
        name = request.header("x-who")
        if not name or name in self.absent:
            raise Unauthenticated("no session information")
        return Who(name)

    async def still_valid(self, asker):
        return asker.name not in self.absent

    def allow(self, more):
        self.policy = Policy.compiled(policy_source({"policy.csv": POLICY + more}))

    async def ask(self, method, tail, body=None, *, who="ada", app="web", **headers):
        """*tail* below the application; streams are given back open."""
        path, _, query = f"/api/v1/applications/{app}/{tail}".partition("?")
        sent = body if isinstance(body, bytes) else encode(body) if body is not None else b""
        named = {"x-who": who, "content-length": str(len(sent)), **headers}
        if sent:
            named.setdefault("content-type", "application/json")
        scope = {
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in named.items() if value],
        }
        pieces = [{"type": "http.request", "body": sent, "more_body": False}]

        async def receive():
            return pieces.pop() if pieces else await asyncio.Event().wait()

        answered = await self.routes.find(path).serve(Request(scope, receive))
        return Answer(answered.status, answered.body, dict(answered.headers), answered.stream)

    async def json(self, tail, status=200, **more):
        answered = await self.ask("GET", tail, **more)
        assert answered.status == status, answered.body
        return answered.json

    async def lines(self, tail, **more):
        """All lines of a stream that ends by itself."""
        answered = await self.ask("GET", tail, **more)
        assert answered.status == 200, answered.body
        whole = b"".join([piece async for piece in answered.stream])
        return [decode(line)["result"] for line in whole.splitlines() if line]

    async def project(self, **spec):
        body = {"spec": spec}
        await self.client.patch(Target(APP_PROJECT.resource, "argocd", "default"), encode(body), "merge")
        await self.place.settle(1)

    async def healthy(self, name="web"):
        async def well():
            app = await self.place.app(name)
            return (app.get("status") or {}).get("health", {}).get("status") == "Healthy"

        await self.place.synced(name)
        await self.place.until(well)

    async def pods(self, namespace="shop"):
        tree = await self.json("resource-tree")
        return [each for each in tree["nodes"] if each["kind"] == "Pod" and each["namespace"] == namespace]


@asynccontextmanager
async def scene(**arguments):
    async with town(**arguments) as place:
        made = Scene(place)
        made.wire()
        running = [asyncio.create_task(each.run()) for each in (made.desk.board, made.api, made.herald)]
        try:
            yield made
        finally:
            for each in running:
                each.cancel()
            await asyncio.gather(*running, return_exceptions=True)


def told(*, deploy=True, **arguments):
    """Tells an async function a scene in virtual time, by default with an application `web` that is synced."""

    def telling(function):
        def test():
            async def main():
                async with scene(**arguments) as made:
                    if deploy:
                        await made.place.deploy("web")
                        await made.healthy()
                    await function(made)

            run_virtually(main)

        test.__name__, test.__doc__ = function.__name__, function.__doc__
        return test

    return telling
