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
