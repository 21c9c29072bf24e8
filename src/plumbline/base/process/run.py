"""Running a tool to its end, within bounds."""

import asyncio
import contextlib
from pathlib import Path

from plumbline.base.errors import LimitExceeded, TimedOut
from plumbline.base.process import outcome
from plumbline.base.process.capture import Capture
from plumbline.base.process.child import Child, Report, ready, started, stopped
from plumbline.base.process.command import Command, Finished
from plumbline.base.process.masking import Mask
from plumbline.base.process.sandbox import Capability, described, plan
from plumbline.base.process.surroundings import beginning, secrets, stdin
from plumbline.base.process.tools import TOOLS


def capabilities() -> tuple[Capability, ...]:
    """What this system lets us enforce. Blocks for some 50 ms, once."""
    return described(TOOLS.start())


async def run(command: Command) -> Finished:
    """Run a tool and wait for its end. When this returns or raises, nothing of the tool is left running.

    Raises ToolMissing, ToolFailed (an exit code that is not accepted), TimedOut, LimitExceeded, SandboxMissing. On
    cancellation the tool is ended first.
    """
    start = beginning(command)
    loop = asyncio.get_running_loop()
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(outcome.exhaustion(f"{start.tool.name} was not run"))
        order, unenforced = plan(start, command.confinement, await ready(TOOLS))
        began_s = loop.time()
        output = stack.enter_context(contextlib.closing(_Output(command)))
        with stdin(command) as reading:
            stdio = (reading, output.stdout.writing, output.stderr.writing)
            child = await stack.enter_async_context(started(TOOLS, order, stdio))
        output.attach(child)
        report = await _awaited(child, output, command)
        elapsed_s = loop.time() - began_s
    outcome.refuse_unstarted(command, report)
    finished = output.finished(report, elapsed_s, unenforced)
    outcome.refuse_failed(command, finished)
    return finished


class _Output:
    """Both streams of one command, bounded and masked."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._mask = Mask(secrets(command))
        self._child: Child | None = None
        margin_bytes = self._mask.margin_bytes
        self.stdout = Capture(command.stdout_limit_bytes, margin_bytes, "head", self._overflowed)
        try:
            self.stderr = Capture(command.stderr_limit_bytes, margin_bytes, "tail", self._overflowed)
        except OSError:
            self.stdout.close()
            raise

    def attach(self, child: Child) -> None:
        """From here on only the child holds the writing ends, and too much output ends it."""
        self._child = child
        self.stdout.release()
        self.stderr.release()
        if self.stdout.over or self.stderr.over:
            self._overflowed()

    async def ended(self) -> None:
        await self.stdout.ended()
        await self.stderr.ended()

    def close(self) -> None:
        self.stdout.close()
        self.stderr.close()

    def finished(self, report: Report, elapsed_s: float, unenforced: tuple[str, ...]) -> Finished:
        """What was captured, as far as it is allowed to be; LimitExceeded if too much ended the tool."""
        command = self._command
        for stream, capture, limit_bytes in (
            ("stdout", self.stdout, command.stdout_limit_bytes),
            ("stderr", self.stderr, command.stderr_limit_bytes),
        ):
            if capture.over and command.beyond == "kill":
                raise LimitExceeded(
                    f"{Path(command.argv[0]).name} was ended", why=f"it wrote more than {limit_bytes} bytes to {stream}"
                )
        stdout = self.stdout.kept[: command.stdout_limit_bytes]
        if command.mask_stdout:
            stdout = self._mask.head(self.stdout.kept) if self.stdout.over else self._mask.apply(self.stdout.kept)
        stderr = self._mask.tail(self.stderr.kept) if self.stderr.over else self._mask.apply(self.stderr.kept)
        return Finished(
            exit_code=outcome.exit_code(report),
            stdout=stdout,
            stderr=stderr,
            discarded_bytes=max(self.stdout.total_bytes - command.stdout_limit_bytes, 0)
            + max(self.stderr.total_bytes - command.stderr_limit_bytes, 0),
            elapsed_s=elapsed_s,
            cpu_s=report.cpu_s,
            peak_bytes=report.peak_bytes,
            unenforced=unenforced,
        )

    def _overflowed(self) -> None:
        if self._child is not None and self._command.beyond == "kill":
            self._child.stop()


async def _awaited(child: Child, output: _Output, command: Command) -> Report:
    try:
        async with asyncio.timeout(command.deadline_s):
            report = await child.ended()
            await output.ended()
            return report
    except TimeoutError:
        await stopped(child, command.grace_s)
        raise TimedOut(
            f"{Path(command.argv[0]).name} was ended", why=f"it ran longer than {command.deadline_s:g} s"
        ) from None
    except asyncio.CancelledError:
        await stopped(child, command.grace_s)
        raise
