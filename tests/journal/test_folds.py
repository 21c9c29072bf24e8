"""Lead times, the timeline of drift and counts are what reading the entries in order tells."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.journal import Actor, Commit, Entry
from plumbline.journal.effects import check_effect
from plumbline.journal.folds import EVERY_FIELD, counts_per_day, drift_effect, drift_timeline, lead_times

from .journals import ALICE, COMMIT, DELIVERY, START, web
from .test_drafts import draft

APP = web("shop", kind="Application", group="argoproj.io")
OTHER = web("blog", kind="Application", group="argoproj.io")


def entry(kind, minute, **fields):
    given = {"actor": DELIVERY, "subject": APP, "summary": "It happened"}
    at = START + timedelta(minutes=minute)
    return Entry(kind=kind, seq=1, id="", at=at, writer="w", prev="", **given | fields)


def commit(letter, minute=None):
    at = None if minute is None else START + timedelta(minutes=minute)
    return Commit(repo=COMMIT.repo, sha=letter * 40, committed_at=at)


def _told(entries):
    return [(each.application.name, each.commit.sha[0], each.lead_s / 60, each.delivered_by.sha[0]) for each in entries]


LEADS = [
    (
        [entry("decided", 2, cause=commit("a", 0)), entry("healthy", 5, cause=commit("a", 0))],
        [("shop", "a", 5, "a")],
        "from the commit to healthy",
    ),
    (
        [entry("decided", 2, cause=commit("a")), entry("healthy", 5, cause=commit("a"))],
        [("shop", "a", 3, "a")],
        "from when it was first seen, if nobody knows when it was committed",
    ),
    (
        [entry("decided", 2, cause=commit("a", 60)), entry("healthy", 5, cause=commit("a", 60))],
        [("shop", "a", 3, "a")],
        "a committer's clock that runs ahead does not make it negative",
    ),
    (
        [entry("healthy", 5, cause=commit("a", 0)), entry("healthy", 9, cause=commit("a", 0))],
        [("shop", "a", 5, "a")],
        "the first time counts",
    ),
    (
        [
            entry("decided", 1, cause=commit("a", 0)),
            entry("decided", 3, cause=commit("b", 2)),
            entry("healthy", 6, cause=commit("b", 2)),
            entry("healthy", 9, cause=commit("a", 0)),
        ],
        [("shop", "a", 6, "b"), ("shop", "b", 4, "b")],
        "what was overtaken is delivered by what overtook it",
    ),
    (
        [
            entry("decided", 1, cause=commit("a", 0)),
            entry("decided", 2, cause=commit("b", 2)),
            entry("healthy", 3, cause=commit("a", 0)),
        ],
        [("shop", "a", 3, "a")],
        "what comes after is still under way",
    ),
    (
        [entry("healthy", 5, cause=commit("a", 0)), entry("healthy", 7, cause=commit("a", 0), subject=OTHER)],
        [("shop", "a", 5, "a"), ("blog", "a", 7, "a")],
        "each application for itself",
    ),
    ([entry("healthy", 5), entry("healthy", 5, cause=commit("a"), subject=None)], [], "without a commit there is none"),
]


@pytest.mark.parametrize(("entries", "expect", "why"), LEADS, ids=[why for *_, why in LEADS])
def test_lead_time(entries, expect, why):
    assert _told(lead_times(entries)) == expect


def drift(minute, *fields, kind="drifted", **named):
    return entry(kind, minute, effect=drift_effect(fields), **named)


REPLICAS, IMAGE = ("spec.replicas", "kubectl-scale"), ("spec.image", "kubectl-edit")


def _drifts(timeline):
    def minutes(at):
        return None if at is None else (at - START) / timedelta(minutes=1)

    return [(each.path, each.manager, minutes(each.detected), minutes(each.healed)) for each in timeline]


DRIFTS = [
    ([drift(1, REPLICAS)], [(*REPLICAS, 1, None)], "seen, not healed"),
    ([drift(1, REPLICAS), drift(3, kind="healed")], [(*REPLICAS, 1, 3)], "healed"),
    (
        [drift(1, REPLICAS, IMAGE), drift(3, IMAGE, kind="healed")],
        [(*REPLICAS, 1, None), (*IMAGE, 1, 3)],
        "one field of two",
    ),
    ([drift(1, REPLICAS), drift(2, REPLICAS)], [(*REPLICAS, 1, None)], "seen again is no second drift"),
    (
        [drift(1, REPLICAS), drift(2, kind="healed"), drift(3, REPLICAS)],
        [(*REPLICAS, 1, 2), (*REPLICAS, 3, None)],
        "after it was healed it is",
    ),
    (
        [drift(1, REPLICAS), drift(2, kind="healed", subject=OTHER)],
        [(*REPLICAS, 1, None)],
        "another object heals nothing here",
    ),
    ([drift(1), drift(2, kind="healed")], [(EVERY_FIELD, "", 1, 2)], "the whole object"),
    ([drift(1, kind="healed"), drift(2, IMAGE, subject=None)], [], "nothing drifted"),
    ([entry("drifted", 1, effect={"fields": "x"})], [(EVERY_FIELD, "", 1, None)], "an effect of another shape"),
]


@pytest.mark.parametrize(("entries", "expect", "why"), DRIFTS, ids=[why for *_, why in DRIFTS])
def test_the_timeline_of_drift(entries, expect, why):
    assert _drifts(drift_timeline(entries)) == expect


def test_a_timeline_says_who_healed():
    (each,) = drift_timeline([drift(1, REPLICAS), drift(2, kind="healed", actor=ALICE)])
    assert (each.manager, each.healed_by) == ("kubectl-scale", ALICE)


def test_days_are_counted_in_utc():
    counts = counts_per_day([entry("login", 0), entry("login", 60), entry("healed", 0), entry("login", 13 * 60)])
    first, second = START.date(), START.date() + timedelta(days=1)
    assert counts == {first: {"login": 2, "healed": 1}, second: {"login": 1}}


@given(st.lists(st.tuples(st.text(max_size=3000), st.text(max_size=3000)), max_size=60))
def test_the_effect_of_any_drift_fits_into_an_entry(fields):
    effect = drift_effect(fields)
    check_effect(effect, None)
    assert len(effect["fields"]) + effect.get("more", 0) == len(fields)
    assert draft("drifted", effect=effect)


def test_as_many_fields_as_fit_are_listed_and_the_rest_is_counted():
    wide = ("\U0001f4a3" * 300, "kubectl-edit")
    effect = drift_effect([wide, wide, *[REPLICAS] * 300])
    assert len(effect["fields"]) > 50
    assert effect["fields"][0]["path"] == wide[0]
    assert effect["more"] == 302 - len(effect["fields"])
    check_effect(effect, None)


_kinds = st.sampled_from(["decided", "healthy", "drifted", "healed", "login"])
_causes = st.sampled_from([None, commit("a", 0), commit("b"), commit("c", 9)])
_entries = st.lists(
    st.builds(
        entry,
        _kinds,
        st.integers(0, 10000),
        cause=_causes,
        subject=st.sampled_from([APP, OTHER, None]),
        effect=st.sampled_from([{}, drift_effect([REPLICAS]), drift_effect([IMAGE, REPLICAS]), {"fields": [3]}]),
        actor=st.sampled_from([ALICE, DELIVERY, Actor("field-manager", "x")]),
    ),
    max_size=40,
)


@given(_entries)
def test_folds_are_total_and_agree_with_themselves(entries):
    leads = list(lead_times(entries))
    assert len({(str(each.application), each.commit.sha) for each in leads}) == len(leads)
    assert all(each.lead_s >= 0 for each in leads)
    unhealed = [(str(each.subject), each.path) for each in drift_timeline(entries) if each.healed is None]
    assert len(set(unhealed)) == len(unhealed)
    assert sum(sum(each.values()) for each in counts_per_day(entries).values()) == len(entries)
