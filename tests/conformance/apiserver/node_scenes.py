"""What goes on around pods, as objects: the same on a real cluster and on ours. Pods are given their statuses by hand."""

from plumbline.base.json import JsonObject

NODE: JsonObject = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "ghost", "labels": {"topology.kubernetes.io/zone": "z1"}},
    "spec": {"unschedulable": True},
}


def _pod(name: str, ip: str, *, ready: bool, port: int = 8080, labels: JsonObject | None = None, **spec) -> JsonObject:
    containers = [{"name": "c", "image": "i", "ports": [{"name": "http", "containerPort": port}]}]
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {"app": "a"}, "finalizers": ["x.y/z"]},
        "spec": {"nodeName": "ghost", "containers": containers, **spec},
        "status": {"phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}], "conditions": conditions},
    }


def _service(name: str, labels: JsonObject | None = None, **spec) -> JsonObject:
    spec.setdefault("selector", {"app": "a"})
    spec.setdefault("ports", [{"port": 80}])
    spec = {field: value for field, value in spec.items() if value is not None}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "labels": labels or {}}, "spec": spec}


PODS = [
    _pod("p1", "10.9.0.1", ready=True),
    _pod("p2", "10.9.0.2", ready=True, port=9090),
    _pod("p3", "10.9.0.3", ready=False),
    _pod("p4", "10.9.0.4", ready=True),
    _pod("p5", "10.9.0.5", ready=True, hostname="h5", subdomain="head"),
]
GOING = "p4"

SERVICES = [
    _service(
        "plain",
        {"l": "v", "service.kubernetes.io/headless": "x"},
        ports=[
            {"name": "h", "port": 80, "targetPort": "http"},
            {"name": "n", "port": 81, "targetPort": 8081, "protocol": "UDP", "appProtocol": "ap"},
        ],
    ),
    _service("head", clusterIP="None"),
    _service("portless", clusterIP="None", ports=None),
    _service("eager", publishNotReadyAddresses=True),
    _service("empty", selector={"app": "zz"}),
    _service("unselective", selector=None),
    _service("misnamed", ports=[{"port": 80, "targetPort": "nope"}]),
    _service("elsewhere", type="ExternalName", externalName="x.y", selector=None, ports=None),
]


def _budget(name: str, labels: JsonObject, **spec) -> JsonObject:
    made = {"selector": {"matchLabels": labels}, **spec}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": made}


BUDGETS = [
    _budget("one", {"app": "a"}, minAvailable=1),
    _budget("most", {"app": "a"}, minAvailable=3),
    _budget("share", {"app": "a"}, minAvailable="50%"),
    _budget("nobody", {"app": "zz"}, maxUnavailable=1),
    _budget("waiting", {"app": "web"}, maxUnavailable="30%"),
]


def _deployment(name: str, replicas: int) -> JsonObject:
    labels = {"app": name}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "10m"}}}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


DEPLOYMENTS = [_deployment("web", 3), _deployment("zero", 0)]


def _autoscaler(name: str, target: str, *metrics: JsonObject) -> JsonObject:
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": target}
    spec = {"minReplicas": 1, "maxReplicas": 5, "scaleTargetRef": reference, "metrics": list(metrics)}
    metadata = {"name": name}
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": spec}


_CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}
_MEMORY = {
    "type": "Resource",
    "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Mi"}},
}
_RATE = {"type": "AverageValue", "averageValue": "10"}
AUTOSCALERS = [
    _autoscaler("h-cpu", "web", _CPU),
    _autoscaler("h-missing", "nope", _CPU),
    _autoscaler("h-zero", "zero", _CPU),
]
ODD_AUTOSCALERS = [
    _autoscaler("o-two", "web", _MEMORY, {"type": "Pods", "pods": {"metric": {"name": "rps"}, "target": _RATE}}),
    _autoscaler("o-external", "web", {"type": "External", "external": {"metric": {"name": "q"}, "target": _RATE}}),
    _autoscaler(
        "o-object",
        "web",
        {
            "type": "Object",
            "object": {
                "metric": {"name": "rps"},
                "target": _RATE,
                "describedObject": {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "name": "i"},
            },
        },
    ),
    _autoscaler(
        "o-container",
        "web",
        {
            "type": "ContainerResource",
            "containerResource": {
                "name": "cpu",
                "container": "c",
                "target": {"type": "Utilization", "averageUtilization": 50},
            },
        },
    ),
]
"""Each in a namespace of its own: a workload has one autoscaler."""


def volume(name: str, size: str, class_: str, policy: str = "Retain", **spec) -> JsonObject:
    made = {
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "persistentVolumeReclaimPolicy": policy,
        "storageClassName": class_,
        "csi": {"driver": "d", "volumeHandle": name},
    }
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": {**made, **spec}}


def _claim(name: str, class_: str, **spec) -> JsonObject:
    made = {"accessModes": ["ReadWriteOnce"], "storageClassName": class_, "resources": {"requests": {"storage": "2Gi"}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": {**made, **spec}}


def _class(name: str, **more) -> JsonObject:
    made = {"metadata": {"name": name}, "provisioner": "x.y/z", **more}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", **made}


CLASSES = [_class("n-lazy", volumeBindingMode="WaitForFirstConsumer")]


def volumes(namespace: str) -> list[JsonObject]:
    return [
        volume("n-small", "1Gi", "n-manual"),
        volume("n-large", "10Gi", "n-manual"),
        volume("n-reserved", "20Gi", "n-manual", claimRef={"namespace": namespace, "name": "reserved"}),
        volume("n-named", "5Gi", "n-other"),
        volume("n-released", "7Gi", "n-released"),
    ]


CLAIMS = [
    _claim("reserved", "n-manual"),
    _claim("named", "n-other", volumeName="n-named"),
    _claim("none", ""),
    _claim("unknown", "n-unknown"),
    _claim("lazy", "n-lazy"),
    _claim("released", "n-released"),
]
LATER = [_claim("large", "n-manual")]
RELEASED = "released"
