"""The arithmetic of rolling, scaling and cleaning up, without a cluster."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.apiserver.controllers.workloads.deployments.newsets import (
    LONGEST_HISTORY,
    new_notes,
    new_set,
    updated_set,
)
from plumbline.apiserver.controllers.workloads.deployments.reading import (
    Rollout,
    max_surge,
    max_unavailable,
    rollout_of,
    size_annotation,
)
from plumbline.apiserver.controllers.workloads.deployments.sizing import (
    is_scaled,
    plan_cleaning,
    plan_growth,
    plan_scaling,
    plan_shrinking,
)
from plumbline.kube.object import Object

DESIRED = "deployment.kubernetes.io/desired-replicas"
MAXIMUM = "deployment.kubernetes.io/max-replicas"
REVISION = "deployment.kubernetes.io/revision"
HISTORY = "deployment.kubernetes.io/revision-history"


def deployment(replicas=1, surge="25%", unavailable="25%", status=None, **spec):
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    wanted = {"replicas": replicas, "strategy": strategy, "template": {"spec": {"new": True}}, **spec}
    return Object({"metadata": {"name": "web", "uid": "d"}, "spec": wanted, "status": status or {}})


def owned(name, replicas, available=0, *, age=0, annotations=None, **status):
    stamp = f"2026-01-01T00:00:{age:02}Z"
    return Object(
        {
            "metadata": {"name": name, "uid": name, "creationTimestamp": stamp, "annotations": annotations or {}},
            "spec": {"replicas": replicas, "template": {"spec": {"name": name}}},
            "status": {"availableReplicas": available, "replicas": replicas, **status},
        }
    )


def sized(scales):
    return {scale.owned.name: scale.size for scale in scales}


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "expected", "why"),
    [
        (10, "25%", "25%", (3, 2), "surge is rounded up, unavailability down"),
        (1, "25%", "25%", (1, 0), "one more before one less"),
        (10, 0, 0, (0, 1), "something must be allowed to move"),
        (2, "0%", "10%", (0, 1), "rounding took everything away"),
        (3, 1, 7, (1, 3), "no more can be away than there are"),
        (0, "25%", "25%", (0, 0), "nobody to be away"),
        (4, None, None, (0, 1), "nothing said"),
    ],
)
def test_percentages_become_counts(replicas, surge, unavailable, expected, why):
    wanted = deployment(replicas, surge, unavailable)
    assert (max_surge(wanted), max_unavailable(wanted)) == expected, why


@pytest.mark.parametrize(
    ("wanted", "new", "old", "expected", "why"),
    [
        (deployment(4), owned("n", 0), [owned("o", 4, 4)], {"n": 1}, "one of surge"),
        (deployment(4), owned("n", 1), [owned("o", 4, 4)], {}, "no room"),
        (deployment(4), owned("n", 4), [owned("o", 0)], {}, "done"),
        (deployment(2), owned("n", 4), [], {"n": 2}, "too many"),
        (deployment(4, surge=9), owned("n", 0), [owned("o", 1, 1)], {"n": 4}, "never more than wanted"),
    ],
)
def test_the_new_set_grows_into_the_room_there_is(wanted, new, old, expected, why):
    assert sized(plan_growth(Rollout(wanted, new, tuple(old)))) == expected, why


@pytest.mark.parametrize(
    ("wanted", "new", "old", "expected", "why"),
    [
        (deployment(4), owned("n", 1, 0), [owned("o", 4, 4)], {"o": 3}, "one may be away"),
        (deployment(4), owned("n", 2, 0), [owned("o", 3, 3)], {}, "the new ones are not there yet"),
        (deployment(4), owned("n", 2, 2), [owned("o", 3, 3)], {"o": 1}, "as many as the new ones replace"),
        (deployment(4), owned("n", 4, 4), [owned("o", 1, 1)], {"o": 0}, "the last one"),
        (deployment(4), owned("n", 1, 0), [owned("o", 4, 0)], {"o": 3}, "those that never worked go first"),
        (
            deployment(4, unavailable=2),
            owned("n", 1, 1),
            [owned("a", 2, 1, age=1), owned("b", 2, 2, age=2)],
            {"a": 0, "b": 1},
            "the oldest first, and of it first what never worked",
        ),
    ],
)
def test_old_sets_shrink_as_far_as_enough_stays_available(wanted, new, old, expected, why):
    final = {}
    for scale in plan_shrinking(Rollout(wanted, new, tuple(old))):
        final[scale.owned.name] = scale.size
    assert final == expected, why


@given(
    wanted=st.integers(1, 50),
    surge=st.integers(0, 50),
    unavailable=st.integers(0, 50),
    sets=st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4),
    new=st.tuples(st.integers(0, 40), st.integers(0, 40)),
)
def test_no_plan_breaks_the_limits_of_the_rollout(wanted, surge, unavailable, sets, new):
    if surge == unavailable == 0:
        surge = 1
    target = deployment(wanted, surge, unavailable)
    old = tuple(owned(f"o{i}", size, min(size, ready), age=i) for i, (size, ready) in enumerate(sets))
    fresh = owned("n", min(new[0], wanted), min(*new, wanted), age=9)
    rollout = Rollout(target, fresh, old)
    before = sum(each.spec["replicas"] for each in rollout.sets)
    for scale in plan_growth(rollout):
        grown = before - fresh.spec["replicas"] + scale.size
        assert grown <= max(wanted + surge, before)
        assert scale.size <= wanted
    final = {each.name: each.spec["replicas"] for each in old}
    for scale in plan_shrinking(rollout):
        assert 0 <= scale.size < final[scale.owned.name]
        final[scale.owned.name] = scale.size
    least = wanted - min(unavailable, wanted)
    available = fresh.status["availableReplicas"] + sum(
        min(final[each.name], each.status["availableReplicas"]) for each in old
    )
    had = fresh.status["availableReplicas"] + sum(each.status["availableReplicas"] for each in old)
    assert available >= min(least, had)


@pytest.mark.parametrize(
    ("wanted", "sets", "expected", "why"),
    [
        (deployment(5), [owned("a", 2, 2)], {"a": 5}, "the only active one takes all"),
        (deployment(5), [owned("a", 5, 5)], {}, "it has all already"),
        (deployment(5), [owned("a", 0, age=1), owned("b", 0, age=2)], {"b": 5}, "of none active, the latest"),
        (deployment(5), [], {}, "there is none"),
        (
            deployment(20, surge=0),
            [owned("a", 5, age=1, annotations={MAXIMUM: "10"}), owned("b", 5, age=2, annotations={MAXIMUM: "10"})],
            {"a": 10, "b": 10},
            "each keeps its share",
        ),
        (
            deployment(11, surge=0),
            [owned("a", 5, age=1, annotations={MAXIMUM: "10"}), owned("b", 5, age=2, annotations={MAXIMUM: "10"})],
            {"b": 6},
            "what is left over goes to the newest of the largest",
        ),
        (
            deployment(0),
            [owned("a", 3, annotations={MAXIMUM: "6"}), owned("b", 3, annotations={MAXIMUM: "6"})],
            {"a": 0, "b": 0},
            "to nothing at once",
        ),
        (
            deployment(6, surge=0, status={"replicas": 4}),
            [owned("a", 3, age=1), owned("b", 1, age=2)],
            {"a": 5},
            "without a note of its size, the Deployment's own counts",
        ),
        (deployment(6, surge=0), [owned("a", 1), owned("b", 1)], {"b": 5}, "with nothing to go by"),
    ],
)
def test_a_change_of_size_is_shared(wanted, sets, expected, why):
    rollout = rollout_of(wanted, sets)
    assert sized(scale for scale in plan_scaling(rollout) if scale.changes_size) == expected, why


def test_a_new_set_that_has_everything_lets_the_old_go():
    wanted = deployment(2)
    new = owned("n", 2, 2, annotations={DESIRED: "2"})
    assert sized(plan_scaling(Rollout(wanted, new, (owned("o", 1, 1),)))) == {"o": 0}


def test_recreating_does_not_share():
    wanted = deployment(4, strategy={"type": "Recreate"})
    assert plan_scaling(rollout_of(wanted, [owned("a", 1), owned("b", 1)])) == []


def test_a_set_that_notes_another_size_means_that_the_deployment_was_scaled():
    noted = owned("a", 2, annotations={DESIRED: "2"})
    assert is_scaled(rollout_of(deployment(3), [noted]))
    assert not is_scaled(rollout_of(deployment(2), [noted]))
    assert not is_scaled(rollout_of(deployment(2), [owned("a", 2)])), "nothing noted"


@pytest.mark.parametrize("text", ["", "-1", "x", "99999999999", "2147483648", "½"])
def test_a_size_that_cannot_be_read_is_none(text):
    assert size_annotation(owned("a", 1, annotations={DESIRED: text}), DESIRED) is None


def test_only_spent_sets_are_cleaned_up_and_the_oldest_first():
    def old(name, revision, replicas=0, **status):
        return owned(name, replicas, annotations={REVISION: revision}, **status)

    sets = (old("c", "3"), old("a", "1", replicas=1), old("b", "2"), old("d", "4"))
    rollout = Rollout(deployment(revisionHistoryLimit=1), None, sets)
    assert [each.name for each in plan_cleaning(rollout)] == ["b", "c"], "a still has pods, d is the one kept"
    assert plan_cleaning(Rollout(deployment(), None, sets)) == [], "no limit"


def test_a_new_set_carries_the_deployments_annotations_but_not_its_notes():
    wanted = Object(
        {
            "metadata": {"name": "web", "annotations": {"team": "a", REVISION: "7", DESIRED: "3"}},
            "spec": {"replicas": 2, "minReadySeconds": 4, "selector": {"matchLabels": {"app": "web"}}, "template": {}},
        }
    )
    made = new_set(Rollout(wanted, None, (owned("o", 0, annotations={REVISION: "4"}),)))
    assert made["metadata"]["annotations"] == {"team": "a", REVISION: "5", DESIRED: "2", MAXIMUM: "2"}
    assert made["spec"]["minReadySeconds"] == 4
    assert made["spec"]["selector"]["matchLabels"].keys() == {"app", "pod-template-hash"}


def test_long_names_are_cut_so_that_the_hash_fits():
    wanted = Object({"metadata": {"name": "x" * 250}, "spec": {"template": {}}})
    assert len(new_set(Rollout(wanted, None, ()))["metadata"]["name"]) == 253


def test_an_old_set_that_is_new_again_remembers_its_revisions_within_limits():
    old = owned("o", 0, annotations={REVISION: "9"})
    many = ",".join(map(str, range(1000, 1400)))
    again = owned("n", 0, annotations={REVISION: "3", HISTORY: many})
    notes = new_notes(Rollout(deployment(), again, (old,)), again)
    assert notes[REVISION] == "10"
    assert notes[HISTORY].endswith(",1399,3")
    assert len(notes[HISTORY]) <= LONGEST_HISTORY


def test_a_set_with_a_revision_that_cannot_be_read_keeps_it():
    strange = owned("n", 0, annotations={REVISION: "first"})
    assert new_notes(Rollout(deployment(), strange, ()), strange)[REVISION] == "first"


def test_a_set_that_says_what_the_deployment_says_is_left_alone():
    same = owned("n", 1, annotations={REVISION: "1"})
    assert updated_set(Rollout(deployment(), same, ()), same) is None
    changed = updated_set(Rollout(deployment(minReadySeconds=5), same, ()), same)
    assert changed is not None
    assert changed["spec"]["minReadySeconds"] == 5
