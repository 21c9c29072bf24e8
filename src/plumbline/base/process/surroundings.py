"""What a tool is given: where it is found, its environment, its standard input."""

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from plumbline.base.environment import environment
from plumbline.base.errors import InvalidInput, ToolMissing
from plumbline.base.plaintext import Plaintext
from plumbline.base.process.command import Command
from plumbline.base.process.sandbox import Start

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def beginning(command: Command) -> Start:
    return Start(
        tool=located(command),
        argv=command.argv,
        environment=variables(command),
        cwd=command.cwd,
        grace_s=command.grace_s,
        limits=command.limits,
    )


def located(command: Command) -> Path:
    """The file to execute. Never one relative to a directory that a tool or a repository may have written to."""
    if not command.argv or not command.argv[0]:
        raise InvalidInput("nothing was run", why="the command is empty")
    if any("\0" in argument for argument in command.argv):
        raise InvalidInput(f"{command.argv[0]!r} was not run", why="an argument holds a NUL")
    name = command.argv[0]
    if "/" in name and not name.startswith("/"):
        raise InvalidInput(f"{name} was not run", why="a path to a tool must be absolute")
    if name.startswith("/"):
        places = [Path(name)]
    else:
        directories = environment().get("PATH", "").split(":")
        places = [Path(directory, name) for directory in directories if directory.startswith("/")]
    for place in places:
        if place.is_file() and os.access(place, os.X_OK):
            return place
    raise ToolMissing(
        f"{name} cannot be run",
        why="there is no program of that name" if name.startswith("/") else "it is in no directory of PATH",
        hint=f"Install {Path(name).name}, or run `plumb doctor` to see all that is missing.",
    )


def variables(command: Command) -> dict[bytes, bytes]:
    ours = environment()
    chosen: dict[str, str | Plaintext] = {name: ours[name] for name in command.inherit if name in ours}
    chosen |= command.environment
    composed: dict[bytes, bytes] = {}
    for name, value in chosen.items():
        content = value.reveal() if isinstance(value, Plaintext) else os.fsencode(value)
        if not _NAME.fullmatch(name) or b"\0" in content:
            raise InvalidInput(
                f"{command.argv[0]} was not run", why=f"{name!r} cannot be a variable of its environment"
            )
        composed[name.encode()] = content
    return composed


def secrets(command: Command) -> list[Plaintext]:
    given = [*command.secrets, *command.environment.values(), command.stdin]
    return [value for value in given if isinstance(value, Plaintext)]


@contextlib.contextmanager
def stdin(command: Command) -> Iterator[int]:
    """A descriptor to read the input from: a file in memory, which needs nobody to feed it and may be reopened."""
    content = command.stdin.reveal() if isinstance(command.stdin, Plaintext) else command.stdin
    with _in_memory() if content else open(os.devnull, "rb") as file:  # noqa: PTH123 - not a path of anybody
        if content:
            file.write(content)
            file.seek(0)
        yield file.fileno()


def _in_memory() -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("stdin"), "wb+")
    return tempfile.TemporaryFile()
