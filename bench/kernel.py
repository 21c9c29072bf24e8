"""The kernel and the door: keys, events that change nothing, memory of a cache, the price of the gate, storms."""

import asyncio
import gc
import sys
import time
import tracemalloc
from pathlib import Path

from bench.pure import live_object
from bench.timing import best_ms, line
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import encode
from plumbline.gate.gate import Gate, Powers, Record
from plumbline.gate.intents import Intent
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kernel.cache import Cache, Relevance, cached
from plumbline.kernel.faults.simulation import baseline, differences, simulate, storm
from plumbline.kernel.queue import Queue
from plumbline.kinds.mandate import MandateSpec
from plumbline.ownership.ledger import Ledger

KEYS = 50_000
OBJECTS = 10_000
STORMS = 200


def run():
    line(f"{KEYS:,} no-op keys through the queue", f"{asyncio.run(_queue()):.2f} s", "<= 1 s")
    raw, relevance = encode(live_object()), Relevance(status=False)
    line(
        "an event that changes nothing relevant", f"{best_ms(lambda: cached(raw, relevance)) * 1000:.0f} us", "<= 50 us"
    )
    line(f"{OBJECTS:,} objects cached, over their bytes", f"{_cache_megabytes():.0f} MB", "<= 60 MB")
    line("what the gate adds to a write", f"{asyncio.run(_gate_ms()):.3f} ms", "<= 0.1 ms")
    took_s = _storms()
    line(
        f"{STORMS} storms of the sample controller",
        f"{took_s:.1f} s",
        f"1,000 in {took_s * 1000 / STORMS:.0f} s (<= 60 s)",
    )


async def _queue():
    queue = Queue(SystemClock(), Ids(1))
    start = time.perf_counter()
    for number in range(KEYS):
        queue.add(("namespace", f"name-{number}"))
    for _ in range(KEYS):
        key, _ = await queue.take()
        queue.forgive(key)
        queue.done(key)
    return time.perf_counter() - start


def _cache_megabytes():
    template = encode(live_object())
    raws = [template.replace(b'"web"', f'"web-{number}"'.encode()) for number in range(OBJECTS)]
    gc.collect()
    tracemalloc.start()
    cache = Cache(indexes={"owner": lambda entry: [owner.uid for owner in entry.meta.owner_references]})
    for raw in raws:
        cache.put(cached(raw, cache.relevance))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(cache) == OBJECTS
    return used / 1e6


async def _gate_ms():
    class Nothing:
        async def perform(self):
            return b""

        async def rehearse(self):
            return b""

    class Bare(Record):
        async def act(self, intent, act):
            del intent
            return await act.perform()

    gate = Gate(Powers(lambda: MandateSpec(mode="Enforce"), Ledger(), lambda: None), Bare(), SystemClock())
    subject = LiveObject(cluster="here", group="apps", kind="Deployment", namespace="shop", name="web")
    act, times = Nothing(), 20_000
    start = time.perf_counter()
    for _ in range(times):
        intent = Intent(actor=Actor("controller", "bench"), subject=subject, verb="apply", why="Measure")
        await gate.perform(intent, act)
    return (time.perf_counter() - start) / times * 1000


def _storms():
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.kernel.sample import MirrorScenario  # noqa: PLC0415 - tests are not on the path before

    calm = baseline(MirrorScenario)
    start = time.perf_counter()
    for seed in range(STORMS):
        assert differences(calm, simulate(MirrorScenario, storm(seed))) == []
    return time.perf_counter() - start
