import re
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.ids import Ids


def test_the_same_seed_gives_the_same_ids():
    one, other = Ids(seed=7), Ids(seed=7)
    assert [one.uid(), one.suffix(), one.jitter(10), one.between(1, 2)] == [
        other.uid(),
        other.suffix(),
        other.jitter(10),
        other.between(1, 2),
    ]
    assert Ids(seed=8).uid() != Ids(seed=7).uid()


def test_without_a_seed_nobody_can_tell_what_comes():
    assert Ids().uid() != Ids().uid()
    assert len({Ids().suffix() for _ in range(50)}) > 45


def test_a_uid_is_a_random_uuid():
    parsed = uuid.UUID(Ids(seed=1).uid())
    assert parsed.version == 4
    assert parsed.variant == uuid.RFC_4122


@given(st.integers(), st.integers(1, 20))
def test_a_suffix_has_no_vowels_and_no_look_alikes(seed, length):
    assert re.fullmatch(rf"[bcdfghjklmnpqrstvwxz2456789]{{{length}}}", Ids(seed).suffix(length))


def test_a_suffix_is_as_long_as_the_api_server_makes_it():
    assert len(Ids(seed=1).suffix()) == 5


@given(st.integers(), st.floats(0, 1e6), st.floats(0, 1))
def test_jitter_stays_within_its_fraction(seed, value, fraction):
    moved = Ids(seed).jitter(value, fraction)
    assert moved == pytest.approx(value, rel=fraction + 1e-9, abs=1e-9)


@given(st.integers(), st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_between_stays_between(seed, low, width):
    assert low <= Ids(seed).between(low, low + width) <= low + width
