"""A function whose process is ours: started with us, ended with us, and started again when it ends or hangs."""

import asyncio
import contextlib
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import plumbline
from plumbline.base.clock import Clock
from plumbline.base.errors import PlumblineError, TimedOut, Unreachable
from plumbline.base.log import Log, logger
from plumbline.base.process import Command, Confinement, Streamed, scratch, streamed
from plumbline.base.tasks import task_group
from plumbline.composition.functions.grpc.remote import Remote
from plumbline.composition.functions.values import Answer, Call

_ALWAYS_S: Final = 1e9
_UNBOUNDED: Final = 1 << 62
"""Output passes through and is not kept, so there is no sum of it to bound."""
_LINE_BYTES: Final = 1_024
_LINES: Final = 100
"""Lines that are logged in one `_WINDOW_S`; what is more is counted."""
_WINDOW_S: Final = 10.0
_PATIENCE_S: Final = 10.0
_START_S: Final = 10.0
_FIRST_PAUSE_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 60.0

_log = logger("composition")


class Start(NamedTuple):
    """What to start, and where it is then reached."""

    command: Command
    address: str


class Program:
    """`serve` keeps the process running; calls made while it does not are refused as Unreachable."""

    def __init__(self, name: str, prepare: Callable[[Path], Start], clock: Clock, *, deadline_s: float = 60.0) -> None:
        """*prepare* is given a folder that only we can enter, anew for each start."""
        self._prepare = prepare
        self._clock = clock
        self._deadline_s = deadline_s
        self._log = _log.bind(function=name)
        self._remote: Remote | None = None
        self._hangs = asyncio.Event()
        self._up = asyncio.Event()
        self._ended = False

    async def run(self, call: Call) -> Answer:
        remote = self._remote or await self._begun()
        if remote is None:
            raise Unreachable("its process is not running", why="see the log for how it ended", sent=False)
        began_s = self._clock.monotonic()
        try:
            return await remote.run(call)
        except (TimedOut, asyncio.CancelledError) as given_up:
            # Code that blocks its event loop answers nobody any more. Only another process helps. Callers also give up
            # for reasons of their own, which say nothing about it.
            late = isinstance(given_up, TimedOut) or self._clock.monotonic() - began_s >= _PATIENCE_S
            if late and self._remote is remote:
                self._remote = None
                self._hangs.set()
            raise

    async def _begun(self) -> Remote | None:
        """The process that was asked for just now, once it runs; one that has ended before is not waited for."""
        if not self._ended:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._up.wait(), _START_S)
        return self._remote

    async def serve(self) -> None:
        """Until it is cancelled. Pauses before another start grow, unless the process ran for a while."""
        pause_s = _FIRST_PAUSE_S
        while True:
            began_s = self._clock.monotonic()
            with contextlib.suppress(_Hung):
                await self._once()
            if self._clock.monotonic() - began_s > _LONGEST_PAUSE_S:
                pause_s = _FIRST_PAUSE_S
            await self._clock.sleep(pause_s)
            pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)

    async def _once(self) -> None:
        self._hangs.clear()
        async with scratch() as folder:
            start = self._prepare(folder)
            remote = Remote(start.address, deadline_s=self._deadline_s)
            try:
                async with streamed(start.command) as tool:
                    self._remote = remote
                    self._up.set()
                    self._log.info("function started")
                    await self._watched(tool)
            except PlumblineError as error:
                self._log.warning("function ended", why=str(error))
            finally:
                self._remote, self._ended = None, True
                await remote.close()

    async def _watched(self, tool: Streamed) -> None:
        """Until the process closes its output, or hangs."""
        output = _Output(self._log, self._clock)
        try:
            async with task_group() as group:
                waiting = group.create_task(self._give_up())
                while piece := await tool.read():
                    output.take(piece)
                waiting.cancel()
        except* _Hung:
            self._log.warning("function hangs", action="its process is ended and started again")
        if self._hangs.is_set():
            raise _Hung  # not from within `except*`: before Python 3.11.4 a group of one comes out of that

    async def _give_up(self) -> None:
        await self._hangs.wait()
        raise _Hung


class _Hung(Exception):
    pass


class _Output:
    """What a process says, line by line into the log, and no more of it than anybody reads."""

    def __init__(self, log: Log, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._rest = b""
        self._until_s = 0.0
        self._left = 0
        self._dropped = 0

    def take(self, piece: bytes) -> None:
        *lines, rest = (self._rest + piece).split(b"\n")
        self._rest = rest[:_LINE_BYTES]
        for line in lines:
            self._say(line[:_LINE_BYTES].decode(errors="replace"))

    def _say(self, line: str) -> None:
        now_s = self._clock.monotonic()
        if now_s >= self._until_s:
            if self._dropped:
                self._log.warning("function says too much", dropped_lines=self._dropped)
            self._until_s, self._left, self._dropped = now_s + _WINDOW_S, _LINES, 0
        if self._left > 0:
            self._left -= 1
            self._log.info("function says", line=line)
        else:
            self._dropped += 1


def from_command(name: str, argv: tuple[str, ...], clock: Clock, *, inherit: tuple[str, ...] = ("PATH",)) -> Program:
    """A program of somebody else's. In its arguments `{port}` and `{address}` are where on this machine it shall listen.

    It runs with our rights, without our environment but for what is named in *inherit*.
    """

    def prepare(_: Path) -> Start:
        port = _free_port()
        address = f"127.0.0.1:{port}"
        filled = tuple(part.replace("{port}", str(port)).replace("{address}", address) for part in argv)
        return Start(_command(filled, inherit=inherit), address)

    return Program(name, prepare, clock)


def from_python(name: str, module: Path, clock: Clock, *, network: bool = False) -> Program:
    """Python code with a class `FunctionRunner`, as the SDK's template has it, in a process of its own.

    What keeps it from us, as far as this kernel can: it may read its own folder and what Python needs, write only to
    the folder of its socket, see nothing of our environment, and unless *network* is given open no connections. A crash or
    a hang costs that process and nothing else. It is not kept from using a whole core, or much memory.
    """
    serving = f"{__package__}.serving"
    places = {module.parent, Path(sys.prefix), Path(sys.base_prefix), Path(plumbline.__file__).parents[1]}

    def prepare(folder: Path) -> Start:
        address = f"unix:{folder / 'function.sock'}"
        confinement = Confinement(
            readable=tuple(sorted(places)),
            writable=(folder,),
            unix_sockets=True,
            network=network,
            policy="best-effort",
        )
        argv = (sys.executable, "-I", "-m", serving, str(module), address)
        return Start(_command(argv, confinement=confinement), address)

    return Program(name, prepare, clock)


def _command(
    argv: tuple[str, ...], *, inherit: tuple[str, ...] = (), confinement: Confinement | None = None
) -> Command:
    return Command(
        argv=argv,
        inherit=inherit,
        deadline_s=_ALWAYS_S,
        stdout_limit_bytes=_UNBOUNDED,
        confinement=confinement,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
