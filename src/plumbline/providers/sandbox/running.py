"""Our side of a sandbox: its address is there at once, its process with the first who calls.

We hold the listening socket. Whoever connects waits in its queue while the process starts, which is handed the same socket;
should the process die, the next who connects finds another, with what the journal has kept.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from socket import socket
from typing import Final

from plumbline.base.errors import PlumblineError, ToolMissing
from plumbline.base.http.server import listening
from plumbline.base.json import encode
from plumbline.base.log import logger
from plumbline.base.process import Command, plan, ready, started
from plumbline.base.process.capture import Capture
from plumbline.base.process.outcome import exhaustion, exit_code, last_words
from plumbline.base.process.surroundings import beginning
from plumbline.base.process.tools import TOOLS
from plumbline.base.tasks import task_group
from plumbline.providers.sandbox.options import Options

JOURNAL: Final = "sandbox.jsonl"
_LAST_WORDS_BYTES: Final = 16 << 10
_GRACE_S: Final = 2.0
_PAUSE_S: Final = 0.25
_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[2:]; from plumbline.providers.sandbox.__main__ import main; main(sys.argv[1:2])"
)

_log = logger(__name__)


class Running:
    """A sandbox whose address can be used. `starts` counts how often its process had to be started."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.starts = 0


@contextlib.asynccontextmanager
async def sandbox(data: Path | None = None, options: Options | None = None, *, port: int = 0) -> AsyncIterator[Running]:
    """A sandbox on a loopback port while the block runs; with a folder, it is the next time as it was left.

    Nothing is loaded before the first connection. Raises ToolMissing where the extra is not installed, OSError where the
    port is taken.
    """
    if find_spec("moto") is None:
        raise ToolMissing(
            "the sandbox cannot be started",
            why="the package moto is not installed",
            hint="Install it with `pip install plumbline[sandbox]`.",
        )
    if data is not None:
        await asyncio.to_thread(data.mkdir, mode=0o700, parents=True, exist_ok=True)
    with listening("127.0.0.1", port) as listener:
        running = Running(f"http://127.0.0.1:{listener.getsockname()[1]}")
        raised: Exception | None = None
        async with task_group() as tasks:
            watching = tasks.create_task(_kept_alive(running, listener, _command(data, options or Options())))
            try:
                yield running
            except Exception as error:  # noqa: BLE001 - handed on below, as itself instead of in a group
                raised = error
            finally:
                watching.cancel()
        if raised is not None:
            raise raised


def _command(data: Path | None, options: Options) -> Command:
    order = encode({"options": options, "journal": str(data / JOURNAL) if data is not None else ""}).decode()
    path = [entry for entry in sys.path if entry.startswith("/")]
    return Command(
        argv=(sys.executable, "-I", "-X", "utf8", "-c", _BOOT, order, *path),
        # moto asks botocore for regions, which looks for settings of its user: there is no user in here.
        environment={
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
            "MOTO_EC2_LOAD_DEFAULT_AMIS": "false",
            "HOME": "/nonexistent",
            "TZ": "UTC",
        },
        grace_s=_GRACE_S,
    )


async def _kept_alive(running: Running, listener: socket, command: Command) -> None:
    while True:
        await _called(listener)
        running.starts += 1
        try:
            await _served(listener, command)
        except PlumblineError as error:
            _log.warning("sandbox lost", why=str(error))
        await asyncio.sleep(_PAUSE_S)


async def _called(listener: socket) -> None:
    """Wait until somebody connects; they stay in the queue."""
    loop = asyncio.get_running_loop()
    called = asyncio.Event()
    loop.add_reader(listener.fileno(), called.set)
    try:
        await called.wait()
    finally:
        loop.remove_reader(listener.fileno())


async def _served(listener: socket, command: Command) -> None:
    """Run the process to its end, and say what it ended of."""
    with contextlib.closing(Capture(_LAST_WORDS_BYTES, 0, "tail", lambda: None)) as words, exhaustion("no sandbox"):
        order, _ = plan(beginning(command), None, await ready(TOOLS))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            async with started(TOOLS, order, (listener.fileno(), nowhere, words.writing)) as child:
                words.release()
                report = await child.ended()
                await words.ended()
        finally:
            os.close(nowhere)
        _log.warning("sandbox ended", code=exit_code(report), words=last_words(words.kept))
