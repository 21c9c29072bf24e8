"""Stands in for nodes, of which a bare control plane has none: what is to run ends at once, as its annotation says."""

import threading
from contextlib import contextmanager

from tests.conformance.real import MERGE_PATCH, RealCluster

EXIT = "test.example.org/exit"
_EVERY_S = 0.2


class Hands:
    def __init__(self, cluster: RealCluster) -> None:
        # A connection is one thread's own.
        self._cluster = RealCluster(cluster.folder)
        self._over = threading.Event()

    @contextmanager
    def at_work(self):
        thread = threading.Thread(target=self._work)
        thread.start()
        try:
            yield self
        finally:
            self._over.set()
            thread.join()
            self._cluster.close()

    def _work(self) -> None:
        while not self._over.wait(_EVERY_S):
            for pod in self._cluster.get("/api/v1/pods").body.get("items", ()):
                if pod.get("status", {}).get("phase") == "Pending":
                    self._finish(pod["metadata"])

    def _finish(self, metadata) -> None:
        code = int(metadata.get("annotations", {}).get(EXIT, "0"))
        ended = {"name": "work", "image": "", "imageID": "", "ready": False, "restartCount": 0, "state": {"terminated": {"exitCode": code}}}  # fmt: skip
        status = {"phase": "Failed" if code else "Succeeded", "containerStatuses": [ended]}
        path = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}/status"
        self._cluster.patch(path, {"status": status}, MERGE_PATCH)


def pod(name: str, code: int = 0, **annotations: str):
    """A Pod that ends with *code*."""
    notes = {EXIT: str(code), **_named(annotations)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": notes}, "spec": _SPEC}


def job(name: str, code: int = 0, **annotations: str):
    template = {"metadata": {"annotations": {EXIT: str(code)}}, "spec": _SPEC}
    spec = {"backoffLimit": 0, "template": template}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name, "annotations": _named(annotations)}, "spec": spec}  # fmt: skip


_SPEC = {"restartPolicy": "Never", "containers": [{"name": "work", "image": "example.org/work:1"}]}
_SHORT = {
    "hook": "argocd.argoproj.io/hook",
    "policy": "argocd.argoproj.io/hook-delete-policy",
    "wave": "argocd.argoproj.io/sync-wave",
    "options": "argocd.argoproj.io/sync-options",
    "compare": "argocd.argoproj.io/compare-options",
    "helm_hook": "helm.sh/hook",
    "helm_policy": "helm.sh/hook-delete-policy",
    "helm_weight": "helm.sh/hook-weight",
}


def _named(annotations):
    return {_SHORT[name]: value for name, value in annotations.items()}


def config_map(name: str, value: str = "1", **annotations: str):
    metadata = {"name": name, "annotations": _named(annotations)} if annotations else {"name": name}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"value": value}}
