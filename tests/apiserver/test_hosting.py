"""A control plane with a folder and a port."""

import asyncio
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
