"""An installation in which somebody may log in: the embedded API, its settings, and a clock that a test moves."""

import asyncio
import base64
import contextlib
from datetime import UTC, datetime, timedelta

from plumbline.access.keeper import Keeper
from plumbline.access.limiter import Terms
from plumbline.access.oidc.signon import SignOn
from plumbline.access.sessions import Sessions, World
from plumbline.apiserver.plane import Plane
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

NAMESPACE = "default"
CONFIG_MAPS = Target(GroupVersionResource("", "v1", "configmaps"), NAMESPACE)
SECRETS = Target(GroupVersionResource("", "v1", "secrets"), NAMESPACE)
PART_OF = {"app.kubernetes.io/part-of": "argocd"}
KEY = "an-unguessable-key-of-32-bytes-or-more"
START = datetime(2026, 3, 1, 12, tzinfo=UTC)

# Of "correct horse": bcrypt as Argo CD writes it, but quick.
BCRYPT = "$2b$04$RWzlkjWG3pQWzPtYR9RY/.pskj3oXLPLU79q1NRf5ywJ3tAtCgv92"
PASSWORD = "correct horse"


class Hands:
    """A clock that stands still until it is moved. Who waits for less than a few seconds need not wait."""

    def __init__(self, start=START):
        self._now = start
        self._elapsed_s = 0.0
        self._moved = asyncio.Event()
        self.slept = []

    def now(self):
        return self._now

    def monotonic(self):
        return self._elapsed_s

    def move(self, by_s):
        self._now += timedelta(seconds=by_s)
        self._elapsed_s += by_s
        self._moved.set()

    async def sleep(self, delay_s):
        self.slept.append(delay_s)
        until_s = self._elapsed_s + delay_s
        if delay_s < 5:
            self.move(max(delay_s, 0))
        while self._elapsed_s < until_s:
            self._moved.clear()
            await self._moved.wait()
        await asyncio.sleep(0)


async def in_place(work):
    return work()


class House:
    def __init__(self, client, clock, ids, projects, terms, namespace=NAMESPACE):
        self.client, self.clock, self.ids = client, clock, ids
        self.keeper = Keeper(client, namespace, clock, in_place)
        self.world = World(clock, ids, in_place)
        self.projects = projects
        self.signon = SignOn(self.keeper, clock)
        self.sessions = self.another(terms)

    def another(self, terms=None):
        """As another replica has it, or this one after a restart."""

        async def project(name):
            return self.projects.get(name)

        return Sessions(self.keeper, self.world, project, self.signon, terms)

    async def set(self, **entries):
        """Change argocd-cm; None removes. It is known when this returns."""
        await self.change(CONFIG_MAPS._replace(name="argocd-cm"), entries)

    async def set_secret(self, name="argocd-secret", **entries):
        coded = {
            key: None if value is None else base64.b64encode(value.encode()).decode() for key, value in entries.items()
        }
        await self.change(SECRETS._replace(name=name), coded)

    async def secret(self, name="argocd-secret"):
        found = decode(await self.client.get(SECRETS._replace(name=name))).get("data") or {}
        return {key: base64.b64decode(value).decode() for key, value in found.items()}

    async def change(self, target, entries):
        body = {"data": {key.replace("__", "."): value for key, value in entries.items()}}
        try:
            raw = await self.client.patch(target, encode(body), "merge")
        except NotFound:
            meta = {"name": target.name, "labels": PART_OF}
            raw = await self.client.create(target._replace(name=""), encode({"metadata": meta, **body}))
        version = decode(raw)["metadata"]["resourceVersion"]
        kept = self.keeper._config if target.resource.resource == "configmaps" else self.keeper._secrets
        await until(lambda: kept.get(target.name, {}).get("metadata", {}).get("resourceVersion") == version)


async def until(condition, tries=1000):
    for _ in range(tries):
        if condition():
            return
        await asyncio.sleep(0.002)
    raise AssertionError("it did not come about")


CONFIG = {"accounts.alice": "login, apiKey", "accounts.robot": "apiKey"}
SECRET = {
    "server.secretkey": KEY,
    "admin.password": BCRYPT,
    "admin.passwordMtime": "2026-01-01T00:00:00Z",
    "accounts.alice.password": BCRYPT,
    "accounts.robot.password": BCRYPT,
}


@contextlib.asynccontextmanager
async def house(config=CONFIG, secret=SECRET, projects=None, terms=None, clock=None, *, prepares=True):
    loop_clock, ids = LoopClock(), Ids(1)
    plane = Plane(loop_clock, ids, controllers=False)
    async with plane.running():
        client = Client(plane.transport(), clock=loop_clock, ids=ids)
        if config is not None:
            body = {"metadata": {"name": "argocd-cm", "labels": PART_OF}, "data": config}
            await client.create(CONFIG_MAPS, encode(body))
        if secret is not None:
            coded = {key: base64.b64encode(value.encode()).decode() for key, value in secret.items()}
            body = {"metadata": {"name": "argocd-secret", "labels": PART_OF}, "data": coded}
            await client.create(SECRETS, encode(body))
        made = House(client, clock or Hands(), ids, {} if projects is None else projects, terms or Terms())
        made.keeper.writes = lambda: prepares
        running = asyncio.get_running_loop().create_task(made.keeper.run())
        try:
            await made.keeper.synced()
            await until(lambda: made.keeper.realm.key is not None or not prepares)
            yield made
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
