"""The life of one object of each kind: created, read, changed in each of the ways there are, deleted."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.apiserver.scripts.steps import Past, Script, Step

from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.base.documents import load_documents
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind

MERGE = "application/merge-patch+json"
MANIFESTS = Path(__file__).parents[1] / "defaults" / "manifests"
RESOURCES = {resource.kind: resource for resource in builtin_resources()}
_LINGERING = {"Namespace", "PersistentVolume", "PersistentVolumeClaim", "VolumeAttributesClass"}
"""They stay, since nobody removes their finalizers: each needs a name of its own."""

CONDITION = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
REASONED = {**CONDITION, "reason": "R", "message": "m"}
STATUSES: dict[str, JsonObject] = {
    "APIService": {"conditions": [{**CONDITION, "type": "Available"}]},
    "CronJob": {"lastScheduleTime": "2026-01-01T00:00:00Z"},
    "CustomResourceDefinition": {
        "conditions": [],
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": ["v1"],
    },
    "DaemonSet": {"currentNumberScheduled": 1, "numberMisscheduled": 0, "desiredNumberScheduled": 1, "numberReady": 1},
    "Deployment": {"replicas": 1, "observedGeneration": 1, "conditions": [{**REASONED, "type": "Available"}]},
    "FlowSchema": {"conditions": [{**REASONED, "type": "Dangling"}]},
    "HorizontalPodAutoscaler": {"currentReplicas": 1, "desiredReplicas": 2, "observedGeneration": 1},
    "Ingress": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}},
    "Job": {"active": 1, "startTime": "2026-01-01T00:00:00Z"},
    "Namespace": {"phase": "Active", "conditions": [{**REASONED, "type": "NamespaceContentRemaining"}]},
    "Node": {"conditions": [{**REASONED, "type": "Ready"}], "capacity": {"cpu": "4"}},
    "PersistentVolume": {"phase": "Available", "message": "hello"},
    "PersistentVolumeClaim": {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]},
    "Pod": {"phase": "Running", "podIP": "1.2.3.4", "conditions": [{**REASONED, "type": "Ready"}]},
    "PodDisruptionBudget": {"currentHealthy": 1, "desiredHealthy": 1, "disruptionsAllowed": 1, "expectedPods": 1},
    "PriorityLevelConfiguration": {"conditions": [{**REASONED, "type": "Concurrency"}]},
    "ReplicaSet": {"replicas": 1, "readyReplicas": 1},
    "ReplicationController": {"replicas": 1, "readyReplicas": 1},
    "ResourceQuota": {"hard": {"pods": "2"}, "used": {"pods": "1"}},
    "Service": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}},
    "ServiceCIDR": {"conditions": [{**REASONED, "type": "Ready"}]},
    "StatefulSet": {"replicas": 1, "availableReplicas": 1},
    "ValidatingAdmissionPolicy": {"observedGeneration": 1},
    "VolumeAttachment": {"attached": True},
    "CertificateSigningRequest": {"conditions": [{"type": "Failed", "status": "True", "reason": "R", "message": "m"}]},
    "ResourceClaim": {},
}
CHANGES: dict[str, Json] = {
    "ClusterRole": {"rules": [{"verbs": ["list"], "apiGroups": [""], "resources": ["pods"]}]},
    "ConfigMap": {"data": {"more": "yes"}},
    "CronJob": {"spec": {"schedule": "*/5 * * * *"}},
    "DaemonSet": {"spec": {"minReadySeconds": 5}},
    "Deployment": {"spec": {"replicas": 7}},
    "EndpointSlice": {"ports": [{"name": "p", "port": 81}]},
    "Endpoints": {"subsets": [{"addresses": [{"ip": "1.2.3.9"}], "ports": [{"port": 1}]}]},
    "Event": {"message": "changed", "note": "changed"},
    "FlowSchema": {"spec": {"matchingPrecedence": 77}},
    "HorizontalPodAutoscaler": {"spec": {"maxReplicas": 99}},
    "Ingress": {"spec": {"defaultBackend": {"service": {"name": "x", "port": {"number": 1}}}}},
    "IngressClass": {"spec": {"parameters": {"kind": "X", "name": "y", "apiGroup": "z.io"}}},
    "Job": {"spec": {"parallelism": 3}},
    "Lease": {"spec": {"holderIdentity": "me", "leaseDurationSeconds": 3}},
    "LimitRange": {"spec": {"limits": [{"type": "Pod", "max": {"cpu": "3"}}]}},
    "MutatingWebhookConfiguration": {"webhooks": []},
    "NetworkPolicy": {"spec": {"podSelector": {"matchLabels": {"changed": "yes"}}}},
    "Node": {"spec": {"unschedulable": True}},
    "PersistentVolume": {"spec": {"persistentVolumeReclaimPolicy": "Delete"}},
    "PersistentVolumeClaim": {"spec": {"resources": {"requests": {"storage": "900Gi"}}}},
    "Pod": {"spec": {"activeDeadlineSeconds": 77}},
    "PodDisruptionBudget": {"spec": {"minAvailable": 7, "maxUnavailable": None}},
    "PodTemplate": {"template": {"spec": {"hostname": "changed"}}},
    "PriorityClass": {"description": "changed"},
    "PriorityLevelConfiguration": {"spec": {"limited": {"nominalConcurrencyShares": 7}}},
    "ReplicaSet": {"spec": {"replicas": 7}},
    "ReplicationController": {"spec": {"replicas": 7}},
    "ResourceQuota": {"spec": {"hard": {"pods": "77"}}},
    "Role": {"rules": []},
    "RoleBinding": {"subjects": [{"kind": "Group", "name": "g", "apiGroup": "rbac.authorization.k8s.io"}]},
    "Secret": {"data": {"more": "eA=="}},
    "Service": {"spec": {"sessionAffinity": "ClientIP"}},
    "ServiceAccount": {"secrets": [{"name": "s", "namespace": "gone", "kind": "Secret"}]},
    "StatefulSet": {"spec": {"replicas": 7}},
    "StorageClass": {"mountOptions": ["ro"]},
    "ValidatingAdmissionPolicy": {"spec": {"failurePolicy": "Ignore"}},
    "ValidatingWebhookConfiguration": {"webhooks": []},
}


def manifests() -> Iterator[JsonObject]:
    for path in sorted(MANIFESTS.glob("*.yaml")):
        for number, document in enumerate(load_documents(path.read_text())):
            obj = _anywhere(document.value)
            name = obj["metadata"].get("name")
            if obj["kind"] in _LINGERING and name:
                obj = {**obj, "metadata": {**obj["metadata"], "name": f"{name}-{path.stem}-{number}"}}
            yield obj


def _anywhere(obj: JsonObject) -> JsonObject:
    """Not in a namespace of its own choice, but in that of the script."""
    if "namespace" not in obj["metadata"]:
        return obj
    moved = {field: {**obj[field], "namespace": "{ns}"} for field in ("involvedObject", "regarding") if field in obj}
    metadata = {name: value for name, value in obj["metadata"].items() if name != "namespace"}
    return {**obj, **moved, "metadata": metadata}


def collection(obj: JsonObject) -> str:
    resource = RESOURCES[GroupVersionKind.of(obj)]
    scope = "/namespaces/{ns}" if resource.namespaced else ""
    return f"{resource.name.root}{scope}/{resource.plural}"


def place(obj: JsonObject) -> Callable[[Past], str]:
    """Where the object is that the first step created, under the name that it got."""
    return lambda past: f"{collection(obj)}/{_name(past)}"


def _below(where: Callable[[Past], str], subresource: str) -> Callable[[Past], str]:
    return lambda past: f"{where(past)}/{subresource}"


def _name(past: Past) -> str:
    return str(past[0].json["metadata"].get("name", "none"))


def last(past: Past) -> JsonObject:
    """The object as the last read showed it."""
    found: JsonObject = next((reply.json for reply in reversed(past) if _is_object(reply.json)), {})
    return found


def _is_object(found: Json) -> bool:
    return isinstance(found, dict) and found.get("kind") != "Status"


def relabelled(past: Past) -> JsonObject:
    obj = last(past)
    metadata = obj["metadata"]
    labels = {**metadata.get("labels", {}), "touched": f"{len(past)}"}
    return {**obj, "metadata": {**metadata, "labels": labels}}


def with_status(obj: JsonObject) -> Callable[[Past], JsonObject]:
    return lambda past: {**relabelled(past), "status": STATUSES[obj["kind"]]}


def unversioned(past: Past) -> JsonObject:
    obj = relabelled(past)
    return {**obj, "metadata": {key: value for key, value in obj["metadata"].items() if key != "resourceVersion"}}


def life(obj: JsonObject) -> Script:
    kind, where = obj["kind"], place(obj)
    read = Step("GET", where)
    resource = RESOURCES[GroupVersionKind.of(obj)]
    steps = [Step("POST", collection(obj), obj), read, Step("PUT", where, relabelled), read]
    if kind in STATUSES and "status" in resource.subresources:
        below = _below(where, "status")
        steps += [Step("PUT", where, with_status(obj)), read, Step("PUT", below, with_status(obj)), read]
    steps += [Step("PATCH", where, {"metadata": {"annotations": {"note": "1"}}}, type=MERGE), read]
    if kind in CHANGES:
        steps += [Step("PATCH", where, CHANGES[kind], type=MERGE), read]
    steps += [Step("PUT", where, unversioned), read, Step("DELETE", where), read]
    return steps
