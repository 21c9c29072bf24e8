"""Asking a real API server about broken objects, and asking our validation the same."""

from collections.abc import Callable
from typing import NamedTuple

from plumbline.apiserver import validation
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind

from .bases import Step
from .case import GONE, Case, edited

Send = Callable[[str, str, JsonObject], JsonObject]
"""Method, path and body to the body of the answer."""

PATHS = {
    "Pod": "api/v1|pods",
    "PodTemplate": "api/v1|podtemplates",
    "ReplicationController": "api/v1|replicationcontrollers",
    "Deployment": "apis/apps/v1|deployments",
    "ReplicaSet": "apis/apps/v1|replicasets",
    "DaemonSet": "apis/apps/v1|daemonsets",
    "StatefulSet": "apis/apps/v1|statefulsets",
    "ControllerRevision": "apis/apps/v1|controllerrevisions",
    "Job": "apis/batch/v1|jobs",
    "CronJob": "apis/batch/v1|cronjobs",
}
_GIVEN = ("uid", "creationTimestamp", "generation", "managedFields", "resourceVersion")
_GENERATED = {
    "controller-uid",
    "job-name",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
}


class Base(NamedTuple):
    """A sound object as the server would make it, and as it has stored it."""

    fresh: JsonObject
    stored: JsonObject


def stored_base(send: Send, manifest: JsonObject, step: Step | None, namespace: str) -> JsonObject:
    """Store *manifest*, let happen what is to happen to it, and read it again."""
    path = collection(manifest["kind"], namespace)
    stored = send("POST", path, manifest)
    if step is None:
        return stored
    own = f"{path}/{manifest['metadata']['name']}"
    if step.verb == "delete":
        send("DELETE", own, {})
    else:
        said = send("PUT", f"{own}/{step.verb}", edited(stored, step.edits))
        assert said["kind"] == manifest["kind"], said
    return send("GET", own, {})


def collection(kind: str, namespace: str) -> str:
    root, plural = PATHS[kind].split("|")
    return f"/{root}/namespaces/{namespace}/{plural}"


def target(case: Case, base: Base) -> tuple[str, str]:
    """The method and path by which a server is asked about *case*."""
    held = (base.fresh if case.verb == "create" else base.stored)["metadata"]
    path = collection(base.fresh["kind"], held["namespace"])
    if case.verb == "create":
        return "POST", path
    name = held["name"]
    return "PUT", f"{path}/{name}" if case.verb == "update" else f"{path}/{name}/{case.verb}"


def body(case: Case, base: Base) -> JsonObject:
    """What is sent: on create without what the server gives itself."""
    if case.verb != "create":
        return edited(base.stored, case.edits)
    sent = edited(base.fresh, {f"metadata|{name}": GONE for name in _GIVEN} | case.edits)
    spec = sent.get("spec") or {}
    if sent["kind"] == "Job" and not spec.get("manualSelector"):
        meta = spec["template"].get("metadata") or {}
        labels = {key: value for key, value in (meta.get("labels") or {}).items() if key not in _GENERATED}
        sent = edited(sent, {"spec|selector": GONE, "spec|template|metadata|labels": labels})
    return sent


def our_answer(case: Case, base: Base) -> list[list[str]]:
    """What our validation says to the object as it is after defaults and preparation."""
    gvk = GroupVersionKind.of(base.fresh)
    if case.verb == "create":
        return listed(validation.validated_create(gvk, prepared(edited(base.fresh, case.edits), case)))
    new = prepared(edited(base.stored, case.edits), case)
    if case.verb == "update":
        return listed(validation.validated_update(gvk, new, base.stored))
    return listed(validation.validated_subresource_update(gvk, case.verb, new, base.stored))


def prepared(obj: JsonObject, case: Case) -> JsonObject:
    """What the server does to an object before it looks at it."""
    spec = obj.get("spec") or {}
    if obj["kind"] == "Pod" and (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        obj = edited(obj, {"spec|terminationGracePeriodSeconds": 1})
    generated = obj["kind"] == "Job" and case.verb == "create" and not spec.get("manualSelector")
    if generated and "metadata|name" in case.edits:
        name = obj["metadata"]["name"]
        keys = ("job-name", "batch.kubernetes.io/job-name")
        return edited(obj, {f"spec|template|metadata|labels|{key}": name for key in keys})
    return obj


def listed(errors: Json) -> list[list[str]]:
    return [list(error) for error in errors]


def their_answer(status: JsonObject) -> list[list[str]]:
    """The causes of a refusal; none where the server had no objection."""
    if status.get("kind") != "Status":
        return []
    assert status.get("reason") == "Invalid", status
    causes = [[cause["reason"], cause["field"], cause["message"]] for cause in status["details"]["causes"]]
    # The real server is not told to allow privileged containers; ours allows them.
    return [cause for cause in causes if not cause[2].endswith("disallowed by cluster policy")]
