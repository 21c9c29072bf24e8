"""A control plane that starts, is found, survives being killed, and stops."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.base.clock import SystemClock
from plumbline.base.errors import AlreadyExists, TimedOut
from plumbline.base.json import decode, encode
from plumbline.cli.running import holder, holding, stop
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.names import GroupVersionResource

MAPS = Target(GroupVersionResource("", "v1", "configmaps"), "default")


@pytest.fixture
def data(tmp_path) -> Iterator[Path]:
    """A folder; whatever still runs on it when the test is over is ended."""
    folder = tmp_path / "data"
    yield folder
    pid = holder(folder)
    if pid:
        os.kill(pid, signal.SIGKILL)


def started(program, data):
    said = program("up", "--detach", "--bare", "--data", data, "--api-port", 0, "--web-port", 0)
    assert said.code == 0, said.err
    return said


def connected(data):
    return Client.connect(Connection.load(data / "kubeconfig"))


def config_map(name):
    return encode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "b"}})


async def test_up_serves_until_down_and_goes_on_where_it_was(program, data):
    said = started(program, data)
    assert f"export KUBECONFIG={data / 'kubeconfig'}" in said.out
    assert (data / "kubeconfig").stat().st_mode & 0o077 == 0, "it holds the administrator's key"
    async with connected(data) as client:
        made = await client.create(MAPS, config_map("kept"))
    assert "stopped process" in program("down", "--data", data).out
    started(program, data)
    async with connected(data) as client:
        assert await client.get(MAPS._replace(name="kept")) == made


async def test_what_was_acknowledged_survives_kill_9(program, data):
    started(program, data)
    async with connected(data) as client:
        names = [f"n{number}" for number in range(20)]
        for name in names:
            await client.create(MAPS, config_map(name))
        pid = holder(data)
        os.kill(pid, signal.SIGKILL)
    while holder(data) == pid:
        await SystemClock().sleep(0.01)
    started(program, data)
    async with connected(data) as client:
        found = {decode(each)["metadata"]["name"] for each in (await client.list(MAPS)).items}
    assert found >= set(names)


def test_down_with_nothing_running_says_so(run, data):
    assert "nothing runs on" in run("down", "--data", data).out


def test_a_second_one_on_the_same_folder_is_refused(run, data):
    with holding(data):
        said = run("up", "--data", data, "--api-port", 0)
    assert said.code == 6
    assert "plumb down" in said.err


def test_a_port_that_is_taken_is_told(program, data, tmp_path):
    started(program, data)
    port = (data / "kubeconfig").read_text().split("server: https://127.0.0.1:")[1].split()[0]
    said = program("up", "--data", tmp_path / "other", "--api-port", port)
    assert said.code == 6
    assert "--api-port" in said.err


def test_one_that_cannot_start_detached_says_why(program, data):
    (data / "pki").mkdir(parents=True)
    (data / "pki" / "ca.pem").write_text("nonsense")
    said = program("up", "-d", "--data", data, "--api-port", 0)
    assert said.code == 3
    assert "ended before it was ready" in said.err


def test_stopping_waits_for_the_end_and_gives_up_with_words(data):
    script = f"""
import signal, time
from pathlib import Path
from plumbline.cli.running import holding
signal.signal(signal.SIGTERM, signal.SIG_IGN)
with holding(Path({str(data)!r})):
    print("held", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as stubborn:
        assert stubborn.stdout.readline() == b"held\n"
        with pytest.raises(TimedOut, match="does not end"):
            asyncio.run(stop(data, SystemClock(), 0.1))
        stubborn.kill()
    assert holder(data) is None


def test_the_lock_names_its_holder_and_ends_with_it(data):
    assert holder(data) is None
    with holding(data):
        assert holder(data) == os.getpid()
        with pytest.raises(AlreadyExists), holding(data):
            pass
    assert holder(data) is None
