"""Ids sort like what they stand for, and say where it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.journal.positions import entry_id, ms_of, seq_of

_parts = st.tuples(st.integers(0, 2**48 - 1), st.just(0xABCDE12345), st.integers(0, 2**40 - 1))


@given(_parts)
def test_an_id_gives_back_its_place_and_time(parts):
    id_ = entry_id(*parts)
    assert len(id_) == 26
    assert (ms_of(id_), seq_of(id_)) == (parts[0], parts[2])


@given(_parts, _parts)
def test_ids_sort_by_time_then_place(one, two):
    assert (entry_id(*one) < entry_id(*two)) == (one < two)


@given(st.text(max_size=30))
def test_text_that_is_no_id_is_refused(text):
    with pytest.raises(InvalidInput):
        seq_of(text)
