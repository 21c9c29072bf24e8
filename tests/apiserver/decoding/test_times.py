"""Times as Go parses them; its answers were recorded."""

import pytest

from plumbline.apiserver.decoding.gotime import RFC3339_MICRO, time_fault

LAYOUT = '"2006-01-02T15:04:05Z07:00"'


@pytest.mark.parametrize(
    "written",
    [
        "2024-01-31T23:59:59Z", "2024-02-29T00:00:00+02:00", "2024-01-01T1:00:00Z", "2024-01-01T00:00:00.5Z", "2024-01-01T00:00:00,123456789-11:30", "0000-02-29T00:00:00Z", "2024-01-01T00:00:00+24:60",
    ],
)  # fmt: skip
def test_what_go_takes_for_a_time_is_one(written):
    assert time_fault(written) == ""


@pytest.mark.parametrize(
    ("written", "rest"),
    [
        ("", 'cannot parse "" as "2006"'),
        ("x", 'cannot parse "x" as "2006"'),
        ("20x4-01-01T00:00:00Z", 'cannot parse "20x4-01-01T00:00:00Z" as "2006"'),
        ("2024", 'cannot parse "" as "-"'),
        ("2024/01/01", 'cannot parse "/01/01" as "-"'),
        ("2024-1-01T00:00:00Z", 'cannot parse "1-01T00:00:00Z" as "01"'),
        ("2024-01-01", 'cannot parse "" as "T"'),
        ("2024-01-01 00:00:00Z", 'cannot parse " 00:00:00Z" as "T"'),
        ("2024-01-01T00:0:00Z", 'cannot parse "0:00Z" as "04"'),
        ("2024-01-01T00:00:00", 'cannot parse "" as "Z07:00"'),
        ("2024-01-01T00:00:00+0200", 'cannot parse "+0200" as "Z07:00"'),
        ("2024-01-01T00:00:00*02:00", 'cannot parse "*02:00" as "Z07:00"'),
        ('é"\\', 'cannot parse "\\xc3\\xa9\\"\\\\" as "2006"'),
    ],
)  # fmt: skip
def test_what_is_malformed_is_told_with_its_place(written, rest):
    assert time_fault(written).endswith(f" as {LAYOUT}: {rest}")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("2024-13-01T00:00:00Z", "month out of range"),
        ("2024-00-01T00:00:00Z", "month out of range"),
        ("2024-02-30T00:00:00Z", "day out of range"),
        ("2024-01-00T00:00:00Z", "day out of range"),
        ("2024-01-01T24:00:00Z", "hour out of range"),
        ("2024-01-01T00:60:00Z", "minute out of range"),
        ("2024-01-01T00:00:60Z", "second out of range"),
        ("2024-01-01T00:00:00+25:00", "time zone offset hour out of range"),
        ("2024-01-01T00:00:00+25:61", "time zone offset minute out of range"),
        ("2024-01-01T00:00:00Zx", 'extra text: "x"'),
    ],
)
def test_what_is_out_of_range_is_told_without(written, said):
    assert time_fault(written) == f'parsing time "{written}": {said}'


def test_precise_times_have_six_digits():
    assert time_fault("2024-01-01T00:00:00.000001Z", RFC3339_MICRO) == ""
    assert time_fault("2024-01-01T00:00:00.+00001Z", RFC3339_MICRO) == ""
    assert time_fault("2024-01-01T00:00:00.-00001Z", RFC3339_MICRO).endswith(": fractional second out of range")
    assert time_fault("2024-01-01T00:00:00Z", RFC3339_MICRO).endswith('cannot parse "Z" as ".000000"')
