"""Base64 as Go decodes it; its answers were recorded."""

from binascii import a2b_base64, b2a_base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.decoding.base64text import base64_fault


@pytest.mark.parametrize(
    ("written", "place", "why"),
    [
        (b"", None, "nothing"),
        (b"YWJj", None, "a whole group"),
        (b"YQ==", None, "two of padding"),
        (b"YWI=", None, "one of padding"),
        (b"YW\r\nJj\n", None, "broken into lines"),
        (b"\r\nYWJj", None, "from the first on"),
        (b"YQ=\n=\n", None, "even within the padding"),
        (b"%", 0, "no digit"),
        (b"YWJj%", 4, "no digit later"),
        (b"Y", 0, "one digit is less than a byte"),
        (b"YWJjYQ", 4, "padding is required"),
        (b"YQ=", 3, "all of it"),
        (b"=", 0, "and digits before it"),
        (b"Y===", 1, "two at least"),
        (b"YQ=x", 2, "something else instead of the second"),
        (b"YQ===", 4, "more of it"),
        (b"YQ==x", 4, "something after it"),
        (b"Y Q==", 1, "a space is no line break"),
        ("é".encode(), 0, "not even ASCII"),
    ],
)
def test_the_place_of_the_fault_is_gos(written, place, why):
    assert base64_fault(written) == ("" if place is None else f"illegal base64 data at input byte {place}"), why


@given(st.binary())
def test_what_was_encoded_has_no_fault(raw):
    assert base64_fault(b2a_base64(raw, newline=False)) == ""


@given(st.text(alphabet="YWJj=+/ \n%", max_size=12).map(str.encode))
def test_what_has_no_fault_can_be_decoded(written):
    if not base64_fault(written):
        assert isinstance(a2b_base64(written), bytes)
