"""Entries per second into both stores, what a page costs among many entries, and how fast a chain is verified.

An append returns when its entry is on disk, so one caller measures the disk; many callers share commits.
"""

import asyncio
import hashlib
import tempfile
import time
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from bench.timing import line
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.journal import Actor, Commit, Draft, LiveObject, Query, Retention, change_of, postgres, sqlite

CALLERS = (1, 32, 256)
ROUNDS = 3
ENTRIES = {1: 300, 32: 4000, 256: 8000}
FILLED = 100_000
TARGET = ">= 5,000/s"
DELIVERY = Actor("controller", "delivery")


def run():
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        for durability in ("disk", "process"):
            path = Path(folder) / f"{durability}.db"
            asyncio.run(appends(f"SQLite, {durability}", lambda p=path, d=durability: _sqlite(p, d)))
        asyncio.run(filled(lambda: _sqlite(Path(folder) / "filled.db", "process")))
    if find_spec("psycopg") is None:
        line("PostgreSQL", "no driver")
        return
    from tests.conformance.postgres import postgres as server  # noqa: PLC0415 - it needs the driver

    with server(fsync="on") as running:
        asyncio.run(appends("PostgreSQL, fsync on", lambda: _postgres(running.address)))


async def appends(store, opened):
    async with opened() as journal:
        for callers in CALLERS:
            rates = [await rate(journal, callers, ENTRIES[callers]) for _ in range(ROUNDS)]
            best = max(rates)
            target = TARGET if callers == max(CALLERS) else ""
            line(f"{store}: append, {callers} at once", f"{best.per_s:,.0f}/s {best.cpu_us:,.0f} us CPU", target)
        assert (await journal.verify()).broken is None


class Rate(NamedTuple):
    per_s: float
    cpu_us: float


async def rate(journal, callers, entries):
    numbers = iter(range(entries))

    async def append():
        for number in numbers:
            await journal.append(draft(number))

    start, cpu = time.perf_counter(), time.process_time()
    async with task_group() as group:
        for _ in range(callers):
            group.create_task(append())
    return Rate(entries / (time.perf_counter() - start), (time.process_time() - cpu) / entries * 1e6)


async def filled(opened):
    async with opened() as journal:
        for first in range(0, FILLED, 500):
            await journal.append(*(draft(number) for number in range(first, first + 500)))
        for what, query in _queries().items():
            line(f"a page of {what} among {FILLED:,}", f"{await page_ms(journal, query):.1f} ms")
        start = time.perf_counter()
        verdict = await journal.verify()
        line("verify", f"{verdict.entries / (time.perf_counter() - start):,.0f}/s")
        start = time.perf_counter()
        cut = await journal.retain(Retention(entries=FILLED - 20_000))
        line("retention", f"{cut.dropped / (time.perf_counter() - start):,.0f}/s")


def _queries():
    commit = _commit(FILLED // 2)
    return {
        "the newest": Query(),
        "one object": Query(subject=draft(7).subject),
        "one namespace": Query(within=("prod", "shop-3")),
        "one cluster, of a rare kind": Query(within=("prod",), kinds=frozenset({"login"})),
        "one commit": Query(commit=commit.sha[:12]),
        "one change": Query(change=change_of(commit, Ids(0))),
        "rare kinds": Query(kinds=frozenset({"login", "approved"})),
        "the last minute": Query(since=SystemClock().now() - timedelta(minutes=1)),
    }


async def page_ms(journal, query):
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        await journal.page(query)
        best = min(best, time.perf_counter() - start)
    return best * 1000


def draft(number):
    commit = _commit(number)
    return Draft(
        kind="login" if number % 5000 == 17 else "decided",
        actor=DELIVERY,
        verb="apply",
        subject=LiveObject(
            cluster="prod", group="apps", kind="Deployment", namespace=f"shop-{number % 40}", name=f"web-{number % 700}"
        ),
        cause=commit,
        change=change_of(commit, Ids(0)),
        summary=f"Applied Deployment web-{number % 700} at revision {commit.sha:.7}",
        effect={"changed": 3, "digest": commit.sha},
    )


def _commit(number):
    sha = hashlib.sha256(f"{number // 200}".encode()).hexdigest()[:40]
    return Commit(repo="https://git.example.com/shop/platform.git", sha=sha)


def _sqlite(path, durability):
    return sqlite.opened(path, clock=SystemClock(), ids=Ids(), writer="bench", durability=durability)


def _postgres(address):
    return postgres.opened(address, clock=SystemClock(), ids=Ids(), writer="bench")
