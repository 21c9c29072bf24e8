import asyncio
import contextlib
import ssl

import psycopg
import pytest
from psycopg import errors

from plumbline.base.errors import (
    AlreadyExists,
    Conflict,
    Corrupted,
    Forbidden,
    InvalidInput,
    NotFound,
    Refused,
    ServerFault,
    StorageFailed,
    TimedOut,
    ToolMissing,
    Transient,
    Unauthenticated,
    Unreachable,
)
from plumbline.providers.sql import Servers
from plumbline.providers.sql import servers as module
from plumbline.providers.sql.faults import told, told_connecting
from plumbline.providers.sql.servers import AT_ONCE

ASKED = "SELECT pg_backend_pid()"


@contextlib.asynccontextmanager
async def listening(answer):
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def found(desk, **changes):
    desk.secrets.put("server", **changes)
    return await desk.servers.find(desk.configured("changed"))


async def test_a_connection_is_used_again_and_replaced_when_it_is_gone(desk):
    server = await desk.servers.find(desk.config)
    first = await server.fetch(ASKED)
    assert await server.fetch(ASKED) == first
    desk.sql("SELECT pg_terminate_backend(%s)", first[0][0])
    assert await server.fetch(ASKED) != first


async def test_a_connection_is_not_kept_for_ever(desk):
    servers = Servers(desk.clock)
    server = await servers.find(desk.config)
    first = await server.fetch(ASKED)
    await desk.clock.advance(3600)
    assert await server.fetch(ASKED) != first
    await servers.close()


async def test_there_are_never_more_connections_than_the_bound(desk):
    server = await desk.servers.find(desk.config)
    counting = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'plumbline' AND pg_sleep(0.02) IS NOT NULL"
    )
    counts = await asyncio.gather(*(server.fetch(counting) for _ in range(4 * AT_ONCE)))
    assert max(count for ((count,),) in counts) <= AT_ONCE
    assert len(server._idle) <= 2


async def test_a_config_that_changes_brings_another_server_and_closes_the_old_connections(desk):
    server = await desk.servers.find(desk.config)
    await server.fetch(ASKED)
    assert await desk.servers.find(desk.config) is server
    assert await desk.servers.find(desk.configured("2")) is server, "another version with the same address"
    other = await desk.servers.find(desk.configured("3", defaultDatabase="template1"))
    assert other is not server
    assert server._idle == []
    assert await other.fetch("SELECT current_database()") == [("template1",)]
    await server.fetch(ASKED)
    assert server._idle == [], "a server that was replaced keeps nothing"


async def test_only_so_many_servers_are_kept(desk, monkeypatch):
    monkeypatch.setattr(module, "_SERVERS", 1)
    server = await desk.servers.find(desk.config)
    await server.fetch(ASKED)
    config = desk.configured()
    other = type(config)(config.ref._replace(name="other"), config.spec, config.secrets, "1")
    await desk.servers.find(other)
    assert server._idle == []
    assert await desk.servers.find(desk.config) is not server


async def test_a_server_that_is_down_is_tried_again(desk):
    async with listening(lambda *_: None) as port:
        pass
    server = await found(desk, port=str(port))
    with pytest.raises(Unreachable) as down:
        await server.fetch(ASKED)
    assert not down.value.sent
    assert f"127.0.0.1:{port}" in str(down.value)
    assert desk.server.password.reveal().decode() not in repr(down.value.__dict__)
    assert down.value.__cause__ is None


async def test_a_server_that_hangs_before_it_speaks_is_tried_again(desk, monkeypatch):
    monkeypatch.setattr(module, "_CONNECT_S", 2)
    monkeypatch.setattr(module, "_READ_S", 0.2)
    held = asyncio.Event()

    async def silent(reader, writer):
        await held.wait()
        writer.close()

    async with listening(silent) as port:
        server = await found(desk, port=str(port))
        with pytest.raises(Transient):
            await server.fetch(ASKED)
        held.set()


async def test_a_server_that_hangs_in_the_middle_is_left_within_the_deadline(desk, monkeypatch):
    monkeypatch.setattr(module, "_READ_S", 0.3)
    server = await desk.servers.find(desk.config)
    with pytest.raises(TimedOut):
        await server.fetch("SELECT pg_sleep(30)")
    assert server._idle == []
    monkeypatch.undo()
    assert await server.fetch("SELECT 1") == [(1,)]


async def test_a_server_that_does_not_speak_the_language_is_tried_again(desk):
    async def web(reader, writer):
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with listening(web) as port:
        server = await found(desk, port=str(port))
        with pytest.raises(Unreachable):
            await server.fetch(ASKED)


async def test_a_wrong_password_needs_a_person(desk):
    server = await found(desk, password="wrong")
    with pytest.raises(Unauthenticated):
        await server.fetch(ASKED)


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full", None])
async def test_a_server_without_tls_is_not_used_unless_that_was_said(desk, mode):
    server = await desk.servers.find(desk.configured("2", sslMode=mode))
    with pytest.raises(Unreachable) as refused:
        await server.fetch(ASKED)
    assert "sslMode" in refused.value.hint


async def test_a_server_that_uses_another_name_is_not_trusted(desk, monkeypatch):
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: ssl.DefaultVerifyPaths(None, None, "", "", "", ""))
    monkeypatch.setattr(module, "_AUTHORITIES", ())
    assert module._authorities() == "system"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"port": "0"}, "no port"),
        ({"port": "70000"}, "no port"),
        ({"port": "5432 host=/tmp"}, "no port"),
        ({"endpoint": ""}, "nothing"),
        ({"endpoint": "/var/run/postgresql"}, "a socket of this machine"),
        ({"endpoint": "@abstract"}, "same"),
        ({"endpoint": "a,b"}, "two hosts"),
        ({"endpoint": "a user=postgres"}, "more than a host"),
    ],
)
async def test_a_secret_that_is_no_address_is_refused(desk, changes, why):
    with pytest.raises(InvalidInput):
        await found(desk, **changes)


@pytest.mark.parametrize(
    "spec",
    [
        {"credentials": {"source": "Environment"}},
        {"credentials": {"source": "PostgreSQLConnectionSecret"}},
        {"credentials": "none"},
        {"sslMode": "prefer"},
    ],
)
async def test_a_config_that_cannot_be_used_says_why(desk, spec):
    with pytest.raises(InvalidInput) as refused:
        await desk.servers.find(desk.configured("2", **spec))
    assert "ProviderConfig" in refused.value.what


async def test_a_secret_with_other_keys_is_read_by_its_mapping(desk):
    values = desk.secrets.contents["default", "server"]
    desk.secrets.put("renamed", host=f"{values['endpoint']}:{values['port']}", user=values["username"], **values)
    del desk.secrets.contents["default", "renamed"]["endpoint"], desk.secrets.contents["default", "renamed"]["username"]
    credentials = {
        "source": "PostgreSQLConnectionSecret",
        "connectionSecretRef": {"name": "renamed", "namespace": "default"},
        "secretKeyMapping": {"endpoint": "host", "username": "user"},
    }
    server = await desk.servers.find(desk.configured("2", credentials=credentials))
    assert await server.fetch("SELECT 1") == [(1,)]
    with pytest.raises(NotFound):
        await desk.servers.find(desk.configured("3", credentials=credentials | {"secretKeyMapping": {}}))


async def test_without_the_driver_there_is_a_way_out(desk, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(ToolMissing) as missing:
        await desk.servers.find(desk.config)
    assert "plumbline[postgres]" in missing.value.hint


@pytest.mark.parametrize(
    ("error", "meant"),
    [
        (errors.ObjectInUse, Transient),
        (errors.DependentObjectsStillExist, Transient),
        (errors.InvalidCatalogName, Transient),
        (errors.UndefinedObject, Transient),
        (errors.UndefinedTable, Transient),
        (errors.SerializationFailure, Conflict),
        (errors.UniqueViolation, Conflict),
        (errors.DuplicateDatabase, AlreadyExists),
        (errors.InsufficientPrivilege, Forbidden),
        (errors.SyntaxError, InvalidInput),
        (errors.InvalidParameterValue, InvalidInput),
        (errors.FeatureNotSupported, InvalidInput),
        (errors.ObjectNotInPrerequisiteState, Refused),
        (errors.LockNotAvailable, TimedOut),
        (errors.QueryCanceled, TimedOut),
        (errors.DiskFull, StorageFailed),
        (errors.TooManyConnections, Unreachable),
        (errors.AdminShutdown, Unreachable),
        (errors.CannotConnectNow, Unreachable),
        (errors.ReadOnlySqlTransaction, Unreachable),
        (errors.InvalidPassword, Unauthenticated),
        (errors.DataCorrupted, Corrupted),
        (errors.InternalError_, ServerFault),
        (psycopg.OperationalError, Unreachable),
        (psycopg.ProgrammingError, ServerFault),
    ],
)
def test_each_failure_is_what_it_means(error, meant):
    assert type(told(error("why\nof it"), "what")) is meant


def test_words_are_all_there_is_where_no_connection_was_made():
    assert type(told_connecting(psycopg.OperationalError("no pg_hba.conf entry for host"), "w")) is Unauthenticated
    assert type(told_connecting(psycopg.OperationalError("connection refused"), "w")) is Unreachable
    assert "sslMode" in told_connecting(psycopg.OperationalError("certificate verify failed"), "w").hint


async def test_a_server_that_was_upgraded_is_known_by_its_new_version(desk):
    """Privileges that only one of them has would differ, and be granted anew at each look, until the next start."""
    server = await desk.servers.find(desk.config)
    now = await server.server_version()
    server.version = 90600
    desk.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'plumbline'")
    await server.fetch(ASKED)
    assert await server.server_version() == now
