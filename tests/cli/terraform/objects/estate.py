"""An installation that looks after Terraform objects: a control plane that is served, the controller, and the check of approvals."""

import asyncio
import threading
from contextlib import asynccontextmanager, contextmanager
from functools import partial

import tests.terraform.works as room
from tests.terraform.works import HOME, NAMESPACES, Cloud, Toolroom, Works, running

from plumbline.apiserver.hosting import hosted
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.gate.webhooks import Reached
from plumbline.journal import sqlite
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kube.client import Client, Target
from plumbline.terraform.approvals.checks import QUESTION
from plumbline.terraform.approvals.validating import Approvals
from plumbline.terraform.foundation import founded
from plumbline.terraform.state import Copies
from plumbline.web.admission import Admission, AdmissionPort, AdmissionSettings


class Tools(Toolroom):
    """A cloud for each object, so that tests do not meet."""

    clouds: dict = {}  # noqa: RUF012 - of one installation

    @asynccontextmanager
    async def opened(self, tree, workplace, *, key="", **more):
        other = Toolroom(self.cloud_of(key), self.client)
        async with other.opened(tree, workplace, key=key, **more) as session:
            yield session

    @classmethod
    def cloud_of(cls, key):
        return cls.clouds.setdefault(key, Cloud())


class Estate:
    def __init__(self, data):
        self.data, self.kubeconfig, self.works, self.loop = data, None, None, None

    def do(self, work):
        """Run a coroutine beside the controller."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def cloud(self, name):
        return Tools.cloud_of(f"{HOME}/{name}")


@contextmanager
def estate(folder):
    ready, over, place = threading.Event(), asyncio.Event(), Estate(folder)

    async def serve():
        place.loop = asyncio.get_running_loop()
        async with _running(place, folder):
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(60)
    try:
        yield place
    finally:
        place.loop.call_soon_threadsafe(over.set)
        thread.join(30)


@asynccontextmanager
async def _running(place, folder):
    clock, ids = SystemClock(), Ids()
    async with hosted(folder / "plane", 0, clock, ids) as there, sqlite.in_memory(clock=clock, ids=ids) as journal:
        client = Client(there.plane.transport(), clock=clock, ids=ids)
        await founded(client, clock)
        for namespace in (HOME, "argocd"):
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            await client.create(Target(NAMESPACES), encode(body))
        part = Admission({QUESTION.path: Approvals(client, "argocd").validate})
        works = Works(there.plane, client, World(clock, ids, Metrics()), journal)
        works.copies = Copies.at(folder / "state-copies", folder / "state-copies.key", clock)
        async with (
            AdmissionPort(AdmissionSettings(), part, clock).running() as port,
            _with_tools(works, Reached(port.url, port.authority_pem)),
        ):
            await asyncio.sleep(3.5)  # approvals count once the check is older than they are
            works.until = partial(works.until, every_s=0.05)
            place.kubeconfig, place.works = there.kubeconfig, works
            yield


@asynccontextmanager
async def _with_tools(works, reached):
    """Only this controller is given them: others run in the same session."""
    plain, room.Toolroom = room.Toolroom, Tools
    working = running(works, reached=reached)
    try:
        await working.__aenter__()
    finally:
        room.Toolroom = plain
    try:
        yield
    finally:
        await working.__aexit__(None, None, None)
