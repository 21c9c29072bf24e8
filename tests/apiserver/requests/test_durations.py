"""Durations as Go writes them."""

import pytest

from plumbline.apiserver.requests.durations import seconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("-0", 0),
        ("1s", 1),
        ("+1s", 1),
        ("-1.5h", -5400),
        ("1h2m3s", 3723),
        ("1.5s", 1.5),
        (".5s", 0.5),
        ("5.s", 5),
        ("1ms", 0.001),
        ("1us1ns", 1.001e-06),
        ("2µs", 2e-06),
        ("2μs", 2e-06),
    ],
)
def test_what_is_a_duration(text, expected):
    assert seconds(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", 'time: invalid duration ""'),
        ("x", 'time: invalid duration "x"'),
        ("-", 'time: invalid duration "-"'),
        ("1", 'time: missing unit in duration "1"'),
        ("1s2", 'time: missing unit in duration "1s2"'),
        ("1x", 'time: unknown unit "x" in duration "1x"'),
        ("1 s", 'time: unknown unit " s" in duration "1 s"'),
        (".s", 'time: invalid duration ".s"'),
        ("9999999999h", 'time: invalid duration "9999999999h"'),
    ],
)
def test_what_is_none_is_refused_in_gos_words(text, why):
    with pytest.raises(ValueError, match="time:") as refused:
        seconds(text)
    assert str(refused.value) == why
