"""A process that runs for weeks gives back what it does not use, and does not look for garbage where there is none."""

import asyncio
import ctypes
import gc
import linecache
from contextlib import asynccontextmanager

import pytest

from plumbline.base import thrift
from plumbline.base.clock import VirtualClock
from plumbline.base.thrift import settled, thrifty, tidying


class Library:
    """A C library that remembers what it was told."""

    def __init__(self):
        self.told = {}

    def mallopt(self, option, value):
        self.told[option] = value


@pytest.fixture
def unfrozen():
    yield
    gc.unfreeze()


def test_one_heap_and_large_buffers_apart_from_small_ones(monkeypatch):
    library = Library()
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    thrifty()
    assert library.told == {-8: 1, -3: 131072, -1: 131072}


def test_a_c_library_that_knows_no_such_settings_is_left_alone(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    thrifty()


@pytest.mark.usefixtures("unfrozen")
def test_what_was_loaded_is_looked_through_no_more():
    kept = [{"alive": True}]
    settled()
    assert gc.get_freeze_count() > 0
    assert not any(each is kept for each in gc.get_objects())


@pytest.mark.usefixtures("unfrozen")
def test_sources_that_were_read_are_not_kept():
    linecache.getlines(__file__)
    settled()
    assert __file__ not in linecache.cache


class Collector:
    """Stands in for Python's own, and says what the test wants of how many objects were made."""

    def __init__(self):
        self.did = []
        self.young = self.old = 0
        self.threshold = (700, 10, 10)

    def get_threshold(self):
        return self.threshold

    def set_threshold(self, *threshold):
        self.threshold = threshold

    def get_stats(self):
        return [{"collections": self.young}]

    def get_count(self):
        return (0, 0, self.old)

    def collect(self):
        self.did.append("collect")
        self.old = 0

    def freeze(self):
        self.did.append("freeze")

    def unfreeze(self):
        self.did.append("unfreeze")


@asynccontextmanager
async def tidied(monkeypatch):
    collector, clock = Collector(), VirtualClock()
    monkeypatch.setattr(thrift, "gc", collector)
    task = asyncio.create_task(tidying(clock))
    await clock.advance(0)

    async def after(seconds, *, young=0, old=0):
        collector.young += young
        collector.old += old
        await clock.advance(seconds)
        done, collector.did = collector.did, []
        return done

    try:
        yield collector, after
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_garbage_is_looked_for_when_the_rush_is_over(monkeypatch):
    async with tidied(monkeypatch) as (_, after):
        assert await after(5, young=100, old=9) == []
        assert await after(5, young=100, old=9) == []
        assert await after(5) == ["collect", "freeze"]
        assert await after(60) == []


async def test_nothing_is_looked_for_where_little_was_made(monkeypatch):
    async with tidied(monkeypatch) as (_, after):
        assert await after(3600, young=1, old=9) == []


async def test_a_rush_without_end_has_its_garbage_looked_for_too(monkeypatch):
    async with tidied(monkeypatch) as (_, after):
        assert await after(5, young=1000, old=499) == []
        assert await after(5, young=1000, old=1) == ["collect", "freeze"]


async def test_once_an_hour_everything_is_looked_at(monkeypatch):
    async with tidied(monkeypatch) as (_, after):
        await after(3600)
        assert await after(5, old=10) == ["unfreeze", "collect", "freeze"]
        assert await after(5, old=10) == ["collect", "freeze"]


async def test_python_does_not_do_it_by_itself_meanwhile(monkeypatch):
    async with tidied(monkeypatch) as (collector, _):
        assert collector.threshold[:2] == (700, 10)
        assert collector.threshold[2] > 1_000_000
    assert collector.threshold == (700, 10, 10)
