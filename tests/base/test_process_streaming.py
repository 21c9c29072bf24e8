"""Tools through which bytes pass: as they come, no more than allowed, and to the end of the tool."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from plumbline.base.errors import LimitExceeded, TimedOut, ToolFailed, ToolMissing, Transient
from plumbline.base.ids import Ids
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import Command, Confinement, streamed, streaming
from plumbline.base.tasks import task_group

MIB = 1 << 20


class Exhausted:
    """An operating system with everything but pipes."""

    def __getattr__(self, name):
        return getattr(os, name)

    def pipe(self):
        raise OSError(errno.EMFILE, "Too many open files")


def shell(script, **others):
    return Command(argv=("/bin/sh", "-c", script), **others)


async def everything(tool):
    pieces = []
    while piece := await tool.read():
        pieces.append(piece)
    return b"".join(pieces)


def open_descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


async def until(condition):
    for _ in range(500):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come about")


def running(marker):
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if marker.encode() in (entry / "cmdline").read_bytes():
                    found.add(int(entry.name))
            except OSError:
                continue
    return found


async def test_output_comes_while_the_tool_still_runs():
    async with streamed(Command(argv=("cat",)), fed=True) as tool:
        assert await tool.feed(b"one")
        assert await tool.read() == b"one"
        assert await tool.feed(b"two")
        assert await tool.read() == b"two"
        tool.end_input()
        assert await tool.read() == b""
        assert await tool.read() == b""


async def test_more_than_a_pipe_holds_passes_through_in_order():
    sent = os.urandom(8 * MIB)

    async def feed(tool):
        for start in range(0, len(sent), MIB):
            await tool.feed(sent[start : start + MIB])
        tool.end_input()

    async with streamed(Command(argv=("cat",)), fed=True) as tool, task_group() as tasks:
        tasks.create_task(feed(tool))
        received = tasks.create_task(everything(tool))
    assert received.result() == sent


async def test_input_that_is_known_needs_nobody_to_feed_it():
    async with streamed(Command(argv=("cat",), stdin=b"x" * MIB)) as tool:
        assert len(await everything(tool)) == MIB


async def test_a_tool_that_reads_no_more_says_so():
    async with streamed(shell("exec 0<&-; echo closed"), fed=True) as tool:
        assert await tool.read() == b"closed\n"
        assert not await tool.feed(b"x" * MIB)
        assert not await tool.feed(b"again")


async def test_what_nobody_reads_is_dropped():
    async with streamed(shell("head -c 1000000 /dev/zero")) as tool:
        assert await tool.read()


async def test_an_exit_code_that_is_not_accepted_is_a_failure_with_the_last_words():
    with pytest.raises(ToolFailed) as failed:
        async with streamed(shell("echo out; echo why >&2; exit 3")) as tool:
            assert await everything(tool) == b"out\n"
    assert failed.value.exit_code == 3
    assert "why" in failed.value.why


async def test_an_exit_code_that_is_accepted_is_none():
    async with streamed(shell("exit 3", accept=frozenset({0, 3}))):
        pass


async def test_last_words_hold_no_secret_however_long_they_are():
    command = shell("yes '***' | head -c 5000 >&2; echo $TOKEN >&2; exit 1", environment={"TOKEN": Plaintext("s3cret-value")}, stderr_limit_bytes=100)  # fmt: skip
    with pytest.raises(ToolFailed) as failed:
        async with streamed(command):
            pass
    assert "s3cret-value" not in failed.value.why


async def test_too_much_output_ends_the_tool():
    marker = f"marker-{Ids().uid()}"
    with pytest.raises(LimitExceeded, match="stdout"):
        async with streamed(shell(f"yes {marker}", stdout_limit_bytes=MIB)) as tool:
            await everything(tool)
    assert not running(marker)


async def test_a_deadline_ends_the_tool():
    marker = f"marker-{Ids().uid()}"
    with pytest.raises(TimedOut):
        async with streamed(shell(f"sleep 1000; : {marker}", deadline_s=0.1)) as tool:
            await tool.read()
    assert not running(marker)


async def test_a_timeout_of_the_block_is_not_taken_for_that_of_the_tool():
    with pytest.raises(TimeoutError):
        async with streamed(shell("sleep 1000")) as tool, asyncio.timeout(0.05):
            await tool.read()


async def test_a_block_that_fails_takes_the_tool_with_it():
    marker = f"marker-{Ids().uid()}"

    async def block():
        async with streamed(shell(f"echo up; sleep 1000; : {marker}"), fed=True) as tool:
            assert await tool.read() == b"up\n"
            assert running(marker)
            raise ConnectionError

    with pytest.raises(ConnectionError):
        await block()
    assert not running(marker)


async def test_a_block_that_is_cancelled_takes_the_tool_with_it():
    marker = f"marker-{Ids().uid()}"
    inside = asyncio.Event()

    async def block():
        async with streamed(shell(f"sleep 1000; : {marker}"), fed=True) as tool:
            inside.set()
            while await tool.feed(b"x" * MIB):
                pass

    task = asyncio.create_task(block())
    await inside.wait()
    await until(lambda: running(marker))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not running(marker)


async def test_a_tool_that_is_not_there_is_said_to_be_missing():
    with pytest.raises(ToolMissing):
        async with streamed(Command(argv=("/nowhere/tool",))):
            pass


async def test_a_tool_is_confined_as_it_asks(tmp_path):
    (tmp_path / "mine").write_text("mine")
    command = Command(
        argv=("cat", str(tmp_path / "mine"), "/etc/shadow"), confinement=Confinement(readable=(tmp_path,)), accept=None
    )
    async with streamed(command) as tool:
        assert await everything(tool) == b"mine"


async def test_running_out_of_descriptors_passes(monkeypatch):
    async with streamed(Command(argv=("true",))):
        pass
    before = open_descriptors()
    monkeypatch.setattr(streaming, "os", Exhausted())
    with pytest.raises(Transient):
        async with streamed(Command(argv=("true",))):
            pass
    assert open_descriptors() == before


async def test_nothing_stays_open():
    async with streamed(Command(argv=("true",))):
        pass
    before = open_descriptors()
    for _ in range(5):
        async with streamed(Command(argv=("cat",)), fed=True) as tool:
            await tool.feed(b"x")
    assert open_descriptors() == before
