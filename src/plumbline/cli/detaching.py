"""Running on without the terminal: the parent waits until the child says that it is ready, or has ended."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from plumbline.base.errors import ToolFailed

Ready = Callable[[str], None]
"""Tells whoever started this what there is to see."""


def detached(work: Callable[[Ready], None], log: Path) -> str:
    """Run *work* in a process of its own, whose output goes to *log*; returns what it said when it was ready."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _leave_terminal(log)
        code = 1
        try:
            work(lambda text: _tell(writer, text))
            code = 0
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read().decode()
    if not said:
        os.waitpid(child, 0)
        raise ToolFailed("it ended before it was ready", why=_last_lines(log), hint=f"The whole log: {log}.")
    return said


def _leave_terminal(log: Path) -> None:
    os.setsid()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, target)


def _tell(writer: int, text: str) -> None:
    os.write(writer, text.encode())
    os.close(writer)


def _last_lines(log: Path, count: int = 5) -> str:
    try:
        return "\n".join(log.read_text().splitlines()[-count:])
    except OSError:
        return ""
