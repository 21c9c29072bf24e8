"""Calls over real TLS on loopback: what is sent, what is refused, and what every failure is called."""

import asyncio
import contextlib
import gzip
import socket
import sys
import threading

import pytest
from tests.apiserver.webhooks.hookserver import Asked, Said, hook_server, review

from plumbline.apiserver.webhooks import HookCaller, LocalAddresses, Place, convert
from plumbline.apiserver.webhooks.hooks import ClientConfig, Service
from plumbline.apiserver.webhooks.resolving import target
from plumbline.base.clock import SystemClock
from plumbline.base.errors import WebhookFailed
from plumbline.base.json import encode

REVIEW = {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {"uid": "u"}}
CONVERSION = {"kind": "ConversionReview", "apiVersion": "apiextensions.k8s.io/v1", "request": {"uid": "u"}}


def gzipped(asked: Asked) -> Said:
    return Said(gzip.compress(encode(review(asked).body)), 200, {"Content-Encoding": "gzip"})


class Later:
    """Asks twice to come back, then answers."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, asked: Asked) -> Said:
        self.count += 1
        return review(asked) if self.count > 2 else Said(b"", 429, {"Retry-After": "0"})


BEHAVIOURS = {
    "gzip": gzipped,
    "bomb": lambda _: Said(gzip.compress(b"x" * (9 << 20)), 200, {"Content-Encoding": "gzip"}),
    "not-gzip": lambda _: Said(b"plain", 200, {"Content-Encoding": "gzip"}),
    "flood": lambda _: Said(b"x" * (9 << 20)),
    "forever": lambda _: Said(b"", 503, {"Retry-After": "1000000000000000000000"}),
    "odd-retry": lambda _: Said(b"", 503, {"Retry-After": "soon", "Content-Type": "text/plain"}),
    "last-words": lambda asked: Said(review(asked).body, closes=True),
    "redirect": lambda _: Said(b"", 307, {"Location": "/allow/x"}),
    "convert": lambda asked: Said({**CONVERSION, "response": {"uid": "u", "result": {"status": "Success"}}}),
}


@pytest.fixture(scope="module")
def hooks():
    with hook_server(BEHAVIOURS) as server:
        yield server


@pytest.fixture
def addresses():
    return LocalAddresses()


@pytest.fixture
async def caller(addresses):
    services = {
        ("default", "hook"): {"spec": {"type": "ExternalName", "externalName": "127.0.0.1"}},
        ("default", "headless"): {"spec": {"clusterIP": "None", "ports": [{"port": 443}]}},
        ("default", "idle"): {"spec": {"clusterIP": "10.0.0.1", "ports": [{"port": 443}]}},
    }
    made = HookCaller(SystemClock(), addresses, lambda namespace, name: services.get((namespace, name)))
    yield made
    await made.close()
    await asyncio.sleep(0.05)


def client(hooks, path: str) -> ClientConfig:
    return ClientConfig(f"{hooks.url}{path}", hooks.authority.certificate_pem)


async def why(caller: HookCaller, config: ClientConfig, timeout_s: int = 5) -> str:
    with pytest.raises(WebhookFailed) as failed:
        await caller.ask(config, REVIEW, timeout_s)
    return failed.value.what


async def test_sends_what_api_servers_send(hooks, caller):
    hooks.asked.clear()
    answer = await caller.ask(client(hooks, "/allow/x"), REVIEW, 7)
    assert answer["response"] == {"uid": "u", "allowed": True}
    (asked,) = hooks.asked
    assert (asked.method, asked.path, asked.query) == ("POST", "/allow/x", "timeout=7s")
    assert asked.headers["user-agent"] == "kube-apiserver-admission"
    assert asked.headers["accept"] == "application/json, */*"
    assert asked.headers["host"] == f"127.0.0.1:{hooks.port}"
    assert "authorization" not in asked.headers
    assert asked.body == encode(REVIEW) + b"\n"


async def test_large_reviews_are_sent_whole(hooks, caller):
    hooks.asked.clear()
    large = {**REVIEW, "padding": "x" * (2 << 20)}
    await caller.ask(client(hooks, "/allow/x"), large, 5)
    assert hooks.asked[0].json == large


async def test_connections_are_used_again(hooks, caller):
    for _ in range(3):
        await caller.ask(client(hooks, "/allow/x"), REVIEW, 5)
    assert len(caller._poster._session.connector._conns) == 1


async def test_a_connection_that_was_closed_meanwhile_is_replaced(hooks, caller):
    answers = [await caller.ask(client(hooks, "/last-words"), REVIEW, 5) for _ in range(30)]
    assert all(answer["response"]["allowed"] for answer in answers)


async def test_compressed_answers_are_read(hooks, caller):
    answer = await caller.ask(client(hooks, "/gzip/x"), REVIEW, 5)
    assert answer["response"]["allowed"]


@pytest.mark.parametrize("path", ["/flood", "/bomb"])
async def test_an_answer_without_end_is_cut_off(hooks, caller, path):
    assert "larger than 8388608 bytes" in await why(caller, client(hooks, path), 20)


async def test_what_says_it_is_compressed_must_be(hooks, caller):
    assert "gzip: invalid header" in await why(caller, client(hooks, "/not-gzip"))


async def test_redirects_are_not_followed(hooks, caller):
    hooks.asked.clear()
    assert "status code 307" in await why(caller, client(hooks, "/redirect"))
    assert [asked.path for asked in hooks.asked] == ["/redirect"]


async def test_proxies_of_the_environment_are_not_used(hooks, caller, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:1")
    assert await caller.ask(client(hooks, "/allow/x"), REVIEW, 5)


async def test_comes_back_when_asked_to(hooks, caller):
    hooks.behaviours["later"] = later = Later()
    assert (await caller.ask(client(hooks, "/later"), REVIEW, 5))["response"]["allowed"]
    assert later.count == 3


async def test_waits_no_longer_than_the_timeout(hooks, caller):
    failed = await why(caller, client(hooks, "/forever"), 1)
    assert failed == (f'failed to call webhook: Post "{hooks.url}/forever?timeout=1s": context deadline exceeded')


async def test_an_odd_time_to_come_back_is_no_reason_to(hooks, caller):
    assert "currently unable to handle the request" in await why(caller, client(hooks, "/odd-retry"))


async def test_a_hanging_webhook_is_given_up(hooks, caller):
    assert "context deadline exceeded" in await why(caller, client(hooks, "/hang"), 1)
    hooks.released.set()
    hooks.released.clear()


async def test_a_connection_that_closes_is_an_end_of_file(hooks, caller):
    assert (await why(caller, client(hooks, "/close"))).endswith(f'Post "{hooks.url}/close?timeout=5s": EOF')


async def test_nobody_there(hooks, caller):
    config = ClientConfig("https://127.0.0.1:1/x", hooks.authority.certificate_pem)
    assert (await why(caller, config)).endswith("dial tcp 127.0.0.1:1: connect: connection refused")


async def test_an_unknown_authority(hooks, caller):
    assert (await why(caller, ClientConfig(f"{hooks.url}/allow"))).endswith(
        "tls: failed to verify certificate: x509: certificate signed by unknown authority"
    )


async def test_a_bundle_that_is_none(hooks, caller):
    assert await why(caller, ClientConfig(f"{hooks.url}/allow", b"not PEM")) == (
        "could not get REST client: unable to load root certificates: unable to parse bytes as PEM block"
    )


async def test_a_certificate_for_somebody_else(hooks, caller, addresses):
    addresses.announce(Place("services", "default", "other", 443), hooks.url)
    config = ClientConfig("", hooks.authority.certificate_pem, Service("default", "other", "/allow"))
    assert "certificate is valid for other names, not other.default.svc" in await why(caller, config)


async def test_a_server_that_speaks_no_tls(hooks, caller):
    with plain_server() as port:
        config = ClientConfig(f"https://127.0.0.1:{port}/x", hooks.authority.certificate_pem)
        assert (await why(caller, config)).endswith("http: server gave HTTP response to HTTPS client")


async def test_a_service_is_found_where_a_room_announced_it(hooks, caller, addresses):
    hooks.asked.clear()
    addresses.announce(Place("services", "default", "hook", 443), hooks.url)
    config = ClientConfig("", hooks.authority.certificate_pem, Service("default", "hook", "/allow/svc"))
    assert (await caller.ask(config, REVIEW, 5))["response"]["allowed"]
    assert hooks.asked[0].headers["host"] == "hook.default.svc:443"
    assert hooks.asked[0].path == "/allow/svc"


async def test_an_external_name_is_called(hooks, caller):
    service = Service("default", "hook", "/allow/svc", hooks.port)
    config = ClientConfig("", hooks.authority.certificate_pem, service)
    assert (await caller.ask(config, REVIEW, 5))["response"]["allowed"]


@pytest.mark.parametrize(
    ("name", "port", "said"),
    [
        ("none", 443, 'Post "https://none.default.svc:443/?timeout=5s": service "none" not found'),
        ("headless", 443, 'cannot route to service with ClusterIP "None"'),
        ("idle", 444, 'no service port 444 found for service "idle"'),
        ("idle", 443, 'no endpoints available for service "idle"'),
    ],
)
async def test_a_service_that_leads_nowhere(hooks, caller, name, port, said):
    config = ClientConfig("", hooks.authority.certificate_pem, Service("default", name, "", port))
    assert said in await why(caller, config)


@pytest.mark.parametrize(
    ("path", "sent"),
    [("", "/"), ("/", "/"), ("/allow//x/../y%20z/", "/allow/y%20z"), ("/allow/a:b@c", "/allow/a:b@c")],
)
async def test_paths_are_cleaned(hooks, caller, path, sent):
    hooks.asked.clear()
    with contextlib.suppress(WebhookFailed):
        await caller.ask(client(hooks, path), REVIEW, 5)
    assert hooks.asked[0].path == sent


async def test_conversion_reviews_take_the_same_way(hooks, caller):
    hooks.asked.clear()
    conversion = {"strategy": "Webhook", "webhook": {"clientConfig": hooks.client_config("/convert")}}
    answer = await convert(caller, conversion, CONVERSION)
    assert answer["response"]["result"] == {"status": "Success"}
    assert hooks.asked[0].query == "timeout=30s"
    blank = {"uid": "", "convertedObjects": None, "result": {"metadata": {}}}
    assert hooks.asked[0].json == {**CONVERSION, "response": blank}


@pytest.mark.parametrize("conversion", [{}, {"webhook": {}}, {"webhook": {"clientConfig": {}}}, {"webhook": 1}])
async def test_a_conversion_without_an_address(caller, conversion):
    with pytest.raises(WebhookFailed) as failed:
        await convert(caller, conversion, CONVERSION)
    assert failed.value.what == "webhook configuration must have either service or URL"


async def test_a_conversion_says_why_it_failed(caller):
    conversion = {"webhook": {"clientConfig": {"url": "https://127.0.0.1:1/x"}}}
    with pytest.raises(WebhookFailed) as failed:
        await convert(caller, conversion, CONVERSION)
    assert (
        failed.value.what
        == 'Post "https://127.0.0.1:1/x?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused'
    )


async def test_closing_twice_is_fine(caller):
    await caller.close()
    await caller.close()


async def test_nothing_is_loaded_before_somebody_is_called():
    program = "import sys, plumbline.apiserver.webhooks, plumbline.apiserver.requests.subresources.proxy as p; "
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program + "sys.exit('aiohttp' in sys.modules or 'plumbline.apiserver.cel.program' in sys.modules)",
    )
    assert await process.wait() == 0


async def test_a_url_without_a_port_is_for_its_name(hooks, caller):
    found = target(ClientConfig("https://Example.com/x"), LocalAddresses(), lambda *_: None, "")
    assert (found.host, found.name, found.dialled) == ("Example.com", "example.com", "example.com:443")
    found = target(ClientConfig("https://[::1]:8443/x"), LocalAddresses(), lambda *_: None, "")
    assert (found.host, found.name, found.dialled) == ("[::1]:8443", "::1", "[::1]:8443")


@contextlib.contextmanager
def plain_server():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        thread = threading.Thread(target=_answer_plainly, args=(listener,), daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(5)


def _answer_plainly(listener: socket.socket) -> None:
    with listener.accept()[0] as connection:
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
