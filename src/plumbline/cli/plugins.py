"""Commands that others have put beside ours: `plumb foo` is `plumb-foo` or `argocd-foo`, wherever on PATH that is.

They are looked for where a verb is unknown and nowhere else, so that none takes the place of a verb of ours.
"""

import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Never

from plumbline.base.environment import environment
from plumbline.base.errors import ToolFailed
from plumbline.cli.compat import NAME, called_argocd

_OURS: Final = "plumb"
_IGNORED: Final = (signal.SIGPIPE, signal.SIGXFSZ)
"""Python ignores them, and so would the program."""


def plugin(name: str) -> Path | None:
    """The program for *name*; None where nobody has put one there."""
    if name.startswith("-") or Path(name).name != name:
        return None
    where = os.pathsep.join(_folders())
    found = (shutil.which(f"{prefix}-{name}", path=where) for prefix in _prefixes())
    return next((Path(each) for each in found if each), None)


def plugins() -> list[str]:
    """The names of all, for completion."""
    starts = tuple(f"{prefix}-" for prefix in _prefixes())
    named = {entry.partition("-")[2] for entry in _entries() if entry.startswith(starts)}
    return sorted(name for name in named if plugin(name) is not None)


def become(program: Path, arguments: Sequence[str]) -> Never:
    """Be that program from here on: streams, signals and exit code are its own."""
    for each in _IGNORED:
        signal.signal(each, signal.SIG_DFL)
    try:
        os.execv(program, [str(program), *arguments])  # noqa: S606 - a shell would take arguments apart
    except OSError as fault:
        raise ToolFailed(
            f"the plugin {program.name} cannot be run",
            why=f"{program}: {fault.strerror}",
            hint="A script says in its first line what runs it, as in: #!/bin/sh",
        ) from fault


def _prefixes() -> tuple[str, ...]:
    """Under the name argocd, those of Argo CD alone: there, nobody has heard of others."""
    return (NAME,) if called_argocd() else (_OURS, NAME)


def _folders() -> Iterator[str]:
    """Without those that depend on where somebody stands: a folder that was unpacked must not bring commands along."""
    return (each for each in environment().get("PATH", "").split(os.pathsep) if Path(each).is_absolute())


def _entries() -> Iterator[str]:
    for folder in _folders():
        try:
            yield from (each.name for each in Path(folder).iterdir())
        except OSError:
            continue
