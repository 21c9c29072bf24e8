"""Running a tool whose output, and perhaps whose input, passes through piece by piece instead of being kept."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Final

from plumbline.base.errors import LimitExceeded, TimedOut
from plumbline.base.process import outcome
from plumbline.base.process.capture import Capture
from plumbline.base.process.child import Child, Report, ready, started, stopped
from plumbline.base.process.command import Command, Finished
from plumbline.base.process.masking import Mask
from plumbline.base.process.sandbox import plan
from plumbline.base.process.surroundings import beginning, secrets, stdin
from plumbline.base.process.tools import TOOLS

_PIECE_BYTES: Final = 1 << 16


class Streamed:
    """A tool at work. One task may feed it while another reads; nothing is kept here but what a pipe holds."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._name = Path(command.argv[0]).name
        self._mask = Mask(secrets(command))
        self._feeding = _Descriptor()
        self._reading = _Descriptor()
        self._read_bytes = 0
        self._complaints = Capture(command.stderr_limit_bytes, self._mask.margin_bytes, "tail", lambda: None)

    async def feed(self, piece: bytes) -> bool:
        """Hand all of *piece* over, waiting until the tool has room for it; False if it reads no more."""
        rest = memoryview(piece)
        while rest and self._feeding:
            try:
                rest = rest[os.write(self._feeding.number, rest) :]
            except BlockingIOError:
                await self._feeding.writable()
            except BrokenPipeError:
                self._feeding.close()
        return bool(self._feeding)

    def end_input(self) -> None:
        self._feeding.close()

    async def read(self) -> bytes:
        """The next piece of what it writes, nothing at the end; LimitExceeded once that is more than was allowed."""
        while self._reading:
            try:
                piece = os.read(self._reading.number, _PIECE_BYTES)
            except BlockingIOError:
                await self._reading.readable()
                continue
            self._read_bytes += len(piece)
            limit_bytes = self._command.stdout_limit_bytes
            if self._read_bytes > limit_bytes:
                raise LimitExceeded(f"{self._name} was ended", why=f"it wrote more than {limit_bytes} bytes to stdout")
            if not piece:
                self._reading.close()
            return piece
        return b""

    @contextlib.contextmanager
    def _stdio(self, *, fed: bool) -> Iterator[tuple[int, int, int]]:
        """The descriptors that the tool gets; ours of them are closed on leaving, once it has its own."""
        with contextlib.ExitStack() as stack:
            stack.callback(self._complaints.release)
            self._reading.number, output = os.pipe()
            stack.callback(os.close, output)
            os.set_blocking(self._reading.number, False)
            if fed:
                given, self._feeding.number = os.pipe()
                stack.callback(os.close, given)
                os.set_blocking(self._feeding.number, False)
            else:
                given = stack.enter_context(stdin(self._command))
            yield given, output, self._complaints.writing

    async def _ended(self, child: Child) -> Report:
        """Its end, once it has nothing left to read and nobody wants what it still writes."""
        self.end_input()
        while await self.read():
            pass
        report = await child.ended()
        await self._complaints.ended()
        return report

    def _check(self, report: Report) -> None:
        outcome.refuse_unstarted(self._command, report)
        kept = self._complaints.kept
        finished = Finished(
            exit_code=outcome.exit_code(report),
            stdout=b"",
            stderr=self._mask.tail(kept) if self._complaints.over else self._mask.apply(kept),
            discarded_bytes=0,
            elapsed_s=0.0,
            cpu_s=report.cpu_s,
            peak_bytes=report.peak_bytes,
            unenforced=(),
        )
        outcome.refuse_failed(self._command, finished)

    def _close(self) -> None:
        self._feeding.close()
        self._reading.close()
        self._complaints.close()


@contextlib.asynccontextmanager
async def streamed(command: Command, *, fed: bool = False) -> AsyncIterator[Streamed]:
    """Run a tool for as long as the block lasts; if *fed*, its input is what it is fed there instead of `stdin`.

    A block that ends well waits for the tool, drops what is left of its output, and raises as `run` does. A block that
    fails or is cancelled ends the tool first. stdout passes unmasked, up to its limit; of stderr the end is kept.
    """
    tool = Streamed(command)
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(tool._close)  # noqa: SLF001 - both halves of one thing
        child = await _begun(tool, command, stack, fed=fed)
        try:
            async with asyncio.timeout(command.deadline_s) as deadline:
                yield tool
                report = await tool._ended(child)  # noqa: SLF001 - same
        except BaseException as error:
            await stopped(child, command.grace_s)
            if isinstance(error, TimeoutError) and deadline.expired():
                why = f"it ran longer than {command.deadline_s:g} s"
                raise TimedOut(f"{Path(command.argv[0]).name} was ended", why=why) from None
            raise
    tool._check(report)  # noqa: SLF001 - same


async def _begun(tool: Streamed, command: Command, stack: contextlib.AsyncExitStack, *, fed: bool) -> Child:
    start = beginning(command)
    with outcome.exhaustion(f"{start.tool.name} was not run"):
        order, _ = plan(start, command.confinement, await ready(TOOLS))
        with tool._stdio(fed=fed) as stdio:  # noqa: SLF001 - same
            return await stack.enter_async_context(started(TOOLS, order, stdio))


class _Descriptor:
    """Our end of a pipe; false once it is closed."""

    def __init__(self) -> None:
        self.number = -1
        self._loop = asyncio.get_running_loop()

    def __bool__(self) -> bool:
        return self.number >= 0

    def close(self) -> None:
        if self:
            os.close(self.number)
            self.number = -1

    async def readable(self) -> None:
        await self._woken(self._loop.add_reader, self._loop.remove_reader)

    async def writable(self) -> None:
        await self._woken(self._loop.add_writer, self._loop.remove_writer)

    async def _woken(self, add: Callable[[int, Callable[[], None]], None], remove: Callable[[int], bool]) -> None:
        woken = asyncio.Event()
        add(self.number, woken.set)
        try:
            await woken.wait()
        finally:
            remove(self.number)
