"""One worker as seen from here: a connection, a process that can be killed, and what it said last."""

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import msgspec

from plumbline.base.errors import EvaluationFailed, LimitExceeded, PlumblineError, TimedOut
from plumbline.base.evaluator.wire import LENGTH, Reply, decode_reply
from plumbline.base.process import Child, Confinement, Launcher, Limits, Start, plan, ready, started
from plumbline.base.process.capture import Capture
from plumbline.base.process.outcome import exhaustion, last_words

_LAST_WORDS_BYTES = 4096
_PATIENCE_S = 5.0
# What the libraries say on stderr before they give up for want of memory.
_OUT_OF_MEMORY = ("allocat", "memory", "MemoryError", "PANIC: unprotected error in call to Lua API")


class Link:
    def __init__(self, connection: socket.socket, child: Child, words: Capture) -> None:
        self.served = 0
        self.peak_bytes = 0
        self._connection = connection
        self._child = child
        self._words = words

    async def ask(self, frame: bytes, deadline_s: float, reply_limit_bytes: int) -> Reply:
        """Have a job done. After anything but a reply the worker is in no state to be asked again."""
        try:
            async with asyncio.timeout(deadline_s):
                reply = await self._exchange(frame, reply_limit_bytes)
        except TimeoutError:
            raise TimedOut("an evaluation was ended", why=f"it ran longer than {deadline_s:g} s") from None
        except ConnectionError:
            raise await self._obituary() from None
        except msgspec.DecodeError as error:
            raise EvaluationFailed(
                "an evaluation gave no answer", why="its worker does not speak as workers do"
            ) from error
        self.served += 1
        self.peak_bytes = reply.peak_bytes
        return reply

    def kill(self) -> None:
        self._child.stop()

    async def _exchange(self, frame: bytes, reply_limit_bytes: int) -> Reply:
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._connection, LENGTH.pack(len(frame)) + frame)
        (length,) = LENGTH.unpack(await self._receive(LENGTH.size))
        if length > reply_limit_bytes:
            raise LimitExceeded("an evaluation was ended", why=f"its answer is larger than {reply_limit_bytes} bytes")
        return decode_reply(await self._receive(length))

    async def _receive(self, length: int) -> bytearray:
        received = bytearray(length)
        view = memoryview(received)
        while view:
            count = await asyncio.get_running_loop().sock_recv_into(self._connection, view)
            if not count:
                raise ConnectionResetError
            view = view[count:]
        return received

    async def _obituary(self) -> PlumblineError:
        """What a worker died of, as far as can be told."""
        async with asyncio.timeout(_PATIENCE_S):
            report = await self._child.ended()
            await self._words.ended()
        words = last_words(self._words.kept)
        code = os.waitstatus_to_exitcode(report.status)
        if any(word in words for word in _OUT_OF_MEMORY):
            return LimitExceeded("an evaluation was ended", why="it needs more memory than it is allowed")
        if code == -signal.SIGXCPU:
            return TimedOut("an evaluation was ended", why="it used more CPU time than it is allowed")
        end = f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return EvaluationFailed(
            "an evaluation brought its worker down",
            why=f"{end}: {words}" if words else end,
            hint="Deep recursion does this; nothing else was affected.",
        )


@contextlib.asynccontextmanager
async def linked(launcher: Launcher, limits: Limits, policy: Literal["required", "best-effort"]) -> AsyncIterator[Link]:
    """A worker forked off the launcher, which gives it nothing: no file, no socket, no process, no variable."""
    start = Start(
        tool=Path("evaluator"),
        argv=(),
        environment={},
        cwd=Path("/"),
        grace_s=0.0,
        limits=limits,
        processes=False,
    )
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(exhaustion("nothing was evaluated"))
        order, _ = plan(start, Confinement(policy=policy), await ready(launcher))
        ours, theirs = socket.socketpair()
        stack.enter_context(ours)
        stack.enter_context(theirs)
        words = stack.enter_context(contextlib.closing(Capture(_LAST_WORDS_BYTES, 0, "tail", lambda: None)))
        nowhere = os.open(os.devnull, os.O_WRONLY)
        stack.callback(os.close, nowhere)
        child = await stack.enter_async_context(started(launcher, order, (theirs.fileno(), nowhere, words.writing)))
        theirs.close()
        words.release()
        ours.setblocking(False)
        yield Link(ours, child, words)
