"""What people see of an object in a tree, without opening it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.delivery.tree import hosts_of, portrait
from plumbline.delivery.tree.networking import harmless
from plumbline.delivery.tree.requests import requested

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


def pod(spec=None, status=None, **metadata):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", **metadata},
        "spec": {"containers": [{"name": "c", "image": "i"}], **(spec or {})},
        "status": {"phase": "Running", **(status or {})},
    }


def reason(obj):
    said = {each["name"]: each.get("value", "") for each in portrait(obj)["info"]}
    return said["Status Reason"], said["Containers"], said.get("Restart Count", "0")


RUNNING = {"name": "c", "ready": True, "state": {"running": {}}}
INIT = {"initContainers": [{"name": "i", "image": "j"}]}
SIDECAR = {"initContainers": [{"name": "s", "image": "j", "restartPolicy": "Always"}]}
PODS = [
    (pod(status={"containerStatuses": [RUNNING]}), ("Running", "1/1", "0"), "all is well"),
    (pod(status={"phase": "Pending"}), ("Pending", "0/1", "0"), "nothing began"),
    (pod(status={"phase": "Failed", "reason": "Evicted"}), ("Evicted", "0/1", "0"), "the node gave it up"),
    (pod(status={"containerStatuses": [{"name": "c", "restartCount": 4, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}), ("CrashLoopBackOff", "0/1", "4"), "it fails again and again"),
    (pod(status={"containerStatuses": [{"name": "c", "state": {"terminated": {"exitCode": 2}}}]}), ("ExitCode:2", "0/1", "0"), "it ended without a reason"),
    (pod(status={"containerStatuses": [{"name": "c", "state": {"terminated": {"signal": 9}}}]}), ("Signal:9", "0/1", "0"), "it was killed"),
    (pod(status={"containerStatuses": [RUNNING, {"name": "d", "state": {"terminated": {"reason": "Completed"}}}]}), ("Running", "1/1", "0"), "one is done and another runs"),
    (pod(INIT, {"phase": "Pending", "initContainerStatuses": [{"name": "i", "state": {"running": {}}}]}), ("Init:0/1", "0/1", "0"), "it prepares itself"),
    (pod(INIT, {"initContainerStatuses": [{"name": "i", "state": {"waiting": {"reason": "ErrImagePull"}}}]}), ("Init:ErrImagePull", "0/1", "0"), "it cannot prepare itself"),
    (pod(INIT, {"initContainerStatuses": [{"name": "i", "state": {"terminated": {"exitCode": 1}}}]}), ("Init:ExitCode:1", "0/1", "0"), "preparing failed"),
    (pod(INIT, {"initContainerStatuses": [{"name": "i", "state": {"terminated": {"exitCode": 0}}}], "containerStatuses": [RUNNING]}), ("Running", "1/1", "0"), "preparing is over"),
    (pod(SIDECAR, {"initContainerStatuses": [{"name": "s", "started": True, "ready": True, "state": {"running": {}}}], "containerStatuses": [RUNNING]}), ("Running", "2/2", "0"), "a sidecar counts"),
    (pod(status={"conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}], "phase": "Pending"}), ("SchedulingGated", "0/1", "0"), "it may not be placed yet"),
    (pod(deletionTimestamp="2026-01-01T00:00:00Z"), ("Terminating", "0/1", "0"), "it is going"),
    (pod(status={"reason": "NodeLost"}, deletionTimestamp="2026-01-01T00:00:00Z"), ("Unknown", "0/1", "0"), "nobody hears of it"),
    (pod(status={"phase": "Succeeded"}, deletionTimestamp="2026-01-01T00:00:00Z"), ("Succeeded", "0/1", "0"), "it was over before"),
    (pod(INIT, {"conditions": [{"type": "Initialized", "status": "True"}], "initContainerStatuses": [{"name": "i", "state": {"running": {}}}], "containerStatuses": [RUNNING]}), ("Init:0/1", "1/1", "0"), "it says that it is prepared"),
]  # fmt: skip


@pytest.mark.parametrize(("obj", "expected", "why"), PODS, ids=[each[2] for each in PODS])
def test_a_pod_says_why_it_is_as_it_is(obj, expected, why):
    assert reason(obj) == expected, why


def asked(cpu, restart=None):
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": "1Ki"}}}
    return container | ({"restartPolicy": restart} if restart else {})


REQUESTS = [
    ({"containers": [asked("1"), asked("500m")]}, 1500, "containers together"),
    ({"containers": [asked("1")], "initContainers": [asked("3")]}, 3000, "the largest of those before"),
    (
        {"containers": [asked("1")], "initContainers": [asked("1", "Always"), asked("3")]},
        4000,
        "sidecars beside those before",
    ),
    ({"containers": [asked("1")], "initContainers": [asked("2", "Always")]}, 3000, "sidecars beside the containers"),
    ({"containers": [asked("1")], "overhead": {"cpu": "250m"}}, 1250, "what the runtime takes"),
    ({"containers": [asked("1")], "resources": {"requests": {"cpu": "7"}}}, 7000, "what the pod says itself"),
    ({"containers": [asked("nonsense")]}, 0, "what cannot be read is nothing"),
    ({"containers": [asked(True)]}, 0, "what is no number is nothing"),
]


@pytest.mark.parametrize(("spec", "cpu", "why"), REQUESTS, ids=[each[2] for each in REQUESTS])
def test_what_a_pod_asks_for_is_summed_as_the_scheduler_does(spec, cpu, why):
    assert requested({"spec": spec}).get("cpu", 0) == cpu, why


def obj(kind, group="", spec=None, status=None, annotations=None):
    version = f"{group}/v1" if group else "v1"
    metadata = {"name": "o", "namespace": "shop", "annotations": annotations or {}}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec or {}, "status": status or {}}


PATHS = [{"path": "/a/*", "backend": {"service": {"name": "web"}}}]
BALANCED = {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}, {"hostname": "lb.example.org"}, {}]}}
NETWORKING = [
    (obj("Service", spec={"selector": {"app": "web"}}), {"targetLabels": {"app": "web"}}, "a service"),
    (
        obj("Service", spec={"type": "LoadBalancer"}, status=BALANCED),
        {"ingress": [{"ip": "10.0.0.1"}, {"hostname": "lb.example.org"}]},
        "a balanced service",
    ),
    (
        obj("Ingress", "networking.k8s.io", {"rules": [{"host": "example.org", "http": {"paths": PATHS}}], "tls": [{"hosts": ["example.org"]}]}),
        {"targetRefs": [{"kind": "Service", "namespace": "shop", "name": "web"}], "externalURLs": ["https://example.org/a/"]},
        "an ingress with TLS",
    ),
    (
        obj("Ingress", "networking.k8s.io", {"rules": [{"http": {"paths": PATHS}}]}, BALANCED),
        {"targetRefs": [{"kind": "Service", "namespace": "shop", "name": "web"}], "ingress": [{"ip": "10.0.0.1"}, {"hostname": "lb.example.org"}], "externalURLs": ["http://10.0.0.1/a/"]},
        "an ingress without a host",
    ),
    (
        obj("Ingress", "networking.k8s.io", {"rules": [{"host": "example.org", "http": {"paths": PATHS}}]}, annotations={"argocd.argoproj.io/ignore-default-links": "true"}),
        {"targetRefs": [{"kind": "Service", "namespace": "shop", "name": "web"}]},
        "an ingress that wants no links",
    ),
    (
        obj("Gateway", "gateway.networking.k8s.io", {"listeners": [{"protocol": "HTTPS", "port": 8443}, {"hostname": "a.example.org", "protocol": "HTTP", "port": 80}]}, {"addresses": [{"type": "Hostname", "value": "gw.example.org"}, {"value": "10.0.0.2"}, {"type": "Odd", "value": "x"}]}),
        {"ingress": [{"hostname": "gw.example.org"}, {"ip": "10.0.0.2"}], "externalURLs": ["http://a.example.org", "https://10.0.0.2:8443", "https://gw.example.org:8443"]},
        "a gateway",
    ),
    (
        obj("HTTPRoute", "gateway.networking.k8s.io", {"parentRefs": [{"name": "gw"}], "rules": [{"backendRefs": [{"name": "web", "namespace": "other"}]}]}),
        {"targetRefs": [{"kind": "Service", "namespace": "other", "name": "web"}, {"group": "gateway.networking.k8s.io", "kind": "Gateway", "namespace": "shop", "name": "gw"}]},
        "a route",
    ),
    (
        obj("VirtualService", "networking.istio.io", {"http": [{"route": [{"destination": {"host": "web.team.svc"}}, {"destination": {"host": "api"}}]}]}),
        {"targetRefs": [{"kind": "Service", "namespace": "shop", "name": "api"}, {"kind": "Service", "namespace": "team", "name": "web"}]},
        "a virtual service",
    ),
    (
        obj("ServiceEntry", "networking.istio.io", {"workloadSelector": {"labels": {"app": "web"}}}),
        {"targetLabels": {"app": "web"}, "targetRefs": [{"kind": "Pod"}]},
        "a service entry",
    ),
    (
        obj("ConfigMap", annotations={"link.argocd.argoproj.io/a": "https://example.org", "link.argocd.argoproj.io/b": "Docs|http://docs.example.org"}),
        {"externalURLs": ["https://example.org", "Docs|http://docs.example.org"]},
        "links that annotations name",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given_", "expected", "why"), NETWORKING, ids=[each[2] for each in NETWORKING])
def test_an_object_says_where_it_leads(given_, expected, why):
    assert portrait(given_)["networkingInfo"] == expected, why


HARMFUL = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", " https://example.org",
    "\thttps://a", "//example.org", "file:///etc/passwd", "https://[", "", "java\nscript:x",
]  # fmt: skip


@pytest.mark.parametrize("url", HARMFUL)
def test_an_address_that_a_browser_would_run_is_no_link(url):
    """Row 19."""
    assert not harmless(url)
    for value in (url, f"title|{url}", f"https://example.org|{url}"):
        shown = portrait(obj("ConfigMap", annotations={"link.argocd.argoproj.io/x": value}))
        assert "networkingInfo" not in shown, value


def test_revisions_and_labels_that_people_look_for_are_told():
    replicas = obj("ReplicaSet", "apps", annotations={"deployment.kubernetes.io/revision": "7"})
    replicas["metadata"]["labels"] = {"team": "shop", "other": "x"}
    assert portrait(replicas, ("team", "absent"))["info"] == [
        {"name": "Revision", "value": "Rev:7"},
        {"name": "team", "value": "shop"},
    ]
    assert portrait({**obj("ControllerRevision", "apps"), "revision": 3})["info"] == [
        {"name": "Revision", "value": "Rev:3"}
    ]
    odd = obj("ReplicaSet", "apps", annotations={"deployment.kubernetes.io/revision": "seven"})
    assert portrait(odd) == {}
    managed = obj("Application", "argoproj.io", annotations={"argocd.argoproj.io/managed-by-url": "https://a"})
    assert portrait(managed)["info"] == [{"name": "managed-by-url", "value": "https://a"}]


@given(JSON, st.sampled_from(["Pod", "Service", "Ingress", "Gateway", "HTTPRoute", "VirtualService"]))
def test_whatever_an_object_holds_it_has_a_portrait(value, kind):
    groups = {"Ingress": "networking.k8s.io/v1", "Gateway": "gateway.networking.k8s.io/v1",
              "HTTPRoute": "gateway.networking.k8s.io/v1", "VirtualService": "networking.istio.io/v1"}  # fmt: skip
    odd = {"apiVersion": groups.get(kind, "v1"), "kind": kind, "metadata": value, "spec": value, "status": value}
    assert isinstance(portrait(odd), dict)


def test_a_host_says_how_much_of_it_is_whose():
    node = {"metadata": {"name": "n", "labels": {"zone": "a", "x": "y"}}, "status": {"capacity": {"cpu": "4", "memory": "1Ki", "pods": "10"}, "nodeInfo": {"architecture": "arm64"}}}  # fmt: skip
    pods = [
        {"metadata": {"uid": "1"}, "spec": {"containers": [asked("1")]}},
        {"metadata": {"uid": "2"}, "spec": {"containers": [asked("2")]}},
        {"metadata": {"uid": "3"}, "spec": {"containers": [asked("2")]}, "status": {"phase": "Failed"}},
    ]
    (host,) = hosts_of([node], {"n": pods}, {"1"}, ["zone", "absent"])
    assert host["labels"] == {"zone": "a"}
    assert host["systemInfo"]["architecture"] == "arm64"
    assert host["resourcesInfo"] == [
        {"resourceName": "cpu", "requestedByApp": 1000, "requestedByNeighbors": 2000, "capacity": 4000},
        {"resourceName": "memory", "requestedByApp": 1024000, "requestedByNeighbors": 1024000, "capacity": 1024000},
    ]
