"""Who is let in, and how those are told who are not."""

import asyncio
import ssl

import pytest
from tests.apiserver.serving.served import CM, config
from tests.base.http.talking import request

from plumbline.apiserver.authentication.pki import open_pki
from plumbline.base.clock import SystemClock, VirtualClock

pytestmark = pytest.mark.asyncio(loop_scope="module")
ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"
WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


async def test_the_certificate_of_the_administrator_opens_every_door(secure):
    reply = await secure.ask("POST", WHO, {})
    assert reply.json["status"]["userInfo"]["username"] == "kubernetes-admin"
    assert (await secure.ask("POST", CM, config("a"))).status == 201


async def test_who_brings_nothing_is_anonymous_and_may_see_little(secure):
    talk = await secure.connect(secure.anonymous)
    assert (await talk.ask("GET", "/livez")).status == 200
    reply = await talk.ask("GET", CM)
    assert reply.status == 403
    assert "system:anonymous" in reply.json["message"]


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ("Bearer forged", "not a token"),
        ("Bearer a.b.c", "looks like one"),
        ("Bearer " + "x" * 10_000, "long"),
        ("Basic YTpi", "not a way to log in"),
        ("Bearer", "nothing"),
    ],
)
async def test_bad_credentials_are_not_as_good_as_none(secure, header, why):
    talk = await secure.connect(secure.anonymous)
    reply = await talk.ask("GET", CM, Authorization=header)
    expected = 403 if header.startswith("Basic") or header == "Bearer" else 401
    assert reply.status == expected, why
    assert reply.json["kind"] == "Status"


async def test_a_token_is_good_until_it_expires_or_its_account_goes(secure):
    await secure.ask("POST", ACCOUNTS, {"metadata": {"name": "robot"}})
    asked = {"spec": {"expirationSeconds": 600}}
    token = (await secure.ask("POST", f"{ACCOUNTS}/robot/token", asked)).json["status"]["token"]
    talk = await secure.connect(secure.anonymous)
    reply = await talk.ask("POST", WHO, {}, Authorization=f"Bearer {token}")
    assert reply.json["status"]["userInfo"]["username"] == "system:serviceaccount:default:robot"
    head, claims, signature = token.split(".")
    forged = await talk.ask("POST", WHO, {}, Authorization=f"Bearer {head}.{claims}.{signature[::-1]}")
    assert forged.status == 401
    await secure.ask("DELETE", f"{ACCOUNTS}/robot")
    late = await talk.ask("POST", WHO, {}, Authorization=f"Bearer {token}")
    assert late.status == 401


async def test_a_certificate_of_somebody_else_does_not_get_past_the_handshake(secure, pki, tmp_path):
    other = open_pki(tmp_path / "pki", VirtualClock(SystemClock().now()))
    (tmp_path / "client.pem").write_bytes(other.admin.pem)
    foreign = ssl.create_default_context(cadata=pki.authority.certificate_pem.decode())
    foreign.load_cert_chain(tmp_path / "client.pem")

    async def ask():
        return await (await secure.connect(foreign)).ask("GET", CM)

    with pytest.raises((ssl.SSLError, ConnectionError, asyncio.IncompleteReadError)):
        await ask()
    assert (await secure.ask("GET", CM)).status == 200, "others are not disturbed"


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (request("GET", CM), "HTTP without TLS"),
        (b"\x16\x03\x01\x00\x05hello", "broken TLS"),
        (b"\x00" * 500, "nothing at all"),
        (b"", "gone before a word"),
    ],
)
async def test_what_is_no_tls_is_hung_up_on(secure, said, why):
    talk = await secure.connect()
    if said:
        await talk.send(said)
        assert b"HTTP/1.1 200" not in await talk.reader.read(), why
    talk.close()
    assert (await secure.ask("GET", CM)).status == 200


async def test_the_oldest_tls_that_is_spoken_is_1_2(secure, pki):
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    talk = await secure.connect(old)
    assert talk.writer.get_extra_info("ssl_object").version() == "TLSv1.2"
    assert pki.server_context().minimum_version is ssl.TLSVersion.TLSv1_2


async def test_groups_to_be_come_in_as_many_headers(secure):
    talk = await secure.talk()
    lines = ["POST " + WHO + " HTTP/1.1", "Host: x", "Content-Type: application/json", "Content-Length: 2"]
    lines += ["Impersonate-User: ann", "Impersonate-Group: crew", "Impersonate-Group: pilots", "", "{}"]
    await talk.send("\r\n".join(lines).encode())
    reply = await talk.reply()
    assert reply.json["status"]["userInfo"]["groups"] == ["crew", "pilots", "system:authenticated"]


async def test_groups_without_somebody_to_be_are_refused(secure):
    reply = await secure.ask("POST", WHO, {}, Impersonate_Group="system:masters")
    assert reply.status >= 400
