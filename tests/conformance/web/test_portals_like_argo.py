"""Plug-ins of portals and curl, against the real argocd-server and against us, on one cluster with one Argo CD controller."""

import asyncio
import base64
import json
import threading
from contextlib import contextmanager

import pytest
from tests.conformance.delivery.conftest import staged

from plumbline.base.clock import SystemClock
from plumbline.base.evaluator import Evaluator
from plumbline.base.ids import Ids
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.journal import sqlite
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Connection
from plumbline.ownership.ledger import Ledger
from plumbline.source.charts import ChartSources
from plumbline.source.git import GitSources
from plumbline.source.repository import Repository
from plumbline.web import Settings, Web
from plumbline.wiring.premises import Premises
from plumbline.wiring.product import Product

from .beside import Server
from .portals import Portal, different, unlike

pytestmark = pytest.mark.conformance

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {value: '1'}\n"
IGNORED = {
    ".managedFields": "what the API server keeps of who wrote what, which is not the same at two times",
    ".operationState": "how far the controller had come is not the same at two times",
    ".reconciledAt": "as above",
    ".history": "as above",
    ".conditions": "as above",
    ".operation": "whether the controller has taken it yet",
    ".status.resources[].health": "a ConfigMap has none",
    ".hosts": "there is no kubelet",
    "argocd.argoproj.io/refresh": "whoever asks us for a sync means what was pushed a moment ago as well",
}
"""What may be there in one answer and not in the other, and why."""


async def _nothing():
    return None


@contextmanager
def ours(scene):
    """The whole product on a port, on the same cluster."""
    told, ending = {}, threading.Event()
    begun = threading.Event()

    async def main():
        clock, ids = SystemClock(), Ids()
        async with (
            Client.connect(Connection.load(scene.cluster.kubeconfig)) as client,
            sqlite.in_memory(clock=clock, ids=ids) as journal,
            Evaluator() as evaluator,
        ):
            world = World(clock, ids, Metrics())
            gate = Gate(Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None), Live(journal), clock)
            product = Product(
                Premises(
                    client=client, world=world, gate=gate, journal=journal, namespace="argocd", enforcing=lambda: True,
                    delivery=lambda: None,
                    commits=GitSources(scene.folder / "our-mirrors", world, lambda url, _: Repository(url)),
                    charts=ChartSources(scene.folder / "our-charts", world, lambda url, _: Repository(url)),
                    placed=lambda repository: repository, evaluator=evaluator, key_namespace="kube-system",
                    trusted=(), certificate=_nothing,
                )
            )  # fmt: skip
            async with Web(Settings(port=0), [product]).running() as web:
                told["url"] = f"http://127.0.0.1:{web.port}"
                begun.set()
                await asyncio.to_thread(ending.wait)

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    try:
        assert begun.wait(60)
        yield told["url"]
    finally:
        ending.set()
        thread.join()


@pytest.fixture(scope="module")
def portals(tmp_path_factory):
    with staged(tmp_path_factory.mktemp("portals") / "scene") as scene:
        scene.origin.push({"web/a.yaml": CONFIG_MAP})
        argo = Server(scene.cluster, scene.folder)
        try:
            argo.start()
            scene.permit_everything()
            with ours(scene) as url:
                yield tuple(_used(scene, *each) for each in ((argo.url, "theirs"), (url, "ours")))
        finally:
            argo.stop()


def _used(scene, url, name):
    said = scene.cluster.kubectl(
        "-n", "argocd", "get", "secret", "argocd-initial-admin-secret", "-o", "jsonpath={.data.password}"
    )
    scene.cluster.kubectl("create", "namespace", name)
    portal = Portal(url, base64.b64decode(said.out.strip()).decode(), name, scene.repository)
    portal.log_in()
    portal.make()
    portal.settled()
    portal.look()
    portal.curled = {
        "list": json.loads(portal.curl("/api/v1/applications")),
        "one": json.loads(portal.curl(f"/api/v1/applications/{name}")),
        "tree": json.loads(portal.curl(f"/api/v1/applications/{name}/resource-tree")),
        "stream": json.loads(portal.curl(f"/api/v1/stream/applications?name={name}", "-N", "-m", "3").splitlines()[0]),
        "sync": json.loads(portal.curl(f"/api/v1/applications/{name}/sync", "-H", "Content-Type: application/json", "-d", '{"dryRun":true}')),
    }  # fmt: skip
    portal.settled()
    portal.ask("one", "GET", f"/api/v1/applications/{name}")
    portal.change()
    portal.settled()
    portal.sync()
    portal.settled()
    portal.delete()
    return portal


def test_a_plugin_of_a_portal_hears_the_same_from_both(portals):
    theirs, mine = portals
    assert list(theirs.heard) == list(mine.heard)
    different = {
        what: unlike(theirs.heard[what], mine.heard[what], IGNORED) for what in theirs.heard if what != "waiting"
    }
    assert {what: found for what, found in different.items() if found} == {}


def test_whoever_types_curl_reads_the_same_from_both(portals):
    theirs, mine = portals
    for what in theirs.curled:
        assert different(theirs.curled[what], mine.curled[what], IGNORED) == set(), what
