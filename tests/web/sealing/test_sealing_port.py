"""What kubeseal asks: certificates, whether something can be opened, and the same for another key. Nothing more is told."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from tests.base.http.talking import Talk

from plumbline.base.clock import SystemClock, VirtualClock
from plumbline.base.errors import AlreadyExists, InvalidInput, NotFound, ServerFault, Throttled, Undecryptable
from plumbline.base.tasks import task_group
from plumbline.web.guard import LOOPBACK_NAMES
from plumbline.web.sealing import Counts, Sealing, SealingPort, SealingSettings, Terms
from plumbline.web.sealing.listener import names_of
from plumbline.web.sealing.part import MOST_BYTES

CERTIFICATE = b"-----BEGIN CERTIFICATE-----\nnot really\n-----END CERTIFICATE-----\n"
CANARY = "hunter2"
OFTEN = Terms(per_s=1000, burst=1000)


class Keys:
    """Opens everything, unless it is told how to fail."""

    def __init__(self, failure=None, pem=CERTIFICATE):
        self.failure, self.pem, self.bodies = failure, pem, []
        self.under_way = self.most_at_once = 0
        self.gate = None
        self.begun = asyncio.Event()

    async def certificate(self):
        if isinstance(self.pem, Exception):
            raise self.pem
        return self.pem

    async def verified(self, body):
        self.begun.set()
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        try:
            self.bodies.append(body)
            if self.gate is not None:
                await self.gate.wait()
            if self.failure is not None:
                raise self.failure
        finally:
            self.under_way -= 1

    async def resealed(self, body, *, keep=False):
        await self.verified(body)
        return b'{"sealed":"again"}'


class Opened:
    def __init__(self, port, registry):
        self.port, self._registry = port, registry

    async def ask(self, method, path, body=None, **headers):
        talk = await self.connect()
        try:
            return await talk.ask(method, path, body, **headers)
        finally:
            talk.close()

    async def connect(self):
        return Talk(*await asyncio.open_connection("127.0.0.1", self.port.port))

    def counted(self):
        lines = generate_latest(self._registry).decode().splitlines()
        return {line for line in lines if line.startswith("sealed_secrets_controller_http_") and "_created" not in line}


@asynccontextmanager
async def opened(keys, terms=OFTEN, clock=None, ready=lambda: True):
    registry = CollectorRegistry()
    part = Sealing(keys, clock or SystemClock(), Counts(registry), terms, ready)
    async with SealingPort(SealingSettings(), part).running() as port:
        yield Opened(port, registry)


async def test_the_certificate_is_for_everybody():
    async with opened(Keys(), Terms()) as sealing:
        replies = [await sealing.ask("GET", "/v1/cert.pem") for _ in range(20)]
        assert sealing.port.url == f"http://127.0.0.1:{sealing.port.port}"
    assert {(reply.status, reply.body) for reply in replies} == {(200, CERTIFICATE)}
    assert replies[0].headers["content-type"] == "application/x-pem-file"


async def test_until_there_is_a_key_those_who_ask_for_it_come_again():
    async with opened(Keys(pem=None)) as sealing:
        reply = await sealing.ask("GET", "/v1/cert.pem")
    assert (reply.status, reply.body, reply.headers["retry-after"]) == (503, b"cannot get certificate\n", "1")


async def test_keys_that_cannot_be_read_are_nobodys_business():
    async with opened(Keys(pem=NotFound("there is no sealing key", why=CANARY))) as sealing:
        reply = await sealing.ask("GET", "/v1/cert.pem")
    assert (reply.status, reply.body) == (500, b"cannot get certificate\n")


async def test_a_kubelet_is_told_whether_all_is_well():
    ready = []
    async with opened(Keys(pem=None), ready=lambda: bool(ready)) as sealing:
        before, alive = await sealing.ask("GET", "/readyz"), await sealing.ask("GET", "/healthz")
        ready.append(True)
        after = await sealing.ask("GET", "/readyz")
    assert (before.status, before.body) == (503, b"not ready\n")
    assert (alive.status, alive.body, alive.headers["content-type"]) == (200, b"ok\n", "text/plain; charset=utf-8")
    assert (after.status, after.body) == (200, b"ok\n")


async def test_what_can_be_opened_is_fine_and_can_be_sealed_again():
    keys = Keys()
    async with opened(keys) as sealing:
        verified = await sealing.ask("POST", "/v1/verify", {"kind": "SealedSecret"})
        rotated = await sealing.ask("POST", "/v1/rotate", {"kind": "SealedSecret"})
    assert (verified.status, verified.body) == (200, b"")
    assert "content-type" not in verified.headers
    assert (rotated.status, rotated.body, rotated.headers["content-type"]) == (
        200, b'{"sealed":"again"}', "application/json",
    )  # fmt: skip
    assert keys.bodies == [b'{"kind":"SealedSecret"}'] * 2


FAILURES = [
    (Undecryptable(f"item {CANARY} cannot be opened", why=f"key {CANARY} is not the one"), 409, "no key opens it"),
    (Undecryptable("item 7 cannot be opened"), 409, "whichever item it is"),
    (InvalidInput(f"{CANARY} is no SealedSecret"), 500, "it is something else"),
    (NotFound("there is no sealing key"), 500, "there is nothing to open it with"),
    (ValueError(CANARY), 500, "a fault of ours may depend on what is inside"),
]


@pytest.mark.parametrize(("failure", "status", "why"), FAILURES, ids=[case[-1] for case in FAILURES])
async def test_what_goes_wrong_is_told_by_a_number_alone(failure, status, why, caplog):
    async with opened(Keys(failure)) as sealing:
        verified = await sealing.ask("POST", "/v1/verify", {})
        rotated = await sealing.ask("POST", "/v1/rotate", {})
        counted = sealing.counted()
    assert (verified.status, verified.body, rotated.status, rotated.body) == (status, b"", 500, b""), why
    assert verified.headers.keys() == rotated.headers.keys()
    assert CANARY not in caplog.text + str(verified.headers) + str(rotated.headers) + "".join(counted)


async def test_who_comes_when_something_is_away_comes_again():
    async with opened(Keys(ServerFault("The keys cannot be read", why=CANARY))) as sealing:
        replies = [await sealing.ask("POST", path, {}) for path in ("/v1/verify", "/v1/rotate")]
    assert {(each.status, each.body, each.headers["retry-after"]) for each in replies} == {(503, b"", "1")}


async def test_no_answer_of_rotate_differs_by_what_failed():
    answers = set()
    for failure, *_ in FAILURES:
        async with opened(Keys(failure)) as sealing:
            reply = await sealing.ask("POST", "/v1/rotate", {})
            told = {name: value for name, value in reply.headers.items() if name != "date"}
            answers.add((reply.status, reply.body, tuple(told.items())))
    assert len(answers) == 1


async def test_whoever_asks_too_often_is_told_when_to_come_again():
    clock = VirtualClock()
    async with opened(Keys(), Terms(), clock) as sealing:
        replies = [await sealing.ask("POST", "/v1/verify", {}, X_Forwarded_For=f"10.0.0.{n}") for n in range(4)]
        other = await sealing.ask("POST", "/v1/rotate", {})
        await clock.advance(0.5)
        later = await sealing.ask("POST", "/v1/verify", {})
    assert [reply.status for reply in replies] == [200, 200, 200, 429]
    assert [reply.headers["x-ratelimit-remaining"] for reply in replies] == ["2", "1", "0", "0"]
    refused = replies[-1]
    assert (refused.body, refused.headers["content-type"]) == (b"limit exceeded\n", "text/plain; charset=utf-8")
    assert (refused.headers["retry-after"], refused.headers["x-ratelimit-limit"], refused.headers["x-ratelimit-reset"]) == (
        "1", "3", "2",
    )  # fmt: skip
    assert "retry-after" not in replies[0].headers
    assert (other.status, later.status) == (200, 200)


async def test_a_trusted_proxy_asks_for_each_by_itself():
    terms = Terms(burst=0, trusted=("127.0.0.0/8",))
    async with opened(Keys(), terms, VirtualClock()) as sealing:
        statuses = [
            (await sealing.ask("POST", "/v1/verify", {}, X_Forwarded_For=forwarded)).status
            for forwarded in ("10.0.0.1", "10.0.0.2", "10.9.9.9, 10.0.0.1", "10.0.0.1")
        ]
    assert statuses == [200, 200, 429, 429]


@pytest.mark.parametrize("path", ["/v1/verify", "/v1/rotate"])
async def test_a_body_that_is_too_large_is_not_read(path):
    keys = Keys()
    async with opened(keys) as sealing:
        talk = await sealing.connect()
        await talk.send(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {MOST_BYTES + 1}\r\n\r\n".encode())
        reply = await talk.reply()
        talk.close()
    assert (reply.status, reply.body, keys.bodies) == (413, b"body too large\n", [])
    assert reply.headers["connection"] == "close"


async def test_a_body_that_comes_too_slowly_is_given_up(monkeypatch):
    monkeypatch.setattr("plumbline.web.sealing.part.BODY_S", 0.05)
    async with opened(Keys()) as sealing:
        talk = await sealing.connect()
        await talk.send(b"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
        reply = await talk.reply()
        talk.close()
    assert (reply.status, reply.body) == (400, b"")


async def test_somebody_who_leaves_is_counted_and_no_more():
    async with opened(keys := Keys()) as sealing:
        talk = await sealing.connect()
        await talk.send(b"POST /v1/verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{")
        talk.vanish()
        wanted = 'sealed_secrets_controller_http_requests_total{code="400",method="post",path="/v1/verify"} 1.0'
        for _ in range(500):
            if wanted in sealing.counted():
                break
            await asyncio.sleep(0.01)
        assert wanted in sealing.counted()
    assert keys.bodies == []


async def test_one_is_opened_at_a_time_and_the_certificate_waits_for_nobody():
    keys = Keys()
    keys.gate = asyncio.Event()
    async with opened(keys) as sealing, task_group() as tasks:
        asked = [tasks.create_task(sealing.ask("POST", "/v1/verify", {})) for _ in range(5)]
        await keys.begun.wait()
        assert (await sealing.ask("GET", "/v1/cert.pem")).status == 200
        keys.gate.set()
        assert [(await each).status for each in asked] == [200] * 5
    assert keys.most_at_once == 1


async def test_whoever_waits_too_long_is_sent_away(monkeypatch):
    monkeypatch.setattr("plumbline.web.sealing.part._TURN_S", 0.05)
    keys = Keys()
    keys.gate = asyncio.Event()
    async with opened(keys) as sealing, task_group() as tasks:
        first = tasks.create_task(sealing.ask("POST", "/v1/verify", {}))
        await keys.begun.wait()
        second = await sealing.ask("POST", "/v1/rotate", {})
        keys.gate.set()
        assert (await first).status == 200
    assert (second.status, second.body, second.headers["retry-after"]) == (429, b"limit exceeded\n", "1")


async def test_a_sealer_that_is_busy_says_when_to_come_again():
    async with opened(Keys(Throttled("busy", after_s=2.5, why=CANARY))) as sealing:
        reply = await sealing.ask("POST", "/v1/verify", {})
    assert (reply.status, reply.body, reply.headers["retry-after"]) == (429, b"limit exceeded\n", "3")


async def test_requests_are_counted_as_dashboards_know_them():
    async with opened(Keys(Undecryptable("no"))) as sealing:
        await sealing.ask("GET", "/v1/cert.pem")
        await sealing.ask("POST", "/v1/verify", {})
        await sealing.ask("GET", "/healthz")
        await sealing.ask("GET", "/v1/nowhere")
        counted = sealing.counted()
    prefix = "sealed_secrets_controller_http"
    assert {line for line in counted if line.startswith(f"{prefix}_requests_total")} == {
        f'{prefix}_requests_total{{code="200",method="get",path="/v1/cert.pem"}} 1.0',
        f'{prefix}_requests_total{{code="409",method="post",path="/v1/verify"}} 1.0',
    }
    assert f'{prefix}_request_duration_seconds_count{{method="post",path="/v1/verify"}} 1.0' in counted
    buckets = [line for line in counted if "bucket{" in line and 'path="/v1/verify"' in line]
    assert len(buckets) == 12


@pytest.mark.parametrize(
    ("method", "path", "headers", "status", "why"),
    [
        ("POST", "/v1/cert.pem", {}, 405, "certificates are read"),
        ("GET", "/v1/verify", {}, 405, "there is nothing to verify"),
        ("GET", "/metrics", {}, 404, "there is nothing else here"),
        ("POST", "/v1/verify", {"Host": "evil.example"}, 403, "it is addressed to somebody else"),
        ("POST", "/v1/rotate", {"Origin": "https://evil.example"}, 403, "it comes from a page"),
    ],
)
async def test_what_kubeseal_would_not_ask_is_refused(method, path, headers, status, why):
    async with opened(Keys()) as sealing:
        assert (await sealing.ask(method, path, {}, **headers)).status == status, why


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "10.0.0.5", "::", "plumbline.example"])
def test_outside_of_loopback_any_name_will_do_as_api_servers_pass_on_theirs(host):
    here = host in {"127.0.0.1", "::1", "localhost"}
    assert names_of(host) == (LOOPBACK_NAMES if here else None)


def test_an_address_of_ipv6_is_written_as_in_urls():
    part = Sealing(Keys(), SystemClock(), Counts())
    assert SealingPort(SealingSettings(host="::1", port=8080), part).url == "http://[::1]:8080"


async def test_a_port_that_is_taken_says_what_to_do():
    async with opened(Keys()) as sealing:
        settings = SealingSettings(host="localhost", port=sealing.port.port)
        with pytest.raises(AlreadyExists) as taken:
            async with SealingPort(settings, Sealing(Keys(), SystemClock(), Counts())).running():
                pass
    assert "another port" in taken.value.hint
