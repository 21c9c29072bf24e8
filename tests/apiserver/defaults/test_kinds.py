"""The defaults that people know by heart, kind by kind. The full table is compared with the real server."""

import pytest
from tests.apiserver.defaults.samples import held

from plumbline.base.json import Json, JsonObject

TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "c", "image": "nginx:1"}]}}
MARK = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"


def kind(api_version: str, name: str, **fields: Json) -> JsonObject:
    return {"apiVersion": api_version, "kind": name, "metadata": {"name": "x"}, **fields}


def at(obj: Json, path: str) -> Json:
    for step in path.split("/"):
        obj = obj[int(step)] if step.isdigit() else obj.get(step, "(absent)")
    return obj


def workload(name: str, **spec: Json) -> JsonObject:
    return kind("apps/v1", name, spec={"selector": {"matchLabels": {"app": "x"}}, "template": TEMPLATE, **spec})


def job(**spec: Json) -> JsonObject:
    return kind("batch/v1", "Job", spec={"template": TEMPLATE, **spec})


def service(**spec: Json) -> JsonObject:
    return kind("v1", "Service", spec={"ports": [{"port": 80}], **spec})


def scaler(version: str, **fields: Json) -> JsonObject:
    spec = {"maxReplicas": 2, "scaleTargetRef": {"kind": "Deployment", "name": "d"}, **fields.pop("spec", {})}
    return {**kind(f"autoscaling/{version}", "HorizontalPodAutoscaler", spec=spec), **fields}


def budget(**selector: Json) -> JsonObject:
    return kind("policy/v1", "PodDisruptionBudget", spec={"selector": selector})


ROLLING = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
WEBHOOK = {"name": "w", "clientConfig": {"service": {"name": "s", "namespace": "n"}}, "rules": [{}]}
MEMORY = '[{"type":"Resource","resource":{"name":"memory"}}]'

CASES = [
    (workload("Deployment"), "spec/replicas", 1, "one"),
    (workload("Deployment", replicas=0), "spec/replicas", 0, "none is a number"),
    (workload("Deployment"), "spec/strategy", ROLLING, "a quarter at a time"),
    (workload("Deployment", strategy={"type": "Recreate"}), "spec/strategy", {"type": "Recreate"}, "nothing rolls"),
    (workload("Deployment"), "spec/template/spec/restartPolicy", "Always", "templates have defaults of their own"),
    (workload("Deployment"), "spec/template/spec/enableServiceLinks", "(absent)", "but not all of a pod's"),
    (workload("DaemonSet"), "spec/updateStrategy/rollingUpdate", {"maxSurge": 0, "maxUnavailable": 1}, "one node"),
    (workload("StatefulSet"), "spec/updateStrategy/rollingUpdate", {"partition": 0}, "all of it"),
    (
        workload("StatefulSet", updateStrategy={"type": "RollingUpdate"}),
        "spec/updateStrategy",
        {"type": "RollingUpdate"},
        "who names the strategy gets nothing of it",
    ),
    (
        workload("StatefulSet", updateStrategy={"type": "OnDelete"}),
        "spec/updateStrategy",
        {"type": "OnDelete"},
        "nothing rolls here either",
    ),
    (workload("StatefulSet"), "spec/serviceName", "", "written even when nobody wrote it"),
    (
        workload("StatefulSet", volumeClaimTemplates=[{"metadata": {"name": "v"}}]),
        "spec/volumeClaimTemplates/0/kind",
        "PersistentVolumeClaim",
        "claims say what they are",
    ),
    (
        kind("v1", "ReplicationController", spec={"template": TEMPLATE}),
        "spec/selector",
        {"app": "x"},
        "it selects its own pods",
    ),
    (job(), "metadata/labels", {"app": "x"}, "labelled like its pods"),
    (job(), "spec/completions", 1, "one by one"),
    (job(parallelism=2), "spec/completions", "(absent)", "as many as it takes"),
    (job(completions=2), "spec/parallelism", 1, "one at a time"),
    (job(), "spec/backoffLimit", 6, "six failures"),
    (job(backoffLimitPerIndex=1), "spec/backoffLimit", 2147483647, "counted by index instead"),
    (job(podFailurePolicy={"rules": []}), "spec/podReplacementPolicy", "Failed", "a policy wants the end of a pod"),
    (service(), "spec/ports/0/targetPort", 80, "the same port"),
    (service(), "spec/internalTrafficPolicy", "Cluster", "anywhere"),
    (service(), "spec/externalTrafficPolicy", "(absent)", "nobody comes from outside"),
    (service(externalIPs=["192.0.2.1"]), "spec/externalTrafficPolicy", "Cluster", "somebody may"),
    (service(type="LoadBalancer"), "spec/allocateLoadBalancerNodePorts", True, "with ports on nodes"),
    (service(type="ExternalName"), "spec/internalTrafficPolicy", "(absent)", "nothing is routed"),
    (
        service(sessionAffinity="ClientIP"),
        "spec/sessionAffinityConfig/clientIP/timeoutSeconds",
        10800,
        "for three hours",
    ),
    (
        service(sessionAffinityConfig={"clientIP": {"timeoutSeconds": 1}}),
        "spec/sessionAffinityConfig",
        "(absent)",
        "no affinity, no settings of it",
    ),
    (kind("v1", "Secret", stringData={"a": "b"}), "data", {"a": "Yg=="}, "text becomes bytes"),
    (kind("v1", "Secret", stringData={"a": "b"}), "stringData", "(absent)", "and is text no more"),
    (kind("v1", "Secret", data={"a": "YQ=="}, stringData={"a": "b"}), "data", {"a": "Yg=="}, "text wins"),
    (kind("v1", "Secret", data={"a": "Y\nQ=\r\n="}), "data", {"a": "YQ=="}, "bytes have one spelling"),
    (kind("v1", "Secret", data={"a": "no base64="}), "data", {"a": "no base64="}, "what is none is left to decoding"),
    (kind("v1", "Secret", data={"a": "é="}), "data", {"a": "é="}, "letters that base64 does not have"),
    (kind("v1", "Secret"), "type", "Opaque", "nobody knows what it is"),
    (kind("v1", "Namespace"), "metadata/labels", {"kubernetes.io/metadata.name": "x"}, "selectable by name"),
    (kind("v1", "Node", status={"capacity": {"cpu": "4"}}), "status/allocatable", {"cpu": "4"}, "all of it"),
    (scaler("v2"), "spec/metrics/0/resource/target/averageUtilization", 80, "processors, mostly used"),
    (scaler("v2"), "spec/behavior", "(absent)", "who says nothing of it gets nothing"),
    (scaler("v2", spec={"behavior": {}}), "spec/behavior/scaleDown/selectPolicy", "Max", "who says something gets all"),
    (scaler("v1"), "spec/targetCPUUtilizationPercentage", 80, "the same in the first version"),
    (
        scaler("v1", metadata={"annotations": {"autoscaling.alpha.kubernetes.io/metrics": MEMORY}}),
        "spec/targetCPUUtilizationPercentage",
        "(absent)",
        "it aims at something else",
    ),
    (
        scaler("v1", metadata={"annotations": {"autoscaling.alpha.kubernetes.io/metrics": "no list"}}),
        "spec/targetCPUUtilizationPercentage",
        80,
        "what cannot be read is nothing to aim at",
    ),
    (
        kind("networking.k8s.io/v1", "NetworkPolicy", spec={"egress": [{}]}),
        "spec/policyTypes",
        ["Ingress", "Egress"],
        "rules outward are meant",
    ),
    (
        kind("rbac.authorization.k8s.io/v1", "RoleBinding", roleRef={}, subjects=[{"kind": "User"}]),
        "subjects/0/apiGroup",
        "rbac.authorization.k8s.io",
        "people belong to a group of the API",
    ),
    (
        budget(matchExpressions=[{"key": MARK, "operator": "Exists"}]),
        "spec/selector/matchExpressions/0/key",
        MARK,
        "the mark alone selects nothing",
    ),
    (
        budget(matchLabels={"a": "b"}, matchExpressions=[{"key": MARK, "operator": "Exists"}]),
        "spec/selector",
        {"matchLabels": {"a": "b"}},
        "beside others it means nothing",
    ),
    (
        kind("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", webhooks=[WEBHOOK]),
        "webhooks/0/reinvocationPolicy",
        "Never",
        "asked once",
    ),
    (
        kind("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", webhooks=[WEBHOOK]),
        "webhooks/0/clientConfig/service/port",
        443,
        "at the usual door",
    ),
    (
        kind("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"names": {"kind": "Widget", "plural": "w"}}),
        "spec/names",
        {"kind": "Widget", "plural": "w", "singular": "widget", "listKind": "WidgetList"},
        "names follow from the kind",
    ),
    (
        kind(
            "flowcontrol.apiserver.k8s.io/v1",
            "PriorityLevelConfiguration",
            spec={"type": "Exempt", "exempt": {}},
        ),
        "spec/exempt",
        {"nominalConcurrencyShares": 0, "lendablePercent": 0},
        "what is exempt needs no share",
    ),
    (
        kind(
            "storage.k8s.io/v1",
            "VolumeAttachment",
            spec={"source": {"inlineVolumeSpec": {"hostPath": {"path": "/"}, "capacity": {"storage": "1n"}}}},
        ),
        "spec/source/inlineVolumeSpec",
        {"hostPath": {"path": "/", "type": ""}, "capacity": {"storage": "1m"}},
        "a volume written inline has the defaults of its source, and no others",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("obj", "path", "expected", "why"), CASES, ids=[f"{c[0]['kind']}: {c[3]}" for c in CASES])
def test_a_kind_has_its_defaults(obj, path, expected, why):
    assert at(held(obj), path) == expected


def test_a_taint_is_dated_where_the_time_is_told():
    taints = [{"key": "k", "effect": "None"}, {"key": "l", "effect": "None", "timeAdded": "2020-01-01T00:00:00Z"}]
    obj = kind("resource.k8s.io/v1", "ResourceSlice", spec={"devices": [{"name": "a", "taints": taints}]})
    told = at(held(obj, now="2026-01-01T00:00:00Z"), "spec/devices/0/taints")
    assert [each["timeAdded"] for each in told] == ["2026-01-01T00:00:00Z", "2020-01-01T00:00:00Z"]
    assert "timeAdded" not in at(held(obj), "spec/devices/0/taints/0")


def test_devices_that_stand_for_resources_of_a_node_count_once():
    mapped = {"nodeAllocatableResourceMappings": {"cpu": {}, "memory": {"allocationMultiplier": "2"}}}
    obj = kind("resource.k8s.io/v1", "ResourceSlice", spec={"devices": [{"name": "a", **mapped}]})
    assert at(held(obj), "spec/devices/0/nodeAllocatableResourceMappings/cpu") == {"allocationMultiplier": "1"}


@pytest.mark.parametrize(
    ("revision", "kept"),
    [("+007", "7"), ("", "(absent)"), ("x", "x"), ("5", "5"), ("+-5", "+-5"), ("9" * 20, "9" * 20), ("٣", "٣")],
)
def test_a_revision_to_roll_back_to_is_a_number(revision, kept):
    obj = workload("Deployment")
    obj["metadata"] = {"name": "x", "annotations": {"deprecated.deployment.rollback.to": revision, "a": "b"}}
    assert at(held(obj), "metadata/annotations/deprecated.deployment.rollback.to") == kept
