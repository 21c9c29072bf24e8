"""The port for API servers: TLS that they can check, and reviews within bounds."""

import asyncio
import ssl
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from tests.base.http.talking import Talk

from plumbline.base.clock import SystemClock
from plumbline.base.errors import AlreadyExists, InvalidInput
from plumbline.web.admission import Admission, AdmissionPort, AdmissionSettings, certificates
from plumbline.web.admission.part import MOST_BYTES

PATH = "/validate-something"
JSON = {"Content_Type": "application/json"}


async def echoed(review):
    if not isinstance(review, dict):
        raise InvalidInput("The review is not answered", why="it is none")
    return {"response": review}


@asynccontextmanager
async def opened(**settings):
    port = AdmissionPort(AdmissionSettings(**settings), Admission({PATH: echoed}), SystemClock())
    async with port.running():
        yield port


async def connected(port, name="127.0.0.1", authority=None):
    trust = ssl.create_default_context(cadata=(authority or port.authority_pem).decode())
    streams = await asyncio.open_connection("127.0.0.1", port.port, ssl=trust, server_hostname=name)
    return Talk(*streams)


async def asked(port, body, method="POST", path=PATH, **headers):
    talk = await connected(port)
    try:
        return await talk.ask(method, path, body, **{"Content_Type": "application/json", **headers})
    finally:
        talk.close()


async def test_a_review_is_answered_over_tls():
    async with opened() as port:
        reply = await asked(port, {"uid": "1"})
        assert port.url == f"https://127.0.0.1:{port.port}"
    assert (reply.status, reply.json) == (200, {"response": {"uid": "1"}})


async def test_the_certificate_is_for_the_service_and_for_loopback_and_nothing_else():
    async with opened(names=("plumbline.argocd.svc",)) as port:
        for name in ("plumbline.argocd.svc", "localhost", "127.0.0.1"):
            (await connected(port, name)).close()
        with pytest.raises(ssl.SSLCertVerificationError):
            await connected(port, "other.argocd.svc")
        stranger = certificates.made(("127.0.0.1",), datetime.now(UTC))
        with pytest.raises(ssl.SSLCertVerificationError):
            await connected(port, authority=stranger.authority_pem)


@pytest.mark.parametrize(
    ("ask", "status", "why"),
    [
        ({"body": []}, 400, "it is no review"),
        ({"body": {}, "method": "GET"}, 405, "reviews are posted"),
        ({"body": {}, "path": "/healthz"}, 404, "there is nothing else here"),
        ({"body": {}, "Content_Type": "text/plain"}, 400, "reviews are JSON"),
        ({"body": {}, "Host": "evil.example"}, 403, "it is addressed to somebody else"),
        ({"body": {}, "Origin": "https://evil.example"}, 403, "it comes from a page"),
    ],
)
async def test_what_no_api_server_would_ask_is_refused(ask, status, why):
    async with opened() as port:
        assert (await asked(port, **ask)).status == status, why


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"[" * 100_000, b"nonsense"])
async def test_what_is_not_json_is_refused(body):
    async with opened() as port:
        talk = await connected(port)
        head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        await talk.send(head.encode() + body)
        reply = await talk.reply()
        talk.close()
    assert reply.status == 400


async def test_a_review_that_is_too_large_is_not_read():
    async with opened() as port:
        talk = await connected(port)
        head = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {MOST_BYTES + 1}\r\n\r\n"
        await talk.send(head.encode())
        reply = await talk.reply()
        talk.close()
    assert reply.status == 413


async def test_a_port_that_is_taken_says_what_to_do():
    async with opened() as port:
        with pytest.raises(AlreadyExists) as taken:
            async with opened(port=port.port):
                pass
    assert "--admission-port" in taken.value.hint


async def test_a_certificate_can_be_given(tmp_path):
    mine = certificates.made(("localhost",), datetime.now(UTC))
    (tmp_path / "tls.crt").write_bytes(mine.chain_pem)
    (tmp_path / "tls.key").write_bytes(mine.key.reveal())
    (tmp_path / "ca.crt").write_bytes(mine.authority_pem)
    async with opened(certificates=tmp_path) as port:
        assert port.authority_pem == mine.authority_pem
        (await connected(port, "localhost")).close()


def test_a_certificate_that_cannot_be_used_is_refused(tmp_path):
    settings = AdmissionSettings(certificates=tmp_path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        AdmissionPort(settings, Admission({PATH: echoed}), SystemClock())
    one, other = (certificates.made(("localhost",), datetime.now(UTC)) for _ in range(2))
    (tmp_path / "tls.crt").write_bytes(one.chain_pem)
    (tmp_path / "ca.crt").write_bytes(b"not PEM")
    (tmp_path / "tls.key").write_bytes(other.key.reveal())
    with pytest.raises(InvalidInput, match="cannot be used"):
        AdmissionPort(settings, Admission({PATH: echoed}), SystemClock())
    (tmp_path / "ca.crt").write_bytes(one.authority_pem)
    with pytest.raises(InvalidInput) as unfit:
        certificates.given(tmp_path).context()
    assert "BEGIN" not in str(unfit.value)


def test_the_key_is_not_shown():
    assert "PRIVATE" not in repr(certificates.made(("localhost",), datetime.now(UTC)))
    assert certificates.made(("::1",), datetime(2026, 1, 1, tzinfo=UTC)).chain_pem


def test_an_ipv6_address_is_written_in_brackets():
    port = AdmissionPort(AdmissionSettings(host="::1", port=8444), Admission({PATH: echoed}), SystemClock())
    assert port.url == "https://[::1]:8444"


def test_a_system_without_files_in_memory_uses_one_for_its_owner_only(monkeypatch):
    monkeypatch.delattr("os.memfd_create", raising=False)
    assert certificates.made(("localhost",), datetime(2026, 1, 1, tzinfo=UTC)).context()
