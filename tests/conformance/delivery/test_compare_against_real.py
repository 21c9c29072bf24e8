"""Our diff asks what a server-side apply would change; the real server knows.

For each object of a corpus that is rich in what servers fill in: what was just applied does not differ, and for every
field that Git drops or changes, whatever the server would change is seen. The other way round one thing is allowed: a
field that goes back to the default it had is given up without its value changing.
"""

import pytest
from tests.conformance.real import APPLY, JSON_PATCH

from plumbline.base.json import encode
from plumbline.delivery.compare import Rules, difference, migration, with_last_applied
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import FREE, builtin_shape

pytestmark = pytest.mark.conformance

US = "argocd-controller"
REMEMBERING = {"customresourcedefinitions"}
"""Kinds of which one object is in use by others while it is changed."""
SIDE_EFFECTS = {"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"}

POD = {
    "automountServiceAccountToken": False,
    "hostNetwork": False,
    "hostPID": False,
    "terminationGracePeriodSeconds": 0,
    "nodeSelector": {"disk": "ssd"},
    "securityContext": {"runAsNonRoot": True, "sysctls": [{"name": "net.ipv4.ip_forward", "value": "0"}]},
    "tolerations": [{"key": "a", "operator": "Exists", "tolerationSeconds": 0, "effect": "NoExecute"}, {"operator": "Exists"}],
    "imagePullSecrets": [{"name": "pull"}],
    "dnsConfig": {"options": [{"name": "ndots", "value": "2"}, {"name": "edns0"}]},
    "hostAliases": [{"ip": "127.0.0.1", "hostnames": ["a", "b"]}],
    "readinessGates": [{"conditionType": "example.com/ready"}],
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"a": "b"}}}],
    "affinity": {
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "x", "operator": "In", "values": ["1", "2"]}]}]}},
        "podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 5, "podAffinityTerm": {"topologyKey": "z", "labelSelector": {"matchLabels": {"a": "b"}}}}]},
    },
    "initContainers": [{"name": "init", "image": "i", "restartPolicy": "Always", "args": []}],
    "containers": [
        {
            "name": "web",
            "image": "web:1",
            "command": ["a", "b"],
            "stdin": False,
            "ports": [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP", "name": "dns"}],
            "env": [
                {"name": "A", "value": ""},
                {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "C", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
                {"name": "D", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": False}}},
            ],
            "envFrom": [{"configMapRef": {"name": "c"}}, {"prefix": "P_", "secretRef": {"name": "s"}}],
            "resources": {"limits": {"cpu": "1000m", "memory": "0.5Gi"}, "requests": {"cpu": 0.5}},
            "readinessProbe": {"httpGet": {"path": "/", "port": 80, "httpHeaders": [{"name": "X", "value": "y"}]}, "initialDelaySeconds": 0},
            "livenessProbe": {"tcpSocket": {"port": "dns"}},
            "lifecycle": {"preStop": {"exec": {"command": ["sh"]}}},
            "volumeMounts": [{"name": "all", "mountPath": "/all", "readOnly": False}, {"name": "cfg", "mountPath": "/cfg", "subPath": ""}],
            "securityContext": {"privileged": False, "capabilities": {"drop": ["ALL"]}},
        }
    ],
    "volumes": [
        {"name": "cfg", "configMap": {"name": "c", "items": [{"key": "a", "path": "a", "mode": 256}]}},
        {"name": "tmp", "emptyDir": {}},
        {"name": "host", "hostPath": {"path": "/x"}},
        {"name": "down", "downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
        {"name": "all", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}, {"configMap": {"name": "c", "optional": False}}, {"downwardAPI": {"items": [{"path": "n", "fieldRef": {"fieldPath": "metadata.name"}}]}}]}},
        {"name": "eph", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}}},
    ],
}  # fmt: skip
SELECTOR = {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "a", "operator": "Exists"}]}
SMALL = {name: POD[name] for name in ("containers", "tolerations", "volumes")}
SMALL_TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": SMALL}
TEMPLATE = {"metadata": {"labels": {"a": "b"}, "annotations": {"x": "y"}}, "spec": POD}
JOB = {"template": {"spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": "Never"}}, "backoffLimit": 0, "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}, {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}}]}}  # fmt: skip
RULES = [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list"]}, {"nonResourceURLs": ["/x"], "verbs": ["get"]}]  # fmt: skip
WEBHOOK_RULE = {"apiGroups": ["x.io"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["things"]}
SCHEMA = {
    "type": "object",
    "description": "",
    "properties": {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "minimum": 0, "maximum": 10.0, "default": 3},
                "kind": {"type": "string", "enum": ["a", "b"], "nullable": False},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "rows": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"], "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "string"}}}},
            },
        }
    },
}  # fmt: skip


def of(version, kind, plural, *, scoped=True, **fields):
    return pytest.param(version, plural, scoped, {"apiVersion": version, "kind": kind, **fields}, id=kind)


CORPUS = [
    of("v1", "ConfigMap", "configmaps", data={"a": "1", "b": ""}, binaryData={"c": "aGVs\nbG8="}, immutable=False),
    of("v1", "Secret", "secrets", stringData={"a": "x"}, data={"b": "eA==", "c": None}),
    of("v1", "Service", "services", spec={"selector": {"a": "b"}, "ports": [{"port": 80, "name": "a"}, {"port": 53, "protocol": "UDP", "name": "b", "targetPort": "dns"}], "publishNotReadyAddresses": False}),
    of("v1", "ServiceAccount", "serviceaccounts", automountServiceAccountToken=False, imagePullSecrets=[{"name": "p"}]),
    of("v1", "PersistentVolumeClaim", "persistentvolumeclaims", spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}}),
    of("v1", "LimitRange", "limitranges", spec={"limits": [{"type": "Container", "max": {"cpu": "2000m"}, "min": {"cpu": "0.1"}}, {"type": "Pod", "max": {"cpu": 4}}]}),
    of("v1", "ResourceQuota", "resourcequotas", spec={"hard": {"pods": 10, "requests.cpu": "1000m"}, "scopeSelector": {"matchExpressions": [{"operator": "Exists", "scopeName": "PriorityClass"}]}}),
    of("apps/v1", "Deployment", "deployments", spec={"replicas": 0, "paused": False, "selector": SELECTOR, "strategy": {"rollingUpdate": {"maxSurge": "50%"}}, "template": TEMPLATE}),
    of("apps/v1", "DaemonSet", "daemonsets", spec={"selector": SELECTOR, "template": SMALL_TEMPLATE, "minReadySeconds": 0}),
    of("apps/v1", "StatefulSet", "statefulsets", spec={"serviceName": "s", "selector": SELECTOR, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}, "volumeClaimTemplates": [{"metadata": {"name": "v", "labels": {"l": "1"}}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]}),
    of("batch/v1", "Job", "jobs", spec={**JOB, "suspend": True}),
    of("batch/v1", "CronJob", "cronjobs", spec={"schedule": "* * * * *", "suspend": False, "jobTemplate": {"spec": JOB}}),
    of("networking.k8s.io/v1", "Ingress", "ingresses", spec={"defaultBackend": {"service": {"name": "d", "port": {"number": 80}}}, "tls": [{"hosts": ["a"], "secretName": "s"}], "rules": [{"host": "a", "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "s", "port": {"name": "http"}}}}]}}]}),
    of("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", spec={"podSelector": {}, "ingress": [{"ports": [{"port": 80}, {"port": 90, "endPort": 99}], "from": [{"namespaceSelector": {"matchLabels": {"a": "b"}}, "podSelector": {}}, {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}]}], "egress": [{}]}),
    of("rbac.authorization.k8s.io/v1", "Role", "roles", rules=[{"apiGroups": [""], "resources": ["pods"], "resourceNames": ["a"], "verbs": ["get"]}]),
    of("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", roleRef={"kind": "Role", "name": "r", "apiGroup": "rbac.authorization.k8s.io"}, subjects=[{"kind": "ServiceAccount", "name": "s", "namespace": "x"}, {"kind": "Group", "name": "g"}]),
    of("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", scoped=False, rules=RULES),
    of("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", spec={"maxReplicas": 5, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}, "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}, {"type": "Pods", "pods": {"metric": {"name": "q"}, "target": {"type": "AverageValue", "averageValue": "1000m"}}}], "behavior": {"scaleDown": {"stabilizationWindowSeconds": 0, "policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}]}}}),
    of("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", spec={"minAvailable": 1, "selector": SELECTOR}),
    of("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", addressType="IPv4", ports=[{"port": 80}, {"port": 81, "name": "b", "protocol": "UDP"}], endpoints=[{"addresses": ["10.0.0.1"], "conditions": {"ready": False}}, {"addresses": ["10.0.0.2"]}]),
    of("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", scoped=False, webhooks=[{"name": "a.x.io", "clientConfig": {"service": {"namespace": "x", "name": "y"}}, "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Ignore", "rules": [WEBHOOK_RULE], "namespaceSelector": {"matchLabels": {"none": "none"}}}]),
    of("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies", scoped=False, spec={"matchConstraints": {"resourceRules": [WEBHOOK_RULE]}, "validations": [{"expression": "true", "message": "m"}], "variables": [{"name": "v", "expression": "1"}]}),
    of("storage.k8s.io/v1", "StorageClass", "storageclasses", scoped=False, provisioner="x", parameters={"a": "b"}, allowVolumeExpansion=False, allowedTopologies=[{"matchLabelExpressions": [{"key": "z", "values": ["1"]}]}]),
    of("networking.k8s.io/v1", "IngressClass", "ingressclasses", scoped=False, spec={"controller": "x.io/y", "parameters": {"kind": "K", "name": "n"}}),
    of("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", scoped=False, spec={"group": "cmp.x.io", "scope": "Namespaced", "names": {"kind": "Thing", "plural": "things"}, "versions": [{"name": "v1", "served": True, "storage": True, "deprecated": False, "schema": {"openAPIV3Schema": SCHEMA}, "subresources": {"status": {}}, "additionalPrinterColumns": [{"name": "S", "type": "integer", "jsonPath": ".spec.size", "priority": 0}]}]}),
]  # fmt: skip


def place(version, plural, scoped, namespace, name):
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    return f"{root}/{f'namespaces/{namespace}/' if scoped else ''}{plural}/{name}"


def without(value, path):
    """*value* less what is at *path*."""
    head, *rest = path
    if isinstance(value, dict):
        kept = dict(value)
        if rest:
            kept[head] = without(value[head], rest)
        else:
            del kept[head]
        return kept
    kept = list(value)
    if rest:
        kept[head] = without(value[head], rest)
    else:
        del kept[head]
    return kept


def paths(value, at=()):
    """Every branch and leaf below."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield (*at, key)
        yield from paths(child, (*at, key))


def comparable(obj):
    """Without what its own controllers write at any time."""
    metadata = {name: value for name, value in obj["metadata"].items() if name not in SIDE_EFFECTS}
    obj = {name: value for name, value in obj.items() if name != "status"}
    return encode(
        {**obj, "metadata": metadata},
    )


def holders(obj):
    entries = [{**each, "time": ""} for each in obj["metadata"]["managedFields"]]
    return [each for each in entries if each.get("subresource") != "status"]


def named(obj, namespace, name, scoped):
    metadata = {"name": name, **({"namespace": namespace} if scoped else {}), "labels": {"l": "1"}, "annotations": {"a": "b"}}  # fmt: skip
    return {**obj, "metadata": metadata}


def name_of(obj, namespace):
    return "things.cmp.x.io" if obj["kind"] == "CustomResourceDefinition" else f"compared-{namespace}"


@pytest.mark.parametrize(("version", "plural", "scoped", "obj"), CORPUS)
def test_our_verdict_is_the_servers(real_cluster, namespace, version, plural, scoped, obj):
    name = name_of(obj, namespace)
    wanted = named(obj, namespace, name, scoped)
    path = place(version, plural, scoped, namespace, name)
    shape = builtin_shape(GroupVersionKind.of(wanted))
    answer = real_cluster.patch(path, wanted, APPLY, fieldManager=US, force="true")
    assert answer.fine, answer.body
    live = real_cluster.get(path).body
    found = difference(wanted, live, shape, Rules())
    assert [(each.path, each.change) for each in found] == [], "what was just applied does not differ"
    for dropped in list(paths(obj)):
        fewer = without(wanted, dropped)
        if _agree(real_cluster, path, fewer, live, f"without {dropped}") and plural not in REMEMBERING:
            changed = real_cluster.patch(path, fewer, APPLY, fieldManager=US, force="true")
            assert changed.fine, changed.body
            assert difference(fewer, changed.body, shape, Rules()) == (), f"just applied without {dropped}"
            _agree(real_cluster, path, wanted, changed.body, f"with {dropped} again")
            live = real_cluster.patch(path, wanted, APPLY, fieldManager=US, force="true").body


def _agree(real_cluster, path, wanted, live, what):
    """Whether the server would take it; if so, whether something would change is seen."""
    dry = real_cluster.patch(path, wanted, APPLY, fieldManager=US, force="true", dryRun="All")
    if not dry.fine:
        return False  # it cannot be so, and so Git cannot ask for it
    found = difference(wanted, live, builtin_shape(GroupVersionKind.of(wanted)), Rules())
    would_change = comparable(dry.body) != comparable(live)
    assert found or not would_change, f"the server would change something {what}"
    assert not found or would_change or holders(dry.body) != holders(live), f"the server would change nothing {what}"
    return True


@pytest.mark.parametrize("kind", ["ConfigMap", "Deployment", "NetworkPolicy"])
def test_what_kubectl_applied_becomes_ours(real_cluster, namespace, kind):
    version, plural, scoped, obj = next(each.values for each in CORPUS if each.id == kind)
    wanted = named(obj, namespace, f"moved-{namespace}", scoped)
    said = real_cluster.kubectl("apply", "-f", "-", stdin=encode(wanted).decode())
    assert said.code == 0, said.err
    path = place(version, plural, scoped, namespace, wanted["metadata"]["name"])
    shape = builtin_shape(GroupVersionKind.of(wanted))
    live = real_cluster.get(path).body
    assert difference(wanted, live, shape, Rules()) == ()
    fewer = {**wanted, "metadata": {**wanted["metadata"], "labels": {}}}
    assert [each.path for each in difference(fewer, live, shape, Rules())] == [".metadata.labels.l"]
    moved = real_cluster.patch(path, migration(live), JSON_PATCH)
    assert moved.fine, moved.body
    after = real_cluster.patch(path, with_last_applied(fewer, fewer), APPLY, fieldManager=US, force="true").body
    assert "labels" not in after["metadata"]
    assert difference(fewer, after, shape, Rules()) == ()
    assert {(each["manager"], each["operation"]) for each in after["metadata"]["managedFields"]} == {(US, "Apply")}
    back = real_cluster.kubectl("diff", "-f", "-", stdin=encode(fewer).decode())
    assert (back.code, back.out) == (0, ""), "kubectl finds what it would have left there"


def test_custom_kinds_keep_their_defaults(real_cluster, namespace):
    crd = next(each.values[3] for each in CORPUS if each.id == "CustomResourceDefinition")
    crd = {**crd, "metadata": {"name": "rows.defaults.x.io"}}
    rules = {"type": "array", "items": {"type": "object", "properties": {"to": {"type": "string"}, "weight": {"type": "integer", "default": 1}}}}  # fmt: skip
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"rules": rules, "on": {"type": "boolean", "default": True}}}}}  # fmt: skip
    crd["spec"] = {
        "group": "defaults.x.io",
        "scope": "Namespaced",
        "names": {"kind": "Row", "plural": "rows"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
    }
    assert real_cluster.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", crd).fine
    assert real_cluster.kubectl("wait", "--for=condition=Established", "crd/rows.defaults.x.io").code == 0
    wanted = {
        "apiVersion": "defaults.x.io/v1",
        "kind": "Row",
        "metadata": {"name": "r", "namespace": namespace},
        "spec": {"rules": [{"to": "a"}, {"to": "b", "weight": 5}]},
    }
    path = place("defaults.x.io/v1", "rows", True, namespace, "r")
    live = real_cluster.patch(path, with_last_applied(wanted, wanted), APPLY, fieldManager=US, force="true").body
    assert live["spec"] == {"on": True, "rules": [{"to": "a", "weight": 1}, {"to": "b", "weight": 5}]}
    assert difference(wanted, live, FREE, Rules()) == ()
    fewer = {**wanted, "spec": {"rules": [{"to": "a"}, {"to": "b"}]}}
    assert [each.path for each in difference(fewer, live, FREE, Rules())] == [".spec.rules[1].weight"]
