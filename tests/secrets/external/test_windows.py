"""Windows in time, and whether something is due. Pure."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.kinds.duration import Duration
from plumbline.kinds.externalsecrets.externalsecret import (
    ExternalSecretSpec,
    ExternalSecretStatus,
    SyncWindow,
    SyncWindows,
)
from plumbline.kinds.timestamp import Time
from plumbline.secrets.external.due import Asked, due, every_s, next_s
from plumbline.secrets.external.looking import version_of
from plumbline.secrets.external.windows import blocked_s

OPENS = datetime(2026, 6, 1, 22, tzinfo=UTC)
NIGHT = SyncWindow(schedule="0 22 * * *", duration=Duration.parse("2h"))
BROKEN = SyncWindow(schedule="not a schedule", duration=Duration.parse("2h"))

WINDOWS = [
    ("allow", [NIGHT], timedelta(), 0.0, "it has just opened"),
    ("allow", [NIGHT], timedelta(hours=2), 0.0, "its last second belongs to it"),
    ("allow", [NIGHT], timedelta(hours=2, seconds=1), 79199.0, "it is closed until the next evening"),
    ("allow", [NIGHT], timedelta(hours=-1), 3600.0, "it opens in an hour"),
    ("allow", [BROKEN], timedelta(), 86400.0, "one that cannot be read never opens"),
    ("allow", [BROKEN, NIGHT], timedelta(hours=1), 0.0, "one of them is open"),
    ("deny", [NIGHT], timedelta(), 7201.0, "until it is over"),
    ("deny", [NIGHT], timedelta(hours=-1), 0.0, "it is not open"),
    ("deny", [BROKEN], timedelta(), 0.0, "one that cannot be read denies nothing"),
]


@pytest.mark.parametrize(("kind", "windows", "at", "wait_s", "why"), WINDOWS, ids=[case[-1] for case in WINDOWS])
def test_windows_allow_or_deny(kind, windows, at, wait_s, why):
    assert blocked_s(SyncWindows(kind=kind, windows=tuple(windows)), OPENS + at) == wait_s, why


def test_without_windows_nothing_is_blocked():
    assert blocked_s(None, OPENS) == 0.0


@given(
    st.sampled_from(["allow", "deny"]),
    st.integers(0, 86_400 * 7),
    st.sampled_from(["0 22 * * *", "*/7 * * * *", "30 1 * * 1", "@daily", "@hourly"]),
    st.integers(1, 2000),
)
def test_whoever_waits_as_told_gets_in(kind, seconds, schedule, minutes):
    """Looking again when told never finds that it would have been open since, except a second at the edge."""
    windows = SyncWindows(kind=kind, windows=(SyncWindow(schedule=schedule, duration=Duration.parse(f"{minutes}m")),))
    now = OPENS + timedelta(seconds=seconds)
    wait_s = blocked_s(windows, now)
    if wait_s > 1:
        assert blocked_s(windows, now + timedelta(seconds=wait_s - 1)) > 0


def asked(refreshed="2026-06-01T12:00:00Z", synced="1-x", uid="u", **spec):
    status = ExternalSecretStatus(
        refresh_time=Time.read(refreshed) if refreshed else None, synced_resource_version=synced
    )
    return Asked(ExternalSecretSpec(**spec), status, "1-x", uid)


NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
DUE = [
    (asked(), 1, False, "just refreshed"),
    (asked(), 3600, True, "an hour has passed"),
    (asked(synced="1-y"), 1, True, "the object has changed"),
    (asked(refreshed=None), 1, True, "never refreshed"),
    (asked(synced=""), 1, True, "never synced"),
    (asked(), -10, True, "refreshed in the future"),
    (asked(refresh_interval=Duration(0)), 10**6, False, "once is enough"),
    (asked(refresh_interval=Duration(0), synced="1-y"), 1, False, "once is enough, whatever it says now"),
    (asked(refresh_policy="OnChange"), 10**6, False, "it has not changed"),
    (asked(refresh_policy="OnChange", synced="1-y"), 1, True, "it has changed"),
    (asked(refresh_policy="CreatedOnce", synced="1-y"), 10**6, False, "it was made"),
    (asked(refresh_policy="CreatedOnce", synced=""), 1, True, "it was not made yet"),
]


@pytest.mark.parametrize(("asked", "after_s", "now", "why"), DUE, ids=[case[-1] for case in DUE])
def test_what_is_due(asked, after_s, now, why):
    assert due(asked, NOON + timedelta(seconds=after_s)).now is now, why


@given(st.text(min_size=1), st.integers(1, 10**6))
def test_an_interval_is_never_longer_than_asked_for(uid, seconds):
    given_ = asked(uid=uid, refresh_interval=Duration.of_seconds(seconds))
    assert 0.9 * seconds <= every_s(given_) <= seconds
    assert due(given_, NOON + timedelta(seconds=seconds + 1)).now
    assert next_s(given_) == every_s(given_)


def test_the_version_is_what_upstream_computes():
    metadata = {"generation": 3, "labels": {"b": "2", "a": "1"}, "annotations": None}
    generation, _, digest = version_of({"apiVersion": "v1", "kind": "X", "metadata": metadata}).partition("-")
    assert generation == "3"
    assert len(digest) == 56
    assert digest == version_of({"metadata": {**metadata, "annotations": {}}}).partition("-")[2]
