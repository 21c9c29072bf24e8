"""What people do with kubectl rollout, on our control plane with its sockets and its simulated node."""

import asyncio
import subprocess
import threading
from pathlib import Path

import pytest
from tests.conformance.real import programs

from plumbline.apiserver.hosting import hosted
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids

pytestmark = pytest.mark.conformance

MANIFESTS = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "nginx:1"}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  serviceName: web
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: "nginx:1"}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: web}
spec:
  selector: {matchLabels: {app: ds}}
  template:
    metadata: {labels: {app: ds}}
    spec: {containers: [{name: c, image: "nginx:1"}]}
"""


class Kubectl:
    """A plane in a thread of its own, and the real kubectl in front of it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ready, self._stop = threading.Event(), asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        async with hosted(self._folder / "plane", 0, SystemClock(), Ids()) as there:
            self._kubeconfig = there.kubeconfig
            self._ready.set()
            await self._stop.wait()

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(30)
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)

    def __call__(self, *args: str, stdin: str = "") -> str:
        argv = [str(programs() / "kubectl"), "--kubeconfig", str(self._kubeconfig)]
        argv += ["--cache-dir", str(self._folder / "cache"), *args]
        done = subprocess.run(argv, input=stdin, capture_output=True, text=True, timeout=90, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def kubectl(tmp_path_factory):
    with Kubectl(tmp_path_factory.mktemp("rollouts")) as ready:
        ready("create", "-f", "-", stdin=MANIFESTS)
        yield ready


def image(kubectl, which):
    return kubectl("get", which, "-o", "jsonpath={.spec.template.spec.containers[0].image}")


@pytest.mark.parametrize("which", ["deployment/web", "statefulset/web", "daemonset/web"])
def test_a_rollout_is_followed_undone_and_restarted(kubectl, which):
    def finished():
        told = kubectl("rollout", "status", which, "--timeout=60s")
        assert "successfully rolled out" in told or "roll out complete" in told

    def revisions():
        listed = kubectl("rollout", "history", which).splitlines()
        return [line.split()[0] for line in listed if line[:1].isdigit()]

    finished()
    assert revisions() == ["1"]
    kubectl("set", "image", which, "c=nginx:2")
    finished()
    assert revisions() == ["1", "2"]
    assert "nginx:1" in kubectl("rollout", "history", which, "--revision=1")
    kubectl("rollout", "undo", which)
    finished()
    assert image(kubectl, which) == "nginx:1"
    assert revisions() == ["2", "3"], "going back is a new revision"
    kubectl("rollout", "undo", which, "--to-revision=2")
    finished()
    assert image(kubectl, which) == "nginx:2"
    kubectl("rollout", "restart", which)
    finished()
    assert revisions() == ["3", "4", "5"]


def test_a_deployment_is_paused_and_resumed(kubectl):
    kubectl("create", "deployment", "calm", "--image=nginx:1")
    kubectl("rollout", "status", "deployment/calm", "--timeout=60s")
    kubectl("rollout", "pause", "deployment/calm")
    kubectl("set", "image", "deployment/calm", "nginx=nginx:2")
    assert "nginx:1" in kubectl("get", "pods", "-l", "app=calm", "-o", "jsonpath={.items[*].spec.containers[0].image}")
    kubectl("rollout", "resume", "deployment/calm")
    kubectl("rollout", "status", "deployment/calm", "--timeout=60s")
    kubectl("wait", "--for=condition=Available", "deployment/calm", "--timeout=30s")


def test_a_job_is_waited_for(kubectl):
    kubectl("create", "job", "once", "--image=perl:5")
    kubectl("wait", "--for=condition=complete", "job/once", "--timeout=60s")
    kubectl("create", "cronjob", "tick", "--image=perl:5", "--schedule=0 0 1 1 *")
    kubectl("create", "job", "now", "--from=cronjob/tick")
    kubectl("wait", "--for=condition=complete", "job/now", "--timeout=60s")
