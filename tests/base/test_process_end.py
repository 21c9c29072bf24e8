"""However a command ends, nothing of it is left: no process, no zombie, no descriptor."""

import asyncio
import errno
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline.base.errors import TimedOut, ToolFailed
from plumbline.base.ids import Ids
from plumbline.base.process import Command, Confinement, ready, run
from plumbline.base.process.tools import TOOLS
from plumbline.base.tasks import task_group
from plumbline.base.zygote import kernel

# Leaves its session, twice, with a parent that is gone: nothing but the kernel's own books leads to it.
DAEMON = "import os, time; os.fork() or (os.setsid(), os.fork() and os._exit(0), os.setsid(), time.sleep(1000))"

ISOLATIONS = [
    ({}, "whatever the kernel allows"),
    ({"privileged_error": errno.EPERM}, "namespaces within one for users"),
    ({"privileged_error": errno.EPERM, "user_error": errno.EPERM}, "a keeper and nothing else"),
]


@pytest.fixture
def marker():
    """Something that is found in command lines of this test only."""
    return f"marker-{Ids().uid()}"


@pytest.fixture(params=[facts for facts, _ in ISOLATIONS], ids=[why for _, why in ISOLATIONS])
async def confinement(request, monkeypatch):
    """Runs the test once per way of holding a tree of processes together."""
    facts = replace(await ready(TOOLS), **request.param)
    if (facts.privileged_error and facts.user_error) and not request.param:
        pytest.skip("this kernel allows no namespaces")
    monkeypatch.setattr(TOOLS, "_facts", facts)
    return Confinement(readable=(Path(sys.base_prefix), Path(sys.prefix)))


def running(marker):
    """Processes with the marker in their command line; zombies have none."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes():
                    found.add(int(entry.name))
            except OSError:
                continue
    return found


async def until(condition):
    """Wait for what comes about by itself; the number of looks bounds it, not the time."""
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come about")


def descriptors(process="self"):
    return sorted(entry.name for entry in Path(f"/proc/{process}/fd").iterdir())


def python(code, *arguments, **others):
    return Command(argv=(sys.executable, "-I", "-S", "-c", code, *arguments), **others)


async def test_a_tool_past_its_deadline_is_ended_with_all_that_it_started(marker, confinement):
    command = python(f"{DAEMON}; time.sleep(1000)", marker, deadline_s=0.5, confinement=confinement)
    with pytest.raises(TimedOut) as caught:
        await run(command)
    assert "0.5 s" in str(caught.value)
    assert running(marker) == set()


async def test_a_tool_that_ends_takes_its_daemons_with_it(marker, confinement):
    finished = await run(python(f"{DAEMON}; time.sleep(0.1); print('done')", marker, confinement=confinement))
    assert finished.stdout == b"done\n"
    assert running(marker) == set()


async def test_a_cancelled_command_ends_its_tool_before_it_returns(marker, confinement):
    async with task_group() as group:
        task = group.create_task(run(python(f"{DAEMON}; time.sleep(1000)", marker, confinement=confinement)))
        await until(lambda: running(marker))
        task.cancel()
    assert task.cancelled()
    assert running(marker) == set()


async def test_a_tool_is_asked_to_end_first(tmp_path):
    told = tmp_path / "told"
    script = f"trap 'echo asked > {told}; exit 0' TERM; echo ready; while :; do sleep 0.05; done"
    with pytest.raises(TimedOut):
        await run(Command(argv=("/bin/sh", "-c", script), deadline_s=0.5, grace_s=5.0))
    assert told.read_text() == "asked\n"


async def test_a_tool_that_does_not_listen_is_killed(marker):
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)"
    with pytest.raises(TimedOut):
        await run(python(code, marker, deadline_s=0.5, grace_s=0.1))
    assert running(marker) == set()


async def test_a_fork_bomb_ends_with_its_deadline(marker):
    code = "import os, time\nfor _ in range(6): os.fork()\ntime.sleep(1000)"
    with pytest.raises(TimedOut):
        await run(python(code, marker, deadline_s=1.0, grace_s=0.0))
    assert running(marker) == set()


async def test_a_keeper_that_is_killed_takes_its_tool_with_it(marker):
    keepers = kernel.children(TOOLS._zygote.pid)
    async with task_group() as group:
        task = group.create_task(_failure(python("import time; time.sleep(1000)", marker)))
        await until(lambda: running(marker))
        (keeper,) = kernel.children(TOOLS._zygote.pid) - keepers
        os.kill(keeper, signal.SIGKILL)
    assert "keeper" in str(task.result())
    await until(lambda: not running(marker))


async def test_what_a_killed_keeper_leaves_behind_is_found(marker, monkeypatch):
    facts = replace(await ready(TOOLS), privileged_error=errno.EPERM, user_error=errno.EPERM)
    monkeypatch.setattr(TOOLS, "_facts", facts)
    async with task_group() as group:
        task = group.create_task(_failure(python(f"{DAEMON}; time.sleep(1000)", marker)))
        await until(lambda: len(running(marker)) > 1)
        for keeper in kernel.children(TOOLS._zygote.pid):
            os.kill(keeper, signal.SIGKILL)
    assert task.done()
    await until(lambda: not running(marker))


async def test_a_launcher_that_died_is_started_again_and_running_tools_go_on(marker):
    async with task_group() as group:
        code = "import time, sys; sys.stdin.read(); time.sleep(0.5); print('survived')"
        task = group.create_task(run(python(code, marker)))
        await until(lambda: running(marker))
        TOOLS._zygote.kill()
        await until(lambda: TOOLS._zygote.poll() is not None)
        assert (await run(Command(argv=("echo", "again")))).stdout == b"again\n"
    assert task.result().stdout == b"survived\n"


async def test_a_main_program_that_is_killed_leaves_nothing(marker):
    code = f"""
import asyncio, sys
from plumbline.base.process import Command, run
tool = (sys.executable, "-I", "-S", "-c", {DAEMON + "; time.sleep(1000)"!r}, {marker!r})
asyncio.run(run(Command(argv=tool)))
"""
    with _program(code) as program:
        await until(lambda: len(running(marker) - {program.pid}) > 1)
        (zygote,) = kernel.children(program.pid)
        program.kill()
    await until(lambda: not running(marker))
    await until(lambda: not Path(f"/proc/{zygote}").exists())


async def test_no_descriptor_and_no_zombie_stays_after_many_commands():
    await run(Command(argv=("true",)))
    before = descriptors()
    for number in range(25):
        await run(Command(argv=("sh", "-c", f"echo {number}; exit {number}"), accept=None, stdin=b"x"))
        if number % 5 == 0:
            with pytest.raises(TimedOut):
                await run(Command(argv=("sleep", "1000"), deadline_s=0.01, grace_s=0.0))
    assert descriptors() == before
    await until(lambda: not kernel.descendants(TOOLS._zygote.pid))
    assert len(descriptors(TOOLS._zygote.pid)) < 10


def _program(code):
    return subprocess.Popen([sys.executable, "-c", code], start_new_session=True)


async def _failure(command):
    with pytest.raises(ToolFailed) as caught:
        await run(command)
    return caught.value
