import asyncio
import os
import ssl
from pathlib import Path

import pytest

from plumbline.base.errors import BadKubeconfig, Unreachable
from plumbline.base.plaintext import Plaintext
from plumbline.kube.client import Connection, Target, tls
from plumbline.kube.client.authorities import Authorities
from plumbline.kube.client.parts import Certificate, ServerTrust, User
from plumbline.kube.names import GroupVersionResource

POD = Target(GroupVersionResource("", "v1", "pods"), "a", "web")


@pytest.fixture
def certificate(pem):
    return Certificate(pem["client.crt"], Plaintext(pem["client.key"]))


async def test_the_server_is_checked_and_the_client_shows_its_certificate(secure_server, reach, pem, certificate):
    secure_server.says()
    trust = ServerTrust(pem["ca.crt"])
    client = await reach(Connection(secure_server.url, trust=trust, user=User(certificate=certificate)))
    assert await client.get(POD) == b"{}"


@pytest.mark.parametrize("authorities", ["client.crt", ""])
async def test_a_server_of_another_authority_is_not_talked_to(secure_server, reach, pem, authorities):
    trust = ServerTrust(pem.get(authorities, b""))
    client = (await reach(Connection(secure_server.url, trust=trust, user=User(token=Plaintext("hunter2"))))).within(1)
    with pytest.raises(Unreachable) as caught:
        await client.get(POD)
    assert not caught.value.sent
    assert "certificate" in caught.value.why
    assert "certificate-authority" in caught.value.hint
    assert secure_server.asked == []


async def test_the_name_in_the_certificate_counts_unless_another_is_given(secure_server, reach, pem):
    secure_server.says()
    wrong = ServerTrust(pem["ca.crt"], server_name="other.test")
    with pytest.raises(Unreachable):
        await (await reach(Connection(secure_server.url, trust=wrong))).within(1).get(POD)
    right = ServerTrust(pem["ca.crt"], server_name="api.test")
    assert await (await reach(Connection(secure_server.url, trust=right))).get(POD) == b"{}"


async def test_checking_can_be_switched_off(secure_server, reach):
    secure_server.says()
    assert await (await reach(Connection(secure_server.url, trust=ServerTrust(insecure=True)))).get(POD) == b"{}"


async def test_plain_http_on_the_other_side_is_unreachable(reach, pem):
    async def answer_in_the_clear(reader, writer):
        await reader.read(1)
        writer.write(b"HTTP/1.0 400 Bad Request\r\n\r\n")
        writer.close()

    listening = await asyncio.start_server(answer_in_the_clear, "127.0.0.1", 0)
    address = f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    with pytest.raises(Unreachable) as caught:
        await (await reach(Connection(address, trust=ServerTrust(pem["ca.crt"])))).within(1).get(POD)
    assert not caught.value.sent
    listening.close()


async def test_another_certificate_means_another_connection(secure_server, reach, pem, certificate, tmp_path, clock):
    secure_server.says().says().says()
    chain, key = tmp_path / "c", tmp_path / "k"
    chain.write_bytes(pem["client.crt"])
    key.write_bytes(pem["client.key"])
    user = User(certificate_file=chain, key_file=key)
    client = await reach(Connection(secure_server.url, trust=ServerTrust(pem["ca.crt"]), user=user), clock=clock)
    await client.get(POD)
    await client.get(POD)
    assert secure_server.connections == 1
    chain.write_bytes(pem["server.crt"])
    key.write_bytes(pem["server.key"])
    await clock.advance(11)
    await client.get(POD)
    assert secure_server.connections == 2


async def test_a_connection_that_was_busy_while_the_certificate_changed_is_not_used_again(
    secure_server, reach, pem, certificate, tmp_path, clock
):
    secure_server.raw(0.3, secure_server.reply(b"{}")).says().says()
    chain, key = tmp_path / "c", tmp_path / "k"
    chain.write_bytes(pem["client.crt"])
    key.write_bytes(pem["client.key"])
    user = User(certificate_file=chain, key_file=key)
    client = await reach(Connection(secure_server.url, trust=ServerTrust(pem["ca.crt"]), user=user), clock=clock)
    slow = asyncio.ensure_future(client.get(POD))
    await asyncio.sleep(0.1)
    chain.write_bytes(pem["server.crt"])
    key.write_bytes(pem["server.key"])
    await clock.advance(11)
    await client.get(POD)
    await slow
    # The newest connection is taken, so both have to be in use for the older one to be seen.
    secure_server.script.clear()
    secure_server.raw(0.2, secure_server.reply(b"{}")).says()
    await asyncio.gather(client.get(POD), client.get(POD))
    assert [asked.connection for asked in secure_server.asked].count(1) == 1


@pytest.fixture
def authorities_file(pem, tmp_path):
    path = tmp_path / "ca.crt"
    path.write_bytes(pem["ca.crt"])
    return path


async def test_authorities_that_were_replaced_count_as_soon_as_a_server_is_not_trusted(
    secure_server, reach, pem, authorities_file
):
    secure_server.says()
    authorities_file.write_bytes(pem["client.crt"])
    trust = ServerTrust(pem["client.crt"], file=authorities_file)
    client = (await reach(Connection(secure_server.url, trust=trust))).within(1)
    with pytest.raises(Unreachable):
        await client.get(POD)
    authorities_file.write_bytes(pem["ca.crt"])
    assert await client.get(POD) == b"{}"


async def test_authorities_are_read_again_after_a_minute(pem, authorities_file, monkeypatch):
    now_s = 0.0
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: now_s)
    authorities = Authorities(ServerTrust(pem["ca.crt"], file=authorities_file), "x")
    first = authorities.now()
    authorities_file.write_bytes(pem["client.crt"])
    now_s = 59.0
    assert authorities.now() is first
    now_s = 61.0
    assert authorities.now().authorities == pem["client.crt"]


@pytest.mark.parametrize("content", [None, b""])
async def test_authorities_that_are_being_replaced_are_still_good(pem, authorities_file, content):
    authorities = Authorities(ServerTrust(pem["ca.crt"], file=authorities_file), "x")
    authorities_file.unlink()
    if content is not None:
        authorities_file.write_bytes(content)
    authorities.doubt()
    assert authorities.now().authorities == pem["ca.crt"]


async def test_a_connection_is_kept_while_the_authorities_are_the_same_and_not_beyond(
    secure_server, reach, pem, authorities_file, monkeypatch
):
    secure_server.says().says().says()
    monkeypatch.setattr("plumbline.kube.client.authorities.STALE_S", 0.0)
    client = await reach(Connection(secure_server.url, trust=ServerTrust(pem["ca.crt"], file=authorities_file)))
    await client.get(POD)
    await client.get(POD)
    assert secure_server.connections == 1
    authorities_file.write_bytes(pem["ca.crt"] + pem["client.crt"])
    await client.get(POD)
    assert secure_server.connections == 2


async def test_half_a_bundle_is_not_used(secure_server, reach, pem, authorities_file, monkeypatch):
    secure_server.says().says()
    monkeypatch.setattr("plumbline.kube.client.authorities.STALE_S", 0.0)
    client = await reach(Connection(secure_server.url, trust=ServerTrust(pem["ca.crt"], file=authorities_file)))
    await client.get(POD)
    authorities_file.write_bytes(pem["ca.crt"][:100])
    assert await client.get(POD) == b"{}"


async def test_a_certificate_whose_key_comes_a_moment_later_is_not_used_before(
    secure_server, reach, pem, tmp_path, clock
):
    secure_server.says().says()
    chain, key = tmp_path / "c", tmp_path / "k"
    chain.write_bytes(pem["client.crt"])
    key.write_bytes(pem["client.key"])
    user = User(certificate_file=chain, key_file=key)
    client = await reach(Connection(secure_server.url, trust=ServerTrust(pem["ca.crt"]), user=user), clock=clock)
    await client.get(POD)
    chain.write_bytes(pem["server.crt"])
    await clock.advance(11)
    assert await client.get(POD) == b"{}"


@pytest.mark.parametrize("memory", [True, False])
def test_no_key_is_left_behind(pem, certificate, tmp_path, monkeypatch, memory):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    if not memory:
        monkeypatch.delattr(os, "memfd_create")
    opened = _open_files()
    assert isinstance(tls.context(ServerTrust(pem["ca.crt"]), certificate, "x"), ssl.SSLContext)
    assert list(tmp_path.iterdir()) == []
    assert _open_files() == opened


def _open_files():
    return {entry.name for entry in Path("/proc/self/fd").iterdir()}


@pytest.mark.parametrize(
    ("chain", "key", "why"),
    [
        ("client.crt", "server.key", "a key of another certificate"),
        ("client.crt", "locked.key", "a key behind a password"),
        ("client.crt", "ca.crt", "no key at all"),
        ("client.key", "client.key", "no certificate"),
        ("", "", "nothing"),
    ],
)
def test_keys_that_do_not_work_are_refused_without_asking_for_a_password(pem, chain, key, why):
    certificate = Certificate(pem.get(chain, b""), Plaintext(pem.get(key, b"")))
    with pytest.raises(BadKubeconfig) as caught:
        tls.context(ServerTrust(pem["ca.crt"]), certificate, "context 'c'")
    assert "context 'c'" in caught.value.what, why
    assert "KEY" not in str(caught.value).replace("KEY_VALUES_MISMATCH", "")


@pytest.mark.parametrize(
    "authorities", [b"nonsense", "ü".encode(), b"-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----\n"]
)
def test_authorities_that_are_no_certificates_are_refused(authorities):
    with pytest.raises(BadKubeconfig, match="certificate-authority"):
        tls.context(ServerTrust(authorities), None, "x")


def test_old_protocols_are_off(pem):
    assert tls.context(ServerTrust(pem["ca.crt"]), None, "x").minimum_version == ssl.TLSVersion.TLSv1_2
