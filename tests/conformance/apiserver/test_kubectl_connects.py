"""What people see who try to get into simulated containers, through services, or to drain a node: by kubectl itself."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from tests.apiserver.webhooks.hookserver import Said, hook_server
from tests.apiserver.webhooks.planes import HookedPlane
from tests.conformance.real import Spoken, programs

from plumbline.apiserver.authentication.pki import open_pki
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.plane import ADMIN
from plumbline.apiserver.serving.application import Application
from plumbline.apiserver.webhooks import Place
from plumbline.base.clock import SystemClock
from plumbline.base.documents import dump_yaml
from plumbline.base.http.server import Server, listening
from plumbline.base.tasks import task_group

pytestmark = pytest.mark.conformance

PODS = "/api/v1/namespaces/default/pods"
SERVICES = "/api/v1/namespaces/default/services"
Kubectl = Callable[..., Awaitable[Spoken]]


@pytest.fixture
async def plane() -> AsyncIterator[HookedPlane]:
    made = HookedPlane()
    await made.start()
    await made.make("/api/v1/nodes", {"metadata": {"name": "n1"}})
    container = {"name": "c", "image": "x", "ports": [{"containerPort": 80}]}
    await made.make(PODS, {"metadata": {"name": "waiting"}, "spec": {"containers": [container]}})
    await made.make(PODS, {"metadata": {"name": "running"}, "spec": {"nodeName": "n1", "containers": [container]}})
    status = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    await made.ask("PATCH", f"{PODS}/running/status", status, type_="application/merge-patch+json")
    yield made
    await made.close()


@pytest.fixture
async def kubectl(plane: HookedPlane, tmp_path: Path) -> AsyncIterator[Kubectl]:
    async def answer(call: Call) -> Answer:
        call.identity = ADMIN
        return await plane.plane.answer(call)

    pki = open_pki(tmp_path / "pki", SystemClock())
    with listening("127.0.0.1", 0) as listener:
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.write_text(dump_yaml(pki.kubeconfig(f"https://127.0.0.1:{listener.getsockname()[1]}")))
        server = Server(Application(answer), listener, pki.server_context())
        async with task_group() as tasks:
            tasks.create_task(server.run())

            async def ask(*args: str) -> Spoken:
                argv = (str(programs() / "kubectl"), "--kubeconfig", str(kubeconfig), "--cache-dir", str(tmp_path))
                pipes = {"stdout": asyncio.subprocess.PIPE, "stderr": asyncio.subprocess.PIPE}
                process = await asyncio.create_subprocess_exec(*argv, *args, **pipes)
                out, err = await process.communicate()
                return Spoken(process.returncode or 0, out.decode(), err.decode())

            yield ask
            server.stop()


SIMULATED = "is simulated by the embedded control plane"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("exec", "waiting", "--", "ls"), "pod waiting does not have a host assigned"),
        (("exec", "running", "--", "ls"), f'container "c" in pod "running" {SIMULATED}'),
        (("attach", "running"), f'container "c" in pod "running" {SIMULATED}'),
        (("port-forward", "pod/running", ":80"), f'pod "running" {SIMULATED}'),
        (("cp", "running:/x", "x"), SIMULATED),
    ],
)
async def test_kubectl_shows_why_nobody_gets_in(kubectl: Kubectl, args: tuple[str, ...], said: str) -> None:
    spoken = await kubectl(*args)
    assert spoken.code == 1
    assert said in spoken.err


async def test_kubectl_reaches_what_a_room_announced(plane: HookedPlane, kubectl: Kubectl) -> None:
    await plane.make(SERVICES, {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}})
    with hook_server({"index": lambda _: Said(b"hello\n", 200, {"Content-Type": "text/plain"})}) as backend:
        plane.addresses.announce(Place("services", "default", "web", 80), backend.url)
        spoken = await kubectl("get", "--raw", f"{SERVICES}/web/proxy/index?x=y")
        assert (spoken.code, spoken.out) == (0, "hello\n")
        assert backend.asked[0].query == "x=y"
    spoken = await kubectl("get", "--raw", f"{SERVICES}/none/proxy/")
    assert 'services "none" not found' in spoken.err


async def test_a_drain_evicts_within_the_budget(plane: HookedPlane, kubectl: Kubectl) -> None:
    budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    await plane.make(budgets, {"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {}}})
    seen = {
        "observedGeneration": 1,
        "disruptionsAllowed": 0,
        "currentHealthy": 1,
        "desiredHealthy": 1,
        "expectedPods": 1,
    }
    await plane.ask("PATCH", f"{budgets}/b/status", {"status": seen}, type_="application/merge-patch+json")
    spoken = await kubectl("drain", "n1", "--force", "--timeout=1s")
    assert "Cannot evict pod as it would violate the pod's disruption budget" in spoken.err
    await plane.ask("DELETE", f"{budgets}/b")
    await kubectl("drain", "n1", "--force", "--timeout=1s", "--grace-period=0")
    assert (await plane.ask("GET", f"{PODS}/running")).status == 404
