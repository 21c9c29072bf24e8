"""exec, attach and port-forward in a cluster whose containers are simulated."""

import pytest

from plumbline.access.identity import Identity

PODS = "/api/v1/namespaces/default/pods"
READER = Identity("reader", groups=("system:authenticated",))


def pod(name="p", *, containers=("c",), **spec):
    made = [{"name": each, "image": "x"} for each in containers]
    return {"metadata": {"name": name}, "spec": {"containers": made, **spec}}


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("name", ["exec", "attach", "portforward"])
async def test_a_pod_without_a_node_has_no_host(plane, method, name):
    await plane.make(PODS, pod())
    reply = await plane.ask(method, f"{PODS}/p/{name}")
    assert (reply.status, reply.json["message"]) == (400, "pod p does not have a host assigned")
    assert reply.json["reason"] == "BadRequest"


@pytest.mark.parametrize(
    ("name", "headers"),
    [
        ("exec", {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Protocol": "v5.channel.k8s.io"}),
        ("attach", {"Connection": "Upgrade", "Upgrade": "SPDY/3.1"}),
        ("portforward", {"Connection": "Upgrade", "Upgrade": "SPDY/3.1"}),
    ],
)
async def test_containers_on_a_node_are_said_to_be_simulated(plane, name, headers):
    await plane.make("/api/v1/nodes", {"metadata": {"name": "n1"}})
    await plane.make(PODS, pod(nodeName="n1"))
    for method in ("GET", "POST"):
        reply = await plane.ask(method, f"{PODS}/p/{name}", headers=headers)
        assert reply.status == 400
        assert " is simulated by the embedded control plane: " in reply.json["message"]


async def test_a_node_that_is_not_there(plane):
    await plane.make(PODS, pod(nodeName="n1"))
    reply = await plane.ask("GET", f"{PODS}/p/exec?command=ls")
    assert (reply.status, reply.json["message"]) == (404, 'pods "n1" not found')


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("container=none", "container none is not valid for pod p"),
        ("", "a container name must be specified for pod p, choose one of: [i a b]"),
        ("container=b", "pod p does not have a host assigned"),
        ("container=i", "pod p does not have a host assigned"),
    ],
)
async def test_the_container_has_to_be_clear(plane, query, message):
    init = [{"name": "i", "image": "x"}]
    await plane.make(PODS, pod(containers=("a", "b"), initContainers=init))
    for name in ("exec", "attach"):
        reply = await plane.ask("POST", f"{PODS}/p/{name}?{query}")
        assert (reply.status, reply.json["message"]) == (400, message)
    forwarded = await plane.ask("POST", f"{PODS}/p/portforward?{query}")
    assert forwarded.json["message"] == "pod p does not have a host assigned"


async def test_a_pod_that_is_not_there(plane):
    reply = await plane.ask("GET", f"{PODS}/none/exec")
    assert (reply.status, reply.json["message"]) == (404, 'pods "none" not found')


async def test_nothing_is_only_tried(plane):
    await plane.make(PODS, pod())
    reply = await plane.ask("POST", f"{PODS}/p/exec?dryRun=All")
    assert (reply.status, reply.json["message"]) == (400, "dryRun is not supported")


async def test_ports_are_numbers(plane):
    await plane.make(PODS, pod())
    reply = await plane.ask("POST", f"{PODS}/p/portforward?ports=80&ports=x")
    assert reply.status == 400
    assert 'strconv.ParseInt: parsing "x": invalid syntax' in reply.json["message"]


async def test_who_may_only_read_may_not_connect(plane):
    await plane.make(PODS, pod())
    roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
    rules = [{"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["get"]}]
    await plane.make(f"{roles}/roles", {"metadata": {"name": "r"}, "rules": rules})
    binding = {
        "metadata": {"name": "r"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "reader"}],
    }
    await plane.make(f"{roles}/rolebindings", binding)
    reply = await plane.ask("GET", f"{PODS}/p/exec?command=ls", identity=READER)
    assert reply.status == 403
    await plane.ask(
        "PATCH",
        f"{roles}/roles/r",
        {"rules": [{**rules[0], "verbs": ["get", "create"]}]},
        type_="application/merge-patch+json",
    )
    reply = await plane.ask("GET", f"{PODS}/p/exec?command=ls", identity=READER)
    assert reply.json["message"] == "pod p does not have a host assigned"
