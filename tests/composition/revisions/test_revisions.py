"""Each state of a composition is one revision, and the present one is the newest."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st
from tests.composition.definitions.stage import story

from plumbline.base.json import encode
from plumbline.composition.revisions.hashing import composition_hash
from plumbline.composition.revisions.reconciler import RevisionReconciler, composition_of
from plumbline.composition.revisions.revision import plan_revisions, revision_of
from plumbline.kernel.cache import Relevance, cached
from plumbline.kinds.crossplane.composition import COMPOSITION
from plumbline.kinds.mandate import MandateSpec

from .samples import COMPOSITIONS, PIPELINE, composition

COMPOSITIONS_AT = "apiextensions.crossplane.io/v1/compositions"
REVISIONS_AT = "apiextensions.crossplane.io/v1/compositionrevisions"


def revising(client, gate, told, clock):
    return RevisionReconciler(client, gate), COMPOSITION


def fresh(*pipeline, **metadata):
    made = composition(mode="Pipeline", pipeline=list(pipeline))
    return {**made, "metadata": {"name": "small", **metadata}}


STEP = {"step": "a", "functionRef": {"name": "f"}}
OTHER = {"step": "b", "functionRef": {"name": "g"}}


def written(revision):
    return {
        **revision,
        "metadata": {**revision["metadata"], "uid": revision["metadata"]["name"], "resourceVersion": "1"},
    }


def test_the_first_state_is_revision_one():
    plan = plan_revisions(COMPOSITIONS["bare"], [])
    assert plan.new["spec"]["revision"] == 1
    assert plan.new["metadata"]["name"] == f"small-{composition_hash(COMPOSITIONS['bare'])[:7]}"
    assert len(plan.new["metadata"]["labels"]["crossplane.io/composition-hash"]) == 63
    assert plan.changed == ()


def test_a_state_that_has_its_revision_needs_no_other():
    first = written(revision_of(COMPOSITIONS["bare"], 1))
    plan = plan_revisions(COMPOSITIONS["bare"], [first])
    assert (plan.new, plan.changed, plan.current) == (None, (), first["metadata"]["name"])


def test_returning_to_an_old_state_moves_its_revision_to_the_front():
    old, new = composition(mode="Pipeline", pipeline=[STEP]), composition(mode="Pipeline", pipeline=[OTHER])
    live = [written(revision_of(old, 1)), written(revision_of(new, 2))]
    plan = plan_revisions(old, live)
    assert plan.new is None
    assert [each["spec"]["revision"] for each in plan.changed] == [3]


def test_revisions_that_lost_their_owner_get_it_back():
    first = written(revision_of(COMPOSITIONS["bare"], 4))
    del first["metadata"]["ownerReferences"]
    plan = plan_revisions(COMPOSITIONS["bare"], [first])
    assert plan.new is None
    assert [each["metadata"]["ownerReferences"][0]["uid"] for each in plan.changed] == ["u-small"]
    assert plan.changed[0]["spec"]["revision"] == 4


def test_revisions_of_somebody_else_are_left_alone():
    theirs = written(revision_of({**COMPOSITIONS["bare"], "metadata": {"name": "other", "uid": "x"}}, 9))
    plan = plan_revisions(COMPOSITIONS["bare"], [theirs])
    assert plan.changed == ()
    assert plan.new["spec"]["revision"] == 1


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=12))
def test_after_any_history_the_present_state_is_the_newest_and_each_state_has_one_revision(history):
    live = {}
    for state in history:
        present = composition(mode="Pipeline", pipeline=[{**STEP, "step": state}])
        plan = plan_revisions(present, list(live.values()))
        for each in (*plan.changed, *([plan.new] if plan.new else [])):
            live[each["metadata"]["name"]] = written(each)
        newest = max(live.values(), key=lambda each: each["spec"]["revision"])
        assert newest["metadata"]["name"] == plan.current
        assert plan_revisions(present, list(live.values())).changed == ()
    assert len(live) == len(set(history))
    assert len({each["spec"]["revision"] for each in live.values()}) == len(live)


@story(revising)
async def test_revisions_follow_a_composition_forth_and_back(place):
    await place.create(COMPOSITIONS_AT, fresh(STEP, labels={"tier": "one"}))

    async def revisions():
        found = await place.list(REVISIONS_AT)
        return {each["metadata"]["name"]: each["spec"]["revision"] for each in found}

    async def has(count):
        found = await revisions()
        return found if len(found) == count else None

    first = await place.until(lambda: has(1))
    (live,) = await place.list(REVISIONS_AT)
    assert live["metadata"]["labels"]["tier"] == "one"
    assert live["metadata"]["labels"]["crossplane.io/composition-name"] == "small"
    assert live["metadata"]["ownerReferences"][0]["controller"] is True
    await place.patch(COMPOSITIONS_AT, "small", {"spec": {"pipeline": [OTHER]}})
    both = await place.until(lambda: has(2))
    assert sorted(both.values()) == [1, 2]
    await place.patch(COMPOSITIONS_AT, "small", {"spec": {"pipeline": [STEP]}})

    async def back():
        return (await revisions())[next(iter(first))] == 3

    await place.until(back)
    await asyncio.sleep(1)
    reasons = [reason for reason, _ in await place.events("small")]
    assert sorted(reasons) == ["CreateRevision", "CreateRevision", "UpdateRevision"]


@story(revising)
async def test_a_steady_composition_costs_no_write(place):
    await place.create(COMPOSITIONS_AT, fresh(STEP))
    await asyncio.sleep(5)
    before = await place.effects()
    await place.patch(COMPOSITIONS_AT, "small", {"metadata": {"finalizers": ["example.org/look"]}})
    await asyncio.sleep(5)
    assert await place.effects() == before
    assert len(before) == 1


@story(revising, mandate=MandateSpec(mode="Observe"))
async def test_an_installation_that_observes_makes_no_revision(place):
    await place.create(COMPOSITIONS_AT, fresh(*PIPELINE))
    await asyncio.sleep(10)
    assert await place.list(REVISIONS_AT) == []


def test_a_revision_wakes_its_composition():
    revision = written(revision_of(COMPOSITIONS["bare"], 1))
    assert composition_of(cached(encode(revision), Relevance())) == ("", "small")
    assert composition_of(cached(encode({"metadata": {"name": "x"}}), Relevance())) is None
