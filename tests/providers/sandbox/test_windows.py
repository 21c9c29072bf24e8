from hypothesis import given, settings
from hypothesis import strategies as st

from plumbline.providers.sandbox.rules.windows import DAY_MINUTES, WEEK_MINUTES, Window, daily, overlap, weekly

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def test_windows_are_read_as_they_are_written():
    assert daily("03:00-04:30") == Window(180, 90, DAY_MINUTES)
    assert daily("23:30-00:30") == Window(1410, 60, DAY_MINUTES)
    assert weekly("Sun:23:30-Mon:00:30") == Window(6 * DAY_MINUTES + 1410, 60, WEEK_MINUTES)
    assert [daily(text) for text in ("24:00-01:00", "3:00-4:00", "mon:03:00-mon:04:00", "")] == [None] * 4
    assert [weekly(text) for text in ("03:00-04:00", "moon:03:00-moon:04:00")] == [None] * 2


def _minutes(window):
    return {(window.start + minute) % WEEK_MINUTES for minute in range(window.length)}


@settings(max_examples=settings.default.max_examples * 2 // 5)
@given(
    st.integers(0, DAY_MINUTES - 1),
    st.integers(1, 600),
    st.integers(0, WEEK_MINUTES - 1),
    st.integers(1, 600),
)
def test_two_windows_overlap_exactly_when_they_share_a_minute(start, length, other_start, other_length):
    backup, care = Window(start, length, DAY_MINUTES), Window(other_start, other_length, WEEK_MINUTES)
    on_all_days = set().union(*(_minutes(Window(start + day * DAY_MINUTES, length, DAY_MINUTES)) for day in range(7)))
    assert overlap(backup, care) == bool(on_all_days & _minutes(care))
