"""What a page shows below an Application, asked of the real argocd-server and of our parts on one cluster."""

import asyncio
import json
import time
from contextlib import asynccontextmanager

import pytest
from tests.conformance.delivery.conftest import staged
from tests.web.api.resources.scene import Scripts

from plumbline.access.policy import Policy, policy_source
from plumbline.base.clock import SystemClock
from plumbline.base.evaluator import Evaluator
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.delivery.compare.comparer import Comparer
from plumbline.delivery.compare.foreseer import Foreseer
from plumbline.delivery.destinations import Destinations
from plumbline.delivery.installation import Installation
from plumbline.delivery.looks import Looking, Tools
from plumbline.delivery.named import Named
from plumbline.delivery.steps.comparing import Comparing
from plumbline.delivery.steps.orphans import Orphans
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.valuesfrom import Reading, ValueSources
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gotemplate import Surroundings
from plumbline.journal import sqlite
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Connection
from plumbline.ownership.ledger import Ledger
from plumbline.render.directory import Directory
from plumbline.render.renderer import Renderer
from plumbline.source.git import GitSources
from plumbline.web.api.desk import Desk
from plumbline.web.api.links import Links
from plumbline.web.api.resources import Origins, Parts, ResourcesApi
from plumbline.web.api.rights import Rights
from plumbline.web.api.writing import Pen
from plumbline.web.board import Board, Sight

from .beside import Ours, Server, _asker, shape

pytestmark = pytest.mark.conformance

APP = "/api/v1/applications/web"
SERVER = "https://kubernetes.default.svc"
MANIFESTS = {
    "web/a.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n"
    "  template:\n    metadata: {labels: {app: web}}\n    spec:\n      containers:\n      - name: main\n        image: nginx:1\n"
    "        resources: {requests: {cpu: 250m, memory: 64Mi}}\n",
    "web/b.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  annotations:\n    link.argocd.argoproj.io/docs: https://docs.example.org\n"
    "spec:\n  selector: {app: web}\n  ports: [{port: 80}]\n",
    "web/c.yaml": "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec:\n  tls: [{hosts: [example.org], secretName: t}]\n"
    "  rules:\n  - host: example.org\n    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}\n",
    "web/d.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {value: '1'}\n",
    "web/e.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {password: hunter2}\n",
}  # fmt: skip
NAMED = {
    ".hosts": "there is no kubelet, so that no pod has a host",
    ".managedFields": "who wrote which field of an event is nobody's question",
    ".message": "why something is as it is is worded by each for itself",
}
"""What only one of them says, and why."""


class Beside(Server):
    def until(self, true, what, deadline_s=90):
        over = time.monotonic() + deadline_s
        while not true():
            assert time.monotonic() < over, what
            time.sleep(0.5)


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    with staged(tmp_path_factory.mktemp("like-argo") / "scene") as scene:
        scene.origin.push(MANIFESTS)
        argo = Beside(scene.cluster, scene.folder)
        try:
            argo.start()
            scene.permit_everything()
            scene.cluster.kubectl("create", "namespace", "shop")
            app = {
                "metadata": {"name": "web"},
                "spec": {
                    "project": "default",
                    "source": {"repoURL": scene.repository, "path": "web", "targetRevision": "HEAD"},
                    "destination": {"server": SERVER, "namespace": "shop"},
                },
            }
            assert argo.ask("POST", "/api/v1/applications?validate=false", app).status == 200
            assert argo.ask("POST", f"{APP}/sync", {}).status == 200
            argo.until(lambda: _synced(argo), "it is synced")
            argo.until(lambda: len(_kind(argo.ask("GET", f"{APP}/resource-tree").json, "Pod")) == 2, "there are pods")
            time.sleep(3)
            yield scene, argo
        finally:
            argo.stop()


def _synced(argo):
    status = argo.ask("GET", APP).json.get("status", {})
    return (
        status.get("operationState", {}).get("phase") == "Succeeded"
        and status.get("sync", {}).get("status") == "Synced"
    )


def _kind(tree, kind):
    return [each for each in tree.get("nodes", ()) if each["kind"] == kind]


@asynccontextmanager
async def ours(scene):
    clock, ids = SystemClock(), Ids()
    policy = Policy.compiled(policy_source({}))
    async with (
        Client.connect(Connection.load(scene.cluster.kubeconfig)) as client,
        sqlite.in_memory(clock=clock, ids=ids) as journal,
        Evaluator() as evaluator,
        task_group() as group,
    ):
        world = World(clock, ids, Metrics())
        installation = Installation(client, "argocd", world)
        destinations = Destinations(
            client, lambda: installation.clusters, lambda: installation.settings.tracking, world
        )
        gate = Gate(Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None), Live(journal), clock)
        rights = Rights(_asker, lambda: policy)
        board = Board(client, world.metrics)
        desk = Desk(
            client=client, clock=clock, namespace="argocd", installation=installation, rights=rights,
            pen=Pen(gate, client), board=board, sight=Sight("argocd", rights.policy, lambda at: at == "argocd"),
        )  # fmt: skip
        commits = GitSources(scene.folder / "mirrors", world, installation.repositories.choose)
        ruling = Ruling(installation, destinations)
        comparer = Comparer(evaluator)
        foreseer = Foreseer(comparer, clock)
        comparing = Comparing(
            comparer, evaluator, Orphans(lambda _: True, clock), ruling.scoped, names=Named(), foreseer=foreseer
        )
        renderer = Renderer({"Directory": Directory(evaluator)}, clock)
        tools = Tools(commits, None, renderer, lambda: None, clock, ValueSources(Reading(client)))
        looking = Looking(ruling, comparing, tools)
        parts = Parts(
            desk=desk, destinations=destinations, gate=gate, lua=Scripts(), jq=evaluator, links=Links(Surroundings(clock.now, ids)), still_valid=_always,
            rendering=lambda: looking, origins=lambda: Origins(commits, None),
        )  # fmt: skip
        running = [group.create_task(each.run()) for each in (installation, destinations, board)]
        await installation.synced()
        try:
            yield Ours(ResourcesApi(parts))
        finally:
            for task in running:
                task.cancel()


async def _always(_):
    return True


def both(stage, path):
    scene, argo = stage

    async def asked():
        async with ours(scene) as api:
            return await api.ask("GET", path)

    return argo.ask("GET", path), asyncio.run(asked())


def unlike(theirs, mine):
    found = shape(theirs) ^ shape(mine)
    return {each for each in found if not any(part in each[0] for part in NAMED)}


def _places(tree):
    return {(each["kind"], each.get("namespace", "")): each for each in tree["nodes"]}


def test_a_tree_has_the_same_nodes_and_shapes(stage):
    theirs, mine = both(stage, f"{APP}/resource-tree")
    assert (theirs.status, mine.status) == (200, 200)
    named = [
        sorted((each.get("group", ""), each["kind"], each["name"], each.get("uid", "")) for each in tree["nodes"])
        for tree in (theirs.json, mine.json)
    ]
    assert named[0] == named[1]
    assert unlike(theirs.json, mine.json) == set()
    for kind, node in _places(theirs.json).items():
        own = _places(mine.json)[kind]
        for part in ("info", "networkingInfo", "images", "createdAt", "version"):
            assert own.get(part) == node.get(part) or kind[0] == "Pod", (kind, part)
        assert own.get("health", {}).get("status") == node.get("health", {}).get("status"), kind
    pods = [sorted(json.dumps(each["info"]) for each in _kind(tree, "Pod")) for tree in (theirs.json, mine.json)]
    assert pods[0] == pods[1]


def test_managed_resources_have_the_same_shapes(stage):
    theirs, mine = both(stage, f"{APP}/managed-resources")
    assert (theirs.status, mine.status) == (200, 200)
    assert unlike(theirs.json, mine.json) == set()
    for answer in (theirs, mine):
        assert "hunter2" not in json.dumps(answer.json)
    states = [
        {
            (each["kind"], each["name"]): json.loads(each["targetState"]).get(
                "data", json.loads(each["targetState"])["kind"]
            )
            for each in answer.json["items"]
        }
        for answer in (theirs, mine)
    ]
    assert states[0] == states[1]


def test_one_object_is_shown_alike(stage):
    for kind, name in (("ConfigMap", "web"), ("Secret", "key")):
        path = f"{APP}/resource?namespace=shop&resourceName={name}&version=v1&kind={kind}"
        theirs, mine = both(stage, path)
        shown = [json.loads(each.json["manifest"]) for each in (theirs, mine)]
        assert shown[0]["data"] == shown[1]["data"], kind
        assert shape(theirs.json) == shape(mine.json)


def test_events_are_told_alike(stage):
    _, argo = stage
    pod = _kind(argo.ask("GET", f"{APP}/resource-tree").json, "ReplicaSet")[0]
    where = f"resourceName={pod['name']}&resourceUID={pod['uid']}&resourceNamespace=shop"
    theirs, mine = both(stage, f"{APP}/events?{where}")
    assert len(theirs.json["items"]) == len(mine.json["items"]) > 0
    assert unlike(theirs.json, mine.json) == set()


def test_actions_are_offered_alike(stage):
    path = f"{APP}/resource/actions?namespace=shop&resourceName=web&version=v1&kind=Deployment&group=apps"
    theirs, mine = both(stage, path)
    assert sorted(theirs.json["actions"], key=lambda one: one["name"]) == mine.json["actions"]


def test_manifests_and_revisions_have_the_same_shapes(stage):
    theirs, mine = both(stage, f"{APP}/manifests")
    assert unlike(theirs.json, mine.json) == set()
    assert len(theirs.json["manifests"]) == len(mine.json["manifests"])
    revision = stage[1].ask("GET", APP).json["status"]["sync"]["revision"]
    theirs, mine = both(stage, f"{APP}/revisions/{revision}/metadata")
    assert theirs.json == mine.json
