"""Forks writers that append until they are killed. A line on stdin: kind and address of the journal, file for answers.

Each writer keeps several appends under way: pairs that belong together, and intents with their outcomes. It writes
down what was acknowledged only after it was.
"""

import asyncio
import os
import sys
from pathlib import Path

from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.journal import Actor, Draft, postgres, sqlite

WRITERS = 6
US = Actor("controller", "doomed")


def main():
    for line in sys.stdin:
        kind, address, acknowledged = line.strip().split("\t")
        pid = os.fork()
        if not pid:
            asyncio.run(write(kind, address, os.open(acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)))
        say(pid)
        say(os.waitpid(pid, 0)[1])


def say(number):
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


async def write(kind, address, acknowledged):
    ours = {"clock": SystemClock(), "ids": Ids(), "writer": str(os.getpid())}
    opened = sqlite.opened(Path(address), **ours) if kind == "sqlite" else postgres.opened(address, **ours)
    async with opened as journal, task_group() as group:
        for number in range(WRITERS):
            group.create_task(endlessly(journal, acknowledged, number))


async def endlessly(journal, acknowledged, number):
    for count in range(sys.maxsize):
        pair = f"{os.getpid()}-{number}-{count}"
        one, two = await journal.append(said("decided", pair), said("decided", pair))
        os.write(acknowledged, f"pair {one.id}\npair {two.id}\n".encode())
        (intent,) = await journal.append(said("intended", pair))
        os.write(acknowledged, f"intended {intent.id}\n".encode())
        (outcome,) = await journal.append(said("performed", pair, settles=intent.id))
        os.write(acknowledged, f"settled {intent.id}\nperformed {outcome.id}\n".encode())


def said(kind, pair, **fields):
    return Draft(kind=kind, actor=US, verb=pair, summary="Written by a writer that will be killed", **fields)


if __name__ == "__main__":
    main()
