"""Paths, objects and steps that many turns speak of."""

from collections.abc import Callable, Sequence
from typing import Any

from tests.apiserver.scripts.steps import Step
from tests.apiserver.strategies.lives import MERGE, last

from plumbline.base.json import Json, JsonObject

CORE = "/api/v1/namespaces/{ns}"
APPS = "/apis/apps/v1/namespaces/{ns}"
BATCH = "/apis/batch/v1/namespaces/{ns}"
APPLY = "application/apply-patch+yaml"
PVC = f"{CORE}/persistentvolumeclaims"


def pod(name: str = "p", containers: Sequence[Json] | None = None, **spec: Any) -> JsonObject:
    metadata = spec.pop("metadata", {})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **metadata},
        "spec": {"containers": containers or [{"name": "c", "image": "i"}], **spec},
    }


def container(name: str = "c", **fields: Any) -> JsonObject:
    return {"name": name, "image": "i", **fields}


def made(path: str, obj: JsonObject) -> Step:
    return Step("POST", path, obj)


def made_pod(name: str = "p", containers: Sequence[Json] | None = None, **spec: Any) -> Step:
    return made(f"{CORE}/pods", pod(name, containers, **spec))


def service(name: str = "s", **spec: Any) -> JsonObject:
    metadata = spec.pop("metadata", {})
    return {"metadata": {"name": name, **metadata}, "spec": {"ports": [{"port": 80}], **spec}}


def made_service(name: str = "s", **spec: Any) -> Step:
    return made(f"{CORE}/services", service(name, **spec))


def patched(path: str, patch: Json) -> Step:
    return Step("PATCH", path, patch, type=MERGE)


def changed(path: str, change: Callable[[JsonObject], Json]) -> Step:
    """A PUT of the last object read, with one change."""
    return Step("PUT", path, lambda past: change(last(past)))


def template(**spec: Any) -> JsonObject:
    metadata = spec.pop("metadata", {})
    return {
        "metadata": {"labels": {"a": "b"}, **metadata},
        "spec": {"containers": spec.pop("containers", [container()]), **spec},
    }


def keys(name: str, certificate: str, key: str) -> Step:
    secret = {
        "metadata": {"name": name},
        "type": "kubernetes.io/tls",
        "stringData": {"tls.crt": certificate, "tls.key": key},
    }
    return made(f"{CORE}/secrets", secret)


def workload(name: str = "w", **spec: Any) -> JsonObject:
    return {
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template(), **spec},
    }


def job(name: str = "j", **spec: Any) -> JsonObject:
    return {"metadata": {"name": name}, "spec": {"template": template(restartPolicy="Never"), **spec}}


APPARMOR = "container.apparmor.security.beta.kubernetes.io"


def claim(name: str, **spec: Any) -> JsonObject:
    metadata = spec.pop("metadata", {})
    return {
        "metadata": {"name": name, **metadata},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec},
    }
