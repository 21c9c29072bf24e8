"""A push: its body goes into git as it comes, and what git answers comes back whole."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from plumbline.base.errors import PlumblineError, ToolFailed
from plumbline.base.process import Command, Streamed, streamed
from plumbline.base.tasks import task_group
from plumbline.forge.local import RefUpdate
from plumbline.web.git.wire import Commands, done

_PARTING_S: Final = 2.0


async def received(command: Command, pieces: AsyncIterator[bytes]) -> tuple[bytes, tuple[RefUpdate, ...]]:
    """What to answer, and which refs moved.

    While the body comes, git ends with the request, and what it took so far is thrown away. Once it has all, it is left
    to finish whether or not anybody waits for the answer: refs that moved are told of.
    """
    commands = Commands()
    answer: list[bytes] = []
    try:
        async with streamed(command, fed=True) as tool:
            await _exchanged(tool, pieces, commands, answer)
    except ToolFailed:
        # A push that is turned down for what it holds has its reason in the answer.
        if not answer:
            raise
    whole = b"".join(answer)
    updates, sideband = commands.read()
    return whole, done(updates, whole, sideband=sideband)


async def _exchanged(tool: Streamed, pieces: AsyncIterator[bytes], commands: Commands, answer: list[bytes]) -> None:
    try:
        async with task_group() as tasks:
            tasks.create_task(_collect(tool, answer))
            await _feed(tool, pieces, commands)
    except BaseExceptionGroup as failures:
        await _let_go(tool)
        # Callers know what ends a body, not that it came while something else was read.
        raise failures.exceptions[0] from None


async def _let_go(tool: Streamed) -> None:
    """Told that no more comes, git throws away what it took. Killed, it would leave it lying about."""
    tool.end_input()
    with contextlib.suppress(TimeoutError, PlumblineError):
        async with asyncio.timeout(_PARTING_S):
            while await tool.read():
                pass


async def _feed(tool: Streamed, pieces: AsyncIterator[bytes], commands: Commands) -> None:
    """All of it, even if git wants no more: a client that is still talking does not listen."""
    wanted = True
    async for piece in pieces:
        commands.see(piece)
        wanted = wanted and await tool.feed(piece)
    tool.end_input()


async def _collect(tool: Streamed, answer: list[bytes]) -> None:
    while piece := await tool.read():
        answer.append(piece)
