"""What is packed comes back, and what is not whole, or far too much, does not."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.terraform.state.packing import PIECE_BYTES, packed, pieces, unpacked


@given(st.binary(max_size=5000), st.integers(1, 700))
def test_what_was_packed_comes_back_from_parts_of_any_size(text, size):
    content = packed(text)
    assert unpacked(tuple(content[at : at + size] for at in range(0, len(content), size))) == text
    assert packed(text) == content


@pytest.mark.parametrize(
    ("size", "lengths"), [(1, [1]), (PIECE_BYTES, [PIECE_BYTES]), (PIECE_BYTES + 1, [PIECE_BYTES, 1])]
)
def test_pieces_are_as_large_as_a_secret_holds(size, lengths):
    cut = pieces(bytes(size))
    assert [len(each) for each in cut] == lengths


@given(st.binary(min_size=1, max_size=200), st.data())
def test_a_state_that_ends_in_the_middle_is_not_read(text, data):
    content = packed(text)
    with pytest.raises(BadDocument):
        unpacked((content[: data.draw(st.integers(0, len(content) - 1))],))


def test_parts_that_an_interrupted_write_left_behind_are_passed_over_as_the_tools_do():
    content = packed(b"state")
    assert unpacked((content, b"an old second part", b"and a third")) == b"state"
    with pytest.raises(BadDocument):
        unpacked((content + b"x", b"an old second part"))


def test_a_bomb_does_not_go_off():
    with pytest.raises(LimitExceeded):
        unpacked((gzip.compress(bytes(3_000_000)),), most_bytes=1_000_000)
    assert len(unpacked((gzip.compress(bytes(1_000_000)),), most_bytes=1_000_000)) == 1_000_000


def test_what_is_no_gzip_is_refused():
    with pytest.raises(BadDocument):
        unpacked((b"state",))
