import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.kinds.duration import BadDuration, Duration

HOUR = 3_600_000_000_000

READ = [
    ("0", 0, "a bare zero needs no unit"),
    ("-0", 0, "nor does a signed one"),
    ("3m", 180_000_000_000, "one term"),
    ("1h30m", HOUR + HOUR // 2, "several terms"),
    ("30m1h", HOUR + HOUR // 2, "in any order"),
    ("1m1m", 120_000_000_000, "and more than once"),
    ("+5s", 5_000_000_000, "a plus sign"),
    ("-1.5h", -HOUR - HOUR // 2, "negative and fractional"),
    (".5s", 500_000_000, "nothing before the point"),
    ("1.s", 1_000_000_000, "nothing after the point"),
    ("1us2µs3μs", 6_000, "three ways to write micro"),
    ("0.3333333333333333333h", 1_200_000_000_000, "digits beyond 64 bits are dropped, the rest is cut off"),
    ("9223372036854775807ns", 2**63 - 1, "the longest"),
    ("-9223372036854775808ns", -(2**63), "the longest backwards"),
    ("0.100000000000000000000h", HOUR // 10, "trailing zeros"),
    ("0.830103483285477580700h", 2_988_372_539_827, "float arithmetic to the nanosecond"),
]

REFUSED = [
    ("", "nothing"),
    ("-", "a sign alone"),
    ("3", "no unit"),
    ("s", "no number"),
    (".s", "a point is no number"),
    ("1 h", "a space is part of no unit"),
    ("1d", "days differ in length"),
    ("1H", "units are lower case"),
    ("1h-30m", "a sign inside"),
    ("\u0661s", "digits are ASCII"),
    ("1e3s", "no exponents"),
    ("9223372036854775808ns", "one more than 64 bits hold"),
    ("2562048h", "too many hours"),
    ("9223372036854775808ns" * 2, "Go's sum wraps around to zero here, which nobody can mean"),
    ("9" * 190 + "s", "far too many hours"),
    ("1." + "0" * 300 + "s", "too long to be meant"),
]


@pytest.mark.parametrize(("text", "ns", "why"), READ)
def test_reads_what_go_reads(text, ns, why):
    assert Duration.parse(text).ns == ns, why


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_refuses_what_go_refuses(text, why):
    with pytest.raises(InvalidInput) as refused:
        Duration.parse(text)
    assert refused.value.why.startswith("expected "), why
    assert refused.value.hint


def test_a_long_text_is_not_repeated_in_full():
    with pytest.raises(InvalidInput) as refused:
        Duration.parse("x" * 10_000)
    assert len(refused.value.what) < 300


PRINTED = [
    (0, "0s"),
    (1, "1ns"),
    (1_100, "1.1µs"),
    (2_200_000, "2.2ms"),
    (3_300_000_000, "3.3s"),
    (180_000_000_000, "3m0s"),
    (2 * HOUR + 45 * 60_000_000_000, "2h45m0s"),
    (HOUR + 1_000_000, "1h0m0.001s"),
    (-1_500_000_000, "-1.5s"),
    (-(2**63), "-2562047h47m16.854775808s"),
]


@pytest.mark.parametrize(("ns", "text"), PRINTED)
def test_prints_as_go_prints(ns, text):
    assert str(Duration(ns)) == text


@given(st.integers(-(2**63), 2**63 - 1))
@example(999_999_999)
def test_what_is_printed_reads_back_as_the_same(ns):
    assert Duration.parse(str(Duration(ns))).ns == ns


@given(st.text("0123456789.hmsnu+-µ ", max_size=12))
def test_every_text_is_read_or_refused(text):
    try:
        duration = Duration.parse(text)
    except InvalidInput:
        return
    assert -(2**63) <= duration.ns < 2**63


def test_durations_are_values():
    assert Duration.parse("60s") == Duration.parse("1m")
    assert hash(Duration.parse("60s")) == hash(Duration.parse("1m"))
    assert Duration.parse("59s") < Duration.parse("1m") <= Duration.parse("1m")
    assert Duration.parse("1m") != "1m"
    assert Duration.of_seconds(1.5).seconds == 1.5
    assert repr(Duration.parse("90s")) == "Duration(1m30s)"


def test_a_narrowed_duration_cannot_be_made_outside_of_its_bounds():
    class Interval(Duration):
        lowest = Duration.parse("1s")
        highest = Duration.parse("24h")

    assert Interval.parse("5m").seconds == 300
    with pytest.raises(InvalidInput, match="at least 1s"):
        Interval.parse("-5m")
    with pytest.raises(InvalidInput, match="at most 24h0m0s"):
        Interval.parse("25h")
    with pytest.raises(BadDuration):
        Interval(0)
