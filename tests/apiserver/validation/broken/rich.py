"""One workload that uses nearly everything a pod can have, and is sound."""

from plumbline.base.json import JsonObject

_LABELS = {"app.kubernetes.io/name": "web", "tier": "front"}
_SELECTOR = {"matchLabels": _LABELS, "matchExpressions": [{"key": "tier", "operator": "In", "values": ["front"]}]}
_PROBE = {"httpGet": {"path": "/healthz", "port": "http", "httpHeaders": [{"name": "X-A", "value": "b"}]}}
_SOURCES = [
    {"name": "A", "value": "plain $(B)"},
    {"name": "b.c-d", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}},
    {"name": "E", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['tier']"}}},
    {"name": "F", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "1Mi"}}},
    {"name": "G", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k.v", "optional": True}}},
    {"name": "H", "valueFrom": {"secretKeyRef": {"name": "s", "key": "K_V"}}},
]
_VOLUMES = [
    {"name": "cache", "emptyDir": {"medium": "Memory", "sizeLimit": "64Mi"}},
    {"name": "host", "hostPath": {"path": "/var/log", "type": "Directory"}},
    {"name": "secret", "secret": {"secretName": "s", "defaultMode": 256, "items": [{"key": "a", "path": "b/c"}]}},
    {"name": "config", "configMap": {"name": "c", "items": [{"key": "a", "path": "a", "mode": 420}]}},
    {"name": "claim", "persistentVolumeClaim": {"claimName": "some", "readOnly": True}},
    {"name": "nfs", "nfs": {"server": "files", "path": "/x"}},
    {"name": "csi", "csi": {"driver": "csi.example.com", "volumeAttributes": {"a": "b"}}},
    {"name": "image", "image": {"reference": "registry/thing:1"}},
    {
        "name": "own",
        "ephemeral": {
            "volumeClaimTemplate": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
            }
        },
    },
    {"name": "pod", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
    {
        "name": "all",
        "projected": {
            "sources": [
                {"serviceAccountToken": {"path": "token", "expirationSeconds": 600, "audience": "me"}},
                {"configMap": {"name": "c", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
                {"secret": {"name": "s"}},
                {
                    "downwardAPI": {
                        "items": [
                            {"path": "cpu", "resourceFieldRef": {"containerName": "main", "resource": "limits.cpu"}}
                        ]
                    }
                },
            ]
        },
    },
]
_MAIN = {
    "name": "main",
    "image": "registry.example.com/web@sha256:" + "0" * 64,
    "command": ["/bin/sh", "-c"],
    "args": ["sleep 1"],
    "ports": [
        {"name": "http", "containerPort": 8080, "hostPort": 8080},
        {"name": "dns", "containerPort": 53, "protocol": "UDP"},
        {"containerPort": 9090},
    ],
    "env": _SOURCES,
    "envFrom": [{"configMapRef": {"name": "c"}, "prefix": "P_"}, {"secretRef": {"name": "s", "optional": True}}],
    "resources": {
        "requests": {"cpu": "100m", "memory": "64Mi", "ephemeral-storage": "1Gi", "example.com/gpu": "1"},
        "limits": {"cpu": "1", "memory": "128Mi", "example.com/gpu": "1", "hugepages-2Mi": "4Mi"},
    },
    "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}],
    "volumeMounts": [
        {"name": "cache", "mountPath": "/cache", "mountPropagation": "HostToContainer"},
        {"name": "secret", "mountPath": "/secret", "readOnly": True, "recursiveReadOnly": "IfPossible"},
        {"name": "config", "mountPath": "/etc/a", "subPath": "a/b"},
        {"name": "own", "mountPath": "/own", "subPathExpr": "$(A)/x"},
    ],
    "livenessProbe": {**_PROBE, "terminationGracePeriodSeconds": 5},
    "readinessProbe": {"exec": {"command": ["true"]}, "successThreshold": 3},
    "startupProbe": {"grpc": {"port": 9090}},
    "lifecycle": {"postStart": {"tcpSocket": {"port": 8080}}, "preStop": {"sleep": {"seconds": 3}}},
    "securityContext": {
        "runAsUser": 1000,
        "runAsNonRoot": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
        "seccompProfile": {"type": "RuntimeDefault"},
        "appArmorProfile": {"type": "Localhost", "localhostProfile": "p"},
    },
}
_NODE_TERM = {
    "matchExpressions": [
        {"key": "disk", "operator": "NotIn", "values": ["hdd"]},
        {"key": "cores", "operator": "Gt", "values": ["4"]},
        {"key": "ready", "operator": "Exists"},
    ],
    "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}],
}
_POD_TERM = {"labelSelector": _SELECTOR, "topologyKey": "topology.kubernetes.io/zone", "namespaces": ["a"]}
_REQUIRED, _PREFERRED = (f"{kind}DuringSchedulingIgnoredDuringExecution" for kind in ("required", "preferred"))

RICH_SPEC: JsonObject = {
    "initContainers": [
        {"name": "first", "image": "busybox"},
        {"name": "beside", "image": "proxy", "restartPolicy": "Always", "startupProbe": {"tcpSocket": {"port": 1}}},
    ],
    "containers": [_MAIN, {"name": "other", "image": "redis:7"}],
    "volumes": _VOLUMES,
    "serviceAccountName": "web",
    "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a.example.com"]}, {"ip": "2001:db8::1"}],
    "dnsPolicy": "None",
    "dnsConfig": {
        "nameservers": ["10.0.0.10"],
        "searches": ["svc.cluster.local", "_x.y."],
        "options": [{"name": "ndots"}],
    },
    "hostname": "web",
    "subdomain": "front",
    "nodeSelector": {"kubernetes.io/os": "linux"},
    "os": {"name": "linux"},
    "affinity": {
        "nodeAffinity": {
            _REQUIRED: {"nodeSelectorTerms": [_NODE_TERM]},
            _PREFERRED: [{"weight": 100, "preference": _NODE_TERM}],
        },
        "podAffinity": {_PREFERRED: [{"weight": 1, "podAffinityTerm": _POD_TERM}]},
        "podAntiAffinity": {_REQUIRED: [{**_POD_TERM, "matchLabelKeys": ["pod-template-hash"]}]},
    },
    "tolerations": [
        {"key": "a", "value": "b"},
        {"operator": "Exists"},
        {"key": "c", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
    ],
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": _SELECTOR,
            "minDomains": 2,
            "nodeAffinityPolicy": "Honor",
        },
        {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": _SELECTOR},
    ],
    "securityContext": {
        "fsGroup": 2000,
        "supplementalGroups": [1, 2],
        "fsGroupChangePolicy": "OnRootMismatch",
        "sysctls": [{"name": "net.ipv4.ip_unprivileged_port_start", "value": "0"}],
        "seccompProfile": {"type": "Localhost", "localhostProfile": "profiles/a.json"},
    },
    "readinessGates": [{"conditionType": "example.com/ready"}],
    "imagePullSecrets": [{"name": "pull"}],
    "shareProcessNamespace": True,
    "terminationGracePeriodSeconds": 10,
    "enableServiceLinks": False,
    "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "4"}},
}
RICH: JsonObject = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "rich", "labels": _LABELS, "annotations": {"Example.com/note": "free text <&>\n"}},
    "spec": {
        "replicas": 3,
        "selector": _SELECTOR,
        "minReadySeconds": 5,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "30%", "maxUnavailable": 0}},
        "template": {"metadata": {"labels": _LABELS, "annotations": {"a/b": "c"}}, "spec": RICH_SPEC},
    },
}
RICH_POD: JsonObject = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "richpod", "labels": _LABELS},
    "spec": {**RICH_SPEC, "schedulingGates": [{"name": "example.com/wait"}]},
}
