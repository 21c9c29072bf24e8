"""The real API server asks us over TLS before it deletes what is in use."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from tests.composition.usages.stage import HOOKS, MAPS, USAGES, a_map, config_map, labelled, parts, usage
from tests.composition.works import condition, gvr

from plumbline.base.clock import SystemClock
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.composition.usages import QUESTION, Reached, Usages
from plumbline.journal import sqlite
from plumbline.kernel.installing import installed
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.crossplane.usage import CLUSTER_USAGE, LEGACY_USAGE, USAGE
from plumbline.kube.client import Client, Connection, Target
from plumbline.web.admission import Admission, AdmissionPort, AdmissionSettings

pytestmark = pytest.mark.conformance
KINDS = (USAGE, CLUSTER_USAGE, LEGACY_USAGE)
ATTEMPT = "usage.crossplane.io/deletion-attempt-with-policy"


@asynccontextmanager
async def protected(cluster):
    """A client of *cluster*, whose deletions are refused by us."""
    clock, ids = SystemClock(), Ids()
    async with (
        Client.connect(Connection.load(cluster.kubeconfig), clock=clock, ids=ids) as client,
        sqlite.in_memory(clock=clock, ids=ids) as journal,
    ):
        await installed(client, KINDS, clock)
        given = parts(client, World(clock, ids, Metrics()), journal)
        usages = Usages(given)
        async with AdmissionPort(
            AdmissionSettings(), Admission({QUESTION.path: usages.validate}), clock
        ).running() as port:
            usages.reached = Reached(port.url, port.authority_pem)
            tasks = [asyncio.create_task(given.collections.run()), asyncio.create_task(usages.run())]
            try:
                yield client
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await client.delete(Target(gvr(HOOKS), "", "crossplane-no-usages"))


async def until(client, where, name, namespace, true):
    for _ in range(300):
        try:
            found = decode(await client.get(Target(gvr(where), namespace, name)))
        except NotFound:
            found = None
        if true(found):
            return found
        await asyncio.sleep(0.1)
    raise AssertionError(f"{name} did not become so: {found}")


def ready(found):
    return condition(found, "Ready").get("status") == "True"


async def refused(cluster, namespace, name):
    """What the API server answers to a deletion. kubectl's own client, so that nothing of ours is in between."""
    path = f"/api/v1/namespaces/{namespace}/configmaps/{name}"
    return await asyncio.to_thread(cluster.send, "DELETE", path)


async def test_a_deletion_is_refused_over_tls_and_passes_once_the_usage_is_gone(own_cluster):
    cluster = own_cluster
    cluster.post("/api/v1/namespaces", {"metadata": {"name": "shop"}})
    async with protected(cluster) as client:
        await until(client, HOOKS, "crossplane-no-usages", "", bool)
        await asyncio.sleep(2)  # the API server follows configurations, and says nowhere how far it is
        await client.create(Target(gvr(MAPS), "shop"), encode(config_map("used")))
        await client.create(Target(gvr(USAGES), "shop"), encode(usage(of=a_map("used"), reason="the till")))
        await until(client, USAGES, "keeps", "shop", ready)
        answer = await refused(cluster, "shop", "used")
        assert answer.status == 409
        told = 'This resource is in-use by 1 usage(s), including the *v1beta1.Usage "keeps" (in namespace "shop") with reason: "the till".'
        assert answer.body["reason"] == told
        assert (
            answer.body["message"]
            == f'admission webhook "nousages.protection.crossplane.io" denied the request: {told}'
        )
        said = await asyncio.to_thread(cluster.kubectl, "delete", "configmap", "used", "-n", "shop")
        assert told in said.err
        used = await until(client, MAPS, "used", "shop", bool)
        assert used["metadata"]["annotations"][ATTEMPT] == "Background"
        await client.delete(Target(gvr(USAGES), "shop", "keeps"))
        await until(client, USAGES, "keeps", "shop", lambda found: found is None)
        freed = await until(client, MAPS, "used", "shop", bool)
        assert not labelled(freed)
        assert (await refused(cluster, "shop", "used")).status == 200
        await until(client, MAPS, "used", "shop", lambda found: found is None)


async def test_selectors_owners_and_a_replayed_deletion_on_a_real_server(own_cluster):
    cluster = own_cluster
    cluster.post("/api/v1/namespaces", {"metadata": {"name": "shop"}})
    async with protected(cluster) as client:
        await until(client, HOOKS, "crossplane-no-usages", "", bool)
        await asyncio.sleep(2)  # as above
        await client.create(Target(gvr(MAPS), "shop"), encode(config_map("used", labels={"role": "store"})))
        await client.create(Target(gvr(MAPS), "shop"), encode(config_map("using")))
        made = usage(of=a_map(matchLabels={"role": "store"}), by=a_map("using"), replayDeletion=True)
        await client.create(Target(gvr(USAGES), "shop"), encode(made))
        configured = await until(client, USAGES, "keeps", "shop", ready)
        assert configured["spec"]["of"]["resourceRef"] == {"name": "used"}
        assert configured["metadata"]["ownerReferences"][0]["name"] == "using"
        assert "by resource ConfigMap/using." in (await refused(cluster, "shop", "used")).body["reason"]
        await client.delete(Target(gvr(USAGES), "shop", "keeps"))
        await until(client, MAPS, "used", "shop", lambda found: found is None)
        await until(client, USAGES, "keeps", "shop", lambda found: found is None)
