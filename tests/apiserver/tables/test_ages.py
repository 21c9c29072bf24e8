import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.tables.ages import human_duration, moment_s, since

from .objects import NOW, ago

MINUTE, HOUR, DAY = 60, 3600, 86400
YEAR = 365 * DAY

DURATIONS = [
    (-math.inf, "<invalid>", "before all time"),
    (-2, "<invalid>", "two seconds in the future are a mistake"),
    (-1.9, "0s", "clocks differ by a second"),
    (-0.5, "0s", "or by less"),
    (0, "0s", "now"),
    (59.9, "59s", "fractions are cut off"),
    (119, "119s", "two minutes are told in seconds"),
    (120, "2m", "no zero seconds"),
    (125, "2m5s", "minutes and seconds"),
    (10 * MINUTE - 1, "9m59s", "up to ten minutes"),
    (10 * MINUTE + 30, "10m", "then without seconds"),
    (3 * HOUR - 1, "179m", "three hours are told in minutes"),
    (3 * HOUR, "3h", "no zero minutes"),
    (8 * HOUR - 1, "7h59m", "up to eight hours"),
    (8 * HOUR + 59 * MINUTE, "8h", "then without minutes"),
    (2 * DAY - 1, "47h", "two days are told in hours"),
    (2 * DAY, "2d", "no zero hours"),
    (8 * DAY - 1, "7d23h", "up to eight days"),
    (8 * DAY + 23 * HOUR, "8d", "then without hours"),
    (2 * YEAR - 1, "729d", "two years are told in days"),
    (2 * YEAR, "2y", "no zero days"),
    (2 * YEAR + 3 * DAY, "2y3d", "years and days"),
    (8 * YEAR - 1, "7y364d", "up to eight years"),
    (8 * YEAR + 300 * DAY, "8y", "then without days"),
    (math.inf, "292y", "Go counts no further"),
]


@pytest.mark.parametrize(("seconds", "shown", "why"), DURATIONS, ids=[row[2] for row in DURATIONS])
def test_a_duration_has_two_or_three_figures(seconds, shown, why):
    assert human_duration(seconds) == shown


MOMENTS = [
    ("1970-01-01T00:00:00Z", 0, "the beginning"),
    ("1970-01-01T00:00:01.25Z", 1.25, "a fraction"),
    ("1970-01-01T00:00:00,5Z", 0.5, "a fraction behind a comma"),
    ("1970-01-01T0:00:00Z", 0, "one digit for the hour"),
    ("1970-01-01T00:00:00.123456789123Z", 0.123456789, "more digits than nanoseconds have"),
    ("1970-01-01T02:00:00+02:00", 0, "east"),
    ("1969-12-31T19:30:00-04:30", 0, "west"),
    ("1970-01-02T00:00:00+24:00", 0, "as far east as Go goes"),
    ("0000-02-29T00:00:00Z", -62162121600, "a year that Python does not have, and a leap year"),
    ("0001-01-01T00:00:00Z", None, "no time"),
    ("", None, "nothing"),
    ("yesterday", None, "a word"),
    ("2020-01-01", None, "a day"),
    ("2020-01-01t00:00:00z", None, "small letters"),
    ("2021-02-29T00:00:00Z", None, "a day that was not"),
    ("2021-13-01T00:00:00Z", None, "a month that is not"),
    ("2021-01-01T24:00:00Z", None, "an hour too many"),
    ("2021-01-01T00:60:00Z", None, "a minute too many"),
    ("2021-01-01T00:00:60Z", None, "a leap second"),
    ("2021-01-01T00:00:00+25:00", None, "too far east"),
    ("2021-01-01T00:00:00.Z", None, "a point without a fraction"),
    ("٢021-01-01T00:00:00Z", None, "digits of another script"),
]


@pytest.mark.parametrize(("text", "seconds", "why"), MOMENTS, ids=[row[2] for row in MOMENTS])
def test_times_are_read_as_go_reads_them(text, seconds, why):
    assert moment_s(text) == seconds


@given(st.datetimes().map(lambda moment: moment.isoformat(timespec="seconds") + "Z"))
def test_every_moment_has_seconds_but_the_first(text):
    assert (moment_s(text) is None) == (text == "0001-01-01T00:00:00Z")


@given(st.floats(allow_nan=False))
def test_every_duration_is_short(seconds):
    assert 1 < len(human_duration(seconds)) <= len("<invalid>")


@pytest.mark.parametrize("garbage", [None, 5, {}, [], "never"], ids=repr)
def test_what_is_no_time_was_an_unknown_while_ago(garbage):
    assert since(garbage, NOW.timestamp()) == "<unknown>"


def test_an_age_is_that_at_the_moment_asked_for():
    assert since(ago(minutes=3), NOW.timestamp()) == "3m"
