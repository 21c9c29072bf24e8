import pytest

from plumbline.apiserver.defaults.moments import in_microseconds, in_seconds

SECONDS = [
    ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "written so already"),
    ("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z", "an offset"),
    ("2026-01-01T00:00:00-24:00", "2026-01-02T00:00:00Z", "a day of it"),
    ("2026-01-01T00:00:00.999999999Z", "2026-01-01T00:00:00Z", "fractions are cut off"),
    ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z", "before the epoch too"),
    ("2026-01-01T0:00:00,5Z", "2026-01-01T00:00:00Z", "spellings that the server reads"),
    ("0001-01-01T00:00:00+01:00", "0001-01-01T00:00:00+01:00", "no year comes before the first"),
    ("2026-02-30T00:00:00.5Z", "2026-02-30T00:00:00.5Z", "no such day"),
    ("yesterday", "yesterday", "no moment"),
    (None, None, "nothing"),
    (7, 7, "no text"),
]
MICROSECONDS = [
    ("2026-01-01T00:00:00.000001Z", "2026-01-01T00:00:00.000001Z", "written so already"),
    ("2026-01-01T01:00:00.500000+01:00", "2026-01-01T00:00:00.500000Z", "an offset"),
    ("2026-01-01T01:00:00.5+01:00", "2026-01-01T01:00:00.5+01:00", "too few digits are refused elsewhere"),
    ("2026-02-30T00:00:00.500000+01:00", "2026-02-30T00:00:00.500000+01:00", "no such day"),
    ("yesterday", "yesterday", "no moment"),
    (None, None, "nothing"),
]


@pytest.mark.parametrize(("text", "written", "why"), SECONDS, ids=[why for *_, why in SECONDS])
def test_moments_are_written_in_utc_and_whole_seconds(text, written, why):
    assert in_seconds(text) == written


@pytest.mark.parametrize(("text", "written", "why"), MICROSECONDS, ids=[why for *_, why in MICROSECONDS])
def test_finer_moments_are_written_in_utc_and_microseconds(text, written, why):
    assert in_microseconds(text) == written
