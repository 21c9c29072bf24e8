"""A process that runs for weeks gives back what it does not use, and does not look for garbage where there is none."""

import ctypes
import gc
import linecache

import pytest

from plumbline.base.thrift import settled, thrifty


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
