"""Beside a real Argo CD: nothing that it manages is written, a hand-over is refused while it lives, and goes there and back."""

import asyncio
import subprocess

import pytest

from plumbline.base.errors import RivalAlive
from plumbline.base.json import decode, encode
from plumbline.base.tasks import task_group
from plumbline.gate.gate import Gate, Powers, Record
from plumbline.gate.records import GatedRecords
from plumbline.gate.survey import hand_back, hand_over, install_mandate, mandate_of
from plumbline.kernel.cache import Cache, Relevance
from plumbline.kernel.conditions import Conditions
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.outcomes import Wait
from plumbline.kernel.reconciler import Reconciler
from plumbline.kernel.world import real_world
from plumbline.kinds.fields import Fields
from plumbline.kinds.kind import Kind, Version
from plumbline.kinds.mandate import Grant
from plumbline.kinds.status import ObservedStatus
from plumbline.kube.client import Client, Connection, Target, Writing
from plumbline.ownership.ledger import Ledger

from .argo import RealArgo

pytestmark = pytest.mark.conformance

US = "plumbline-observer"
APPS = Grant(group="argoproj.io", kind="Application", namespace="argocd")
QUIET_S = 4.0


class AnySpec(Fields):
    """Nothing of the spec is looked at here."""


APPLICATION = Kind(
    group="argoproj.io",
    kind="Application",
    plural="applications",
    description="An Application as upstream has it.",
    keep_unknown=True,
    versions=(Version(name="v1alpha1", spec=AnySpec, status=ObservedStatus, status_apart=False),),
)


class Looking(Reconciler):
    name = "looking"
    kind = APPLICATION
    owns = Conditions(ready="PlumblineLooked")

    def __init__(self):
        self.looks = 0
        self.steps = (self.look,)

    async def look(self, run, at):
        self.looks += 1
        return Wait("Looked", "It was looked at", after_s=600)  # upstream's conditions want a message


class Performing(Record):
    async def act(self, intent, act):
        self.intents.append(intent)
        return await act.perform()


@pytest.fixture
def argo(own_cluster, tmp_path):
    argo = RealArgo(own_cluster, tmp_path)
    try:
        argo.start()
        yield argo
    finally:
        argo.stop()


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repository"
    (folder / "app").mkdir(parents=True)
    (folder / "app" / "cm.yaml").write_text(
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: from-git}\ndata: {a: "1"}\n'
    )
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["-c", "user.email=a@b", "-c", "user.name=a", "commit", "-qm", "x"]):  # fmt: skip
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder.as_uri()


def application(repository):
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "shop", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": repository, "path": "app", "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
        },
    }


SHOP = Target(APPLICATION.resource, "argocd", "shop")


async def observed(client, seconds):
    """A controller of ours under the present mandate for some time: how often it looked, and what it wrote."""
    mandate, world, back_end = await mandate_of(client), real_world(), Performing()
    gate = Gate(Powers(lambda: mandate, Ledger(), lambda: None), back_end, world.clock)
    informer = Informer(client, Target(APPLICATION.resource), cache=Cache(Relevance(status=False)))
    records = GatedRecords(gate, client, world.clock, US, cluster="here")
    reconciler = Looking()
    controller = Controller(reconciler, informer, records, world)
    async with task_group() as group:
        following = group.create_task(informer.run())
        working = group.create_task(controller.run())
        await asyncio.sleep(seconds)
        controller.drain()
        await working
        following.cancel()
    return reconciler.looks, len(back_end.intents)


async def managers(client):
    live = decode(await client.get(SHOP))
    return {entry["manager"] for entry in live["metadata"]["managedFields"]}


async def test_observing_refusing_adopting_and_giving_back(argo, own_cluster, repository):
    async with Client.connect(Connection.load(own_cluster.kubeconfig)) as client, asyncio.timeout(180):
        await client.create(SHOP.collection, encode(application(repository)))
        await synced(client)
        await install_mandate(client)

        looks, writes = await observed(client, 3.0)
        assert looks > 0
        assert writes == 0
        assert US not in await managers(client)

        with pytest.raises(RivalAlive) as refused:
            await hand_over(client, APPS, [APPLICATION.resource], real_world().clock)
        assert refused.value.rivals == ("Argo CD",)

        argo.stop()
        await asyncio.sleep(QUIET_S + 1)
        mandate = await hand_over(client, APPS, [APPLICATION.resource], real_world().clock, quiet_s=QUIET_S)
        assert mandate.adopted == (APPS,)
        assert (await observed(client, 3.0))[1] > 0
        assert US in await managers(client)

        await hand_back(client, APPS)
        before = decode(await client.get(SHOP))["metadata"]["resourceVersion"]
        assert (await observed(client, 3.0))[1] == 0
        assert decode(await client.get(SHOP))["metadata"]["resourceVersion"] == before


async def synced(client):
    """An Argo CD whose first look comes to nothing, since a part of it is not there yet, looks again after minutes unless it is asked to."""
    refresh = encode({"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}})
    while True:
        for _ in range(20):
            status = decode(await client.get(SHOP)).get("status", {})
            if status.get("sync", {}).get("status") == "Synced" and status.get("health", {}).get("status") == "Healthy":
                return
            await asyncio.sleep(0.5)
        await client.patch(SHOP, refresh, "merge", Writing(field_manager="somebody"))
