"""A node for the pods of runs on a real API server: each container is a process here, as the account of its pod."""

import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import NamedTuple, Self

from tests.conformance.delivery.scene import plumb
from tests.conformance.real import MERGE_PATCH, RealCluster

from plumbline.base.json import JsonObject, encode

NODE = "here"
RUN = "plumbline.dev/run"
_GLANCE_S = 0.1
_STARTED = "2026-01-01T00:00:00Z"


class _Begun(NamedTuple):
    process: subprocess.Popen[bytes]
    pod: JsonObject
    log: Path


class Kubelet:
    """Use it as a context. What containers print is in `log`; `kill` ends one as the kernel does."""

    def __init__(self, cluster: RealCluster, folder: Path, path: str) -> None:
        # Connections are for one thread each.
        self._cluster = RealCluster(cluster.folder)
        self._folder, self._path = folder, path
        self._begun: dict[str, _Begun] = {}
        self._ended: set[str] = set()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.fault: BaseException | None = None

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._cluster.post("/api/v1/nodes", {"metadata": {"name": NODE}})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._thread.join()
        for each in self._begun.values():
            if each.process.poll() is None:
                os.killpg(each.process.pid, signal.SIGKILL)
                each.process.wait()
        self._cluster.close()
        if self.fault is not None:
            raise self.fault

    @property
    def log(self) -> str:
        return "".join(each.log.read_text() for each in list(self._begun.values()))

    @property
    def runs(self) -> list[str]:
        """Ids, in the order in which they began."""
        return [each.pod["metadata"]["labels"][RUN] for each in list(self._begun.values())]

    def alive(self) -> list[_Begun]:
        return [each for each in list(self._begun.values()) if each.process.poll() is None]

    def kill(self) -> None:
        """Whoever is at work now, with all of its processes, as a node that runs out of memory does."""
        for each in self.alive():
            os.killpg(each.process.pid, signal.SIGKILL)

    def _run(self) -> None:
        try:
            while not self._closing.wait(_GLANCE_S):
                self._look()
        except BaseException as fault:  # noqa: BLE001 - told by whoever waits
            self.fault = fault

    def _look(self) -> None:
        listed = self._cluster.get("/api/v1/pods", labelSelector=RUN).body["items"]
        pods = {each["metadata"]["uid"]: each for each in listed}
        for uid, pod in pods.items():
            if uid not in self._begun:
                self._begun[uid] = self._begin(pod)
        for uid, begun in self._begun.items():
            there = pods.get(uid)
            if there is not None and there["metadata"].get("deletionTimestamp") and begun.process.poll() is None:
                begun.process.terminate()
            if uid not in self._ended and begun.process.poll() is not None:
                self._ended.add(uid)
                self._tell_end(begun)

    def _begin(self, pod: JsonObject) -> _Begun:
        metadata, (container,) = pod["metadata"], pod["spec"]["containers"]
        namespace, name = metadata["namespace"], metadata["name"]
        at = f"/api/v1/namespaces/{namespace}/pods/{name}"
        target = {"apiVersion": "v1", "kind": "Node", "name": NODE}
        bound = self._cluster.post(f"{at}/binding", {"metadata": {"name": name}, "target": target})
        assert bound.fine, bound.body
        home = self._folder / name
        home.mkdir()
        variables = {each["name"]: each["value"] for each in container.get("env", ()) if "value" in each}
        surroundings = {**variables, "HOME": str(home), "PATH": self._path, "KUBECONFIG": str(self._account(pod, home))}
        program, *arguments = container["command"]
        assert program == "plumb"
        log = home / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [plumb(), *arguments], env=surroundings, stdout=out, stderr=out, cwd=home, start_new_session=True
            )
        self._tell(at, "Running", {"running": {"startedAt": _STARTED}}, container)
        return _Begun(process, pod, log)

    def _account(self, pod: JsonObject, home: Path) -> Path:
        """What is mounted into pods, as a kubeconfig."""
        namespace, account = pod["metadata"]["namespace"], pod["spec"]["serviceAccountName"]
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        given = self._cluster.post(f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token", asked)
        assert given.fine, given.body
        (home / "token").write_text(given.body["status"]["token"])
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {
                    "name": "real",
                    "cluster": {"server": self._cluster.url, "certificate-authority": str(self._cluster.ca)},
                }
            ],
            "users": [{"name": "pod", "user": {"tokenFile": str(home / "token")}}],
            "contexts": [{"name": "real", "context": {"cluster": "real", "user": "pod"}}],
            "current-context": "real",
        }
        path = home / "kubeconfig"
        path.write_bytes(encode(config))
        return path

    def _tell_end(self, begun: _Begun) -> None:
        metadata, (container,) = begun.pod["metadata"], begun.pod["spec"]["containers"]
        at = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        code = begun.process.wait()
        code = code if code >= 0 else 128 - code
        end = {"exitCode": code, "reason": "Error" if code else "Completed", "startedAt": _STARTED}
        end["finishedAt"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._tell(at, "Failed" if code else "Succeeded", {"terminated": end}, container)
        found = self._cluster.get(at)
        if found.fine and found.body["metadata"].get("deletionTimestamp"):
            self._cluster.send("DELETE", at, {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0})

    def _tell(self, at: str, phase: str, state: JsonObject, container: JsonObject) -> None:
        status = {
            "name": container["name"],
            "state": state,
            "image": container["image"],
            "imageID": "",
            "ready": "running" in state,
            "restartCount": 0,
        }
        self._cluster.patch(f"{at}/status", {"status": {"phase": phase, "containerStatuses": [status]}}, MERGE_PATCH)
