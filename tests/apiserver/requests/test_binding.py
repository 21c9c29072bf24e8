"""Pods are given to nodes, once and for all."""

import asyncio

import pytest

PODS = "/api/v1/namespaces/default/pods"
BINDINGS = "/api/v1/namespaces/default/bindings"


def pod(name="p", **spec):
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "x"}], **spec}}


def binding(name="p", target="n1", **metadata):
    return {"metadata": {"name": name, **metadata}, "target": {"kind": "Node", "name": target}}


async def test_a_bound_pod_is_on_its_node_and_says_so(plane):
    made = await plane.make(PODS, pod())
    reply = await plane.ask("POST", f"{PODS}/p/binding", binding(annotations={"a": "b"}, labels={"l": "m"}))
    assert (reply.status, reply.json) == (
        201,
        {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201},
    )
    found = (await plane.ask("GET", f"{PODS}/p")).json
    assert found["spec"]["nodeName"] == "n1"
    assert found["metadata"]["annotations"] == {"a": "b"}
    assert found["metadata"]["labels"] == {"l": "m"}
    assert found["metadata"]["generation"] == made["metadata"]["generation"]
    assert found["metadata"]["managedFields"] == made["metadata"]["managedFields"]
    (condition,) = found["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["lastProbeTime"]) == ("PodScheduled", "True", None)
    assert condition["lastTransitionTime"]


async def test_the_older_resource_does_the_same(plane):
    await plane.make(PODS, pod())
    assert (await plane.ask("POST", BINDINGS, binding())).status == 201
    assert (await plane.ask("GET", f"{PODS}/p")).json["spec"]["nodeName"] == "n1"


async def test_a_nomination_ends_with_the_binding(plane):
    await plane.make(PODS, pod())
    status = {"status": {"nominatedNodeName": "n9"}}
    await plane.ask("PATCH", f"{PODS}/p/status", status, type_="application/merge-patch+json")
    await plane.ask("POST", f"{PODS}/p/binding", binding())
    assert "nominatedNodeName" not in (await plane.ask("GET", f"{PODS}/p")).json["status"]


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (binding("other"), 400, "name in URL does not match name in Binding object"),
        ({}, 400, "name in URL does not match name in Binding object"),
        (binding(target=""), 500, "target.name: Required value"),
        ({"metadata": {"name": "p"}}, 500, "target.name: Required value"),
        (
            {"metadata": {"name": "p"}, "target": {"kind": "Pod", "name": "x"}},
            500,
            'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
        ),
        (binding(resourceVersion="1"), 409, "ResourceVersion in precondition: 1"),
        (binding(uid="x"), 409, "UID in precondition: x"),
        (binding(namespace="other"), 400, "does not match the namespace sent on the request"),
    ],
)
async def test_what_is_wrong_with_a_binding_is_told(plane, body, code, message):
    await plane.make(PODS, pod())
    reply = await plane.ask("POST", f"{PODS}/p/binding", body)
    assert reply.status == code
    assert message in reply.json["message"]
    assert "nodeName" not in (await plane.ask("GET", f"{PODS}/p")).json["spec"]


async def test_a_pod_that_is_not_there(plane):
    reply = await plane.ask("POST", f"{PODS}/none/binding", binding("none"))
    assert (reply.status, reply.json["message"]) == (404, 'pods "none" not found')
    reply = await plane.ask("POST", BINDINGS, {"target": {"name": "n"}})
    assert (reply.status, reply.json["message"]) == (400, "Name parameter required.")


async def test_a_pod_is_bound_once(plane):
    await plane.make(PODS, pod())
    replies = await asyncio.gather(*(plane.ask("POST", f"{PODS}/p/binding", binding(target=f"n{n}")) for n in range(5)))
    assert sorted(reply.status for reply in replies) == [201, 409, 409, 409, 409]
    refused = next(reply for reply in replies if reply.status == 409)
    assert refused.json["message"].startswith('Operation cannot be fulfilled on pods/binding "p": pod p is already')
    assert refused.json["details"] == {"name": "p", "kind": "pods/binding"}


async def test_gates_keep_a_pod_from_being_bound(plane):
    await plane.make(PODS, pod(schedulingGates=[{"name": "example.com/wait"}]))
    reply = await plane.ask("POST", f"{PODS}/p/binding", binding())
    assert "pod p has non-empty .spec.schedulingGates" in reply.json["message"]


async def test_a_pod_that_goes_is_not_bound(plane):
    await plane.make(PODS, {**pod(), "metadata": {"name": "p", "finalizers": ["example.com/f"]}})
    await plane.ask("DELETE", f"{PODS}/p")
    reply = await plane.ask("POST", f"{PODS}/p/binding", binding())
    assert "pod p is being deleted, cannot be assigned to a host" in reply.json["message"]


async def test_a_dry_run_binds_nothing(plane):
    await plane.make(PODS, pod())
    assert (await plane.ask("POST", f"{PODS}/p/binding?dryRun=All", binding())).status == 201
    assert "nodeName" not in (await plane.ask("GET", f"{PODS}/p")).json["spec"]


async def test_a_scheduled_condition_that_was_there_is_replaced(plane):
    await plane.make(PODS, pod())
    moment = "2020-01-01T00:00:00Z"
    before = [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "lastTransitionTime": moment},
        {"type": "Ready", "status": "False"},
    ]
    await plane.ask(
        "PATCH", f"{PODS}/p/status", {"status": {"conditions": before}}, type_="application/merge-patch+json"
    )
    await plane.ask("POST", f"{PODS}/p/binding", binding())
    scheduled, ready = (await plane.ask("GET", f"{PODS}/p")).json["status"]["conditions"]
    assert (scheduled["type"], scheduled["status"], ready["type"]) == ("PodScheduled", "True", "Ready")
    assert "reason" not in scheduled
    assert scheduled["lastTransitionTime"] != moment
