import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.kube import intorstring


@pytest.mark.parametrize(
    ("text", "expected"),
    [("80", 80), ("-1", -1), ("+5", 5), ("http", "http"), ("", ""), ("2147483648", "2147483648"), ("1_0", "1_0"), ("25%", "25%")],
)  # fmt: skip
def test_text_that_is_a_number_of_32_bits_is_one(text, expected):
    assert intorstring.parse(text) == expected


@pytest.mark.parametrize("value", [0, 80, "80", "", -(2**31)])
def test_fields_are_taken_as_they_are(value):
    assert intorstring.from_json(value) is value


@pytest.mark.parametrize("value", [None, True, 1.0, 2**31, [], {}])
def test_what_is_neither_is_refused(value):
    with pytest.raises(InvalidInput):
        intorstring.from_json(value)


SCALED = [
    (3, 10, True, 3, "a number is itself"),
    ("25%", 10, True, 3, "a percentage rounds up"),
    ("25%", 10, False, 2, "or down"),
    ("0%", 10, True, 0, "nothing of it"),
    ("100%", 7, False, 7, "all of it"),
    ("150%", 2, False, 3, "more than it"),
    ("-50%", 3, True, -1, "less than nothing rounds up towards it"),
    ("-50%", 3, False, -2, "and down away from it"),
]


@pytest.mark.parametrize(("value", "total", "round_up", "expected", "why"), SCALED)
def test_percentages_are_of_the_total(value, total, round_up, expected, why):
    assert intorstring.scaled(value, total, round_up=round_up) == expected, why


@pytest.mark.parametrize("value", ["5", "x", "", "%", "1.5%", "x%", "9" * 30 + "%"])
def test_other_strings_are_no_count(value):
    with pytest.raises(InvalidInput):
        intorstring.scaled(value, 10, round_up=True)


def test_numbers_are_read_from_strings_where_asked():
    assert [intorstring.int_value(value) for value in (5, "6", "x", "25%")] == [5, 6, 0, 0]


def test_a_number_is_not_its_text():
    assert intorstring.same(80, 80)
    assert not intorstring.same(80, "80")
    assert not intorstring.same(1, True)


@given(st.integers(0, 200), st.integers(0, 10_000))
def test_rounding_up_and_down_differ_by_one_at_most(percent, total):
    down = intorstring.scaled(f"{percent}%", total, round_up=False)
    up = intorstring.scaled(f"{percent}%", total, round_up=True)
    assert down <= percent * total / 100 <= up <= down + 1
