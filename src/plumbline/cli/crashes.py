"""Reports of bugs: where in our code it happened and under what, and nothing that came from the user.

Neither values of arguments, nor messages of exceptions, nor local variables are written: any of them may be a secret.
"""

import os
import platform
import traceback
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from plumbline.base.clock import SystemClock, rfc3339
from plumbline.base.environment import home
from plumbline.base.ids import Ids
from plumbline.cli.vocabulary import VERBS

_CHAIN: Final = 8
_FRAMES: Final = 40
_KEPT: Final = 20


def report(bug: BaseException, arguments: Sequence[str]) -> str:
    lines = [
        f"plumbline {version('plumbline')}, Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        f"plumb {' '.join(_without_values(arguments))}",
    ]
    for link in _chain(bug):
        lines.append(f"{type(link).__module__}.{type(link).__qualname__}")
        frames = traceback.extract_tb(link.__traceback__)[-_FRAMES:]
        lines += [f"  {_place(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]
    return "\n".join(lines)


def save(text: str) -> Path | None:
    """Where *text* was written for the user alone to read, or None where it could not be. The newest few are kept."""
    folder = home() / ".plumbline" / "crashes"
    name = f"{rfc3339(SystemClock().now()).replace(':', '')}-{Ids().suffix()}.txt"
    try:
        for each in (folder.parent, folder):
            each.mkdir(mode=0o700, exist_ok=True)
        with os.fdopen(os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text + "\n")
        for old in sorted(folder.glob("*.txt"))[:-_KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        return None
    return folder / name


def _without_values(arguments: Sequence[str]) -> Iterator[str]:
    """Names of verbs and options; in place of everything else an ellipsis."""
    for argument in arguments:
        if argument.startswith("--"):
            yield argument.partition("=")[0]
        elif argument.startswith("-"):
            yield argument[:2]
        else:
            yield argument if argument in VERBS else "…"


def first_of(bug: BaseException) -> BaseException:
    """What groups of tasks handed on, wrapped once by each of them."""
    while isinstance(bug, BaseExceptionGroup):
        bug = bug.exceptions[0]
    return bug


def _chain(bug: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = first_of(bug)
    for _ in range(_CHAIN):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__


def _place(filename: str) -> str:
    """The file inside its package: where it is installed is nobody's business."""
    path = Path(filename)
    for root in ("plumbline", "site-packages"):
        if root in path.parts:
            at = len(path.parts) - path.parts[::-1].index(root)
            return "/".join(path.parts[at - 1 :] if root == "plumbline" else path.parts[at:])
    return path.name
