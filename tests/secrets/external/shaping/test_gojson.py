"""JSON and numbers as Go has them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.json import decode
from plumbline.secrets.external.shaping import gojson

NUMBERS = [
    (1.0, "1", "1"),
    (2.5, "2.5", "2.5"),
    (1e20, "100000000000000000000", "100000000000000000000"),
    (1e21, "1000000000000000000000", "1e+21"),
    (1.5e-7, "0.00000015", "1.5e-7"),
    (1e-6, "0.000001", "0.000001"),
    (-0.0, "-0", "-0"),
    (12345678901234567890.0, "12345678901234567000", "12345678901234567000"),
]


@pytest.mark.parametrize(("number", "held", "in_json"), NUMBERS)
def test_numbers_are_written_as_go_writes_them(number, held, in_json):
    assert gojson.as_bytes(number).decode() == held
    assert gojson.written([number]).decode() == f"[{in_json}]"


GENERAL = [
    (1.1, "1.1"), (1234567.5, "1.2345675e+06"), (1e39, "+Inf"), (-1e39, "-Inf"), (math.nan, "NaN"), (0.1, "0.1"), (1e-5, "1e-05"),
]  # fmt: skip


@pytest.mark.parametrize(("number", "text"), GENERAL)
def test_numbers_in_place_of_text_are_those_of_the_yaml_library(number, text):
    assert gojson.general(number) == text


@given(
    st.recursive(
        st.none() | st.booleans() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=6,
    )
)
def test_what_is_written_can_be_read(value):
    for html in (True, False):
        assert gojson.floating(decode(gojson.written(value, html=html))) == value


@pytest.mark.parametrize("raw", [b"", b"[]", b"1", b"{", b'{"a":}', b"[" * 2000])
def test_what_is_no_object_is_none(raw):
    assert gojson.read_object(raw) is None


def test_bytes_that_are_no_text_are_replaced():
    assert gojson.read_object(b'{"a":"\xff"}') == {"a": "\ufffd"}
