"""Endpoints, EndpointSlices, and addresses that a cloud would give."""

import asyncio

import pytest
from tests.apiserver.nodes.objects import container, pod, service
from tests.apiserver.nodes.stage import POD, on_stage, staged, virtually

from plumbline.apiserver.nodes import Capacity, NodeSettings
from plumbline.apiserver.nodes.services.backends import Backend, Port
from plumbline.apiserver.nodes.services.endpoints import subsets_of
from plumbline.apiserver.nodes.services.slices import plan_slices
from plumbline.kube.names import GroupKind

SLICE = GroupKind("discovery.k8s.io", "EndpointSlice")
INGRESS = GroupKind("networking.k8s.io", "Ingress")
APP = {"app": "a"}


def slices(stage, name="s"):
    found = stage.cluster.objects(SLICE)
    return [each for each in found if each["metadata"]["labels"]["kubernetes.io/service-name"] == name]


def web(name, **more):
    return pod(name, labels=APP, containers=[container(ports=[{"name": "http", "containerPort": 8080}])], **more)


@on_stage()
async def test_pods_behind_a_service_are_its_endpoints(stage):
    named = [{"name": "h", "port": 80, "targetPort": "http", "appProtocol": "ap"}]
    await stage.apply(service(ports=named), web("p1"), web("p2"), pod("other"))
    await stage.settle()
    endpoints = stage.get("Endpoints", "s")
    (subset,) = endpoints["subsets"]
    assert [each["targetRef"]["name"] for each in subset["addresses"]] == ["p1", "p2"]
    assert subset["ports"] == [{"name": "h", "port": 8080, "protocol": "TCP", "appProtocol": "ap"}]
    assert endpoints["metadata"]["labels"] == {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}
    (slice_,) = slices(stage)
    metadata = slice_["metadata"]
    assert metadata["generateName"] == "s-"
    assert metadata["labels"] == {
        "kubernetes.io/service-name": "s",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    }
    assert metadata["ownerReferences"][0]["kind"] == "Service"
    first = slice_["endpoints"][0]
    assert first["conditions"] == {"ready": True, "serving": True, "terminating": False}
    assert first["nodeName"] == "plumbline"
    assert slice_["ports"] == [{"name": "h", "port": 8080, "protocol": "TCP", "appProtocol": "ap"}]


@on_stage()
async def test_who_is_not_ready_or_about_to_go_gets_no_traffic(stage):
    await stage.apply(service())
    await stage.apply(web("p1"), web("p2", annotations={"behavior": "never-ready"}))
    await stage.apply(web("p3", annotations={"stop-after": "20s"}))
    await stage.settle()
    await stage.delete(POD, "p3")
    (subset,) = stage.get("Endpoints", "s")["subsets"]
    assert [each["targetRef"]["name"] for each in subset["addresses"]] == ["p1"]
    assert [each["targetRef"]["name"] for each in subset["notReadyAddresses"]] == ["p2"]
    (slice_,) = slices(stage)
    conditions = {each["targetRef"]["name"]: each["conditions"] for each in slice_["endpoints"]}
    assert conditions["p2"] == {"ready": False, "serving": False, "terminating": False}
    assert conditions["p3"] == {"ready": False, "serving": True, "terminating": True}
    await asyncio.sleep(21)
    assert {each["targetRef"]["name"] for each in slices(stage)[0]["endpoints"]} == {"p1", "p2"}


@on_stage()
async def test_a_service_may_want_those_that_are_not_ready_too(stage):
    await stage.apply(service(publishNotReadyAddresses=True), web("p1", annotations={"behavior": "never-ready"}))
    await stage.settle()
    (subset,) = stage.get("Endpoints", "s")["subsets"]
    assert subset.keys() == {"addresses", "ports"}
    assert slices(stage)[0]["endpoints"][0]["conditions"] == {"ready": True, "serving": False, "terminating": False}


@on_stage()
async def test_headless_services_are_marked_and_name_their_hosts(stage):
    await stage.apply(service("head", clusterIP="None", ports=[]), web("p1", hostname="h1", subdomain="head"))
    await stage.settle()
    (subset,) = stage.get("Endpoints", "head")["subsets"]
    assert subset["addresses"][0]["hostname"] == "h1"
    assert "ports" not in subset
    assert stage.get("Endpoints", "head")["metadata"]["labels"]["service.kubernetes.io/headless"] == ""
    (slice_,) = slices(stage, "head")
    assert slice_["endpoints"][0]["hostname"] == "h1"
    assert slice_["ports"] is None


QUIET = [
    ({"type": "ExternalName", "externalName": "x.y", "selector": None, "ports": None}, "a name elsewhere"),
    ({"selector": None}, "somebody else looks after its endpoints"),
]


@pytest.mark.parametrize(("spec", "why"), QUIET)
def test_some_services_have_no_endpoints_of_ours(spec, why):
    @virtually
    async def story():
        async with staged() as stage:
            given = service(**spec)
            given["spec"] = {field: value for field, value in given["spec"].items() if value is not None}
            await stage.apply(given, web("p1"))
            await stage.settle()
            assert stage.find("Endpoints", "s") is None, why
            assert slices(stage) == []

    story()


@on_stage()
async def test_a_service_without_pods_has_an_empty_slice(stage):
    await stage.apply(service())
    await stage.settle()
    (empty,) = slices(stage)
    assert (empty["endpoints"], empty["ports"]) == (None, None)
    await stage.apply(web("p1"))
    await stage.settle()
    (filled,) = slices(stage)
    assert len(filled["endpoints"]) == 1
    await stage.delete(POD, "p1")
    await asyncio.sleep(2)
    (again,) = slices(stage)
    assert again["metadata"]["name"] == filled["metadata"]["name"]
    assert again["endpoints"] is None


@on_stage()
async def test_endpoints_go_with_their_service(stage):
    await stage.apply(service(), web("p1"))
    await stage.settle()
    await stage.delete("Service", "s")
    await asyncio.sleep(2)
    assert stage.find("Endpoints", "s") is None
    assert slices(stage) == []


@on_stage()
async def test_what_somebody_breaks_is_mended(stage):
    await stage.apply(service(), web("p1"))
    await stage.settle()
    await stage.cluster.delete(slices(stage)[0])
    await stage.cluster.edit(stage.get("Endpoints", "s"), lambda live: {**live, "subsets": []})
    await stage.settle()
    assert len(slices(stage)[0]["endpoints"]) == 1
    assert stage.get("Endpoints", "s")["subsets"]


@on_stage(settings=NodeSettings(capacity=Capacity(pods=400)))
async def test_many_pods_are_written_together(stage):
    await stage.apply(service())
    await stage.settle()
    stage.observe_writes()
    await stage.apply(*(web(f"p{number}") for number in range(150)))
    await asyncio.sleep(5)
    assert sorted(len(each["endpoints"]) for each in slices(stage)) == [50, 100]
    assert stage.count("MODIFIED endpoints ") <= 4, "not once for every pod"


def backend(number: int, **more):
    made = Backend(
        f"p{number}",
        "default",
        f"u{number}",
        [f"10.0.0.{number}"],
        "n",
        "",
        "",
        True,
        False,
        (Port("", 80, "TCP"),),
        "",
    )
    return made._replace(**more)


OWNER = {"metadata": {"name": "s", "namespace": "default", "uid": "u"}, "spec": {"clusterIP": "1.2.3.4"}}


def test_endpoints_stay_where_they_are():
    everybody = [backend(number) for number in range(1, 151)]
    plan = plan_slices(OWNER, everybody, [])
    assert [len(each["endpoints"]) for each in plan.create] == [100, 50]
    plan_again = plan_slices(OWNER, everybody, plan.create)
    assert not any(plan_again), "nothing changed"
    fewer = [each for each in everybody if each.name != "p3"]
    plan_fewer = plan_slices(OWNER, fewer, plan.create)
    assert len(plan_fewer.update) == 1, "the other slice is left alone"
    assert not plan_fewer.create
    assert not plan_fewer.delete


def test_each_set_of_ports_has_slices_of_its_own():
    other = backend(2, ports=(Port("", 81, "TCP"),))
    plan = plan_slices(OWNER, [backend(1), other], [])
    assert sorted(each["ports"][0]["port"] for each in plan.create) == [80, 81]
    left = plan_slices(OWNER, [backend(1)], plan.create)
    assert len(left.delete) == 1


def test_families_have_slices_of_their_own():
    dual = {**OWNER, "spec": {**OWNER["spec"], "ipFamilies": ["IPv4", "IPv6"]}}
    both = backend(1, addresses=["10.0.0.1", "fd00::1", "nonsense"])
    plan = plan_slices(dual, [both], [])
    assert {each["addressType"]: each["endpoints"][0]["addresses"] for each in plan.create} == {
        "IPv4": ["10.0.0.1"],
        "IPv6": ["fd00::1"],
    }
    assert len(plan_slices(OWNER, [both], plan.create).delete) == 1


def test_ports_with_the_same_addresses_share_a_subset():
    ports = (Port("a", 80, "TCP"), Port("b", 81, "TCP"))
    (subset,) = subsets_of(OWNER, [backend(1, ports=ports), backend(2, ports=ports)])
    assert [each["name"] for each in subset["ports"]] == ["a", "b"]


@on_stage()
async def test_load_balancers_get_addresses_that_lead_nowhere(stage):
    await stage.apply(service("a", type="LoadBalancer"), service("b", type="LoadBalancer"))
    await stage.apply(service("mine", type="LoadBalancer", loadBalancerIP="198.51.100.77"))
    await stage.apply(service("theirs", type="LoadBalancer", loadBalancerClass="x.y/z"))
    await stage.settle()

    def address(name):
        return (stage.get("Service", name)["status"].get("loadBalancer") or {}).get("ingress")

    assert address("a") == [{"ip": "198.51.100.2", "ipMode": "VIP"}]
    assert address("b") == [{"ip": "198.51.100.3", "ipMode": "VIP"}]
    assert address("mine") == [{"ip": "198.51.100.77", "ipMode": "VIP"}]
    assert address("theirs") is None
    assert stage.events("a") == [("EnsuredLoadBalancer", "Ensured load balancer")]
    await stage.restart()
    await stage.apply(service("c", type="LoadBalancer"))
    await stage.settle()
    assert address("c") == [{"ip": "198.51.100.4", "ipMode": "VIP"}], "those that are taken are known again"


@on_stage()
async def test_a_service_that_needs_no_address_any_more_gives_it_back(stage):
    await stage.apply(service(type="LoadBalancer"))
    await stage.settle()
    await stage.cluster.edit(
        stage.get("Service", "s"), lambda live: {**live, "spec": {**live["spec"], "type": "ClusterIP"}}
    )
    await stage.settle()
    assert not stage.get("Service", "s")["status"]["loadBalancer"]


@on_stage()
async def test_addresses_for_load_balancers_can_run_out(stage):
    await stage.apply(*(service(f"s{number}", type="LoadBalancer") for number in range(255)))
    await stage.settle()
    without = [
        each["metadata"]["name"]
        for each in stage.cluster.objects(GroupKind("", "Service"), "default")
        if each["spec"]["type"] == "LoadBalancer" and not each["status"]["loadBalancer"]
    ]
    assert without
    assert stage.events(without[0])[0][0] == "SyncLoadBalancerFailed"


@on_stage()
async def test_ingresses_share_an_address(stage):
    backend_ = {"service": {"name": "s", "port": {"number": 80}}}
    ingress = {"metadata": {"name": "i", "namespace": "default"}, "spec": {"defaultBackend": backend_}}
    await stage.apply({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", **ingress})
    await stage.settle()
    assert stage.get(INGRESS, "i")["status"]["loadBalancer"]["ingress"] == [{"ip": "203.0.113.1"}]
