"""Objects of every kind that the server prints, with the statuses that make its columns interesting.

An entry is the path of a collection, an object, a status to be written afterwards, and whether to delete it (which a
finalizer prevents from happening at once).
"""

import base64
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject

NAMESPACE = "tables"
_NOW = datetime.now(UTC)


class Entry(NamedTuple):
    path: str
    body: JsonObject
    status: JsonObject | None = None
    deleted: bool = False
    subresource: str = "status"


def ago(**duration: float) -> str:
    """A time so long ago that a second more or less does not change how it is printed, mostly."""
    return rfc3339(_NOW - timedelta(**duration))


def _path(group_version: str, plural: str, *, namespaced: bool = True) -> str:
    root = f"/apis/{group_version}" if "/" in group_version else f"/api/{group_version}"
    return f"{root}/namespaces/{NAMESPACE}/{plural}" if namespaced else f"{root}/{plural}"


def _meta(name: str, **more) -> JsonObject:
    return {"metadata": {"name": name, **more}}


def _image(name: str, **more) -> JsonObject:
    return {"name": name, "image": f"registry.example/{name}:1", **more}


def _running(**more) -> JsonObject:
    return {"state": {"running": {"startedAt": ago(hours=3)}}, "ready": True, **more}


def _waiting(reason: str | None, **more) -> JsonObject:
    return {"state": {"waiting": {"reason": reason} if reason else {}}, **more}


def _ended(code: int, reason: str = "", signal: int = 0, **more) -> JsonObject:
    ended = {"exitCode": code, "reason": reason or None, "signal": signal or None, "finishedAt": ago(minutes=30)}
    return {"state": {"terminated": ended}, **more}


def _again(count: int, **duration: float) -> JsonObject:
    last = {"terminated": {"exitCode": 1, "finishedAt": ago(**duration)}} if duration else {}
    return {"restartCount": count, "lastState": last}


def _pod(name: str, *containers: JsonObject, init=(), sidecars=(), conditions=None, deleted=False, **more) -> Entry:
    """A pod whose status has these containers; of *init*, those in *sidecars* go on running."""
    names = [f"c{index}" for index in range(max(len(containers), 1))]
    starters = [f"i{index}" for index in range(len(init))]
    spec = {
        "containers": [_image(each) for each in names],
        "initContainers": [
            _image(each, **({"restartPolicy": "Always"} if index in sidecars else {}))
            for index, each in enumerate(starters)
        ],
        "terminationGracePeriodSeconds": 0,
        **more.pop("spec", {}),
    }
    status: JsonObject = {
        "phase": "Running",
        "containerStatuses": [_status(each, told) for each, told in zip(names, containers, strict=False)],
        "initContainerStatuses": [_status(each, told) for each, told in zip(starters, init, strict=True)],
        "conditions": [
            {"type": kind, "status": value.split("/")[0], **({"reason": value.split("/")[1]} if "/" in value else {})}
            for kind, value in (conditions or {}).items()
        ],
        **more,
    }
    meta = _meta(name, finalizers=["example.com/stay"]) if deleted else _meta(name)
    return Entry(_path("v1", "pods"), {**meta, "spec": spec}, status, deleted)


def _status(name: str, told: JsonObject) -> JsonObject:
    return {"name": name, "image": "x", "imageID": "x", "ready": False, "restartCount": 0, **told}


_DONE = _ended(0, "Completed")
_READY = {"Ready": "True"}
PODS = [
    Entry(_path("v1", "pods"), {**_meta("unseen"), "spec": {"containers": [_image("a"), _image("b")]}}),
    _pod("running", _running(), conditions=_READY, podIPs=[{"ip": "10.1.2.3"}], podIP="10.1.2.3"),
    _pod("dual", _running(), podIPs=[{"ip": "fd00::3"}, {"ip": "10.1.2.3"}], podIP="fd00::3"),
    _pod("two-of-three", _running(), _running(), _waiting("ContainerCreating")),
    _pod("pending", phase="Pending"),
    _pod("evicted", phase="Failed", reason="Evicted", message="low on memory"),
    _pod("succeeded", _DONE, phase="Succeeded"),
    _pod("failed", _ended(1, "Error"), phase="Failed"),
    _pod("crashing", _waiting("CrashLoopBackOff", **_again(3, minutes=5, seconds=30))),
    _pod("crashing-long", _waiting("CrashLoopBackOff", **_again(99, days=12))),
    _pod("restarted", _running(**_again(1, hours=30))),
    _pod("restarted-unknown", _running(**_again(4))),
    _pod("restarted-both", _running(**_again(2, hours=5, minutes=20)), _running(**_again(3, days=4, hours=2))),
    _pod("pulling", _waiting("ImagePullBackOff"), phase="Pending"),
    _pod("waiting-without-reason", _waiting(None)),
    _pod("exit-code", _ended(3)),
    _pod("signal", _ended(137, signal=9)),
    _pod("exit-zero", _ended(0)),
    _pod("oom", _ended(137, "OOMKilled")),
    _pod("one-done-one-ready", _DONE, _running(), conditions=_READY),
    _pod("one-done-one-not-ready", _DONE, _running(), conditions={"Ready": "False"}),
    _pod("done-and-failed", _DONE, _ended(2, "Error")),
    _pod("failed-and-done", _ended(2, "Error"), _DONE),
    _pod("done-failed-running", _DONE, _ended(5, "Error"), _running()),
    _pod("all-done", _DONE, _DONE),
    _pod("running-not-ready", _running(ready=False)),
    _pod("init-0-of-2", init=[_running(), _waiting("PodInitializing")], phase="Pending"),
    _pod("init-1-of-2", init=[_DONE, _waiting("PodInitializing")], phase="Pending"),
    _pod("init-error", init=[_ended(1, "Error", **_again(2, minutes=4))], phase="Pending"),
    _pod("init-exit-code", init=[_ended(7)], phase="Pending"),
    _pod("init-signal", init=[_ended(137, signal=9)], phase="Pending"),
    _pod("init-crash", init=[_DONE, _waiting("CrashLoopBackOff", **_again(6, hours=2, minutes=59))], phase="Pending"),
    _pod("init-pull", _waiting("PodInitializing"), init=[_waiting("ErrImagePull")], phase="Pending"),
    _pod("init-done", _running(**_again(1, minutes=11)), init=[_ended(0, "Completed", **_again(5, minutes=2))]),
    _pod("sidecar-up", _running(), init=[_running(started=True)], sidecars=[0]),
    _pod("sidecar-unready", _running(), init=[_running(started=True, ready=False)], sidecars=[0]),
    _pod("sidecar-starting", init=[_running(started=False, ready=False), _waiting("PodInitializing")], sidecars=[0]),
    _pod(
        "sidecar-restarted",
        _running(**_again(1, days=3)),
        init=[_running(started=True, **_again(7, hours=6)), _ended(0, "Completed", **_again(9, minutes=1))],
        sidecars=[0],
    ),
    _pod("sidecar-crashing", _running(), init=[_waiting("CrashLoopBackOff", **_again(2, hours=9))], sidecars=[0]),
    _pod(
        "initialised-though-starting",
        _running(**_again(1, hours=4)),
        init=[_waiting("CrashLoopBackOff", **_again(8, minutes=3))],
        conditions={"Initialized": "True"},
    ),
    _pod("gated", phase="Pending", conditions={"PodScheduled": "False/SchedulingGated"}),
    _pod("gated-beats-reason", phase="Pending", reason="Odd", conditions={"PodScheduled": "False/SchedulingGated"}),
    _pod(
        "gates",
        _running(),
        conditions={"a/b": "True", "c/d": "False"},
        spec={"readinessGates": [{"conditionType": "a/b"}, {"conditionType": "c/d"}, {"conditionType": "e/f"}]},
    ),
    _pod("placed", _running(), spec={"nodeName": "node-a"}),
    _pod("nominated", phase="Pending", nominatedNodeName="node-b"),
    _pod("terminating", _running(), deleted=True),
    _pod("terminating-lost", _running(), deleted=True, reason="NodeLost"),
    _pod("terminating-succeeded", _DONE, phase="Succeeded", deleted=True),
    _pod("lost-but-there", _running(), reason="NodeLost"),
]

_LABELS = {"app": "web", "tier": "front"}
_TEMPLATE = {
    "metadata": {"labels": _LABELS},
    "spec": {"containers": [_image("web"), _image("log")], "nodeSelector": {"disk": "ssd", "arch": "arm64"}},
}
_ONE = {"metadata": {"labels": {"app": "one"}}, "spec": {"containers": [_image("one")]}}
_SELECTOR = {"matchLabels": _LABELS}
_EXPRESSIONS = {
    "matchLabels": {"app": "web"},
    "matchExpressions": [
        {"key": "tier", "operator": "In", "values": ["front", "back"]},
        {"key": "beta", "operator": "DoesNotExist"},
        {"key": "app", "operator": "Exists"},
        {"key": "zone", "operator": "NotIn", "values": ["c", "a"]},
    ],
}
_MATCHING = {**_TEMPLATE, "metadata": {"labels": {**_LABELS, "zone": "b"}}}


def _workloads(group_version: str, plural: str, *bodies: tuple[str, JsonObject, JsonObject | None]) -> list[Entry]:
    return [Entry(_path(group_version, plural), {**_meta(name), "spec": spec}, status) for name, spec, status in bodies]


def _job(name: str, spec: JsonObject, status: JsonObject | None = None, *, deleted: bool = False) -> Entry:
    template = {"spec": {"restartPolicy": "Never", "containers": [_image("work"), _image("aid")]}}
    meta = _meta(name, finalizers=["example.com/stay"]) if deleted else _meta(name)
    return Entry(_path("batch/v1", "jobs"), {**meta, "spec": {"template": template, **spec}}, status, deleted)


def _conditions(*kinds: str) -> list[JsonObject]:
    return [{"type": kind, "status": "True", "lastTransitionTime": ago(hours=1)} for kind in kinds]


WORKLOADS = [
    Entry(_path("v1", "podtemplates"), {**_meta("labelled"), "template": _TEMPLATE}),
    Entry(_path("v1", "podtemplates"), {**_meta("bare"), "template": {"spec": _ONE["spec"]}}),
    *_workloads(
        "v1",
        "replicationcontrollers",
        ("fresh", {"selector": {"app": "one"}, "template": _ONE}, None),
        ("ready", {"replicas": 5, "selector": _LABELS, "template": _TEMPLATE}, {"replicas": 4, "readyReplicas": 3}),
        ("empty", {"replicas": 0, "selector": _LABELS, "template": _TEMPLATE}, None),
    ),
    *_workloads(
        "apps/v1",
        "replicasets",
        ("fresh", {"selector": {"matchLabels": {"app": "one"}}, "template": _ONE}, None),
        ("ready", {"replicas": 5, "selector": _EXPRESSIONS, "template": _MATCHING}, {"replicas": 4, "readyReplicas": 3}),
    ),
    *_workloads(
        "apps/v1",
        "deployments",
        ("fresh", {"selector": {"matchLabels": {"app": "one"}}, "template": _ONE}, None),
        (
            "ready",
            {"replicas": 7, "selector": _EXPRESSIONS, "template": _MATCHING},
            {"replicas": 6, "updatedReplicas": 5, "readyReplicas": 4, "availableReplicas": 3},
        ),
        ("none", {"replicas": 0, "selector": _SELECTOR, "template": _TEMPLATE}, None),
    ),
    *_workloads(
        "apps/v1",
        "statefulsets",
        ("fresh", {"serviceName": "", "selector": {"matchLabels": {"app": "one"}}, "template": _ONE}, None),
        (
            "ready",
            {"replicas": 3, "serviceName": "x", "selector": _SELECTOR, "template": _TEMPLATE},
            {"replicas": 3, "readyReplicas": 2},
        ),
    ),
    *_workloads(
        "apps/v1",
        "daemonsets",
        ("fresh", {"selector": {"matchLabels": {"app": "one"}}, "template": _ONE}, None),
        (
            "ready",
            {"selector": _EXPRESSIONS, "template": _MATCHING},
            {
                "desiredNumberScheduled": 5,
                "currentNumberScheduled": 4,
                "numberReady": 3,
                "updatedNumberScheduled": 2,
                "numberAvailable": 1,
                "numberMisscheduled": 6,
            },
        ),
    ),
    _job("fresh", {}),
    _job("many", {"completions": 7, "parallelism": 3}, {"succeeded": 2, "startTime": ago(minutes=9, seconds=30)}),
    _job("queue", {"completions": None, "parallelism": 4}, {"succeeded": 1, "startTime": ago(hours=7, minutes=30)}),
    _job(
        "complete",
        {"completions": 1},
        {
            "succeeded": 1,
            "startTime": ago(days=2),
            "completionTime": ago(days=1, hours=20),
            "conditions": _conditions("SuccessCriteriaMet", "Complete"),
        },
    ),
    _job("failed", {}, {"startTime": ago(hours=5), "conditions": _conditions("FailureTarget", "Failed")}),
    _job("suspended", {"suspend": True}, {"conditions": _conditions("Suspended")}),
    _job("failing", {}, {"startTime": ago(hours=2), "conditions": _conditions("FailureTarget")}),
    _job("succeeding", {}, {"startTime": ago(hours=2), "conditions": _conditions("SuccessCriteriaMet")}),
    _job("terminating", {}, deleted=True),
    *_workloads(
        "batch/v1",
        "cronjobs",
        ("fresh", {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": {
            "spec": {"restartPolicy": "Never", "containers": [_image("x")]}
        }}}}, None),
        (
            "zoned",
            {
                "schedule": "0 3 * * 1",
                "timeZone": "Europe/Berlin",
                "suspend": True,
                "jobTemplate": {"spec": {"template": {
                    "spec": {"restartPolicy": "Never", "containers": [_image("x"), _image("y")]}
                }}},
            },
            {
                "active": [{"kind": "Job", "name": "a"}, {"kind": "Job", "name": "b"}],
                "lastScheduleTime": ago(days=3, hours=5),
            },
        ),
    ),
    Entry(_path("apps/v1", "controllerrevisions"), {**_meta("bare"), "revision": 3, "data": {"a": 1}}),
    Entry(
        _path("apps/v1", "controllerrevisions"),
        {
            **_meta("owned", ownerReferences=[
                {"apiVersion": "v1", "kind": "Other", "name": "o", "uid": "1"},
                {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "uid": "2", "controller": True},
            ]),
            "revision": 12,
            "data": {},
        },
    ),
    Entry(
        _path("apps/v1", "controllerrevisions"),
        {
            **_meta("owned-by-core", ownerReferences=[
                {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "2", "controller": True}
            ]),
            "revision": 1,
            "data": {},
        },
    ),
]  # fmt: skip


def _secret(name: str, kind: str, **values: str) -> Entry:
    shown = {key.replace("_", "."): base64.b64encode(value.encode()).decode() for key, value in values.items()}
    return Entry(_path("v1", "secrets"), {**_meta(name), "type": kind, "data": shown})


def _node(name: str, labels: JsonObject, status: JsonObject | None, **spec) -> Entry:
    return Entry(_path("v1", "nodes", namespaced=False), {**_meta(name, labels=labels), "spec": spec}, status)


_NODE_STATUS = {
    "conditions": [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": "True"}],
    "addresses": [
        {"type": "Hostname", "address": "a"},
        {"type": "InternalIP", "address": "10.0.0.1"},
        {"type": "InternalIP", "address": "fd00::1"},
        {"type": "ExternalIP", "address": "203.0.113.1"},
    ],
    "nodeInfo": {
        "kubeletVersion": "v1.36.3",
        "osImage": "Linux <&> 1",
        "kernelVersion": "6.1",
        "containerRuntimeVersion": "containerd://2.1",
        "architecture": "arm64",
        "bootID": "", "kubeProxyVersion": "", "machineID": "", "operatingSystem": "", "systemUUID": "",
    },
}  # fmt: skip
_BARE_NODE = {
    "conditions": [{"type": "Ready", "status": "Unknown"}],
    "nodeInfo": {**dict.fromkeys(_NODE_STATUS["nodeInfo"], ""), "architecture": "amd64"},
}


def _event(name: str, **more) -> Entry:
    body = {"involvedObject": {"kind": "Pod", "namespace": NAMESPACE, "name": "web"}, "reason": "Why", "type": "Normal"}
    return Entry(_path("v1", "events"), {**_meta(name), **body, **more})


def _new_event(name: str, **more) -> Entry:
    body = {
        "eventTime": ago(minutes=6, seconds=30).replace("Z", ".123456Z"),
        "reportingController": "example.com/c",
        "reportingInstance": "c-1",
        "action": "Doing",
        "reason": "Why",
        "type": "Warning",
        "regarding": {"kind": "Node", "name": "n", "namespace": NAMESPACE, "apiVersion": "v1"},
    }
    return Entry(_path("events.k8s.io/v1", "events"), {**_meta(name), **body, **more})


_QUOTAS = "/api/v1/namespaces/tables-other/resourcequotas"
"""Where they keep nothing from being made."""

CORE = [
    Entry(_path("v1", "configmaps"), {**_meta("none")}),
    Entry(_path("v1", "configmaps"), {**_meta("both"), "data": {"a": "1", "b": "2"}, "binaryData": {"c": "AAAA"}}),
    _secret("opaque", "Opaque", a="1", b="2", c="3"),
    _secret("tls", "kubernetes.io/tls", tls_crt="x", tls_key="y"),
    Entry(_path("v1", "secrets"), {**_meta("empty")}),
    Entry(_path("v1", "serviceaccounts"), {**_meta("robot")}),
    Entry(_path("v1", "limitranges"), {**_meta("range"), "spec": {"limits": []}}),
    Entry(_path("v1", "namespaces", namespaced=False), {**_meta("tables-other")}),
    _node("node-new", {}, None),
    _node(
        "node-full",
        {
            "node-role.kubernetes.io/worker": "",
            "node-role.kubernetes.io/control-plane": "",
            "kubernetes.io/role": "edge",
        },
        _NODE_STATUS,
    ),
    _node("node-cordoned", {"kubernetes.io/role": ""}, _BARE_NODE, unschedulable=True),
    _event("bare"),
    _event("kind-only", involvedObject={"kind": "Deployment", "namespace": NAMESPACE}),
    _event(
        "counted",
        count=7,
        firstTimestamp=ago(days=5),
        lastTimestamp=ago(minutes=15),
        message="  spaced \n",
        source={"component": "kubelet", "host": "node-a"},
        involvedObject={"kind": "Pod", "namespace": NAMESPACE, "name": "web", "fieldPath": "spec.containers{a}"},
    ),
    _event("component-only", source={"component": "scheduler"}, firstTimestamp=ago(hours=9)),
    _event("reported", reportingComponent="example.com/x", reportingInstance="x-1", eventTime=None, action="A"),
    _event("future", lastTimestamp=rfc3339(_NOW + timedelta(hours=1)), firstTimestamp=ago(hours=1)),
    _new_event("new", note="a note"),
    _new_event("series", series={"count": 9, "lastObservedTime": ago(minutes=2, seconds=40).replace("Z", ".500000Z")}),
    _new_event("long-ago", eventTime=ago(days=900).replace("Z", ".000000Z")),
    Entry(_QUOTAS, {**_meta("unmeasured"), "spec": {"hard": {"pods": "3"}}}),
    Entry(
        _QUOTAS,
        {**_meta("measured"), "spec": {"hard": {"pods": "3"}}},
        {
            "hard": {"pods": "10", "requests.cpu": "1500m", "limits.memory": "2Gi", "limits.cpu": "4", "secrets": "5"},
            "used": {"pods": "3", "requests.cpu": "0.5", "limits.memory": "1536Mi", "limits.cpu": "0"},
        },
    ),
]


def _service(name: str, *ports: JsonObject, ingress: list[JsonObject] | None = None, **spec) -> Entry:
    status = None if ingress is None else {"loadBalancer": {"ingress": ingress}}
    return Entry(_path("v1", "services"), {**_meta(name), "spec": {"ports": list(ports), **spec}}, status)


_HTTP = {"name": "http", "port": 80, "protocol": "TCP"}
_DNS = {"name": "dns", "port": 53, "protocol": "UDP"}


def _endpoints(name: str, subsets: list[JsonObject]) -> Entry:
    return Entry(_path("v1", "endpoints"), {**_meta(name), "subsets": subsets})


def _addresses(*ips: str) -> list[JsonObject]:
    return [{"ip": ip} for ip in ips]


def _slice(name: str, ports: list[JsonObject], *addresses: str, kind: str = "IPv4") -> Entry:
    endpoints = [{"addresses": [address]} for address in addresses]
    body = {**_meta(name), "addressType": kind, "ports": ports, "endpoints": endpoints}
    return Entry(_path("discovery.k8s.io/v1", "endpointslices"), body)


def _ingress(name: str, hosts: list[str], ingress: list[JsonObject] | None = None, **spec) -> Entry:
    paths = [{"path": "/", "pathType": "Prefix", "backend": {"service": {"name": "s", "port": {"number": 80}}}}]
    rules = [{"host": host, "http": {"paths": paths}} if host else {"http": {"paths": paths}} for host in hosts]
    body = {**_meta(name), "spec": {"rules": rules, **spec}}
    status = None if ingress is None else {"loadBalancer": {"ingress": ingress}}
    return Entry(_path("networking.k8s.io/v1", "ingresses"), body, status)


def _ingress_class(name: str, parameters: JsonObject | None = None, **annotations: str) -> Entry:
    notes = {f"ingressclass.kubernetes.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    spec = {"controller": "example.com/c", **({"parameters": parameters} if parameters else {})}
    path = _path("networking.k8s.io/v1", "ingressclasses", namespaced=False)
    return Entry(path, {**_meta(name, annotations=notes), "spec": spec})


def _address(name: str, /, **parent: str) -> Entry:
    path = _path("networking.k8s.io/v1", "ipaddresses", namespaced=False)
    labels = {"ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": "t"}
    return Entry(path, {**_meta(name, labels=labels), "spec": {"parentRef": parent}})


NETWORKING = [
    _service("plain", _HTTP, selector=_LABELS),
    _service("headless", clusterIP="None"),
    _service("external-ips", _HTTP, _DNS, externalIPs=["203.0.113.9", "203.0.113.8"]),
    _service("node-port", {**_HTTP, "nodePort": 30080}, _DNS, type="NodePort"),
    _service("node-port-ips", _HTTP, type="NodePort", externalIPs=["203.0.113.7"]),
    _service("pending", _HTTP, type="LoadBalancer"),
    _service("balanced", _HTTP, type="LoadBalancer", ingress=[{"ip": "203.0.113.6"}, {"hostname": "a.example"}]),
    _service(
        "balanced-ips",
        _HTTP,
        type="LoadBalancer",
        externalIPs=["203.0.113.2"],
        ingress=[{"hostname": "a-very-long-name-of-a-balancer.example"}, {"ip": "203.0.113.5"}],
    ),
    _service("elsewhere", type="ExternalName", externalName="db.example"),
    _endpoints("none", []),
    _endpoints("one", [{"addresses": _addresses("10.1.0.1"), "ports": [{"port": 80}]}]),
    _endpoints("three", [{"addresses": _addresses("10.1.0.1", "10.1.0.2", "fd00::1"), "ports": [{"port": 80}]}]),
    _endpoints(
        "many",
        [
            {
                "addresses": _addresses("10.1.0.1", "10.1.0.2"),
                "ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81}],
            },
            {"addresses": _addresses("10.2.0.1", "10.2.0.2")},
        ],
    ),
    _endpoints("portless", [{"addresses": _addresses("10.1.0.1", "10.1.0.2")}]),
    _endpoints("unready", [{"notReadyAddresses": _addresses("10.1.0.1"), "ports": [{"port": 80}]}]),
    _slice("empty", []),
    _slice("named", [{"name": "http", "port": 80}, {"name": "any"}, {"name": ""}], "10.1.0.1"),
    _slice(
        "many", [{"name": f"p{port}", "port": port} for port in range(80, 85)], *(f"10.1.0.{n}" for n in range(1, 6))
    ),
    _slice("six", [{"port": 80}], "fd00::1", "fd00::2", kind="IPv6"),
    _ingress("any", [""]),
    _ingress("two", ["a.example", "b.example"], ingressClassName="nginx"),
    _ingress(
        "many",
        ["a.example", "", "b.example", "c.example", "d.example", "e.example"],
        [{"ip": "203.0.113.9"}, {"hostname": "lb.example"}, {"ip": "203.0.113.10"}],
        tls=[{"hosts": ["a.example"], "secretName": "s"}],
    ),
    _ingress("exactly-three", ["a.example", "b.example", "c.example"], [{"ip": "203.0.113.9"}]),
    _ingress("three-then-none", ["a.example", "b.example", "c.example", ""]),
    _ingress_class("plain"),
    _ingress_class("default", is_default_class="true"),
    _ingress_class(
        "with-parameters", {"apiGroup": "k8s.example", "kind": "Settings", "name": "s"}, is_default_class="no"
    ),
    _ingress_class("core-parameters", {"kind": "Settings", "name": "s"}),
    Entry(_path("networking.k8s.io/v1", "networkpolicies"), {**_meta("all"), "spec": {"podSelector": {}}}),
    Entry(_path("networking.k8s.io/v1", "networkpolicies"), {**_meta("some"), "spec": {"podSelector": _EXPRESSIONS}}),
    Entry(
        _path("networking.k8s.io/v1", "servicecidrs", namespaced=False),
        {**_meta("extra"), "spec": {"cidrs": ["10.99.0.0/24"]}},
    ),
    _address("10.99.0.5", resource="services", name="s", namespace="ns"),
    _address("10.99.0.6", resource="gateways", group="gateway.example", name="g"),
]

_CLAIM_SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
_HOST = {"hostPath": {"path": "/x"}}
_VOLUME_SPEC = {**_HOST, "capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"]}


def _volume(name: str, status: JsonObject | None = None, notes: JsonObject | None = None, **spec) -> Entry:
    body = {**_meta(name, annotations=notes or {}), "spec": {**_VOLUME_SPEC, **spec}}
    return Entry(_path("v1", "persistentvolumes", namespaced=False), body, status)


def _claim(name: str, status: JsonObject | None = None, notes: JsonObject | None = None, **spec) -> Entry:
    body = {**_meta(name, annotations=notes or {}), "spec": {**_CLAIM_SPEC, **spec}}
    return Entry(_path("v1", "persistentvolumeclaims"), body, status)


def _cluster(group_version: str, plural: str, name: str, body: JsonObject, status: JsonObject | None = None) -> Entry:
    meta = body.pop("metadata", {})
    return Entry(_path(group_version, plural, namespaced=False), {**_meta(name, **meta), **body}, status)


STORAGE = [
    _volume("fresh"),
    _volume(
        "bound",
        {"phase": "Bound", "reason": "because"},
        accessModes=["ReadWriteMany", "ReadWriteOnce", "ReadOnlyMany"],
        claimRef={"namespace": "ns", "name": "claim", "kind": "PersistentVolumeClaim", "apiVersion": "v1"},
        storageClassName="fast",
        persistentVolumeReclaimPolicy="Delete",
        capacity={"storage": "1.5Gi"},
        volumeMode="Block",
    ),
    _volume("old-class", None, {"volume.beta.kubernetes.io/storage-class": "old"}, storageClassName="new"),
    _volume("once-pod", None, accessModes=["ReadWriteOncePod"], hostPath=None, csi={
        "driver": "d.example", "volumeHandle": "h"
    }),
    _claim("fresh"),
    _claim(
        "bound",
        {"phase": "Bound", "accessModes": ["ReadOnlyMany", "ReadWriteOnce"], "capacity": {"storage": "2048Mi"}},
        volumeName="bound",
        storageClassName="fast",
    ),
    _claim("bound-empty", None, volumeName="v", storageClassName="", volumeMode="Block"),
    _claim("old-class", None, {"volume.beta.kubernetes.io/storage-class": "old"}),
    _claim("attributed", None, volumeAttributesClassName="gold"),
    _cluster("storage.k8s.io/v1", "storageclasses", "plain", {"provisioner": "p.example"}),
    _cluster("storage.k8s.io/v1", "storageclasses", "standard", {
        "metadata": {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": "p.example", "reclaimPolicy": "Retain", "volumeBindingMode": "WaitForFirstConsumer",
        "allowVolumeExpansion": True,
    }),
    _cluster("storage.k8s.io/v1", "storageclasses", "beta", {
        "metadata": {"annotations": {"storageclass.beta.kubernetes.io/is-default-class": "true"}},
        "provisioner": "p.example",
    }),
    _cluster("storage.k8s.io/v1", "volumeattributesclasses", "gold", {
        "driverName": "d.example", "parameters": {"iops": "5"},
    }),
    _cluster("storage.k8s.io/v1", "volumeattachments", "waiting", {
        "spec": {"attacher": "d.example", "nodeName": "node-a", "source": {"persistentVolumeName": "bound"}},
    }),
    _cluster("storage.k8s.io/v1", "volumeattachments", "attached", {
        "spec": {"attacher": "d.example", "nodeName": "node-a", "source": {"persistentVolumeName": "pv"}},
    }, {"attached": True}),
    _cluster("storage.k8s.io/v1", "csinodes", "node-a", {"spec": {"drivers": []}}),
    _cluster("storage.k8s.io/v1", "csinodes", "node-b", {
        "spec": {"drivers": [{"name": f"d{n}.example", "nodeID": "n"} for n in range(2)]},
    }),
    _cluster("storage.k8s.io/v1", "csidrivers", "plain.example", {"spec": {}}),
    _cluster("storage.k8s.io/v1", "csidrivers", "full.example", {"spec": {
        "attachRequired": False, "podInfoOnMount": True, "storageCapacity": True, "requiresRepublish": True,
        "tokenRequests": [{"audience": "a"}, {"audience": "b"}],
        "volumeLifecycleModes": ["Persistent", "Ephemeral"],
    }}),
    Entry(_path("storage.k8s.io/v1", "csistoragecapacities"), {
        **_meta("room"), "storageClassName": "fast", "capacity": "5Gi",
    }),
]  # fmt: skip

_SUBJECTS = [
    {"kind": "User", "name": "ann", "apiGroup": "rbac.authorization.k8s.io"},
    {"kind": "User", "name": "bob", "apiGroup": "rbac.authorization.k8s.io"},
    {"kind": "Group", "name": "ops", "apiGroup": "rbac.authorization.k8s.io"},
    {"kind": "ServiceAccount", "name": "robot", "namespace": NAMESPACE},
    {"kind": "ServiceAccount", "name": "other", "namespace": "ns"},
]
_RBAC = "rbac.authorization.k8s.io/v1"
_ADMISSION = "admissionregistration.k8s.io/v1"
_HOOK = {
    "admissionReviewVersions": ["v1"],
    "clientConfig": {"url": "https://example.com/x"},
    "sideEffects": "None",
    "rules": [],
}
_RULES = {"matchConstraints": {"resourceRules": [
    {"apiGroups": ["example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["things"]}
]}}  # fmt: skip
_PARAMETERS = {"apiVersion": "example.com/v1", "kind": "Settings"}


def _role(name: str, kind: str = "ClusterRole") -> JsonObject:
    return {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}


def _policy_bindings(plural: str) -> list[Entry]:
    actions = {"validationActions": ["Deny"]} if plural.startswith("validating") else {}
    references = {
        "bare": {},
        "named": {"paramRef": {"name": "p", "parameterNotFoundAction": "Deny"}},
        "namespaced": {"paramRef": {"name": "p", "namespace": "ns", "parameterNotFoundAction": "Allow"}},
        "selected": {"paramRef": {"selector": _EXPRESSIONS, "parameterNotFoundAction": "Deny"}},
    }
    return [
        _cluster(_ADMISSION, plural, name, {"spec": {"policyName": "policy", **actions, **reference}})
        for name, reference in references.items()
    ]


_MUTATION = {
    "patchType": "JSONPatch",
    "jsonPatch": {"expression": '[JSONPatch{op: "add", path: "/metadata/labels/x", value: "y"}]'},
}
ACCESS = [
    Entry(_path(_RBAC, "roles"), {**_meta("role"), "rules": []}),
    _cluster(_RBAC, "clusterroles", "tables-role", {"rules": []}),
    Entry(_path(_RBAC, "rolebindings"), {**_meta("all"), "roleRef": _role("r", "Role"), "subjects": _SUBJECTS}),
    Entry(_path(_RBAC, "rolebindings"), {**_meta("nobody"), "roleRef": _role("edit")}),
    _cluster(_RBAC, "clusterrolebindings", "tables-all", {"roleRef": _role("edit"), "subjects": _SUBJECTS}),
    _cluster(_ADMISSION, "validatingwebhookconfigurations", "none", {"webhooks": []}),
    _cluster(_ADMISSION, "validatingwebhookconfigurations", "two", {
        "webhooks": [{"name": f"{name}.example.com", **_HOOK} for name in ("a", "b")],
    }),
    _cluster(_ADMISSION, "mutatingwebhookconfigurations", "one", {"webhooks": [{"name": "a.example.com", **_HOOK}]}),
    _cluster(_ADMISSION, "validatingadmissionpolicies", "two", {
        "spec": {**_RULES, "validations": [{"expression": "true"}, {"expression": "1 == 1"}]},
    }),
    _cluster(_ADMISSION, "validatingadmissionpolicies", "parameters", {
        "spec": {**_RULES, "paramKind": _PARAMETERS, "validations": [{"expression": "true"}]},
    }),
    *_policy_bindings("validatingadmissionpolicybindings"),
    _cluster(_ADMISSION, "mutatingadmissionpolicies", "one", {
        "spec": {**_RULES, "reinvocationPolicy": "Never", "paramKind": _PARAMETERS, "mutations": [_MUTATION]},
    }),
    *_policy_bindings("mutatingadmissionpolicybindings"),
]  # fmt: skip


def _request(name: str, conditions: list[JsonObject] | None = None, **spec) -> Entry:
    path = _path("certificates.k8s.io/v1", "certificatesigningrequests", namespaced=False)
    body = {**_meta(name), "spec": {"request": SIGNING_REQUEST, "usages": ["client auth"], **spec}}
    status = None if conditions is None else {"conditions": conditions}
    return Entry(path, body, status, subresource="approval")


def _verdict(kind: str) -> JsonObject:
    return {"type": kind, "status": "True", "reason": "r", "message": "m", "lastUpdateTime": ago(hours=1)}


SIGNING_REQUEST = ""
"""Filled in by the test, which can make one."""


def signing_requests(request: str) -> list[Entry]:
    entries = [
        _request("pending", signerName="example.com/s"),
        _request("approved", [_verdict("Approved")], signerName="example.com/s", expirationSeconds=86400),
        _request("denied", [_verdict("Denied")], signerName="example.com/s", expirationSeconds=600),
        _request("failed", [_verdict("Failed")], signerName="example.com/s", expirationSeconds=31_536_000),
    ]
    for entry in entries:
        entry.body["spec"]["request"] = request
    return entries


def _metric(kind: str, field: str, target: JsonObject, **more) -> JsonObject:
    return {"type": kind, field: {**more, "target": target}}


def _reached(kind: str, field: str, current: JsonObject, **more) -> JsonObject:
    return {"type": kind, field: {**more, "current": current}}


_CPU = _metric("Resource", "resource", {"type": "Utilization", "averageUtilization": 60}, name="cpu")
_MEMORY = _metric("Resource", "resource", {"type": "AverageValue", "averageValue": "512Mi"}, name="memory")
_POD_METRIC = _metric("Pods", "pods", {"type": "AverageValue", "averageValue": "1500m"}, metric={"name": "rps"})
_THING = {"apiVersion": "v1", "kind": "Service", "name": "s"}
_OBJECT = _metric("Object", "object", {"type": "Value", "value": "10k"}, metric={"name": "q"}, describedObject=_THING)
_OBJECT_AVERAGE = _metric(
    "Object", "object", {"type": "AverageValue", "averageValue": "5"}, metric={"name": "q"}, describedObject=_THING
)
_EXTERNAL = _metric("External", "external", {"type": "Value", "value": "30"}, metric={"name": "e"})
_EXTERNAL_AVERAGE = _metric("External", "external", {"type": "AverageValue", "averageValue": "3"}, metric={"name": "e"})
_CONTAINER = _metric(
    "ContainerResource",
    "containerResource",
    {"type": "Utilization", "averageUtilization": 70},
    name="cpu",
    container="c",
)
_CONTAINER_VALUE = _metric(
    "ContainerResource",
    "containerResource",
    {"type": "AverageValue", "averageValue": "1Gi"},
    name="memory",
    container="c",
)


def _autoscaler(name: str, metrics: list[JsonObject], current: list[JsonObject] | None = None, **spec) -> Entry:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    body = {**_meta(name), "spec": {"scaleTargetRef": target, "maxReplicas": 9, "metrics": metrics, **spec}}
    status = None if current is None else {"currentReplicas": 4, "desiredReplicas": 5, "currentMetrics": current}
    return Entry(_path("autoscaling/v2", "horizontalpodautoscalers"), body, status)


AUTOSCALING = [
    _autoscaler("default", []),
    _autoscaler("cpu", [_CPU], [_reached("Resource", "resource", {"averageUtilization": 42, "averageValue": "100m"}, name="cpu")]),
    _autoscaler("cpu-unknown", [_CPU], [], minReplicas=2),
    _autoscaler("memory", [_MEMORY], [_reached("Resource", "resource", {"averageValue": "256Mi"}, name="memory")]),
    _autoscaler("memory-unknown", [_MEMORY]),
    _autoscaler("pods", [_POD_METRIC], [_reached("Pods", "pods", {"averageValue": "750m"}, metric={"name": "rps"})]),
    _autoscaler("pods-unknown", [_POD_METRIC]),
    _autoscaler("object", [_OBJECT], [
        _reached("Object", "object", {"value": "7k"}, metric={"name": "q"}, describedObject=_THING)
    ]),
    _autoscaler("object-average", [_OBJECT_AVERAGE], [
        _reached("Object", "object", {"averageValue": "4", "value": "8"}, metric={"name": "q"}, describedObject=_THING)
    ]),
    _autoscaler("object-unknown", [_OBJECT]),
    _autoscaler("external", [_EXTERNAL], [_reached("External", "external", {"value": "20"}, metric={"name": "e"})]),
    _autoscaler("external-average", [_EXTERNAL_AVERAGE], [
        _reached("External", "external", {"averageValue": "2500m"}, metric={"name": "e"})
    ]),
    _autoscaler("external-average-unknown", [_EXTERNAL_AVERAGE], [
        _reached("External", "external", {"value": "2"}, metric={"name": "e"})
    ]),
    _autoscaler("container", [_CONTAINER], [
        _reached("ContainerResource", "containerResource", {"averageUtilization": 9, "averageValue": "1"}, name="cpu", container="c")
    ]),
    _autoscaler("container-value", [_CONTAINER_VALUE], [
        _reached("ContainerResource", "containerResource", {"averageValue": "1Mi"}, name="memory", container="c")
    ]),
    _autoscaler("three", [_MEMORY, _POD_METRIC, _CPU], [
        _reached("Resource", "resource", {"averageValue": "256Mi"}, name="memory"),
        _reached("Pods", "pods", {"averageValue": "750m"}, metric={"name": "rps"}),
        _reached("Resource", "resource", {"averageUtilization": 42, "averageValue": "100m"}, name="cpu"),
    ], minReplicas=3),
]  # fmt: skip


def _budget(name: str, status: JsonObject | None = None, **spec) -> Entry:
    return Entry(
        _path("policy/v1", "poddisruptionbudgets"), {**_meta(name), "spec": {"selector": _SELECTOR, **spec}}, status
    )


_HEALTHY = {"currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 3, "observedGeneration": 1}
_FLOW = "flowcontrol.apiserver.k8s.io/v1"
_DRA = "resource.k8s.io/v1"
_DEVICES = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu.example"}}]}}
_ALLOCATION = {"devices": {"results": [{"request": "r", "driver": "d.example", "pool": "p", "device": "d0"}]}}
SCHEDULING = [
    _budget("number", minAvailable=2),
    _budget("share", {**_HEALTHY, "disruptionsAllowed": 1}, maxUnavailable="25%"),
    _budget("neither"),
    _cluster("scheduling.k8s.io/v1", "priorityclasses", "low", {"value": -5}),
    _cluster("scheduling.k8s.io/v1", "priorityclasses", "high", {
        "value": 1_000_000, "globalDefault": True, "preemptionPolicy": "Never",
    }),
    _cluster("node.k8s.io/v1", "runtimeclasses", "gvisor", {"handler": "runsc"}),
    Entry(_path("coordination.k8s.io/v1", "leases"), {**_meta("free"), "spec": {}}),
    Entry(_path("coordination.k8s.io/v1", "leases"), {**_meta("held"), "spec": {"holderIdentity": "me_1"}}),
    _cluster(_FLOW, "flowschemas", "tables-plain", {
        "spec": {"priorityLevelConfiguration": {"name": "global-default"}, "matchingPrecedence": 77},
    }),
    _cluster(_FLOW, "flowschemas", "tables-dangling", {"spec": {
        "priorityLevelConfiguration": {"name": "gone"}, "matchingPrecedence": 77,
        "distinguisherMethod": {"type": "ByNamespace"},
    }}, {"conditions": [{"type": "Dangling", "status": "True", "lastTransitionTime": ago(hours=1)}]}),
    _cluster(_FLOW, "prioritylevelconfigurations", "tables-reject", {
        "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 3, "limitResponse": {"type": "Reject"}}},
    }),
    _cluster(_FLOW, "prioritylevelconfigurations", "tables-queue", {"spec": {"type": "Limited", "limited": {
        "limitResponse": {"type": "Queue", "queuing": {"queues": 16, "handSize": 4, "queueLengthLimit": 8}},
    }}}),
    _cluster(_DRA, "deviceclasses", "gpu.example", {"spec": {}}),
    Entry(_path(_DRA, "resourceclaims"), {**_meta("pending"), "spec": _DEVICES}),
    Entry(_path(_DRA, "resourceclaims"), {**_meta("allocated"), "spec": _DEVICES}, {"allocation": _ALLOCATION}),
    Entry(_path(_DRA, "resourceclaims"), {**_meta("reserved"), "spec": _DEVICES}, {
        "allocation": _ALLOCATION, "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}],
    }),
    Entry(_path(_DRA, "resourceclaims"), {**_meta("deleted", finalizers=["example.com/stay"]), "spec": _DEVICES}, None, deleted=True),
    Entry(_path(_DRA, "resourceclaimtemplates"), {**_meta("template"), "spec": {"spec": _DEVICES}}),
    _cluster(_DRA, "resourceslices", "on-node", {"spec": {
        "driver": "d.example", "nodeName": "node-a", "pool": {"name": "pool", "generation": 1, "resourceSliceCount": 1},
    }}),
    _cluster(_DRA, "resourceslices", "on-all", {"spec": {
        "driver": "d.example", "allNodes": True, "pool": {"name": "all", "generation": 1, "resourceSliceCount": 1},
    }}),
    _cluster("apiregistration.k8s.io/v1", "apiservices", "v1.tables.example.com", {"spec": {
        "group": "tables.example.com", "version": "v1", "groupPriorityMinimum": 10, "versionPriority": 10,
        "insecureSkipTLSVerify": True, "service": {"namespace": NAMESPACE, "name": "api"},
    }}),
]  # fmt: skip

CORPUS = [*CORE, *PODS, *WORKLOADS, *NETWORKING, *STORAGE, *ACCESS, *AUTOSCALING, *SCHEDULING]
