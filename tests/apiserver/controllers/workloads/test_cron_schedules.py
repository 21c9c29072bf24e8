"""When schedules are due. The times around changes of the clock are those of the library that upstream uses."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.controllers.workloads.cronjobs.planning import due, new_job, next_look_s
from plumbline.base.clock import rfc3339
from plumbline.base.errors import InvalidInput
from plumbline.kube.cron import parse
from plumbline.kube.object import Object

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


def times(schedule, zone, start, count):
    found, at = [], datetime.fromisoformat(start)
    for _ in range(count):
        at = parse(schedule, zone).after(at)
        found.append(at and rfc3339(at))
    return found


@pytest.mark.parametrize(
    ("schedule", "zone", "start", "expected", "why"),
    [
        ("*/15 * * * *", "", "2026-01-01T00:00:00Z", ["2026-01-01T00:15:00Z", "2026-01-01T00:30:00Z"], "steps"),
        ("5/20 * * * *", "", "2026-01-01T00:00:00Z", ["2026-01-01T00:05:00Z", "2026-01-01T00:25:00Z"], "from five on"),
        ("0 12 1,15 * *", "", "2026-01-02T00:00:00Z", ["2026-01-15T12:00:00Z", "2026-02-01T12:00:00Z"], "days"),
        ("0 0 13 * fri", "", "2026-01-01T00:00:00Z", ["2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z"], "either day"),
        ("0 0 */1 * fri", "", "2026-01-01T00:00:00Z", ["2026-01-02T00:00:00Z"], "an open day leaves the other"),
        ("0 0 29 feb ?", "", "2026-01-01T00:00:00Z", ["2028-02-29T00:00:00Z"], "leap years"),
        ("0 0 30 2 *", "", "2026-01-01T00:00:00Z", [None], "never"),
        ("@weekly", "", "2026-01-01T00:00:00Z", ["2026-01-04T00:00:00Z"], "a name"),
        ("@every 90m", "", "2026-01-01T00:00:30Z", ["2026-01-01T01:30:30Z"], "an interval"),
        ("@every -5s", "", "2026-01-01T00:00:30Z", ["2026-01-01T00:00:31Z"], "an interval is at least a second"),
        ("TZ=Asia/Tokyo 0 9 * * *", "", "2026-01-01T12:00:00Z", ["2026-01-02T00:00:00Z"], "a zone within"),
        ("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-30T00:30:00Z"], "there was no 2:30 that day"),
        (
            "30 2 * * *",
            "Europe/Berlin",
            "2026-10-24T12:00:00Z",
            ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"],
            "2:30 came twice",
        ),
        ("0 0 * * *", "America/Havana", "2028-03-11T12:00:00Z", ["2028-03-13T04:00:00Z"], "there was no midnight"),
        ("12 2 11/3 * *", "America/Havana", "2028-03-12T12:03:28Z", ["2028-03-14T06:12:00Z"], "nor a step back"),
        ("59 19 17,29 10 *", "America/Sao_Paulo", "2015-10-18T12:00:00Z", ["2015-10-29T21:59:00Z"], "nor there"),
    ],
)
def test_a_schedule_is_due_at_its_times(schedule, zone, start, expected, why):
    assert times(schedule, zone, start, len(expected)) == expected, why


@given(
    minutes=st.sets(st.integers(0, 59), min_size=1),
    hours=st.sets(st.integers(0, 23), min_size=1),
    weekdays=st.sets(st.integers(0, 6), min_size=1),
    start=st.integers(0, 10**6),
)
def test_no_time_is_left_out_and_none_is_made_up(minutes, hours, weekdays, start):
    schedule = parse(f"{_list(minutes)} {_list(hours)} * * {_list(weekdays)}")
    begin = NEW_YEAR + timedelta(seconds=start)
    found = schedule.after(begin)
    at = (begin + timedelta(minutes=1)).replace(second=0)
    while not (at.minute in minutes and at.hour in hours and at.isoweekday() % 7 in weekdays):
        at += timedelta(minutes=1)
    assert found == at


def _list(values):
    return ",".join(map(str, sorted(values)))


@pytest.mark.parametrize(("schedule", "zone"), [("61 * * * *", ""), ("* * * *", ""), ("* * * * *", "Mars/Base")])
def test_what_is_no_schedule_is_refused(schedule, zone):
    with pytest.raises(InvalidInput):
        parse(schedule, zone)


def cron(schedule_time=None, **spec):
    status = {"lastScheduleTime": schedule_time} if schedule_time else {}
    return Object(
        {"metadata": {"name": "c", "creationTimestamp": "2026-01-01T00:00:00Z"}, "spec": spec, "status": status}
    )


def at_minute(minute, second=0):
    return NEW_YEAR + timedelta(minutes=minute, seconds=second)


@pytest.mark.parametrize(
    ("schedule", "now", "spec", "latest", "missed", "why"),
    [
        ("*/10 * * * *", at_minute(5), {}, None, 0, "not yet"),
        ("*/10 * * * *", at_minute(10), {}, at_minute(10), 0, "just now"),
        ("*/10 * * * *", at_minute(35), {}, at_minute(30), 3, "the latest of three"),
        ("* * * * *", at_minute(500, 1), {}, at_minute(500), 500, "suspiciously many"),
        ("*/10 * * * *", at_minute(35), {"startingDeadlineSeconds": 60}, None, 0, "all too long ago"),
        ("*/10 * * * *", at_minute(35), {"startingDeadlineSeconds": 600}, at_minute(30), 0, "recent enough"),
    ],
)
def test_of_the_times_that_passed_the_latest_counts(schedule, now, spec, latest, missed, why):
    found = due(cron(**spec), parse(schedule), now, within_deadline=True)
    assert (found.latest, found.missed) == (latest, missed), why
    assert found.too_many == (missed > 100)


def test_the_last_run_is_where_the_count_begins():
    found = due(cron("2026-01-01T00:20:00Z"), parse("*/10 * * * *"), at_minute(25), within_deadline=False)
    assert found.latest is None


def test_a_schedule_without_times_is_an_error_and_looked_at_again():
    never = parse("0 0 30 2 *")
    with pytest.raises(InvalidInput):
        due(cron(), never, NEW_YEAR, within_deadline=False)
    assert next_look_s(cron(), never, NEW_YEAR) == pytest.approx(0.1)


@pytest.mark.parametrize(("now", "seconds"), [(at_minute(5), 300.1), (at_minute(15), 300.1), (at_minute(35), 300.1)])
def test_the_next_look_is_a_little_after_the_next_time(now, seconds):
    assert next_look_s(cron(), parse("*/10 * * * *"), now) == pytest.approx(seconds)


def test_a_job_says_when_it_was_scheduled_in_the_zone_of_its_cron_job():
    made = new_job(cron(jobTemplate={"metadata": {"labels": {"a": "b"}}, "spec": {"x": 1}}), NEW_YEAR)
    assert made["metadata"]["name"] == f"c-{int(NEW_YEAR.timestamp()) // 60}"
    assert made["metadata"]["annotations"] == {
        "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:00:00Z"
    }
    assert made["metadata"]["labels"] == {"a": "b"}
