"""Rows of built-in kinds. Each case shows the object's fields beyond its name and its age of five days."""

import pytest

from plumbline.apiserver.tables import cells

from .objects import NOW, ago, kind, made

TEMPLATE = {"spec": {"containers": [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:2"}]}}
LABELS = {"matchLabels": {"b": "2", "a": "1"}}
WRONG = {"matchExpressions": [{"key": "a", "operator": "Sometimes"}]}
DELETED = {"deletionTimestamp": ago(minutes=1), "finalizers": ["x"]}


def when(*kinds, status="True", **more):
    return {"conditions": [{"type": each, "status": status, **more} for each in kinds]}


WORKLOADS = [
    ("v1", "PodTemplate", {"template": TEMPLATE}, ["x", "a,b", "a:1,b:2", "<none>"]),
    ("v1", "PodTemplate", {"template": {"metadata": {"labels": {"b": "2", "a": "1"}}}}, ["x", "", "", "a=1,b=2"]),
    (
        "v1",
        "ReplicationController",
        {"spec": {"replicas": 3, "selector": {"a": "1"}, "template": TEMPLATE}, "status": {"replicas": 2}},
        ["x", 3, 2, 0, "5d", "a,b", "a:1,b:2", "a=1"],
    ),
    (
        "apps/v1",
        "ReplicaSet",
        {"spec": {"replicas": 3, "selector": LABELS, "template": TEMPLATE}, "status": {"readyReplicas": 1}},
        ["x", 3, 0, 1, "5d", "a,b", "a:1,b:2", "a=1,b=2"],
    ),
    ("apps/v1", "ReplicaSet", {"spec": {"selector": WRONG}}, ["x", 0, 0, 0, "5d", "", "", "<error>"]),
    (
        "apps/v1",
        "Deployment",
        {"spec": {"replicas": 3, "selector": LABELS}, "status": {"readyReplicas": 2, "updatedReplicas": 1}},
        ["x", "2/3", 1, 0, "5d", "", "", "a=1,b=2"],
    ),
    ("apps/v1", "Deployment", {"spec": {"selector": WRONG}}, ["x", "0/0", 0, 0, "5d", "", "", "<invalid>"]),
    ("apps/v1", "Deployment", {"spec": {"selector": {}}}, ["x", "0/0", 0, 0, "5d", "", "", ""]),
    ("apps/v1", "StatefulSet", {"spec": {"replicas": 2, "template": TEMPLATE}}, ["x", "0/2", "5d", "a,b", "a:1,b:2"]),
    (
        "apps/v1",
        "DaemonSet",
        {"spec": {"template": {"spec": {"nodeSelector": {"d": "e"}}}}, "status": {"numberReady": 4}},
        ["x", 0, 0, 4, 0, 0, "d=e", "5d", "", "", "<none>"],
    ),
    ("apps/v1", "ControllerRevision", {"revision": 4}, ["x", "<none>", 4, "5d"]),
    (
        "apps/v1",
        "ControllerRevision",
        {
            "metadata": {
                "ownerReferences": [{"kind": "StatefulSet", "apiVersion": "apps/v1", "name": "s", "controller": True}]
            }
        },
        ["x", "statefulset.apps/s", 0, "5d"],
    ),
    (
        "apps/v1",
        "ControllerRevision",
        {"metadata": {"ownerReferences": [{"name": "other"}, {"name": "s", "controller": True}]}},
        ["x", "s", 0, "5d"],
    ),
]


def job(shown, duration="", done="0/1"):
    return ["x", shown, done, duration, "5d", "", "", "<none>"]


JOBS = [
    ("batch/v1", "Job", {}, job("Running")),
    ("batch/v1", "Job", {"spec": {"completions": 4}, "status": {"succeeded": 2}}, job("Running", done="2/4")),
    ("batch/v1", "Job", {"spec": {"parallelism": 3}, "status": {"succeeded": 2}}, job("Running", done="2/1 of 3")),
    ("batch/v1", "Job", {"status": {"startTime": ago(hours=9)}}, job("Running", "9h")),
    (
        "batch/v1",
        "Job",
        {"status": {"startTime": ago(hours=9), "completionTime": ago(hours=8, minutes=57), **when("Complete")}},
        job("Complete", "3m"),
    ),
    ("batch/v1", "Job", {"status": when("FailureTarget", "Failed")}, job("Failed")),
    ("batch/v1", "Job", {"status": when("FailureTarget")}, job("FailureTarget")),
    ("batch/v1", "Job", {"status": when("SuccessCriteriaMet")}, job("SuccessCriteriaMet")),
    ("batch/v1", "Job", {"status": when("Suspended")}, job("Suspended")),
    ("batch/v1", "Job", {"status": when("Suspended"), "metadata": DELETED}, job("Terminating")),
    ("batch/v1", "Job", {"status": when("Complete", status="False")}, job("Running")),
    (
        "batch/v1",
        "CronJob",
        {"spec": {"schedule": "* * * * *"}},
        ["x", "* * * * *", "<none>", "<unset>", 0, "<none>", "5d", "", "", "<none>"],
    ),
    (
        "batch/v1",
        "CronJob",
        {
            "spec": {
                "timeZone": "Z",
                "suspend": True,
                "jobTemplate": {"spec": {"template": TEMPLATE, "selector": LABELS}},
            },
            "status": {"active": [{}, {}], "lastScheduleTime": ago(hours=9)},
        },
        ["x", "", "Z", "True", 2, "9h", "5d", "a,b", "a:1,b:2", "a=1,b=2"],
    ),
    (
        "batch/v1",
        "CronJob",
        {"spec": {"suspend": False}},
        ["x", "", "<none>", "False", 0, "<none>", "5d", "", "", "<none>"],
    ),
]

SYSTEM = {
    "kubeletVersion": "v1",
    "osImage": "os",
    "kernelVersion": "6",
    "containerRuntimeVersion": "c",
    "architecture": "a",
}


def node(status, roles="<none>", *system):
    return ["x", status, roles, "5d", *(system or ("", "<none>", "<none>", *["<unknown>"] * 3))]


def event(**more):
    shown = {
        "last": "<unknown>", "type": "", "reason": "", "target": "", "field": "", "source": "", "message": "",
        "first": "<unknown>", "count": 1, "name": "x", **more,
    }  # fmt: skip
    return list(shown.values())


CORE = [
    ("v1", "Namespace", {"status": {"phase": "Active"}}, ["x", "Active", "5d"]),
    ("v1", "ConfigMap", {"data": {"a": "1"}, "binaryData": {"b": "", "c": ""}}, ["x", 3, "5d"]),
    ("v1", "ConfigMap", {}, ["x", 0, "5d"]),
    ("v1", "Secret", {"type": "Opaque", "data": {"a": "MQ=="}}, ["x", "Opaque", 1, "5d"]),
    ("v1", "ServiceAccount", {}, ["x", "5d"]),
    ("v1", "LimitRange", {}, ["x", ago(days=5)]),
    ("v1", "LimitRange", {"metadata": {"creationTimestamp": None}}, ["x", "0001-01-01T00:00:00Z"]),
    ("v1", "Node", {}, node("Unknown")),
    (
        "v1",
        "Node",
        {
            "metadata": {
                "labels": {"node-role.kubernetes.io/b": "", "kubernetes.io/role": "a", "node-role.kubernetes.io/": ""}
            },
            "spec": {"unschedulable": True},
            "status": {
                **when("Ready"),
                "nodeInfo": SYSTEM,
                "addresses": [{"type": "ExternalIP", "address": "e"}, {"type": "InternalIP", "address": "i"}],
            },
        },
        node("Ready,SchedulingDisabled", "a,b", "v1", "i", "e", "os", "6 (a)", "c"),
    ),
    ("v1", "Node", {"status": when("Ready", status="Unknown")}, node("NotReady")),
    ("v1", "ComponentStatus", {}, ["x", "Unknown", "", ""]),
    ("v1", "ComponentStatus", when("Healthy", message="ok"), ["x", "Healthy", "ok", ""]),
    ("v1", "ComponentStatus", when("Healthy", status="False", error="e"), ["x", "Unhealthy", "", "e"]),
    ("v1", "ResourceQuota", {}, ["x", "", "", "5d"]),
    (
        "v1",
        "ResourceQuota",
        {"status": {"hard": {"pods": "5", "limits.cpu": "2000m", "cpu": 1}, "used": {"pods": "1", "cpu": "nonsense"}}},
        ["x", "cpu: 0/1, pods: 1/5", "limits.cpu: 0/2", "5d"],
    ),
    ("v1", "Event", {}, event()),
    (
        "v1",
        "Event",
        {
            "type": "Normal",
            "reason": "R",
            "message": " \x1f m\u2003\n",
            "count": 3,
            "firstTimestamp": ago(days=9),
            "lastTimestamp": ago(hours=9),
            "source": {"component": "c", "host": "h"},
            "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "f"},
        },
        event(
            last="9h",
            type="Normal",
            reason="R",
            target="pod/p",
            field="f",
            source="c, h",
            message="\x1f m",
            first="9d",
            count=3,
        ),
    ),
    (
        "v1",
        "Event",
        {
            "eventTime": ago(hours=9),
            "reportingComponent": "c",
            "involvedObject": {"kind": "Pod"},
            "series": {"count": 7, "lastObservedTime": ago(minutes=3)},
        },
        event(last="3m", target="pod", source="c", first="9h", count=7),
    ),
    (
        "events.k8s.io/v1",
        "Event",
        {
            "note": "n",
            "deprecatedCount": 2,
            "eventTime": ago(hours=9),
            "deprecatedLastTimestamp": ago(minutes=3),
            "reportingController": "c",
            "reportingInstance": "i",
            "regarding": {"kind": "Node", "name": "n"},
        },
        event(last="3m", target="node/n", source="c, i", message="n", first="9h", count=2),
    ),
]


def service(kind_, address="<none>", external="<none>", ports="<none>"):
    return ["x", kind_, address, external, ports, "5d", "<none>"]


BALANCED = {"loadBalancer": {"ingress": [{"ip": "9.9.9.9"}, {"hostname": "h"}, {}, {"ip": "1.1.1.1"}]}}
PORTS = [{"port": 80, "protocol": "TCP"}, {"port": 53, "nodePort": 30053, "protocol": "UDP"}]
NETWORKING = [
    ("v1", "Service", {"spec": {"type": "ClusterIP", "clusterIPs": ["1.1.1.1"]}}, service("ClusterIP", "1.1.1.1")),
    ("v1", "Service", {"spec": {"type": "ClusterIP", "clusterIP": "None"}}, service("ClusterIP", "None")),
    (
        "v1",
        "Service",
        {"spec": {"type": "NodePort", "externalIPs": ["2.2.2.2", "3.3.3.3"], "ports": PORTS}},
        service("NodePort", external="2.2.2.2,3.3.3.3", ports="80/TCP,53:30053/UDP"),
    ),
    ("v1", "Service", {"spec": {"type": "LoadBalancer"}}, service("LoadBalancer", external="<pending>")),
    (
        "v1",
        "Service",
        {"spec": {"type": "LoadBalancer", "externalIPs": ["2.2.2.2"]}, "status": BALANCED},
        service("LoadBalancer", external="1.1.1.1,9.9.9.9,h,2.2.2.2"),
    ),
    ("v1", "Service", {"spec": {"type": "ExternalName", "externalName": "n"}}, service("ExternalName", external="n")),
    ("v1", "Service", {}, service("", external="<unknown>")),
    ("v1", "Endpoints", {}, ["x", "<none>", "5d"]),
    ("v1", "Endpoints", {"subsets": [{"notReadyAddresses": [{"ip": "1"}]}]}, ["x", "", "5d"]),
    (
        "v1",
        "Endpoints",
        {"subsets": [{"addresses": [{"ip": "1.1.1.1"}, {"ip": "fd::1"}], "ports": [{"port": 80}, {"port": 81}]}]},
        ["x", "1.1.1.1:80,[fd::1]:80,1.1.1.1:81 + 1 more...", "5d"],
    ),
    ("v1", "Endpoints", {"subsets": [{"addresses": [{"ip": "1.1.1.1"}]}]}, ["x", "1.1.1.1", "5d"]),
    ("discovery.k8s.io/v1", "EndpointSlice", {"addressType": "IPv4"}, ["x", "IPv4", "<unset>", "<unset>", "5d"]),
    (
        "discovery.k8s.io/v1",
        "EndpointSlice",
        {"ports": [{"port": 80}, {"name": "n"}, {}, {}], "endpoints": [{"addresses": ["a"]}, {"addresses": ["b"]}]},
        ["x", "", "80,n,* + 1 more...", "a,b", "5d"],
    ),
    ("networking.k8s.io/v1", "Ingress", {}, ["x", "<none>", "*", "", "80", "5d"]),
    (
        "networking.k8s.io/v1",
        "Ingress",
        {
            "spec": {
                "ingressClassName": "n",
                "tls": [{}],
                "rules": [{"host": each} for each in ("a", "", "b", "c", "d")],
            },
            "status": BALANCED,
        },
        ["x", "n", "a,b,c + 2 more...", "1.1.1.1,9.9.9.9,h", "80, 443", "5d"],
    ),
    ("networking.k8s.io/v1", "IngressClass", {"spec": {"controller": "c"}}, ["x", "c", "<none>", "5d"]),
    (
        "networking.k8s.io/v1",
        "IngressClass",
        {
            "metadata": {"annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}},
            "spec": {"parameters": {"kind": "K", "name": "n"}},
        },
        ["x (default)", "", "K/n", "5d"],
    ),
    (
        "networking.k8s.io/v1",
        "IngressClass",
        {"spec": {"parameters": {"apiGroup": "g", "kind": "K", "name": "n"}}},
        ["x", "", "K.g/n", "5d"],
    ),
    ("networking.k8s.io/v1", "NetworkPolicy", {}, ["x", "<none>", "5d"]),
    ("networking.k8s.io/v1", "NetworkPolicy", {"spec": {"podSelector": LABELS}}, ["x", "a=1,b=2", "5d"]),
    ("networking.k8s.io/v1", "ServiceCIDR", {"spec": {"cidrs": ["a", "b"]}}, ["x", "a,b", "5d"]),
    ("networking.k8s.io/v1", "IPAddress", {}, ["x", "<none>", "5d"]),
    (
        "networking.k8s.io/v1",
        "IPAddress",
        {"spec": {"parentRef": {"resource": "Services", "namespace": "n", "name": "s"}}},
        ["x", "services/n/s", "5d"],
    ),
    (
        "networking.k8s.io/v1",
        "IPAddress",
        {"spec": {"parentRef": {"group": "g", "resource": "r", "name": "s"}}},
        ["x", "r.g/s", "5d"],
    ),
]

OLD_CLASS = {"annotations": {"volume.beta.kubernetes.io/storage-class": "old"}}
STORAGE = [
    ("v1", "PersistentVolume", {}, ["x", "0", "", "", "", "", "", "<unset>", "", "5d", "<unset>"]),
    (
        "v1",
        "PersistentVolume",
        {
            "metadata": {**OLD_CLASS, **DELETED},
            "spec": {
                "capacity": {"storage": "1024Mi"},
                "accessModes": ["ReadWriteOncePod", "ReadOnlyMany"],
                "persistentVolumeReclaimPolicy": "Retain",
                "claimRef": {"namespace": "n", "name": "c"},
                "storageClassName": "new",
                "volumeMode": "Block",
                "volumeAttributesClassName": "gold",
            },
            "status": {"phase": "Bound", "reason": "r"},
        },
        ["x", "1Gi", "ROX,RWOP", "Retain", "Terminating", "n/c", "old", "gold", "r", "5d", "Block"],
    ),
    (
        "v1",
        "PersistentVolumeClaim",
        {"spec": {"storageClassName": "s"}, "status": {"phase": "Pending", "capacity": {"storage": "1"}}},
        ["x", "Pending", "", "", "", "s", "<unset>", "5d", "<unset>"],
    ),
    (
        "v1",
        "PersistentVolumeClaim",
        {"spec": {"volumeName": "v"}, "status": {"capacity": {"storage": "1"}, "accessModes": ["ReadWriteOnce"]}},
        ["x", "", "v", "1", "RWO", "", "<unset>", "5d", "<unset>"],
    ),
    ("storage.k8s.io/v1", "StorageClass", {"provisioner": "p"}, ["x", "p", "Delete", "Immediate", False, "5d"]),
    (
        "storage.k8s.io/v1",
        "StorageClass",
        {
            "metadata": {"annotations": {"storageclass.beta.kubernetes.io/is-default-class": "true"}},
            "reclaimPolicy": "Retain",
            "volumeBindingMode": "WaitForFirstConsumer",
            "allowVolumeExpansion": True,
        },
        ["x (default)", "", "Retain", "WaitForFirstConsumer", True, "5d"],
    ),
    ("storage.k8s.io/v1", "VolumeAttributesClass", {"driverName": "d"}, ["x", "d", "5d"]),
    (
        "storage.k8s.io/v1",
        "VolumeAttachment",
        {
            "spec": {"attacher": "a", "nodeName": "n", "source": {"persistentVolumeName": "v"}},
            "status": {"attached": True},
        },
        ["x", "a", "v", "n", True, "5d"],
    ),
    ("storage.k8s.io/v1", "CSINode", {"spec": {"drivers": [{}, {}]}}, ["x", 2, "5d"]),
    ("storage.k8s.io/v1", "CSIDriver", {}, ["x", True, False, False, "<unset>", False, "<none>", "5d"]),
    (
        "storage.k8s.io/v1",
        "CSIDriver",
        {
            "spec": {
                "attachRequired": False,
                "podInfoOnMount": True,
                "tokenRequests": [{"audience": "a"}, {"audience": ""}],
                "volumeLifecycleModes": ["Persistent", "Ephemeral"],
            }
        },
        ["x", False, True, False, "a,", False, "Persistent,Ephemeral", "5d"],
    ),
    ("storage.k8s.io/v1", "CSIStorageCapacity", {"capacity": "1Gi"}, ["x", ago(days=5)]),
]

SUBJECTS = [
    {"kind": "User", "name": "u"},
    {"kind": "Group", "name": "g"},
    {"kind": "ServiceAccount", "name": "s", "namespace": "n"},
    {"kind": "User", "name": "v"},
    {"kind": "Robot", "name": "r"},
]
RBAC, ADMISSION, CERTIFICATES = (
    "rbac.authorization.k8s.io/v1",
    "admissionregistration.k8s.io/v1",
    "certificates.k8s.io/v1",
)
SELECTOR = {**LABELS, "matchExpressions": [{"key": "k", "operator": "In", "values": ["x", "y"]}]}
PRINTED = (
    "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{"
    "LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}"
)


def request(status, signer="<none>", wanted="<none>"):
    return ["x", "5d", signer, "", wanted, status]


ACCESS = [
    (
        RBAC,
        "RoleBinding",
        {"roleRef": {"kind": "Role", "name": "r"}, "subjects": SUBJECTS},
        ["x", "Role/r", "5d", "u, v", "g", "n/s"],
    ),
    (RBAC, "ClusterRoleBinding", {"roleRef": {"kind": "ClusterRole"}}, ["x", "ClusterRole/", "5d", "", "", ""]),
    (RBAC, "ClusterRole", {}, ["x", ago(days=5)]),
    (CERTIFICATES, "CertificateSigningRequest", {}, request("Pending")),
    (
        CERTIFICATES,
        "CertificateSigningRequest",
        {"spec": {"signerName": "s", "expirationSeconds": 600}, "status": {**when("Approved"), "certificate": "x"}},
        request("Approved,Issued", "s", "10m"),
    ),
    (CERTIFICATES, "CertificateSigningRequest", {"status": when("Approved", "Denied")}, request("Denied")),
    (CERTIFICATES, "CertificateSigningRequest", {"status": when("Approved", "Failed")}, request("Approved,Failed")),
    (CERTIFICATES, "ClusterTrustBundle", {}, ["x", "<none>"]),
    (CERTIFICATES, "PodCertificateRequest", {}, ["x", "", "", "", "", "Pending", "<none>"]),
    (
        CERTIFICATES,
        "PodCertificateRequest",
        {
            "spec": {"podName": "p", "signerName": "s", "unverifiedUserAnnotations": {"a": "1"}},
            "status": when("Other", "Issued"),
        },
        ["x", "p", "", "", "s", "Issued", "a=1"],
    ),
    (ADMISSION, "ValidatingWebhookConfiguration", {"webhooks": [{}, {}]}, ["x", 2, "5d"]),
    (ADMISSION, "MutatingWebhookConfiguration", {}, ["x", 0, "5d"]),
    (ADMISSION, "ValidatingAdmissionPolicy", {"spec": {"validations": [{}]}}, ["x", 1, "<unset>", "5d"]),
    (
        ADMISSION,
        "MutatingAdmissionPolicy",
        {"spec": {"mutations": [{}], "paramKind": {"apiVersion": "v1", "kind": "K"}}},
        ["x", 1, "v1/K", "5d"],
    ),
    (ADMISSION, "ValidatingAdmissionPolicyBinding", {"spec": {"policyName": "p"}}, ["x", "p", "<unset>", "5d"]),
    (ADMISSION, "ValidatingAdmissionPolicyBinding", {"spec": {"paramRef": {"name": "n"}}}, ["x", "", "*/n", "5d"]),
    (
        ADMISSION,
        "MutatingAdmissionPolicyBinding",
        {"spec": {"paramRef": {"name": "n", "namespace": "m"}}},
        ["x", "", "m/n", "5d"],
    ),
    (
        ADMISSION,
        "MutatingAdmissionPolicyBinding",
        {"spec": {"paramRef": {"selector": SELECTOR}}},
        ["x", "", PRINTED, "5d"],
    ),
]

FLOW, DRA = "flowcontrol.apiserver.k8s.io/v1", "resource.k8s.io/v1"
LIMITED = {"limitResponse": {"queuing": {"queues": 4, "handSize": 2}}, "nominalConcurrencyShares": 5}
POOLS = [{"totalDevices": 5, "availableDevices": 3}, {"totalDevices": 1, "validationError": "bad"}]
SCHEDULING = [
    ("policy/v1", "PodDisruptionBudget", {"spec": {"minAvailable": 1}}, ["x", "1", "N/A", 0, "5d"]),
    (
        "policy/v1",
        "PodDisruptionBudget",
        {"spec": {"maxUnavailable": "50%"}, "status": {"disruptionsAllowed": 2}},
        ["x", "N/A", "50%", 2, "5d"],
    ),
    (
        "scheduling.k8s.io/v1",
        "PriorityClass",
        {"value": -1, "preemptionPolicy": "Never"},
        ["x", -1, False, "5d", "Never"],
    ),
    ("scheduling.k8s.io/v1alpha2", "Workload", {}, ["x", "5d"]),
    ("scheduling.k8s.io/v1alpha2", "PodGroup", {}, ["x", "Basic", "<none>", "Pending", "5d"]),
    (
        "scheduling.k8s.io/v1alpha2",
        "PodGroup",
        {
            "spec": {
                "schedulingPolicy": {"gang": {"minCount": 2}},
                "podGroupTemplateRef": {"workload": {"workloadName": "w"}},
            },
            "status": when("PodGroupScheduled"),
        },
        ["x", "Gang", "w", "Scheduled", "5d"],
    ),
    (
        "scheduling.k8s.io/v1alpha2",
        "PodGroup",
        {"status": when("PodGroupScheduled", status="False")},
        ["x", "Basic", "<none>", "Unschedulable", "5d"],
    ),
    (
        "scheduling.k8s.io/v1alpha2",
        "PodGroup",
        {"status": when("DisruptionTarget", reason="R")},
        ["x", "Basic", "<none>", "R", "5d"],
    ),
    ("node.k8s.io/v1", "RuntimeClass", {"handler": "h"}, ["x", "h", "5d"]),
    ("coordination.k8s.io/v1", "Lease", {"spec": {"holderIdentity": "h"}}, ["x", "h", "5d"]),
    ("coordination.k8s.io/v1beta1", "LeaseCandidate", {"spec": {"leaseName": "l"}}, ["x", "l", "", "", "5d"]),
    (FLOW, "FlowSchema", {"spec": {"matchingPrecedence": 5}}, ["x", "", 5, "<none>", "5d", "?"]),
    (
        FLOW,
        "FlowSchema",
        {"spec": {"distinguisherMethod": {"type": "ByUser"}}, "status": when("Dangling", status="False")},
        ["x", "", 0, "ByUser", "5d", "False"],
    ),
    (
        FLOW,
        "PriorityLevelConfiguration",
        {"spec": {"type": "Exempt"}},
        ["x", "Exempt", "<none>", "<none>", "<none>", "<none>", "5d"],
    ),
    (FLOW, "PriorityLevelConfiguration", {"spec": {"limited": LIMITED}}, ["x", "", 5, 4, 2, 0, "5d"]),
    (DRA, "DeviceClass", {}, ["x", "5d"]),
    (DRA, "ResourceClaimTemplate", {}, ["x", "5d"]),
    (DRA, "ResourceClaim", {}, ["x", "pending", "5d"]),
    (DRA, "ResourceClaim", {"status": {"allocation": {}, "reservedFor": [{}]}}, ["x", "allocated,reserved", "5d"]),
    (DRA, "ResourceClaim", {"metadata": DELETED}, ["x", "deleted", "5d"]),
    (DRA, "ResourceClaim", {"metadata": DELETED, "status": {"allocation": {}}}, ["x", "deleted,allocated", "5d"]),
    (DRA, "ResourceSlice", {"spec": {"driver": "d", "pool": {"name": "p"}}}, ["x", "", "d", "p", "5d"]),
    (
        "resource.k8s.io/v1beta2",
        "DeviceTaintRule",
        {"spec": {"taint": {"key": "k", "effect": "NoExecute", "timeAdded": ago(hours=9)}}},
        ["x", "k", "", "NoExecute", "9h", "5d"],
    ),
    ("resource.k8s.io/v1beta2", "DeviceTaintRule", {}, ["x", "", "", "", "", "5d"]),
    (
        "resource.k8s.io/v1alpha3",
        "ResourcePoolStatusRequest",
        {"spec": {"driver": "d"}},
        ["x", "d", "-", "-", "-", "-", "-", 0, "Pending", "<none>"],
    ),
    (
        "resource.k8s.io/v1alpha3",
        "ResourcePoolStatusRequest",
        {"status": {**when("Complete", lastTransitionTime=ago(hours=9)), "pools": POOLS, "poolCount": 3}},
        ["x", "", "6", "3", "0", "0", "1", 3, "Complete (2/3 pools)", "9h"],
    ),
    (
        "resource.k8s.io/v1alpha3",
        "ResourcePoolStatusRequest",
        {"status": {**when("Failed"), "pools": POOLS}},
        ["x", "", "-", "-", "-", "-", "-", 0, "Failed", "<none>"],
    ),
]

API = "apiregistration.k8s.io/v1"
MACHINERY = [
    (API, "APIService", {}, ["x", "Local", "Unknown", "5d"]),
    (
        API,
        "APIService",
        {"spec": {"service": {"namespace": "n", "name": "s"}}, "status": when("Available", reason="R")},
        ["x", "n/s", "True", "5d"],
    ),
    (API, "APIService", {"status": when("Available", status="False", reason="R")}, ["x", "Local", "False (R)", "5d"]),
    (API, "APIService", {"status": when("Available", status="False")}, ["x", "Local", "False", "5d"]),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition", {}, ["x", ago(days=5)]),
    ("autoscaling/v1", "Scale", {"spec": {"replicas": 3}, "status": {"replicas": 2}}, ["x", 3, 2, "5d"]),
    ("internal.apiserver.k8s.io/v1alpha1", "StorageVersion", {}, ["x", "<unset>", "<unset>", "5d"]),
    (
        "internal.apiserver.k8s.io/v1alpha1",
        "StorageVersion",
        {
            "status": {
                "commonEncodingVersion": "v1",
                "storageVersions": [{"apiServerID": each, "encodingVersion": "v1"} for each in "abcd"],
            }
        },
        ["x", "v1", "a=v1,b=v1,c=v1 + 1 more...", "5d"],
    ),
    (
        "storagemigration.k8s.io/v1beta1",
        "StorageVersionMigration",
        {"spec": {"resource": {"group": "g", "resource": "r"}}, "status": when("Running", "Other", "Succeeded")},
        ["x", "r.g", "Succeeded"],
    ),
    (
        "storagemigration.k8s.io/v1beta1",
        "StorageVersionMigration",
        {"spec": {"resource": {"resource": "r"}}},
        ["x", "r", "Unknown"],
    ),
]

CASES = [*WORKLOADS, *JOBS, *CORE, *NETWORKING, *STORAGE, *ACCESS, *SCHEDULING, *MACHINERY]


@pytest.mark.parametrize(
    ("api_version", "name", "fields", "row"), CASES, ids=[f"{n}-{c[1]}" for n, c in enumerate(CASES)]
)
def test_rows_of_built_in_kinds(api_version, name, fields, row):
    assert cells(kind(api_version, name), made(**fields), NOW) == row
