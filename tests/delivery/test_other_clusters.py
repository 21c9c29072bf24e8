"""Applications go to other clusters, which Secrets describe, through one client each."""

import asyncio
import base64

from plumbline.apiserver.hosting import hosted
from plumbline.apiserver.plane import Plane
from plumbline.base.clock import SystemClock
from plumbline.base.documents import load_document
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

from .founding import founded
from .town import config_map, on_plane

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")


def cluster_secret(there, *, name="edge", **changed):
    kubeconfig = load_document(there.kubeconfig.read_bytes()).value
    cluster, user = kubeconfig["clusters"][0]["cluster"], kubeconfig["users"][0]["user"]
    tls = {
        "caData": cluster["certificate-authority-data"],
        "certData": user["client-certificate-data"],
        "keyData": user["client-key-data"],
    }
    values = {"name": name, "server": there.url, "config": encode({"tlsClientConfig": tls}).decode(), **changed}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": f"cluster-{name}", "labels": {"argocd.argoproj.io/secret-type": "cluster"}},
        "data": {key: base64.b64encode(value.encode()).decode() for key, value in values.items()},
    }


async def eventually(found):
    async with asyncio.timeout(30):
        while not (answer := await found()):  # noqa: ASYNC110 - a real server on real time
            await asyncio.sleep(0.05)
    return answer


async def test_an_application_is_delivered_to_the_cluster_that_it_names(tmp_path):
    clock, ids = SystemClock(), Ids(3)
    here = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with (
        hosted(tmp_path / "edge", 0, clock, Ids(4)) as edge,
        here.running(),
        on_plane(here, clock, ids, files={"web/a.yaml": config_map("a")}) as town,
    ):
        there = Client(edge.plane.transport())
        await there.create(
            Target(GroupVersionResource("", "v1", "namespaces")),
            encode({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}),
        )
        await town.deploy(destination={"name": "edge", "namespace": "shop"})

        async def refused():
            found = (await town.app()).get("status", {}).get("conditions", [])
            return [each for each in found if "there are no clusters with this name: edge" in each["message"]]

        await eventually(refused)
        await town.create("v1/secrets", cluster_secret(edge), "argocd")

        async def delivered():
            status = (await town.app()).get("status", {})
            return status.get("sync", {}).get("status") == "Synced" and not status.get("conditions")

        await eventually(delivered)
        live = decode(await there.get(Target(CONFIG_MAPS, "shop", "a")))
        assert live["data"] == {"value": "1"}
        assert await town.get("v1/configmaps", "a") is None

        await there.patch(Target(CONFIG_MAPS, "shop", "a"), encode({"data": {"value": "drifted"}}), "merge")

        async def healed():
            return decode(await there.get(Target(CONFIG_MAPS, "shop", "a")))["data"] == {"value": "1"}

        await eventually(healed)


async def test_a_cluster_that_cannot_be_trusted_is_refused_with_the_reason(tmp_path):
    clock, ids = SystemClock(), Ids(3)
    here = Plane(clock, ids, stored=founded(), authority_pem="the authority", workloads=True)
    async with (
        hosted(tmp_path / "edge", 0, clock, Ids(4)) as edge,
        here.running(),
        on_plane(here, clock, ids, files={"web/a.yaml": config_map("a")}) as town,
    ):
        unsafe = encode({"tlsClientConfig": {"insecure": True}}).decode()
        await town.create("v1/secrets", cluster_secret(edge, config=unsafe), "argocd")
        await town.deploy(destination={"server": edge.url, "namespace": "shop"})

        async def refused():
            found = (await town.app()).get("status", {}).get("conditions", [])
            return [each["message"] for each in found if each["type"] == "InvalidSpecError"]

        (message,) = await eventually(refused)
        assert "is not used" in message
