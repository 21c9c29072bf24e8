"""Services, pods and nodes through the API: what is passed on, what is kept, and what is refused.

What is expected here is what the real server did with the same requests.
"""

import asyncio
import socket

import pytest
from tests.apiserver.webhooks.hookserver import Asked, Said, hook_server

from plumbline.access.identity import Identity
from plumbline.apiserver.calls import Call
from plumbline.apiserver.objects.scope import Scope
from plumbline.apiserver.plane import ADMIN
from plumbline.apiserver.requests.routes import route
from plumbline.apiserver.requests.subresources.forwarding import Forwarding, _rewritten
from plumbline.apiserver.requests.subresources.proxy import below_proxy, cleaned
from plumbline.apiserver.webhooks import Place

SERVICES = "/api/v1/namespaces/default/services"
PODS = "/api/v1/namespaces/default/pods"
WEB = f"{SERVICES}/web:80/proxy"


def hop(_: Asked) -> Said:
    headers = {
        "Connection": "X-Hop",
        "X-Hop": "1",
        "Keep-Alive": "timeout=5",
        "X-Keep": "2",
        "Access-Control-Allow-Origin": "*",
        "Cache-Control": "max-age=5",
    }
    return Said(b"hop", 200, headers)


BEHAVIOURS = {
    "echo": lambda asked: Said(asked.body or b"nothing", 200, {"Content-Type": "text/x", "X-Method": asked.method}),
    "": lambda _: Said(b"root"),
    "hop": hop,
    "teapot": lambda _: Said(b"short and stout", 418, {"Content-Type": "text/plain"}),
    "moved": lambda _: Said(b"", 302, {"Location": "/elsewhere?x=1"}),
    "large": lambda _: Said(b"x" * (5 << 20)),
}


@pytest.fixture(scope="module")
def shared():
    with hook_server(BEHAVIOURS) as server:
        yield server


@pytest.fixture
async def backend(plane, shared):
    shared.asked.clear()
    plane.addresses.announce(Place("services", "default", "web", 80), shared.url)
    return shared


def header(reply, name):
    return reply.headers.get(name, ())


async def test_a_request_is_passed_on_with_its_query(plane, backend):
    reply = await plane.ask("GET", f"{WEB}/echo/b?x=y&x=z%20q")
    assert (reply.status, reply.body, header(reply, "content-type")) == (200, b"nothing", ("text/x",))
    (asked,) = backend.asked
    assert (asked.path, asked.query) == ("/echo/b", "x=y&x=z%20q")


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
async def test_every_method_is_passed_on_with_its_body(plane, backend, method):
    reply = await plane.ask(method, f"{WEB}/echo", b"body")
    assert (reply.status, reply.body, header(reply, "x-method")) == (200, b"body", (method,))


async def served(plane, method, path, query=""):
    """As the proxy itself answers, whatever methods lead to it."""
    model = plane.plane.registry.find("", "v1", "services")
    scope = Scope(model, ADMIN, "default", "web:80", "proxy")
    serve = plane.proxies.subresources()["services", "proxy"]
    return await serve(plane.context, scope, Call(method, path, query), route(method, path))


async def test_a_head_has_the_length_but_not_the_body(plane, backend):
    answer = await served(plane, "HEAD", f"{WEB}/large")
    assert (answer.status, dict(answer.headers)["Content-Length"]) == (200, str(5 << 20))
    assert [piece async for piece in answer.stream] == []


async def test_options_are_passed_on(plane, backend):
    answer = await served(plane, "OPTIONS", f"{WEB}/echo")
    assert dict(answer.headers)["X-Method"] == "OPTIONS"
    await answer.stream.aclose()


async def test_credentials_and_connection_headers_stay_here(plane, backend):
    sent = {
        "Authorization": "Bearer secret",
        "Impersonate-User": "root",
        "Proxy-Authorization": "Basic x",
        "Connection": "X-Drop, keep-alive",
        "X-Drop": "1",
        "TE": "trailers",
        "Cookie": "a=b",
        "X-Custom": "1",
        "X-Forwarded-For": "9.9.9.9",
        "Host": "api.example:6443",
    }
    await plane.ask("GET", f"{WEB}/echo", headers=sent)
    (asked,) = backend.asked
    kept = {"cookie", "x-custom", "x-forwarded-for", "x-forwarded-uri", "host", "te", "user-agent", "content-type"}
    assert set(asked.headers) == kept
    assert asked.headers["host"] == "api.example:6443"
    assert asked.headers["x-forwarded-for"] == "9.9.9.9, 127.0.0.1"
    assert asked.headers["x-forwarded-uri"] == f"{WEB}/echo"


async def test_connection_headers_of_the_answer_stay_there(plane, backend):
    reply = await plane.ask("GET", f"{WEB}/hop")
    assert header(reply, "x-keep") == ("2",)
    assert header(reply, "cache-control") == ("max-age=5",)
    for gone in ("x-hop", "connection", "keep-alive", "access-control-allow-origin"):
        assert not header(reply, gone)


async def test_an_answer_that_is_no_success_is_passed_back(plane, backend):
    reply = await plane.ask("GET", f"{WEB}/teapot")
    assert (reply.status, reply.body) == (418, b"short and stout")


async def test_large_answers_come_in_pieces(plane, backend):
    call = Call("GET", f"{WEB}/large", identity=ADMIN)
    answer = await plane.plane.answer(call)
    sizes = [len(piece) async for piece in answer.stream]
    assert sum(sizes) == 5 << 20
    assert max(sizes) <= 1 << 16


async def test_an_answer_that_nobody_reads_is_let_go(plane, backend):
    answer = await plane.plane.answer(Call("GET", f"{WEB}/large", identity=ADMIN))
    await answer.stream.aclose()
    assert not plane.proxies._forwarder._session.connector._acquired


async def test_a_redirect_leads_through_the_proxy(plane, backend):
    reply = await plane.ask("GET", f"{WEB}/moved")
    assert (reply.status, header(reply, "location")) == (302, (f"{WEB}/elsewhere?x=1",))
    assert len(backend.asked) == 1


@pytest.mark.parametrize(
    ("location", "expected", "why"),
    [
        ("/x", "/p/x", "a path of the other side"),
        ("/x/", "/p/x/", "with its slash"),
        ("/p/x", "/p/x", "one that knows of the proxy"),
        ("http://127.0.0.1:1/x", "/p/x", "the other side's own address"),
        ("https://api:6443/x", "https://api:6443/p/x", "ours"),
        ("http://example.com/x", "http://example.com/x", "somewhere else"),
        ("sub/x", "sub/x", "relative"),
        ("http://[bad", "http://[bad", "not even a URL"),
        ("", "", "nothing"),
    ],
)
def test_locations_are_rewritten_only_within_the_other_side(location, expected, why):
    call = Call("GET", "/p/a", headers={"host": "api:6443"})
    assert _rewritten(location, Forwarding(call, "http://127.0.0.1:1", "/a")) == expected, why


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_the_root_needs_its_slash(plane, backend, method):
    answer = await served(plane, method, WEB, "q=1")
    assert (answer.status, answer.headers) == (301, (("Location", f"{WEB}/?q=1"),))
    assert not backend.asked


async def test_what_is_sent_to_the_root_arrives_there(plane, backend):
    assert (await plane.ask("POST", WEB, b"x")).body == b"root"
    assert (await plane.ask("GET", f"{WEB}/")).body == b"root"
    assert [asked.path for asked in backend.asked] == ["/", "/"]


@pytest.mark.parametrize(
    ("path", "below", "clean"),
    [
        ("/api/v1/namespaces/n/services/s/proxy", "", ""),
        ("/api/v1/namespaces/n/services/s/proxy/", "/", "/"),
        ("/api/v1/namespaces/n/services/s/proxy/a//b", "/a//b", "/a/b"),
        ("/api/v1/namespaces/n/services/s/proxy/a/../../../b/", "/a/../../../b/", "/b/"),
        ("/api/v1/namespaces/n/services/s/proxy//a", "/a", "/a"),
        ("/api/v1/namespaces/n/services/s/proxy/..", "/..", "/"),
    ],
)
def test_paths_cannot_leave_the_other_side(path, below, clean):
    assert below_proxy(path, namespaced=True) == below
    assert cleaned(below) == clean


async def test_paths_are_escaped_again(plane, backend):
    await plane.ask("GET", f"{WEB}/echo/a b/ü")
    assert backend.asked[0].path == "/echo/a%20b/%C3%BC"


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("idle", 503, 'no endpoints available for service "idle"'),
        ("idle:http", 503, 'no endpoints available for service "idle"'),
        ("idle:81", 503, 'no service port 81 found for service "idle"'),
        ("none", 404, 'services "none" not found'),
        ("none:80", 404, 'services "none" not found'),
        ("ftp:idle:80", 400, 'invalid service request "ftp:idle:80"'),
        ("a:b:c:d", 400, 'invalid service request "a:b:c:d"'),
        (":80", 400, 'invalid service request ":80"'),
    ],
)
async def test_a_service_that_leads_nowhere(plane, name, code, message):
    await plane.make(SERVICES, {"metadata": {"name": "idle"}, "spec": {"ports": [{"name": "http", "port": 80}]}})
    reply = await plane.ask("GET", f"{SERVICES}/{name}/proxy/x")
    assert (reply.status, reply.json["message"]) == (code, message)


@pytest.mark.parametrize("name", ["web", "web:80", "web:http", "http:web:80", "https:web:http"])
async def test_a_service_is_found_by_name_or_number_of_its_port(plane, backend, name):
    await plane.make(SERVICES, {"metadata": {"name": "web"}, "spec": {"ports": [{"name": "http", "port": 80}]}})
    assert (await plane.ask("GET", f"{SERVICES}/{name}/proxy/echo")).status == 200


async def test_a_port_without_a_name_is_meant_where_none_is_said(plane, backend):
    await plane.make(SERVICES, {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}]}})
    assert (await plane.ask("GET", f"{SERVICES}/web/proxy/echo")).status == 200


async def test_services_of_other_namespaces_are_other_services(plane, backend):
    reply = await plane.ask("GET", "/api/v1/namespaces/kube-system/services/web:80/proxy/echo")
    assert reply.status == 404


async def test_nobody_listens_any_more(plane):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    plane.addresses.announce(Place("services", "default", "web", 80), f"http://127.0.0.1:{port}")
    reply = await plane.ask("GET", f"{WEB}/x")
    assert (reply.status, reply.json["reason"]) == (503, "ServiceUnavailable")
    assert reply.json["message"] == (
        f"error trying to reach service: dial tcp 127.0.0.1:{port}: connect: connection refused"
    )


async def test_upgrades_are_refused_in_words(plane, backend):
    reply = await plane.ask("GET", f"{WEB}/x", headers={"Connection": "Upgrade", "Upgrade": "websocket"})
    assert reply.status == 400
    assert "upgraded connections are not proxied here" in reply.json["message"]
    assert not backend.asked


async def test_nothing_is_only_tried(plane, backend):
    reply = await plane.ask("GET", f"{WEB}/x?dryRun=All")
    assert (reply.status, reply.json["message"]) == (400, "dryRun is not supported")


async def test_who_may_not_proxy_reaches_nothing(plane, backend):
    reply = await plane.ask("GET", f"{WEB}/x", identity=Identity("nobody", groups=("system:authenticated",)))
    assert reply.status == 403
    assert not backend.asked


def pod(name="p", **extra):
    container = {"name": "c", "image": "x", "ports": [{"containerPort": 8080}]}
    return {"metadata": {"name": name}, "spec": {"containers": [container]}, **extra}


async def test_a_pod_by_its_announced_port(plane, shared):
    await plane.make(PODS, pod())
    plane.addresses.announce(Place("pods", "default", "p", 8080), shared.url)
    for name in ("p", "p:8080", "https:p:8080"):
        assert (await plane.ask("GET", f"{PODS}/{name}/proxy/echo")).status == 200


@pytest.mark.parametrize(
    ("name", "ip", "code", "message"),
    [
        ("p", "", 400, "address not allowed"),
        ("p", "127.0.0.1", 400, "address not allowed"),
        ("p", "169.254.169.254", 400, "address not allowed"),
        ("p", "10.1.2.3", 503, "error trying to reach service: dial tcp 10.1.2.3:8080: what runs in this cluster"),
        ("p:1", "10.1.2.3", 503, "error trying to reach service: dial tcp 10.1.2.3:1: what runs in this cluster"),
        ("none", "", 404, 'pods "none" not found'),
        ("a:b:c:d", "", 400, 'invalid pod request "a:b:c:d"'),
    ],
)
async def test_a_pod_that_is_only_simulated(plane, name, ip, code, message):
    await plane.make(PODS, pod())
    status = {"podIP": ip, "podIPs": [{"ip": ip}]} if ip else {}
    await plane.cluster.edit(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"}},
        lambda live: {**live, "status": {**live["status"], **status}},
        subresource="status",
    )
    reply = await plane.ask("GET", f"{PODS}/{name}/proxy/x")
    assert reply.status == code
    assert reply.json["message"].startswith(message)


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("none", 404, 'nodes "none" not found'),
        ("a:b:c:d", 400, 'invalid node request "a:b:c:d"'),
        ("bare", 500, "no preferred addresses found; known addresses: []"),
        ("full", 503, "error trying to reach service: dial tcp 10.9.9.9:10250: what runs in this cluster"),
        ("https:full:1", 503, "error trying to reach service: dial tcp 10.9.9.9:1: what runs in this cluster"),
    ],
)
async def test_a_node_that_is_only_simulated(plane, name, code, message):
    nodes = "/api/v1/nodes"
    await plane.make(nodes, {"metadata": {"name": "bare"}})
    addresses = [{"type": "InternalIP", "address": "10.9.9.9"}]
    await plane.make(nodes, {"metadata": {"name": "full"}, "status": {"addresses": addresses}})
    reply = await plane.ask("GET", f"{nodes}/{name}/proxy/x")
    assert reply.status == code
    assert reply.json["message"].startswith(message)


async def test_a_node_by_its_announced_port(plane, shared):
    await plane.make("/api/v1/nodes", {"metadata": {"name": "n"}})
    plane.addresses.announce(Place("nodes", "", "n", 10250), shared.url)
    assert (await plane.ask("GET", "/api/v1/nodes/n/proxy/echo")).status == 200


async def test_closing_twice_is_fine(plane):
    await plane.proxies.close()
    await asyncio.sleep(0)
    await plane.proxies.close()
