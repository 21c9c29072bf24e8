"""A confined tool reaches what it was given and nothing else, as this kernel enforces it."""

import errno
import os
import socket
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.base.errors import NotFound, SandboxMissing, ToolFailed, ToolMissing
from plumbline.base.process import Command, Confinement, capabilities, ready, run
from plumbline.base.process.tools import TOOLS

PYTHON = (Path(sys.base_prefix), Path(sys.prefix))

ENFORCEMENTS = [
    ({}, "all that there is"),
    ({"privileged_error": errno.EPERM}, "an unprivileged user's namespaces"),
    ({"privileged_error": errno.EPERM, "user_error": errno.EPERM}, "no namespaces, as in most containers"),
    ({"seccomp_error": errno.EINVAL}, "no seccomp"),
]


@pytest.fixture(autouse=True)
async def _needs_landlock():
    if not (await ready(TOOLS)).landlock_abi:
        pytest.skip("this kernel has no Landlock")


@pytest.fixture(params=[facts for facts, _ in ENFORCEMENTS], ids=[why for _, why in ENFORCEMENTS])
async def _enforcement(request, monkeypatch):
    monkeypatch.setattr(TOOLS, "_facts", replace(await ready(TOOLS), **request.param))


def python(code, *, confinement, **others):
    confinement = replace(confinement, readable=(*confinement.readable, *PYTHON))
    return Command(argv=(sys.executable, "-I", "-S", "-c", code), confinement=confinement, **others)


def shell(script, confinement, **others):
    return Command(argv=("/bin/sh", "-c", script), confinement=confinement, accept=None, **others)


@pytest.mark.usefixtures("_enforcement")
async def test_a_confined_tool_reads_and_writes_where_it_may(tmp_path):
    for name in ("given", "work", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    confinement = Confinement(readable=(tmp_path / "given",), writable=(tmp_path / "work",))
    script = """
        cat given/file; cat work/file; cat other/file; echo
        echo new > work/new && mv work/new work/newer && rm work/file && mkdir work/deep && echo wrote
        echo x > given/new || echo refused
        echo x > other/new || echo refused
        true > other/file || echo refused
        ls other || echo refused
    """
    finished = await run(shell(script, confinement, cwd=tmp_path))
    assert finished.stdout.decode().split() == ["givenwork", "wrote", "refused", "refused", "refused", "refused"]
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["deep", "newer"]
    assert (tmp_path / "other" / "file").read_text() == "other"


@pytest.mark.usefixtures("_enforcement")
async def test_links_lead_nowhere_that_paths_do_not(tmp_path):
    (tmp_path / "secret").write_text("secret")
    work = tmp_path / "work"
    work.mkdir()
    (work / "link").symlink_to(tmp_path / "secret")
    script = f"cat link; cat ../secret; cat /proc/self/cwd/../secret; ln {tmp_path}/secret hard; cat hard; cat link2"
    finished = await run(shell(f"ln -s .. up; {script}; cat up/secret", Confinement(writable=(work,)), cwd=work))
    assert finished.stdout == b""


async def test_what_is_read_or_written_is_not_executed_unless_that_is_said(tmp_path):
    plugin = tmp_path / "plugin"
    plugin.write_text("#!/bin/sh\necho ran\n")
    plugin.chmod(0o700)
    for confinement in (Confinement(readable=(tmp_path,)), Confinement(writable=(tmp_path,))):
        finished = await run(shell("./plugin", confinement, cwd=tmp_path))
        assert (finished.exit_code, finished.stdout) == (126, b"")
    both = Confinement(writable=(tmp_path,), executable=(tmp_path,))
    assert (await run(shell("./plugin", both, cwd=tmp_path))).stdout == b"ran\n"


async def test_the_environment_of_other_processes_is_out_of_reach():
    script = f"cat /proc/{os.getpid()}/environ; cat /proc/1/environ; cat /etc/shadow; ls /root"
    assert (await run(shell(script, Confinement()))).stdout == b""


@pytest.mark.usefixtures("_enforcement")
@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
@pytest.mark.parametrize("kind", ["SOCK_STREAM", "SOCK_DGRAM"])
async def test_without_network_nothing_is_reached(family, kind):
    address = "127.0.0.1" if family == "AF_INET" else "::1"
    with socket.socket(getattr(socket, family), getattr(socket, kind)) as server:
        server.bind((address, 0))
        if kind == "SOCK_STREAM":
            server.listen()
        code = f"import socket; s = socket.socket(socket.{family}, socket.{kind}); s.connect(('{address}', {server.getsockname()[1]})); s.send(b'x')"
        with pytest.raises(ToolFailed) as caught:
            await run(python(code, confinement=Confinement()))
        assert "Error" in caught.value.why
        assert (await run(python(code, confinement=Confinement(network=True)))).exit_code == 0


async def test_without_network_there_are_no_local_sockets_either_unless_asked_for(tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        code = f"import socket; socket.socket(socket.AF_UNIX).connect('{tmp_path}/socket')"
        with pytest.raises(ToolFailed) as caught:
            await run(python(code, confinement=Confinement(writable=(tmp_path,))))
        assert "PermissionError" in caught.value.why
        allowed = Confinement(writable=(tmp_path,), unix_sockets=True)
        assert (await run(python(code, confinement=allowed))).exit_code == 0
        with pytest.raises(ToolFailed):
            await run(python("import socket; socket.socket(socket.AF_INET)", confinement=allowed))


async def test_pipes_between_the_tools_own_processes_work():
    assert (await run(shell("echo x | cat | wc -c", Confinement()))).stdout.strip() == b"2"


@pytest.mark.usefixtures("_enforcement")
async def test_a_confined_tool_has_no_capability_even_as_root():
    code = "print(open('/proc/self/status').read())"
    status = (await run(python(code, confinement=Confinement(readable=(Path("/proc"),))))).stdout.decode()
    held = {line.split()[0]: int(line.split()[1], 16) for line in status.splitlines() if line.startswith("Cap")}
    assert (held["CapInh:"], held["CapPrm:"], held["CapEff:"], held["CapAmb:"]) == (0, 0, 0, 0)


@pytest.mark.usefixtures("_enforcement")
async def test_a_confined_tool_keeps_its_user_and_group():
    finished = await run(shell("id -u; id -g", Confinement()))
    assert finished.stdout.split() == [str(os.getuid()).encode(), str(os.getgid()).encode()]


@pytest.mark.usefixtures("_enforcement")
async def test_a_confined_tool_signals_nobody_outside():
    code = f"import os\ntry: os.kill({os.getpid()}, 0)\nexcept OSError as error: print(type(error).__name__)"
    assert (await run(python(code, confinement=Confinement()))).stdout.decode().strip() in {
        "PermissionError",
        "ProcessLookupError",
    }


async def test_a_path_that_is_not_there_is_an_error_and_not_a_tool_without_it(tmp_path):
    with pytest.raises(NotFound):
        await run(shell("true", Confinement(readable=(tmp_path / "missing",))))


async def test_a_tool_whose_interpreter_is_out_of_reach_is_not_started(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "interpreter").symlink_to(sys.executable)
    tool = tmp_path / "tool"
    tool.write_text(f"#!{sys.executable} -S\n")
    tool.chmod(0o700)
    if any(prefix.is_relative_to("/usr") for prefix in PYTHON):
        pytest.skip("this interpreter is where every tool may read")
    with pytest.raises(ToolMissing):
        await run(Command(argv=(str(tool),), confinement=Confinement()))


WITHOUT = [
    ({"landlock_abi": 0}, Confinement(), ("files",)),
    ({"seccomp_error": 22, "privileged_error": 1, "user_error": 1}, Confinement(), ("network",)),
    ({"seccomp_error": 22, "privileged_error": 1, "user_error": 1}, Confinement(network=True), ()),
    (
        {"landlock_abi": 0, "seccomp_error": 22, "privileged_error": 1, "user_error": 1},
        Confinement(),
        ("files", "network"),
    ),
]


@pytest.mark.parametrize(("facts", "confinement", "missing"), WITHOUT)
async def test_what_cannot_be_enforced_is_refused_or_named_as_the_policy_says(monkeypatch, facts, confinement, missing):
    monkeypatch.setattr(TOOLS, "_facts", replace(await ready(TOOLS), **facts))
    best_effort = replace(confinement, policy="best-effort")
    assert (await run(shell("true", best_effort))).unenforced == missing
    if missing:
        with pytest.raises(SandboxMissing) as caught:
            await run(shell("true", confinement))
        assert all(name in str(caught.value) for name in missing)
        assert "plumb doctor" in caught.value.hint


async def test_a_kernel_that_refuses_at_the_last_moment_stops_the_tool(monkeypatch):
    """Allowed when the launcher looked, refused now: the tool does not run with less."""
    facts = replace(await ready(TOOLS), landlock_abi=63)
    monkeypatch.setattr(TOOLS, "_facts", facts)
    monkeypatch.setattr("plumbline.base.process.landlock._FILE_RIGHTS", {1: 1 << 62})
    with pytest.raises(SandboxMissing) as caught:
        await run(shell("true", Confinement()))
    assert "landlock" in str(caught.value)


def test_the_doctor_is_told_one_line_each():
    told = capabilities()
    assert [capability.name for capability in told] == ["landlock", "seccomp", "namespaces"]
    assert all(capability.detail for capability in told)
