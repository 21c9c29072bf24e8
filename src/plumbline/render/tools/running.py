"""Running a renderer: always confined, always bounded, and what it says without the names of our folders."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from plumbline.base.errors import LimitExceeded, PlumblineError, TimedOut, ToolFailed
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import Command, Confinement, Finished, Limits, run
from plumbline.render.tools.toolbox import Program

_MIB: Final = 1 << 20
_DEADLINE_S: Final = 90.0
"""As long as Argo CD waits for a tool."""
_LIMITS: Final = Limits(cpu_s=30, memory_bytes=2048 * _MIB, file_bytes=256 * _MIB, open_files=1024)
_GO: Final = {"GOGC": "off", "GOMEMLIMIT": f"{512 * _MIB}"}
"""These live for milliseconds: collecting garbage before there is half a gigabyte of it costs a sixth of their time."""
_CRASHED: Final = 2
_LAST_WORDS: Final = re.compile(r"^(?:fatal error|panic): (?P<why>.*)$", re.MULTILINE)
_EXHAUSTED: Final = ("out of memory", "allocate", "stack")
_OUTPUT_BYTES: Final = 32 * _MIB


async def ran(
    program: Program,
    arguments: Sequence[str],
    folder: Path,
    confinement: Confinement,
    environment: Mapping[str, str] | None = None,
    *,
    told: Plaintext | None = None,
) -> Finished:
    """What *program* printed, or why it did not. Its environment is the same on every machine and for every render.

    *told* is what it can read from its standard input, and print: it is for the objects.
    """
    command = Command(
        argv=(*program.argv, *arguments),
        cwd=folder,
        environment={"HOME": "/nonexistent", **_GO, **(environment or {})},
        deadline_s=_DEADLINE_S,
        stdout_limit_bytes=_OUTPUT_BYTES,
        limits=_LIMITS,
        accept=frozenset({0, _CRASHED}),
        confinement=confinement,
        stdin=told if told is not None else b"",
        mask_stdout=False,
    )
    try:
        finished = await run(command)
    except ToolFailed as error:
        why = error.why.replace(f"{folder}/", "").replace(str(folder), ".")
        raise ToolFailed(f"{program.name} failed", exit_code=error.exit_code, why=why) from None
    except (LimitExceeded, TimedOut) as error:
        # What renders that long renders as long the next time: this is not for trying again soon.
        raise _beyond(program, error.why) from None
    if finished.exit_code == _CRASHED:
        raise _crash(program, finished.stderr.decode("utf-8", "replace"))
    return finished


def _crash(program: Program, said: str) -> PlumblineError:
    """Without the trace, whose addresses help nobody and are different each time."""
    found = _LAST_WORDS.search(said)
    why = found["why"] if found else "it crashed"
    if any(words in why for words in _EXHAUSTED):
        return _beyond(program, "it needed more memory than a render may have")
    return ToolFailed(f"{program.name} failed", exit_code=_CRASHED, why=why)


def _beyond(program: Program, why: str) -> LimitExceeded:
    return LimitExceeded(f"{program.name} was ended", why=why, hint="Make what is rendered smaller, or split it.")
