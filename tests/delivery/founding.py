"""A control plane that has everything but Applications, as it is stored: set up once in a process, and loaded by every test."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.errors import NotFound, UnknownKind
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.crd import crd_manifest
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

CRDS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
EVERYTHING = {
    "sourceRepos": ["*"],
    "destinations": [{"server": "*", "namespace": "*"}],
    "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
}


@cache
def founded() -> Stored:
    # In a thread, because a test that asks first may run a loop of its own here.
    with ThreadPoolExecutor(1) as other:
        return other.submit(run_virtually, _stored).result()


async def found(client, project=EVERYTHING):
    """What an installation has before anybody delivers: kinds, namespaces, and the project `default`."""
    for kind in (APPLICATION, APP_PROJECT):
        await client.create(Target(CRDS), encode(crd_manifest(kind)))
    for name in ("argocd", "shop"):
        await client.create(Target(NAMESPACES), encode(_named("v1", "Namespace", name)))
    default = {**_named("argoproj.io/v1alpha1", "AppProject", "default"), "spec": project}
    await _once_served(lambda: client.create(Target(APP_PROJECT.resource, "argocd"), encode(default)))


async def _stored():
    clock, ids = LoopClock(), Ids(1)
    plane = Plane(clock, ids, authority_pem="the authority", workloads=True)
    async with plane.running():
        await found(Client(plane.transport(), clock=clock, ids=ids))
        await asyncio.sleep(60)
        store = plane.store
        return Stored(store.revision, [entry for each in store.collections for entry in store.shelf(each).entries()])


def _named(api_version, kind, name):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}


async def _once_served(work):
    for _ in range(50):
        try:
            return await work()
        except (NotFound, UnknownKind):
            await asyncio.sleep(0.1)
    return await work()
