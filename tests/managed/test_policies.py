"""What management policies and the deletion policy allow, over every set that there is."""

from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.managed.policies import ACTIONS, SUPPORTED, policies

from .town import conditions, story

SETS = [frozenset(each) for each in chain.from_iterable(combinations(ACTIONS, n) for n in range(len(ACTIONS) + 1))]


def test_fifteen_sets_are_accepted_and_all_others_are_refused_in_upstreams_words():
    accepted = [each for each in SETS if not policies(each, "Delete", namespaced=False).refusal]
    assert len(accepted) == len(SUPPORTED) == 15
    refused = policies(("Update", "Create"), "Delete", namespaced=True).refusal
    assert (
        refused
        == "`spec.managementPolicies` is set to a value([Create Update]) which is not supported. Check docs for supported policies"
    )


@given(st.sampled_from(SETS), st.sampled_from(["Delete", "Orphan"]), st.booleans())
def test_what_is_allowed_is_what_was_said(actions, deletion, namespaced):
    found = policies(actions, deletion, namespaced=namespaced)
    for action, allowed in (
        ("Create", found.creates),
        ("Update", found.updates),
        ("LateInitialize", found.late_initialises),
    ):
        assert allowed == bool(actions & {action, "*"})
    said = bool(actions & {"Delete", "*"})
    if namespaced or deletion == "Delete":
        assert found.deletes == said
    else:
        assert found.deletes == ("Delete" in actions and actions != {"*"})
    assert found.paused == (not actions)
    assert found.writes == bool(actions & {"*", "Create", "Update", "Delete"})


@given(st.lists(st.sampled_from([*ACTIONS, "Fly"]), max_size=6))
def test_repetition_and_order_mean_nothing(actions):
    one, other = (policies(each, "Delete", namespaced=True) for each in (actions, reversed(actions)))
    assert one == other
    assert bool(one.refusal) == (frozenset(actions) not in SUPPORTED)


LIVES = sorted((each for each in SUPPORTED if each), key=sorted)


@pytest.mark.parametrize("actions", LIVES, ids=lambda each: "+".join(sorted(each)))
def test_every_accepted_set_lives_as_it_says(actions):
    """Of a thing that is there already and is not as it should be, and of one that is not there at all."""
    may = policies(actions, "Delete", namespaced=False)
    spec = {"managementPolicies": sorted(actions)}

    async def told(town):
        await town.create("stores", "there")
        await town.ready("stores", "there")
        await town.patch("stores", "there", {"spec": {"deletionPolicy": "Orphan"}})
        await town.delete("stores", "there")
        await town.gone("stores", "there")
        assert len(town.cloud.live()) == 1
        made = town.cloud.calls["create"]
        await town.create("stores", "there", size=7, spec=spec)
        await town.create("stores", "nowhere", spec=spec)
        obj = await town.ready("stores", "there")
        await town.settle(10)
        obj = await town.get("stores", "there")
        (thing,) = [each for each in town.cloud.live() if each.name == "there"]
        assert thing.fields["size"] == (7 if may.updates else 1)
        assert conditions(obj)["UpToDate"]["status"] == ("True" if may.updates else "False")
        assert ("colour" in obj["spec"]["forProvider"]) == may.late_initialises
        assert (town.cloud.calls["create"] > made) == may.creates
        if not may.creates:
            missing = await town.has("stores", "nowhere", Synced="ReconcileError")
            assert conditions(missing)["Synced"]["message"] == "observe failed: external resource does not exist"
        await town.delete("stores", "there")
        await town.gone("stores", "there")
        assert any(each.name == "there" for each in town.cloud.live()) != may.deletes

    story()(told)()


@story()
async def test_no_policies_at_all_are_a_pause_that_covers_deletion(town):
    await town.create("stores", "still", spec={"managementPolicies": []})
    obj = await town.has("stores", "still", Synced="ReconcilePaused")
    assert town.cloud.calls == {}
    said = "Reconciliation is paused either through the `spec.managementPolicies` or the pause annotation"
    assert await town.events("still") == [("ReconciliationPaused", said)]
    assert "finalizers" not in obj["metadata"]


@story()
async def test_a_pause_holds_everything_and_its_end_lets_it_go_on(town):
    await town.create("stores", "photos")
    await town.ready("stores", "photos")
    await town.patch("stores", "photos", {"metadata": {"annotations": {"crossplane.io/paused": "true"}}})
    await town.has("stores", "photos", Synced="ReconcilePaused")
    await town.delete("stores", "photos")
    await town.settle(60)
    assert len(town.cloud.live()) == 1
    await town.patch("stores", "photos", {"metadata": {"annotations": {"crossplane.io/paused": None}}})
    await town.gone("stores", "photos")
    assert town.cloud.live() == []


@story()
async def test_a_set_that_nobody_accepts_is_refused_with_its_name(town):
    await town.create("stores", "odd", spec={"managementPolicies": ["Create", "Update"]})
    obj = await town.has("stores", "odd", Synced="ReconcileError")
    assert "value([Create Update])" in conditions(obj)["Synced"]["message"]
    assert [reason for reason, _ in await town.events("odd")] == ["CannotUseInvalidManagementPolicy"]
    assert town.cloud.calls == {}
