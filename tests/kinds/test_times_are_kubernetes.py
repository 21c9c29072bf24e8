from datetime import UTC, datetime, timedelta, timezone

import pytest

from plumbline.kinds.timestamp import Time

READ = [
    ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z", "as Kubernetes writes it"),
    ("2026-01-31T12:00:00.999999999Z", "2026-01-31T12:00:00Z", "fractions are cut off, as metav1.Time does"),
    ("2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00Z", "other offsets become UTC"),
    ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "Go's zero time keeps its four digits"),
]

REFUSED = [
    ("2026-01-31", "no time"),
    ("2026-01-31T12:00:00", "no offset"),
    ("2026-01-31t12:00:00z", "lower case"),
    ("2026-01-31 12:00:00Z", "a space"),
    ("2026-02-30T12:00:00Z", "no such day"),
    ("2026-01-31T12:00:60Z", "leap seconds, which Go does not know"),
    ("2026-01-31T12:00:00+24:00", "no such offset"),
    ("0001-01-01T00:00:00+01:00", "before the first moment there is"),
    (1769860800, "a number"),
    (None, "null"),
]


@pytest.mark.parametrize(("raw", "written", "why"), READ)
def test_reads_rfc_3339_and_writes_seconds_in_utc(raw, written, why):
    assert Time.read(raw).write() == written, why


@pytest.mark.parametrize(("raw", "why"), REFUSED)
def test_refuses_other_forms(raw, why):
    with pytest.raises(ValueError, match="a time such as"):
        Time.read(raw)


def test_times_are_values():
    noon = Time(datetime(2026, 1, 31, 12, tzinfo=UTC))
    assert noon == Time(datetime(2026, 1, 31, 13, tzinfo=timezone(timedelta(hours=1))))
    assert hash(noon) == hash(Time.read("2026-01-31T12:00:00Z"))
    assert noon < Time.read("2026-01-31T12:00:01Z")
    assert noon != "2026-01-31T12:00:00Z"
    assert repr(noon) == "Time(2026-01-31T12:00:00Z)"
    with pytest.raises(ValueError, match="offset"):
        Time(datetime(2026, 1, 31, 12))  # noqa: DTZ001 - that it is refused is the promise
