"""plumb doctor warns while a key exists nowhere but in the cluster."""

import asyncio
import socket

import pytest

from plumbline.base.errors import BadKubeconfig, Forbidden
from plumbline.base.json import decode
from plumbline.cli.checks import sealing
from plumbline.cli.checks.findings import State
from plumbline.cli.checks.sealing import sealing_keys
from plumbline.kube.client import Client, Connection

from .estate import Person


def found(keys):
    connection = Connection.load(keys.estate.kubeconfig)
    return asyncio.run(sealing_keys(connection, keys.namespace))


def test_a_key_that_was_never_exported_is_a_warning_until_it_is(keys, tmp_path):
    assert found(keys) == []
    keys.put(0)
    keys.put(1, label="compromised")
    keys.put_by_sealed_secret(2, "brought")
    (finding,) = found(keys)
    assert finding.state is State.WARNING
    assert finding.says == "1 of 1 exist nowhere but in this cluster: sealed-secrets-key0"
    assert "plumb keys export" in finding.fix
    keys.done("export", "-r", Person(tmp_path).recipient, "-w", tmp_path / "keys.age")
    (finding,) = found(keys)
    assert (finding.state, finding.says) == (State.OK, "1, all of them exported")


def test_many_are_not_all_named(keys):
    for number in range(5):
        keys.put(0, f"key{number}")
    (finding,) = found(keys)
    assert finding.says.endswith("key0, key1, key2, …")


def test_the_verb_says_so(run, keys):
    keys.put(0, "sealed-secrets-key", label=None)
    said = run("doctor", "-o", "json", "--key-namespace", keys.namespace)
    checks = {each["check"]: each for each in decode(said.out)["checks"]}
    assert checks["sealing keys"]["state"] == "warning"


def test_keys_that_may_not_be_seen_are_not_taken_for_none(keys, monkeypatch):
    async def refusing(*_, **__):
        raise Forbidden("GET /secrets failed", why="secrets is forbidden")

    monkeypatch.setattr(Client, "list", refusing)
    (finding,) = found(keys)
    assert finding.state is State.WARNING
    assert "is not known" in finding.says
    assert "secrets is forbidden" in finding.says


@pytest.mark.parametrize("connection", [None, BadKubeconfig("no")])
async def test_without_a_cluster_nothing_is_asked(connection):
    assert await sealing_keys(connection, "kube-system") == []


async def test_a_cluster_that_does_not_answer_costs_no_more_than_one_deadline(monkeypatch):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
    monkeypatch.setattr(sealing, "DEADLINE_S", 0.2)
    assert await sealing_keys(Connection(address), "kube-system") == []


async def test_a_cluster_that_knows_no_sealed_secrets_is_not_asked_for_keys():
    asked = []

    async def serve(reader, writer):
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        assert await sealing_keys(Connection(address), "kube-system") == []
    assert asked == [b"GET /apis/bitnami.com/v1alpha1 HTTP/1.1"]
