import pytest

from plumbline.apiserver.nodes.moments import duration_s, instant, printed_duration, stamp

DURATIONS = [
    ("5s", 5.0, "seconds"),
    ("1m30s", 90.0, "minutes and seconds"),
    ("2h", 7200.0, "hours"),
    ("250ms", 0.25, "parts of a second"),
    ("1.5s", 1.5, "a fraction"),
    ("7", 7.0, "a plain number is seconds"),
    ("", None, "nothing"),
    ("soon", None, "a word"),
    ("-5s", None, "the past"),
    ("9" * 30, None, "more than anybody waits"),
]


@pytest.mark.parametrize(("text", "seconds", "why"), DURATIONS)
def test_reads_durations(text, seconds, why):
    assert duration_s(text) == seconds, why


@pytest.mark.parametrize(
    ("seconds", "text"), [(10, "10s"), (80, "1m20s"), (160, "2m40s"), (300, "5m0s"), (3600, "1h0m0s")]
)
def test_prints_durations_as_go_does(seconds, text):
    assert printed_duration(seconds) == text


@pytest.mark.parametrize("text", ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"])
def test_a_moment_survives_the_way_there_and_back(text):
    assert stamp(instant(text)) == "2026-01-01T00:00:00Z"


@pytest.mark.parametrize("value", [None, 5, "yesterday", "2026-01-01T00:00:00"])
def test_what_is_no_moment_is_none(value):
    assert instant(value) is None
    assert stamp(None) is None
