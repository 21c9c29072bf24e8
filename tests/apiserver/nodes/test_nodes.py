"""Nodes that are only simulated, and say so."""

import asyncio

from tests.apiserver.nodes.objects import pod
from tests.apiserver.nodes.stage import EVENT, NODE, on_stage

from plumbline.apiserver.nodes import NodeSettings
from plumbline.apiserver.nodes.machines.status import node_status, settled_taints
from plumbline.kube.names import GroupKind

LEASE = GroupKind("coordination.k8s.io", "Lease")


@on_stage()
async def test_there_is_one_node_that_says_what_it_is(stage):
    node = stage.get(NODE, "plumbline", "")
    assert node["metadata"]["annotations"]["plumbline.dev/simulated"] == "true"
    assert node["metadata"]["labels"]["kubernetes.io/hostname"] == "plumbline"
    assert node["status"]["nodeInfo"]["kubeletVersion"].endswith("+simulated")
    assert node["status"]["allocatable"]["pods"] == "110"
    assert node["spec"]["podCIDR"] == "10.244.0.0/24"
    assert node["spec"].get("taints") is None
    conditions = {each["type"]: each["status"] for each in node["status"]["conditions"]}
    assert conditions == {"MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False", "Ready": "True"}
    reasons = {each["reason"] for each in stage.cluster.objects(EVENT) if each["involvedObject"]["kind"] == "Node"}
    assert reasons == {"Starting", "NodeReady"}


@on_stage(settings=NodeSettings(name="mine", labels={"topology.kubernetes.io/zone": "z"}, lease_s=100))
async def test_the_node_is_as_the_settings_say(stage):
    assert stage.get(NODE, "mine", "")["metadata"]["labels"]["topology.kubernetes.io/zone"] == "z"
    lease = stage.get(LEASE, "mine", "kube-node-lease")
    assert lease["spec"]["holderIdentity"] == "mine"
    await asyncio.sleep(51)
    renewed = stage.get(LEASE, "mine", "kube-node-lease")["spec"]["renewTime"]
    assert renewed > lease["spec"]["renewTime"]


@on_stage()
async def test_cordoning_taints_and_uncordoning_heals(stage):
    def cordoned(value):
        return lambda live: {**live, "spec": {**live["spec"], "unschedulable": value}}

    await stage.cluster.edit(stage.get(NODE, "plumbline", ""), cordoned(True))
    await stage.settle()
    (taint,) = stage.get(NODE, "plumbline", "")["spec"]["taints"]
    assert (taint["key"], taint["effect"]) == ("node.kubernetes.io/unschedulable", "NoSchedule")
    await stage.apply(pod("web"))
    await stage.settle()
    assert "1 node(s) were unschedulable." in stage.condition("web", "PodScheduled")["message"]
    await stage.cluster.edit(stage.get(NODE, "plumbline", ""), cordoned(False))
    await stage.settle()
    assert stage.get(NODE, "plumbline", "")["spec"].get("taints") is None
    assert stage.status("web")["phase"] == "Running"


@on_stage()
async def test_a_node_of_somebody_else_is_left_alone(stage):
    await stage.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "real"}})
    await stage.settle()
    assert "conditions" not in (stage.get(NODE, "real", "").get("status") or {})
    await stage.cluster.delete(stage.get(NODE, "plumbline", ""))
    await stage.settle()
    assert stage.find(NODE, "plumbline", "") is None, "nobody brings it back"


def test_taints_of_others_stay():
    own = {"key": "a", "effect": "NoSchedule"}
    node = {"spec": {"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}, own]}}
    assert settled_taints(node) == [own]


def test_a_ready_node_has_nothing_to_write():
    first = node_status({"metadata": {"name": "n", "uid": "u"}}, NodeSettings(), "2026-01-01T00:00:00Z")
    node = {"metadata": {"name": "n", "uid": "u"}, "status": first}
    assert node_status(node, NodeSettings(), "2026-01-02T00:00:00Z") == first
    larger = {**first, "capacity": {**first["capacity"], "cpu": "64"}, "conditions": []}
    changed = node_status({**node, "status": larger}, NodeSettings(), "2026-01-02T00:00:00Z")
    assert changed["capacity"]["cpu"] == "64", "what somebody gave it, it keeps"
    assert {each["lastTransitionTime"] for each in changed["conditions"]} == {"2026-01-02T00:00:00Z"}


@on_stage()
async def test_pods_of_a_node_that_is_gone_are_taken_away(stage):
    await stage.apply(pod("web"), pod("stray", nodeName="nowhere"))
    await stage.settle()
    last = {}
    stage.store.listen(lambda change: last.update({change.entry.key.name: change.entry.object()}))
    await stage.cluster.delete(stage.get(NODE, "plumbline", ""))
    await asyncio.sleep(39)
    assert stage.find("Pod", "web") is not None
    await asyncio.sleep(2)
    assert stage.find("Pod", "web") is None
    assert stage.find("Pod", "stray") is None
    condition = next(each for each in last["web"]["status"]["conditions"] if each["type"] == "DisruptionTarget")
    assert (condition["reason"], condition["message"]) == ("DeletionByPodGC", "PodGC: node no longer exists")
    assert last["web"]["status"]["phase"] == "Failed"


@on_stage()
async def test_a_node_that_comes_back_in_time_keeps_its_pods(stage):
    await stage.apply(pod("web"))
    await stage.settle()
    await stage.cluster.delete(stage.get(NODE, "plumbline", ""))
    await asyncio.sleep(20)
    await stage.apply(stage.nodes.bootstrap_objects[0])
    await asyncio.sleep(60)
    assert stage.status("web")["phase"] == "Running"
