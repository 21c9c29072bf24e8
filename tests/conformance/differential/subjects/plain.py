"""Kinds about configuration, access, networking and storage."""

from tests.conformance.differential.dice import Dice
from tests.conformance.differential.spots import Entries, Items, Value, atomic

from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind

from .subject import WORDS, Subject


def _always(body: JsonObject):
    return lambda dice: body


CONFIG_MAP = Subject(
    GroupVersionKind("", "v1", "ConfigMap"),
    "configmaps",
    _always({"data": {"kept": "as is"}}),
    (
        Entries("data", ("a", "b.conf", "c"), ("1", "2", "line\nline\n", "")),
        Entries("binaryData", ("bin", "more"), ("AAEC", "/w==")),
    ),
)

SECRET = Subject(
    GroupVersionKind("", "v1", "Secret"),
    "secrets",
    _always({"type": "Opaque", "data": {"kept": "YXM="}}),
    (Entries("data", ("user", "password", "token"), ("YQ==", "Yg==", "")),),
)

SERVICE_ACCOUNT = Subject(
    GroupVersionKind("", "v1", "ServiceAccount"),
    "serviceaccounts",
    _always({}),
    (
        Value("automountServiceAccountToken", (True, False), optional=True),
        Items("secrets", ("name",), ({"name": "a"}, {"name": "b"}, {"name": "c"}), patch_key="name"),
        atomic("imagePullSecrets", [{"name": "a"}], [{"name": "b"}, {"name": "a"}]),
    ),
)


_addresses = (f"10.96.{high}.{low}" for high in range(1, 255) for low in range(1, 255))


def _service(dice: Dice) -> JsonObject:
    address = next(_addresses)  # Each once: the server refuses an address that another service has.
    return {
        "spec": {
            "type": "LoadBalancer",
            "allocateLoadBalancerNodePorts": False,
            "externalTrafficPolicy": "Cluster",
            "clusterIP": address,
            "clusterIPs": [address],
            "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"],
            "ipFamilyPolicy": "SingleStack",
            "ports": [{"name": "kept", "port": 8080, "protocol": "TCP", "targetPort": 8080}],
            "selector": {"app": "web"},
            "sessionAffinity": "None",
        }
    }


def _port(name: str, port: int, protocol: str = "TCP", target: Json = "http") -> JsonObject:
    return {"name": name, "port": port, "protocol": protocol, "targetPort": target}


SERVICE = Subject(
    GroupVersionKind("", "v1", "Service"),
    "services",
    _service,
    (
        Value("spec.publishNotReadyAddresses", (True,), optional=True),
        Value("spec.internalTrafficPolicy", ("Cluster", "Local")),
        Entries("spec.selector", ("tier", "team"), WORDS),
        atomic("spec.externalIPs", ["192.0.2.1"], ["192.0.2.2", "192.0.2.1"]),
        atomic("spec.loadBalancerSourceRanges", ["10.0.0.0/8"], ["10.0.0.0/8", "192.0.2.0/24"]),
        Items(
            "spec.ports",
            ("port", "protocol"),
            (_port("web", 80), _port("dns", 53, "UDP", 53), _port("metrics", 9090, target=9090)),
            (Value("name", ("one", "two", "three")), Value("appProtocol", ("http", "h2c"), optional=True)),
            patch_key="port",
        ),
    ),
    status_spots=(
        Items(
            "status.conditions",
            ("type",),
            tuple(
                {
                    "type": f"example.org/{kind}",
                    "status": "True",
                    "reason": "Because",
                    "message": "",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }
                for kind in ("Ready", "Wired")
            ),
            (Value("status", ("True", "False")), Value("message", ("", "well"))),
            patch_key="type",
        ),
        atomic("status.loadBalancer.ingress", [{"hostname": "a.example.org"}], [{"hostname": "b.example.org"}]),
    ),
)


def _backend(name: str) -> JsonObject:
    return {"service": {"name": name, "port": {"number": 80}}}


def _rule(host: str, *paths: str) -> JsonObject:
    return {
        "host": host,
        "http": {"paths": [{"path": path, "pathType": "Prefix", "backend": _backend("web")} for path in paths]},
    }


INGRESS = Subject(
    GroupVersionKind("networking.k8s.io", "v1", "Ingress"),
    "ingresses",
    _always({"spec": {"defaultBackend": _backend("web"), "rules": [_rule("a.example.org", "/")]}}),
    (
        Value("spec.ingressClassName", ("nginx", "traefik"), optional=True),
        Value("spec.defaultBackend.service.name", ("web", "api")),
        atomic("spec.rules", [_rule("a.example.org", "/", "/x")], [_rule("b.example.org", "/"), _rule("c.org", "/c")]),
        atomic("spec.tls", [{"hosts": ["a.example.org"], "secretName": "a"}], [{"secretName": "b"}]),
    ),
    status_spots=(
        atomic("status.loadBalancer.ingress", [{"ip": "192.0.2.1"}], [{"ip": "192.0.2.2"}, {"hostname": "x.org"}]),
    ),
)


def _from(label: str) -> JsonObject:
    return {"from": [{"podSelector": {"matchLabels": {"app": label}}}]}


NETWORK_POLICY = Subject(
    GroupVersionKind("networking.k8s.io", "v1", "NetworkPolicy"),
    "networkpolicies",
    _always({"spec": {"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Ingress"]}}),
    (
        Entries("spec.podSelector.matchLabels", ("tier", "team"), WORDS),
        atomic("spec.policyTypes", ["Ingress"], ["Ingress", "Egress"], optional=False),
        atomic("spec.ingress", [_from("a")], [_from("b"), {"ports": [{"port": 80, "protocol": "TCP"}]}]),
        atomic(
            "spec.egress",
            [{"to": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}],
            [{"ports": [{"port": "dns", "protocol": "UDP"}]}],
        ),
    ),
)

_READ = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}
_WRITE = {"apiGroups": ["apps"], "resources": ["deployments"], "resourceNames": ["web"], "verbs": ["update"]}

ROLE = Subject(
    GroupVersionKind("rbac.authorization.k8s.io", "v1", "Role"),
    "roles",
    _always({"rules": [_READ]}),
    (atomic("rules", [_READ], [_READ, _WRITE], [_WRITE]),),
)


def _group(name: str) -> JsonObject:
    return {"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": name}


ROLE_BINDING = Subject(
    GroupVersionKind("rbac.authorization.k8s.io", "v1", "RoleBinding"),
    "rolebindings",
    _always(
        {
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
            "subjects": [_group("team-a")],
        }
    ),
    (atomic("subjects", [_group("team-a")], [_group("team-b"), _group("team-a")]),),
)

CLAIM = Subject(
    GroupVersionKind("", "v1", "PersistentVolumeClaim"),
    "persistentvolumeclaims",
    _always(
        {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "1Gi"}},
                "volumeMode": "Filesystem",
            }
        }
    ),
    birth_spots=(
        atomic("spec.accessModes", ["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], optional=False),
        Value("spec.storageClassName", ("", "fast"), optional=True),
    ),
    metadata={"finalizers": ["kubernetes.io/pvc-protection"]},
)

VOLUME = Subject(
    GroupVersionKind("", "v1", "PersistentVolume"),
    "persistentvolumes",
    _always(
        {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "capacity": {"storage": "1Gi"},
                "hostPath": {"path": "/srv", "type": ""},
                "persistentVolumeReclaimPolicy": "Retain",
                "volumeMode": "Filesystem",
            }
        }
    ),
    (
        Value("spec.capacity.storage", ("1Gi", "2Gi", "2048Mi", "3e9")),
        Value("spec.storageClassName", ("slow", "fast"), optional=True),
        Value("spec.persistentVolumeReclaimPolicy", ("Retain", "Delete")),
        atomic("spec.accessModes", ["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], optional=False),
        atomic("spec.mountOptions", ["ro"], ["ro", "noatime"], ["noatime", "ro"]),
    ),
    namespaced=False,
    metadata={"finalizers": ["kubernetes.io/pv-protection"]},
)

BUDGET = Subject(
    GroupVersionKind("policy", "v1", "PodDisruptionBudget"),
    "poddisruptionbudgets",
    _always({"spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}}),
    (
        Value("spec.minAvailable", (1, 2, "50%")),
        Value("spec.unhealthyPodEvictionPolicy", ("AlwaysAllow", "IfHealthyBudget"), optional=True),
        Entries("spec.selector.matchLabels", ("tier", "team"), WORDS),
    ),
    status_spots=(
        Value("status.disruptionsAllowed", (0, 1)),
        Items(
            "status.conditions",
            ("type",),
            tuple(
                {
                    "type": kind,
                    "status": "True",
                    "reason": "Because",
                    "message": "",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }
                for kind in ("DisruptionAllowed", "Odd")
            ),
            (Value("status", ("True", "False")), Value("message", ("", "well"))),
            patch_key="type",
        ),
    ),
)


def _endpoint(address: str, **more: Json) -> JsonObject:
    return {"addresses": [address], "conditions": {}, **more}


SLICE = Subject(
    GroupVersionKind("discovery.k8s.io", "v1", "EndpointSlice"),
    "endpointslices",
    _always(
        {
            "addressType": "IPv4",
            "endpoints": [_endpoint("10.1.0.1")],
            "ports": [{"name": "http", "port": 80, "protocol": "TCP"}],
        }
    ),
    (
        atomic(
            "endpoints",
            [_endpoint("10.1.0.1")],
            [_endpoint("10.1.0.2", hostname="b"), _endpoint("10.1.0.1")],
            optional=False,
        ),
        atomic(
            "ports",
            [{"name": "http", "port": 80, "protocol": "TCP"}],
            [{"name": "dns", "port": 53, "protocol": "UDP"}],
            optional=False,
        ),
    ),
)


def _always_true(name: str) -> JsonObject:
    return {"name": name, "expression": "true"}


ADMISSION_POLICY = Subject(
    GroupVersionKind("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy"),
    "validatingadmissionpolicies",
    _always(
        {
            "spec": {
                "failurePolicy": "Fail",
                "matchConstraints": {
                    "matchPolicy": "Equivalent",
                    "namespaceSelector": {},
                    "objectSelector": {},
                    "resourceRules": [
                        {
                            "apiGroups": ["none.example.org"],
                            "apiVersions": ["v1"],
                            "operations": ["CREATE"],
                            "resources": ["things"],
                            "scope": "*",
                        }
                    ],
                },
                "validations": [{"expression": "true", "message": "kept"}],
            }
        }
    ),
    (
        Value("spec.failurePolicy", ("Fail", "Ignore")),
        Value("spec.matchConstraints.matchPolicy", ("Equivalent", "Exact")),
        atomic(
            "spec.validations", [{"expression": "true"}], [{"expression": "1 == 1", "message": "sums"}], optional=False
        ),
        Items(
            "spec.matchConditions",
            ("name",),
            (_always_true("a"), _always_true("b")),
            (Value("expression", ("true", "1 < 2")),),
            patch_key="name",
        ),
        Items(
            "spec.variables",
            ("name",),
            (_always_true("x"), _always_true("y")),
            (Value("expression", ("true", "2 < 3")),),
            patch_key="name",
        ),
    ),
    namespaced=False,
)

SUBJECTS: tuple[Subject, ...] = (
    CONFIG_MAP,
    SECRET,
    SERVICE_ACCOUNT,
    SERVICE,
    INGRESS,
    NETWORK_POLICY,
    ROLE,
    ROLE_BINDING,
    CLAIM,
    VOLUME,
    BUDGET,
    SLICE,
    ADMISSION_POLICY,
)
