"""Schedules beyond those of CronJobs; when they are due is in the tests of CronJobs."""

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.kube.cron import duration_fault, known_zone, parse, schedule_fault


def test_not_every_reader_takes_names_for_schedules():
    assert not schedule_fault("@daily")
    assert schedule_fault("@daily", descriptors=False) == "parser does not accept descriptors: @daily"
    assert schedule_fault("TZ=UTC @daily", descriptors=False) == "parser does not accept descriptors: @daily"
    with pytest.raises(InvalidInput):
        parse("@every 5m", descriptors=False)


@pytest.mark.parametrize("name", ["Europe/Berlin", "UTC", "Asia/Kolkata"])
def test_a_zone_is_known_by_its_name(name):
    assert known_zone(name)


@pytest.mark.parametrize("name", ["Mars/Base", "Local", "local", "../etc/passwd", "-x", "", "Europe//Berlin"])
def test_other_names_are_none(name):
    assert not known_zone(name)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1h30m", ""),
        ("-5s", ""),
        ("", 'invalid duration ""'),
        ("5", 'missing unit in duration "5"'),
        ("1d", 'unknown unit "d" in duration "1d"'),
        ("9999999999h", 'invalid duration "9999999999h"'),
    ],
)
def test_a_duration_is_refused_in_the_words_of_go(text, fault):
    assert duration_fault(text) == fault
