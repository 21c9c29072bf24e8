"""Paths, media types and objects that many scripts speak of."""

from typing import Any

from tests.apiserver.scripts.steps import Past, Step

CM = "/api/v1/namespaces/{ns}/configmaps"
POD = "/api/v1/namespaces/{ns}/pods"
SECRET = "/api/v1/namespaces/{ns}/secrets"
RC = "/api/v1/namespaces/{ns}/replicationcontrollers"
DEPLOY = "/apis/apps/v1/namespaces/{ns}/deployments"
RS = "/apis/apps/v1/namespaces/{ns}/replicasets"
STS = "/apis/apps/v1/namespaces/{ns}/statefulsets"
JOB = "/apis/batch/v1/namespaces/{ns}/jobs"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"
APPLY = "application/apply-patch+yaml"

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIALS = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

DRY = {"dryRun": "All"}


def cm(name: str = "a", **extra: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "v"}, **extra}


def made(name: str = "a", **extra: Any) -> Step:
    return Step("POST", CM, cm(name, **extra))


def labelled(name: str, **labels: str) -> Step:
    return made(name, metadata={"name": name, "labels": labels})


def deploy(name: str = "web", **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, **metadata},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template()},
    }


def template() -> dict[str, Any]:
    return {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}


def pod(name: str = "p", *, metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **(metadata or {})},
        # Said here, so that it does not matter whether an admission plugin would say it.
        "spec": {
            "serviceAccountName": "default",
            "automountServiceAccountToken": False,
            "containers": [{"name": "c", "image": "nginx"}],
            **spec,
        },
    }


def version(past: Past, step: int = -1) -> str:
    """Under which the object in an earlier reply was stored."""
    return str(past[step].json["metadata"]["resourceVersion"])


def uid(past: Past, step: int = -1) -> str:
    return str(past[step].json["metadata"]["uid"])


def goes_on(past: Past, step: int = -1) -> str:
    """The token of an earlier page."""
    return str(past[step].json["metadata"]["continue"])
