"""From how a process ended to what is said about it."""

import contextlib
import errno
import os
import signal
from collections.abc import Iterator
from pathlib import Path

from plumbline.base.errors import (
    InvalidInput,
    LimitExceeded,
    NotFound,
    SandboxMissing,
    ToolFailed,
    ToolMissing,
    Transient,
)
from plumbline.base.process.child import Report
from plumbline.base.process.command import Command, Finished

_TAIL_LINES = 12
_TAIL_CHARACTERS = 2000
_LIMITS = {signal.SIGXCPU: "CPU time", signal.SIGXFSZ: "the size of a file"}
_NOT_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ENOEXEC, errno.ELOOP})


@contextlib.contextmanager
def exhaustion(what: str) -> Iterator[None]:
    """What we run out of ourselves (descriptors, memory, processes) passes: it is said as such."""
    try:
        yield
    except OSError as error:
        raise Transient(what, why=error.strerror or str(error)) from error


def exit_code(report: Report) -> int:
    return os.waitstatus_to_exitcode(report.status)


def refuse_unstarted(command: Command, report: Report) -> None:
    """Raise what explains why a tool was not started, if it was not."""
    if not report.error:
        return
    what, why = f"{Path(command.argv[0]).name} was not started", os.strerror(report.error)
    match report.stage:
        case "exec" if report.error in _NOT_THERE:
            raise ToolMissing(what, why=f"{command.argv[0]} cannot be executed: {why}")
        case "exec" if report.error == errno.E2BIG:
            raise LimitExceeded(what, why=f"its arguments and environment are too large: {why}")
        case "directory":
            raise NotFound(what, why=f"it cannot run in {command.cwd}: {why}")
        case "landlock" if report.error == errno.ENOENT:
            raise NotFound(what, why="a path that its confinement names is not there")
        case "landlock" | "capabilities" | "seccomp" | "namespaces":
            raise SandboxMissing(what, why=f"the kernel refused to confine it ({report.stage}): {why}")
        case "limits":
            raise InvalidInput(what, why=f"its limits cannot be set: {why}")
        case stage:
            raise ToolFailed(what, why=f"{why} ({stage})")


def refuse_failed(command: Command, finished: Finished) -> None:
    """Raise ToolFailed for an end that the command does not accept, with the last words of the tool."""
    code = finished.exit_code
    if command.accept is None or code in command.accept:
        return
    name = Path(command.argv[0]).name
    if -code in _LIMITS:
        raise LimitExceeded(f"{name} was ended", why=f"it went beyond its limit of {_LIMITS[signal.Signals(-code)]}")
    end = f"exit code {code}" if code >= 0 else f"ended by {signal.Signals(-code).name}"
    said = last_words(finished.stderr) or last_words(finished.stdout if command.mask_stdout else b"")
    raise ToolFailed(f"{name} failed", exit_code=code, why=f"{end}: {said}" if said else end)


def last_words(output: bytes) -> str:
    """The end of some output, fit for a terminal and a status field."""
    lines = output.decode(errors="replace").strip().splitlines()[-_TAIL_LINES:]
    text = "\n".join("".join(c if c.isprintable() else " " for c in line).rstrip() for line in lines)
    return text[-_TAIL_CHARACTERS:]
