"""A writer is killed without warning, time and again: what it was told is written stays written, and nothing is half."""

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from .journals import SqliteJournals, everything

KILLS = 60
KILLS_PER_JOURNAL = 10
DOOMED = Path(__file__).with_name("doomed.py")


async def test_a_writer_that_is_killed_at_any_moment_loses_nothing_it_was_told_is_written(tmp_path):
    with Nursery("sqlite", tmp_path) as nursery:
        for number in range(KILLS // KILLS_PER_JOURNAL):
            await outlive(nursery, SqliteJournals(tmp_path / f"journal-{number}.db"), KILLS_PER_JOURNAL)
        assert nursery.kills == KILLS
        assert nursery.answers > KILLS, "the writers were killed before they wrote anything"


class Nursery:
    """A process that has imported everything once, so that a writer takes no longer to start than to kill."""

    def __init__(self, kind, folder):
        self.kills = self.answers = 0
        self._kind, self._folder = kind, folder
        self._chance = random.Random(1)  # noqa: S311 - repeatable
        self._process = subprocess.Popen(
            [sys.executable, str(DOOMED)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(timeout=10)
        self._process.stdout.close()

    def killed(self, address, longest_s):
        """Let a writer write, kill it, and return what was acknowledged to it."""
        answers = self._folder / f"answers-{self.kills}"
        self._process.stdin.write(f"{self._kind}\t{address}\t{answers}\n")
        self._process.stdin.flush()
        writer = int(self._process.stdout.readline())
        time.sleep(self._chance.uniform(0.0, longest_s))
        subprocess.run(["kill", "-KILL", str(writer)], check=True)
        assert int(self._process.stdout.readline()) == signal.SIGKILL, "it ended before it was killed"
        told = [line.split() for line in answers.read_text().splitlines()] if answers.exists() else []
        self.kills += 1
        self.answers += len(told)
        return told


async def outlive(nursery, journals, kills, longest_s=0.12):
    """Kill writers of one journal and look after each what is there."""
    told = []
    for _ in range(kills):
        told += nursery.killed(journals.address, longest_s)
        async with journals.open("after") as journal:
            entries = await everything(journal)
            verdict = await journal.verify()
            unsettled = {entry.id for entry in await journal.unsettled()}
        assert verdict.broken is None
        assert verdict.entries == len(entries)
        _check(told, entries, unsettled)


def _check(told, entries, unsettled):
    intended = {id_ for word, id_ in told if word == "intended"}
    settled = {id_ for word, id_ in told if word == "settled"}
    assert {id_ for word, id_ in told if word != "settled"} <= {entry.id for entry in entries}
    assert settled.isdisjoint(unsettled)
    assert intended - {entry.settles for entry in entries} <= unsettled
    assert set(Counter(entry.verb for entry in entries if entry.kind == "decided").values()) <= {2}
    assert [entry for entry in entries if entry.kind == "rewound"] == []
