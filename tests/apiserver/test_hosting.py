"""A control plane with a folder and a port."""

import asyncio
import base64
import ssl
import stat

import pytest
from tests.base.http.talking import Talk

from plumbline.apiserver.authentication.pki import open_pki
from plumbline.apiserver.hosting import hosted
from plumbline.base.clock import SystemClock
from plumbline.base.documents import load_document
from plumbline.base.errors import AlreadyExists, StorageFailed, Unreachable
from plumbline.base.ids import Ids

CM = "/api/v1/namespaces/default/configmaps"


async def ask(there, folder, method, target, body=None):
    pki = open_pki(folder / "pki", SystemClock())
    (folder / "client.pem").write_bytes(pki.admin.pem)
    tls = ssl.create_default_context(cadata=pki.authority.certificate_pem.decode())
    tls.load_cert_chain(folder / "client.pem")
    port = int(there.url.rsplit(":", 1)[1])
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls, server_hostname="localhost")
    try:
        return await Talk(reader, writer).ask(method, target, body)
    finally:
        writer.close()


async def test_what_is_written_is_there_after_a_restart(tmp_path):
    folder = tmp_path / "plane"
    async with hosted(folder, 0, SystemClock(), Ids(1)) as there:
        made = await ask(there, folder, "POST", CM, {"metadata": {"name": "kept"}, "data": {"k": "v"}})
        assert made.status == 201
        config = load_document(there.kubeconfig.read_bytes()).value
        assert config["clusters"][0]["cluster"]["server"] == there.url
        assert stat.S_IMODE(there.kubeconfig.stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    async with hosted(folder, 0, SystemClock(), Ids(2), durable=True) as there:
        found = await ask(there, folder, "GET", f"{CM}/kept")
        assert found.json == made.json
        late = await ask(there, folder, "GET", f"{CM}?watch=1&timeoutSeconds=1&resourceVersion=2")
        assert late.json["object"]["reason"] == "Expired", "history does not survive: clients list again"


async def test_a_port_that_is_taken_is_said_to_be(tmp_path):
    async with hosted(tmp_path / "a", 0, SystemClock(), Ids(1)) as there:
        port = int(there.url.rsplit(":", 1)[1])
        with pytest.raises(AlreadyExists, match="cannot listen"):
            await hosted(tmp_path / "b", port, SystemClock(), Ids(2)).__aenter__()
        with pytest.raises(Unreachable):
            await hosted(tmp_path / "a", 0, SystemClock(), Ids(2)).__aenter__()


async def test_a_folder_that_cannot_be_made_is_said_to_be(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageFailed):
        await hosted(tmp_path / "file" / "plane", 0, SystemClock(), Ids(1)).__aenter__()


async def test_the_token_in_a_secret_lets_its_bearer_in_until_the_secret_goes(tmp_path):
    home, folder = "/api/v1/namespaces/default", tmp_path / "plane"
    wanted = {
        "type": "kubernetes.io/service-account-token",
        "metadata": {"name": "tok", "annotations": {"kubernetes.io/service-account.name": "default"}},
    }
    secret = f"{home}/secrets/tok"
    async with hosted(folder, 0, SystemClock(), Ids(1)) as there:
        assert (await ask(there, folder, "POST", f"{home}/secrets", wanted)).status == 201
        held = await until(lambda: ask(there, folder, "GET", secret), lambda found: found.get("data"))
        token = base64.b64decode(held["data"]["token"]).decode()
        authority = base64.b64decode(held["data"]["ca.crt"]).decode()
        who = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
        said = await bearing(there, authority, token, "POST", reviews, who)
        assert said.json["status"]["userInfo"]["username"] == "system:serviceaccount:default:default"
        labelled = await until(lambda: ask(there, folder, "GET", secret), lambda found: found["metadata"].get("labels"))
        assert list(labelled["metadata"]["labels"]) == ["kubernetes.io/legacy-token-last-used"]
    async with hosted(folder, 0, SystemClock(), Ids(2)) as there:
        assert (await bearing(there, authority, token, "POST", reviews, who)).status == 201, "it survives a restart"
        assert (await ask(there, folder, "DELETE", secret)).status == 200
        assert (await bearing(there, authority, token, "POST", reviews, who)).status == 401


async def until(look, fits):
    """What *look* finds, once it fits."""
    async with asyncio.timeout(10):
        while not fits(found := (await look()).json):  # noqa: ASYNC110 - it looks from outside
            await asyncio.sleep(0.01)
    return found


async def bearing(there, authority, token, method, target, body):
    """The answer to somebody who has a token, and no certificate."""
    tls = ssl.create_default_context(cadata=authority)
    port = int(there.url.rsplit(":", 1)[1])
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=tls, server_hostname="localhost")
    try:
        return await Talk(reader, writer).ask(method, target, body, Authorization=f"Bearer {token}")
    finally:
        writer.close()
