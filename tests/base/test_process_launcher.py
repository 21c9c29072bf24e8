"""The launcher of tools: busy, gone, out of resources, or not to be started at all."""

import errno
import importlib
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from plumbline import base
from plumbline.base.errors import (
    InvalidInput,
    LimitExceeded,
    NotFound,
    SandboxMissing,
    ToolFailed,
    ToolMissing,
    Transient,
)
from plumbline.base.process import Command, Launcher, Report, ready, run
from plumbline.base.process.outcome import refuse_unstarted
from plumbline.base.process.tools import TOOLS

run_module = importlib.import_module("plumbline.base.process.run")

TRUE = Command(argv=("true",))


def failing(times, error, action=lambda *arguments: None):
    """An action that fails so many times first."""
    calls = []

    def attempt(*arguments, **options):
        calls.append(arguments)
        if len(calls) <= times:
            raise error
        return action(*arguments, **options)

    return attempt


def exhausted_after(pipes):
    original, left = os.pipe, [None] * pipes

    def attempt():
        if not left:
            raise OSError(errno.EMFILE, "Too many open files")
        left.pop()
        return original()

    return attempt


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ETOOMANYREFS])
async def test_a_busy_launcher_is_waited_for(monkeypatch, number):
    await run(TRUE)
    zygote = TOOLS._zygote
    monkeypatch.setattr(socket, "send_fds", failing(3, OSError(number, "busy"), socket.send_fds))
    assert (await run(TRUE)).exit_code == 0
    assert TOOLS._zygote is zygote


async def test_a_launcher_that_is_gone_is_started_again(monkeypatch):
    await run(TRUE)
    zygote = TOOLS._zygote
    monkeypatch.setattr(socket, "send_fds", failing(1, OSError(errno.EPIPE, "gone"), socket.send_fds))
    assert (await run(TRUE)).exit_code == 0
    assert TOOLS._zygote is not zygote


async def test_a_launcher_that_does_not_stay_is_given_up(monkeypatch):
    monkeypatch.setattr(TOOLS, "hand_over", failing(99, ConnectionResetError()))
    with pytest.raises(ToolFailed) as caught:
        await run(TRUE)
    assert "as soon as it starts" in str(caught.value)


async def test_want_of_descriptors_of_our_own_passes_and_is_told_so(monkeypatch):
    await run(TRUE)
    for pipes in (0, 1):
        monkeypatch.setattr(os, "pipe", exhausted_after(pipes))
        with pytest.raises(Transient) as caught:
            await run(TRUE)
        assert "Too many open files" in str(caught.value)
        monkeypatch.undo()
        assert (await run(TRUE)).exit_code == 0


async def test_a_request_that_is_given_up_before_its_order_leaves_nothing():
    await run(TRUE)
    ours, theirs = socket.socketpair()
    with theirs:
        TOOLS.hand_over([theirs.fileno(), 0, 1, 2])
    ours.settimeout(10)
    with ours:
        ours.shutdown(socket.SHUT_WR)
        assert ours.recv(1) == b""
    assert (await run(TRUE)).exit_code == 0


async def test_namespaces_that_are_refused_at_the_last_moment_stop_the_tool(monkeypatch):
    facts = replace(await ready(TOOLS), privileged_error=0)
    monkeypatch.setattr(TOOLS, "_facts", facts)
    monkeypatch.setattr("plumbline.base.process.sandbox.CLONE_NEWPID", 1)
    with pytest.raises(SandboxMissing) as caught:
        await run(TRUE)
    assert "namespaces" in str(caught.value)


UNSTARTED = [
    ("exec", errno.ENOENT, ToolMissing),
    ("exec", errno.E2BIG, LimitExceeded),
    ("exec", errno.ENOMEM, ToolFailed),
    ("directory", errno.ENOTDIR, NotFound),
    ("landlock", errno.ENOENT, NotFound),
    ("landlock", errno.EINVAL, SandboxMissing),
    ("capabilities", errno.EPERM, SandboxMissing),
    ("seccomp", errno.EINVAL, SandboxMissing),
    ("namespaces", errno.ENOSPC, SandboxMissing),
    ("limits", errno.EINVAL, InvalidInput),
    ("start", errno.EPERM, ToolFailed),
]


@pytest.mark.parametrize(("stage", "number", "error"), UNSTARTED)
def test_what_hindered_the_start_is_told_by_its_stage(stage, number, error):
    report = Report(status=0, error=number, stage=stage, cpu_s=0.0, peak_bytes=0)
    with pytest.raises(error) as caught:
        refuse_unstarted(TRUE, report)
    assert "true was not started" in str(caught.value)


def test_a_launcher_that_does_not_run_takes_nothing():
    with pytest.raises(ConnectionError):
        Launcher().hand_over([0])


async def test_a_launcher_that_cannot_be_forked_passes_and_is_told_so(monkeypatch):
    monkeypatch.setattr(run_module, "TOOLS", launcher := Launcher())
    monkeypatch.setattr(launcher, "_spawned", failing(1, BlockingIOError(errno.EAGAIN, "Try again")))
    with pytest.raises(Transient) as caught:
        await run(TRUE)
    assert "Try again" in str(caught.value)


def test_a_launcher_that_does_not_speak_is_given_up(monkeypatch):
    monkeypatch.setattr("plumbline.base.process.launcher._BOOT", "import time; time.sleep(1000)")
    monkeypatch.setattr("plumbline.base.process.launcher._START_S", 0.1)
    with pytest.raises(ToolFailed):
        Launcher().start()


def test_a_launcher_that_does_not_end_is_killed(monkeypatch):
    monkeypatch.setattr("plumbline.base.process.launcher._END_S", 0.05)
    launcher = Launcher()
    launcher.start()
    zygote = launcher._zygote
    os.kill(zygote.pid, 19)
    launcher.close()
    assert zygote.returncode == -9


def test_the_process_that_starts_tools_loads_nothing_that_it_can_do_without():
    """It is there for as long as we are, and all of it is memory that nobody shares."""
    script = "import sys; sys.path.append(sys.argv[1]); import plumbline.base.zygote.serve; print(*sys.modules)"
    root = str(Path(base.__path__[0]).parents[1])
    child = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script, root], capture_output=True, check=True, timeout=60
    )
    assert not {"typing", "re", "dataclasses", "asyncio", "logging"} & set(child.stdout.decode().split())
