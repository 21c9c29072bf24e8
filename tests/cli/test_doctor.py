import asyncio
import socket
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from plumbline.base.clock import SystemClock, VirtualClock
from plumbline.base.documents import load_document
from plumbline.base.errors import BadKubeconfig, TimedOut, ToolFailed, ToolMissing
from plumbline.base.json import decode
from plumbline.base.process import Capability
from plumbline.cli import checks
from plumbline.cli.checks import machine
from plumbline.cli.checks.cluster import cluster
from plumbline.cli.checks.findings import State, failed, ok, passed, warning
from plumbline.cli.checks.sandbox import sandbox
from plumbline.cli.checks.tools import TOOLS, either, judged, look
from plumbline.kube.client import Connection

BY_NAME = {tool.name: tool for tool in TOOLS}

PRINTED = [
    ("git", "git version 2.39.5\n", State.OK, "2.39.5"),
    ("git", "git version 2.39.3 (Apple Git-146)\n", State.OK, "2.39.3"),
    ("helm", "v3.18.4+gd80839c\n", State.OK, "3.18.4"),
    ("helm", "v3.17.3+ge4da497\n", State.WARNING, "3.17.3 is older than 3.18.4"),
    ("helm", "v4.0.0\n", State.OK, "4.0.0"),
    ("helm", "v3.9.0+g7ceeda6\n", State.WARNING, "3.9.0 is older than 3.18.4"),
    ("kustomize", "v5.7.1\n", State.OK, "5.7.1"),
    ("kubectl", "Client Version: v1.32.4\nKustomize Version: v5.5.0\n", State.OK, "1.32.4"),
    ("terraform", "Terraform v1.11.4\non linux_amd64\n", State.OK, "1.11.4"),
    ("tofu", "OpenTofu v1.10.6\non linux_amd64\n", State.OK, "1.10.6"),
    ("go", "go version go1.26 linux/amd64\n", State.OK, "1.26.0"),
    ("go", "what?\n", State.WARNING, "does not say its version"),
]


@pytest.mark.parametrize(("name", "printed", "state", "says"), PRINTED)
def test_versions_are_read_as_tools_print_them(name, printed, state, says):
    finding = judged(BY_NAME[name], printed)
    assert (finding.state, finding.says) == (state, says)
    assert bool(finding.fix) == (state is not State.OK)


@pytest.mark.parametrize(
    ("name", "error", "state"),
    [
        ("git", ToolMissing("git was not started"), State.FAILED),
        ("helm", ToolMissing("helm was not started"), State.WARNING),
        ("helm", ToolFailed("helm failed", exit_code=1), State.WARNING),
        ("helm", TimedOut("helm takes too long"), State.WARNING),
    ],
)
async def test_a_tool_that_is_missing_or_broken_comes_with_a_way_to_get_it(name, error, state):
    asked = []

    async def ask(argv):
        asked.append(argv[0])
        raise error

    finding = await look(BY_NAME[name], ask)
    assert asked[0] == name
    assert finding.state is state
    assert finding.fix


@pytest.mark.parametrize(
    ("name", "there", "says"),
    [
        ("helm", "helm-v3.22.0", "not on PATH; 3.22.0, built for us"),
        ("helm", "go", "not on PATH; 3.22.0 is built with go when it is first needed"),
        ("kustomize", "go", "not on PATH; 5.8.1 is built with go when it is first needed"),
        ("kustomize", "kubectl", "not on PATH; the one in kubectl is used"),
    ],
)
async def test_what_renders_may_come_from_elsewhere(name, there, says):
    async def ask(argv):
        if argv[0].rpartition("/")[2] != there:
            raise ToolMissing(f"{argv[0]} was not started")
        return ""

    finding = await look(BY_NAME[name], ask)
    assert finding.state is State.OK
    assert finding.says.startswith(says)


async def test_an_old_helm_is_a_warning_where_nothing_better_is_there():
    async def ask(argv):
        if argv[0] != "helm":
            raise ToolMissing(f"{argv[0]} was not started")
        return "v3.17.3"

    assert (await look(BY_NAME["helm"], ask)).state is State.WARNING


def test_one_of_tofu_and_terraform_is_enough():
    there, gone = ok("tofu", "1.10.6"), warning("terraform", "not on PATH", "Install it.")
    assert either([there, gone]) == [there]
    assert either([warning("tofu", "gone", "x"), ok("terraform", "1.11.4")]) == [ok("terraform", "1.11.4")]
    assert either([there, ok("terraform", "1.11.4")]) == [there, ok("terraform", "1.11.4")]
    assert [each.name for each in either([warning("tofu", "gone", "x"), gone])] == ["tofu"]


def test_an_old_python_fails():
    assert machine.python_version((3, 10)).state is State.FAILED
    assert machine.python_version().state is State.OK


def test_a_port_that_somebody_listens_on_is_a_warning(monkeypatch):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        monkeypatch.setattr(machine, "API_PORT", server.getsockname()[1])
        monkeypatch.setattr(machine, "WEB_PORT", _unused())
        api, web = machine.ports()
    assert (api.state, web.state) == (State.WARNING, State.OK)


def _unused():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize(("free", "state"), [(1 << 20, "failed"), (1 << 30, "warning"), (1 << 40, "ok")])
def test_room_on_disk(monkeypatch, tmp_path, free, state):
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert machine.disk(tmp_path / "not" / "there").state == state


def test_a_clock_before_the_installation_is_wrong(tmp_path):
    installed = tmp_path / "installed"
    installed.touch()
    assert machine.clock(VirtualClock(datetime(1970, 1, 2, tzinfo=UTC)), installed).state is State.FAILED
    assert machine.clock(VirtualClock(datetime(2999, 1, 1, tzinfo=UTC)), installed).state is State.OK


def test_what_the_kernel_cannot_enforce_is_a_warning():
    kernel = [
        Capability(name="landlock", available=True, detail="ABI 7"),
        Capability(name="seccomp", available=False, detail="not allowed"),
    ]
    assert [each.state for each in sandbox(kernel)] == ["ok", "warning"]


def test_only_failures_count():
    assert passed([ok("a", ""), warning("b", "", "fix")])
    assert not passed([ok("a", ""), failed("b", "", "fix")])


async def answered(reply: bytes):
    """What the check says of a server that answers *reply* to everything."""

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        return await cluster(VirtualClock(), Connection(f"http://127.0.0.1:{port}"))


def version(date):
    body = b'{"gitVersion": "v1.36.3"}'
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n{date}\r\n"
    return head.encode() + body


async def test_a_cluster_that_answers_is_fine():
    (finding,) = await answered(version("Date: Thu, 01 Jan 2026 00:00:10 GMT\r\n"))
    assert finding.state is State.OK
    assert "Kubernetes v1.36.3 at http://127.0.0.1:" in finding.says


async def test_a_clock_that_differs_from_the_clusters_is_a_warning():
    _, drift = await answered(version("Date: Thu, 01 Jan 2026 00:05:00 GMT\r\n"))
    assert (drift.state, drift.says) == (State.WARNING, "300 s away from the cluster's")


async def test_a_cluster_without_date_says_nothing_about_the_clock():
    assert len(await answered(version(""))) == 1


async def test_a_cluster_that_does_not_answer_fails(monkeypatch):
    monkeypatch.setattr(checks.cluster, "DEADLINE_S", 0.2)
    (finding,) = await cluster(SystemClock(), Connection(f"http://127.0.0.1:{_unused()}"))
    assert finding.state is State.FAILED
    assert "does not answer" in finding.says
    assert finding.fix


async def test_no_kubeconfig_is_a_warning_and_a_bad_one_fails():
    (none,) = await cluster(VirtualClock(), None)
    (bad,) = await cluster(VirtualClock(), BadKubeconfig("It cannot be used", why="no server"))
    assert (none.state, bad.state) == (State.WARNING, State.FAILED)


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """A PATH with nothing but the tools that a test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def put(name, printed):
        path = folder / name
        path.write_text(f"#!/bin/sh\necho '{printed}'\n")
        path.chmod(0o755)

    return put


def test_the_report_for_people(run, tools):
    tools("git", "git version 2.39.5")
    tools("helm", "v3.17.3")
    said = run("doctor")
    lines = said.out.splitlines()
    assert any(line.split() == ["✔", "ok", "git", "2.39.5"] for line in lines)
    assert any(line.startswith("▲ warning  helm") and "older than 3.18.4" in line for line in lines)
    assert any("known security holes" in line for line in lines), "the fix is below"
    assert any("there is no kubeconfig" in line for line in lines)
    assert (said.code, said.err) == (0, "")


def test_a_failed_check_is_1(run, tools):
    said = run("doctor", "-o", "json")
    assert said.code == 1
    answer = decode(said.out)
    assert answer["passed"] is False
    assert {"check": "git", "state": "failed"}.items() <= answer["checks"][1].items()
    assert all(each["fix"] for each in answer["checks"] if each["state"] != "ok")


def test_the_report_as_yaml(run, tools):
    assert load_document(run("doctor", "-o", "yaml").out).value["passed"] is False


def test_a_kubeconfig_that_cannot_be_used_fails(run, tools, tmp_path):
    tools("git", "git version 2.39.5")
    (tmp_path / "kubeconfig").write_text("clusters: 3")
    said = run("doctor", "--kubeconfig", tmp_path / "kubeconfig")
    assert said.code == 1
    assert "✗ failed   cluster" in said.out


def test_the_real_program_checks_the_real_machine(program):
    said = program("doctor", "-o", "json")
    assert said.err == ""
    answer = decode(said.out)
    assert said.code == (0 if answer["passed"] else 1)
    assert {"python", "git", "cluster", "disk", "clock"} <= {each["check"] for each in answer["checks"]}
