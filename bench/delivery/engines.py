"""What is measured, and what it is measured on: each can be started on an empty cluster, and says which processes it is."""

import os
import subprocess
import sys
import time
from pathlib import Path

from bench.delivery import processes
from bench.delivery.bound import bound

PEERS = Path(__file__).parents[2] / "tests" / "conformance" / "peers"
OURS = "plumbline"
FLOOR = "floor"
_READY_S = 60
_SETTLE_S = 5


class NotStarted(Exception):
    """Something that is measured, or measured on, does not run."""


def programs():
    return Path(os.environ.get("PLUMBLINE_PEERS") or Path.home() / ".cache" / "plumbline-peers") / "bin"


class Cluster:
    """etcd, kube-apiserver and kube-controller-manager, which give Deployments the status that health is read from."""

    def __init__(self, folder):
        self._folder = folder
        self.kubeconfig = folder / "kubeconfig"

    def __enter__(self):
        _peer("cluster", "start", self._folder, "--owner", os.getpid())
        try:
            _peer("cluster", "controllers", self._folder)
        except NotStarted:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        _peer("cluster", "stop", self._folder)

    def pids(self):
        return {name: pid for name, pid in processes.pids_in(self._folder).items() if name != "watchdog"}

    def kubectl(self, *arguments):
        """A kubectl command line, for whoever wants to run it."""
        cache = self._folder / "kubectl-cache"
        return [
            str(programs() / "kubectl"),
            "--kubeconfig",
            str(self.kubeconfig),
            "--cache-dir",
            str(cache),
            *arguments,
        ]


class Plumbline:
    """`plumb run --enforce`: one process."""

    name = OURS

    def __init__(self, folder):
        self._folder = folder
        self._log = folder / "plumb.log"
        self._process = None
        self.url = ""

    def start(self, cluster):
        self._folder.mkdir(parents=True, exist_ok=True)
        # Where people install it there are no libraries of its tests, some of which others load as soon as they are there.
        plumb = os.environ.get("PLUMBLINE_PROGRAM") or Path(sys.executable).with_name("plumb")
        options = ["--kubeconfig", cluster.kubeconfig, "--enforce", "--data", self._folder / "data", "--web-port", "0"]
        environment = os.environ | {"PATH": f"{programs()}:{os.environ['PATH']}"}
        with self._log.open("wb") as log:
            argv = bound([plumb, "run", *options])
            self._process = subprocess.Popen(argv, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment)
        self.url = self._address()

    def stop(self):
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def pids(self):
        return {"plumb": self._process.pid}

    def said(self):
        return _tails(self._folder)

    def _address(self):
        until = time.monotonic() + _READY_S
        while time.monotonic() < until and self._process.poll() is None:
            for line in self._log.read_text().splitlines():
                if line.startswith("web "):
                    return line.split()[1]
            time.sleep(0.05)
        raise NotStarted(f"plumb run is not ready:\n{self.said()}")


class Floor:
    """The writes of a first sync and nothing else, which is what the cluster itself takes: no webhooks, no second look."""

    name = FLOOR
    url = ""

    def __init__(self, folder):
        self._folder = folder
        self._log = folder / "floor.log"
        self._process = None

    def start(self, cluster):
        self._kinds_served(cluster)
        with self._log.open("wb") as log:
            argv = bound([sys.executable, "-m", "bench.delivery.floor", cluster.kubeconfig])
            self._process = subprocess.Popen(argv, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def stop(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def pids(self):
        return {"floor": self._process.pid}

    def said(self):
        return _tails(self._folder)

    def _kinds_served(self, cluster):
        """Ours brings the kinds and the default project; both stay when it is gone."""
        ours = Plumbline(self._folder)
        try:
            ours.start(cluster)
            time.sleep(_SETTLE_S)
        finally:
            ours.stop()


class Argo:
    """Argo CD: application controller, repo server, API server and Redis."""

    def __init__(self, folder, settings):
        self._folder = folder
        self._options = ["--tuned"] if settings == "tuned" else []
        self.name = f"argocd {settings}"
        self.url = ""

    def start(self, cluster):
        said = _peer("argocd", "start", self._folder, cluster.kubeconfig, *self._options, "--owner", os.getpid())
        self.url = said.strip()

    def stop(self):
        _peer("argocd", "stop", self._folder)

    def pids(self):
        return {name: pid for name, pid in processes.pids_in(self._folder).items() if name != "watchdog"}

    def said(self):
        return _tails(self._folder)


def _peer(name, *arguments):
    # Other controllers at their own pace, as on any cluster: what they take is shown apart from what an engine takes.
    around = {"CONTROLLERS_QPS": "20", **os.environ}
    command = [PEERS / name, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=around)
    if done.returncode:
        raise NotStarted(done.stderr.strip() or f"{name} ended with {done.returncode}")
    return done.stdout


def _tails(folder, lines=8):
    """The last lines of every log, for people who ask why."""
    logs = [
        (path.name, path.read_text(errors="replace").splitlines()[-lines:]) for path in sorted(folder.glob("*.log"))
    ]
    return "\n".join(f"{name}: {line[:300]}" for name, last in logs for line in last)
