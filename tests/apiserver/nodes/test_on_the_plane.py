"""The whole control plane, asked as kubectl asks it."""

import asyncio

from tests.apiserver.nodes.objects import deployment, service
from tests.apiserver.nodes.stage import virtually

from plumbline.apiserver.calls import Call
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock


@virtually
async def test_a_deployment_runs_serves_and_can_be_read():
    plane = Plane(LoopClock(), Ids(1), authority_pem="authority", workloads=True)

    async def send(method, path, body=None, query=""):
        sent = encode(body) if body is not None else b""
        headers = {"content-type": "application/json", "accept": "application/json"}
        return await plane.answer(Call(method, path, query, headers, sent, identity=ADMIN))

    async with plane.running():
        made = await send("POST", "/apis/apps/v1/namespaces/default/deployments", deployment(replicas=3))
        assert made.status == 201, made.body
        exposed = service("web", selector={"app": "web"})
        assert (await send("POST", "/api/v1/namespaces/default/services", exposed)).status == 201
        await asyncio.sleep(2)
        found = decode((await send("GET", "/apis/apps/v1/namespaces/default/deployments/web")).body)
        assert found["status"]["availableReplicas"] == 3
        endpoints = decode((await send("GET", "/api/v1/namespaces/default/endpoints/web")).body)
        assert len(endpoints["subsets"][0]["addresses"]) == 3
        pods = decode((await send("GET", "/api/v1/namespaces/default/pods")).body)["items"]
        path = f"/api/v1/namespaces/default/pods/{pods[0]['metadata']['name']}"
        log = await send("GET", f"{path}/log")
        assert log.status == 200
        assert log.body.startswith(b"simulated container c of pod default/web-")
        refused = await send("POST", f"{path}/exec", query="command=ls&stdout=true")
        assert (refused.status, decode(refused.body)["reason"]) == (400, "BadRequest")


KEPT = {"_targets", "_scales", "_histories", "_selectors", "_written_s", "_waiting", "_memories", "_pending"}


@virtually
async def test_of_namespaces_that_come_and_go_nothing_is_left():
    """What stays of each would fill the memory within a month of previews."""
    plane = Plane(LoopClock(), Ids(1), authority_pem="authority", workloads=True)

    async def send(method, path, body=None):
        headers = {"content-type": "application/json", "accept": "application/json"}
        answered = await plane.answer(Call(method, path, "", headers, encode(body or {}), identity=ADMIN))
        assert answered.status < 300, answered.body

    def kept():
        found = {}
        for controller in plane._controllers._queues:
            for name, value in vars(controller).items():
                if name in KEPT:
                    found[controller.name, name] = len(value)
        return found

    async with plane.running():
        await asyncio.sleep(5)
        before = kept()
        for name in ("one", "two"):
            await send("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
            await asyncio.sleep(2)
            place = f"namespaces/{name}"
            web, exposed = deployment(replicas=2), service("web", selector={"app": "web"})
            for each in (web, exposed):
                each["metadata"] |= {"namespace": name}
            await send("POST", f"/apis/apps/v1/{place}/deployments", web)
            await send("POST", f"/api/v1/{place}/services", exposed)
            missing = {"name": "c", "image": "i", "envFrom": [{"configMapRef": {"name": "missing"}}]}
            await send("POST", f"/api/v1/{place}/pods", {"metadata": {"name": "p"}, "spec": {"containers": [missing]}})
            chosen = {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
            budgets = f"/apis/policy/v1/{place}/poddisruptionbudgets"
            await send("POST", budgets, {"metadata": {"name": "web"}, "spec": chosen})
            scaled = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
            autoscalers = f"/apis/autoscaling/v2/{place}/horizontalpodautoscalers"
            spec = {"scaleTargetRef": scaled, "maxReplicas": 3}
            await send("POST", autoscalers, {"metadata": {"name": "web"}, "spec": spec})
            await asyncio.sleep(60)
            assert kept() != before
            await send("DELETE", f"/api/v1/namespaces/{name}")
            await asyncio.sleep(120)
        assert {place: count for place, count in kept().items() if count != before[place]} == {}
