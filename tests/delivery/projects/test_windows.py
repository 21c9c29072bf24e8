"""Sync windows beyond the recorded tables: what may go on, when to look again, and what is refused."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import InvalidInput
from plumbline.delivery.projects.windows import allowed, is_open, next_change, window_fault
from plumbline.kinds.appproject import SyncWindow

MONDAY = datetime(2026, 5, 4, tzinfo=UTC)


def window(kind="allow", schedule="0 9 * * *", duration="8h", **more):
    return SyncWindow(kind=kind, schedule=schedule, duration=duration, applications=("*",), **more)


def at(hour, minute=0, second=0.0):
    return MONDAY + timedelta(hours=hour, minutes=minute, seconds=second)


NIGHT = {"kind": "deny", "schedule": "0 22 * * *", "duration": "2h"}


@pytest.mark.parametrize(
    ("windows", "started", "may", "why"),
    [
        ([window(**NIGHT, sync_overrun=True)], at(21), True, "it began before the window that denies"),
        ([window(**NIGHT, sync_overrun=True)], at(22, 30), False, "it began within"),
        ([window(**NIGHT)], at(21), False, "the window does not let it go on"),
        ([window(**NIGHT, sync_overrun=True), window(**NIGHT)], at(21), False, "one of them does not"),
        ([window(sync_overrun=True)], at(16), True, "it began while it was allowed"),
        ([window(sync_overrun=True)], at(18), False, "it did not"),
        ([window()], at(16), False, "the window ends and so does the sync"),
        ([window(sync_overrun=True), window(schedule="0 1 * * *", duration="1h")], at(16), False, "all have to agree"),
        ([window(sync_overrun=True)], None, False, "nothing began"),
    ],
)
def test_a_sync_may_go_on_where_all_windows_in_its_way_agree(windows, started, may, why):
    assert allowed(windows, manual=False, now=at(23), operation_started=started) is may, why


def test_who_asks_by_hand_passes_where_all_windows_in_the_way_agree():
    both = [window(**NIGHT, manual_sync=True), window(**NIGHT)]
    assert allowed(both[:1], manual=True, now=at(23))
    assert not allowed(both, manual=True, now=at(23))
    assert not allowed(both[:1], manual=False, now=at(23))
    assert allowed([window(manual_sync=True)], manual=True, now=at(23))


def test_a_sync_by_hand_that_was_in_the_way_of_nothing_goes_on():
    windows = [window(**NIGHT, sync_overrun=True), window(schedule="0 3 * * *", duration="1h", manual_sync=True)]
    assert allowed(windows, manual=True, now=at(23), operation_started=at(21))
    assert not allowed(windows, manual=False, now=at(23), operation_started=at(21))


def test_without_windows_everything_is_allowed():
    assert allowed([], manual=False, now=at(0))
    assert next_change([], at(0)) is None


@pytest.mark.parametrize(
    ("windows", "now", "expected", "why"),
    [
        ([window()], at(8), at(9, second=0.000001), "it opens"),
        ([window()], at(9), at(9, second=0.000001), "just at its time it is still closed"),
        ([window()], at(9, second=1), at(17), "it closes"),
        ([window()], at(17), at(33, second=0.000001), "the day after"),
        ([window(), window(**NIGHT)], at(10), at(17), "the first of all"),
        (
            [window(schedule="0 * * * *", duration="90m")],
            at(10, 30),
            at(75, 30),
            "windows that touch are one, for a while",
        ),
        ([window(duration="0s")], at(8), None, "it never opens"),
        ([window(duration="-1h")], at(8), None, "nor does that"),
        ([window(schedule="0 0 30 2 *")], at(8), None, "nothing ever changes"),
        ([window(time_zone="Asia/Tokyo")], at(8), at(24, second=0.000001), "nine o'clock in Tokyo"),
    ],
)
def test_it_says_when_to_look_again(windows, now, expected, why):
    assert next_change(windows, now) == expected, why


def test_when_clocks_change_all_windows_of_that_zone_move():
    winter = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)
    found = next_change([window(time_zone="Europe/Berlin")], winter)
    assert found is not None
    assert abs(found - datetime(2026, 3, 29, 1, tzinfo=UTC)) <= timedelta(seconds=1)


_SCHEDULES = st.sampled_from(["*/7 * * * *", "0 9 * * *", "30 22 * * 1-5", "0 0 1 * *", "15,45 6-8 * * *"])
_DURATIONS = st.sampled_from(["1m", "45m", "8h", "26h"])
_ZONES = st.sampled_from(["", "Europe/Berlin", "America/New_York", "Nowhere/Land"])


@given(
    windows=st.lists(
        st.builds(window, st.sampled_from(["allow", "deny"]), _SCHEDULES, _DURATIONS, time_zone=_ZONES),
        min_size=1,
        max_size=3,
    ),
    start=st.integers(0, 366 * 86_400),
    part=st.floats(0, 1, exclude_max=True),
)
def test_nothing_changes_before_it_is_time_to_look_again(windows, start, part):
    now = MONDAY + timedelta(seconds=start)
    until = next_change(windows, now)
    assert until is not None
    assert until > now
    between = now + (until - now) * part
    if between < until:
        # Clocks that change twice a year are found to the second.
        between = min(between, until - timedelta(seconds=1)) if until - now > timedelta(seconds=2) else now
        assert [is_open(each, between, between) for each in windows] == [is_open(each, now, now) for each in windows]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (window(kind="perhaps"), "kind 'perhaps' mismatch: can only be allow or deny"),
        (window(schedule="@daily"), "cannot parse schedule '@daily': parser does not accept descriptors: @daily"),
        (window(duration="1d"), 'cannot parse duration \'1d\': time: unknown unit "d" in duration "1d"'),
        (
            SyncWindow(kind="deny", schedule="0 9 * * *", duration="1h"),
            "window 'deny':'0 9 * * *':'1h' requires one of application, cluster or namespace",
        ),
        (window(), ""),
    ],
)
def test_what_is_wrong_with_a_window_is_said_in_upstreams_words(broken, said):
    assert window_fault(broken) == said


@pytest.mark.parametrize(
    "broken", [window(schedule="99 * * * *"), window(duration="long"), window(duration="9" * 400 + "h")]
)
def test_a_window_that_cannot_be_read_stops_syncs_and_not_the_process(broken):
    with pytest.raises(InvalidInput):
        allowed([window(**NIGHT), broken], manual=True, now=at(12))
    with pytest.raises(InvalidInput):
        next_change([broken], at(12))


def test_a_window_of_centuries_is_open():
    assert allowed([window(duration="2540400h")], manual=False, now=at(3))
