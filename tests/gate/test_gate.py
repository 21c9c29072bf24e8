"""The door asks four questions in order, writes down what it lets through, and a preview is the same door."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from plumbline.base.errors import Conflict, Contested, Fenced, FieldClaim, NeedsConsent, OwnedElsewhere, ServerFault
from plumbline.base.ids import Ids
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.gate.authority import adopted, authorised, released
from plumbline.gate.consent import Limits, Verdict, judged, token
from plumbline.gate.contests import FIRST_PAUSE_S, ROUNDS, Contests
from plumbline.gate.gate import DryRun, Gate, Live, Performed, Powers, Record, Withheld
from plumbline.gate.intents import Destruction, Intent, Loss
from plumbline.journal import sqlite
from plumbline.journal.parties import Actor, ExternalResource, LiveObject
from plumbline.kinds.mandate import Grant, MandateSpec
from plumbline.kube.names import Ref
from plumbline.ownership.ledger import Ledger
from plumbline.ownership.values import Claim, ClusterObject, Owner

US = Actor("controller", "delivery")
ENFORCE = MandateSpec(mode="Enforce")
OBSERVE = MandateSpec()


def intent(group="apps", kind="Deployment", namespace="shop", name="web", **more):
    subject = LiveObject(cluster="here", group=group, kind=kind, namespace=namespace, name=name)
    return Intent(**{"actor": US, "subject": subject, "verb": "apply", "why": "Make it so", **more})


class Effect:
    def __init__(self, error=None):
        self.done, self.rehearsed, self._error = 0, 0, error

    async def perform(self):
        self.done += 1
        if self._error:
            raise self._error
        return b"done"

    async def rehearse(self):
        self.rehearsed += 1
        return b"would"


def gate(back_end, mandate=ENFORCE, ledger=None, fence=lambda: None):
    return Gate(Powers(lambda: mandate, ledger or Ledger(), fence), back_end, LoopClock())


@asynccontextmanager
async def journalled():
    async with sqlite.in_memory(clock=LoopClock(), ids=Ids(1)) as journal:
        yield journal


def virtually(story):
    def run():
        async def main():
            async with asyncio.timeout(1000):
                await story()

        run_virtually(main)

    run.__name__ = story.__name__
    return run


async def entries(journal):
    return [(entry.kind, bool(entry.settles)) for entry in reversed((await journal.page()).entries)]


@virtually
async def test_what_passes_is_on_record_before_and_after():
    async with journalled() as journal:
        effect = Effect()
        assert await gate(Live(journal)).perform(intent(), effect) == Performed(b"done")
        assert await entries(journal) == [("intended", False), ("performed", True)]
        assert await journal.unsettled() == ()


@pytest.mark.parametrize(("error", "kind"), [(Conflict("moved"), "refused"), (ServerFault("boom"), "failed")])
def test_what_fails_is_on_record_too(error, kind):
    async def main():
        async with journalled() as journal:
            with pytest.raises(type(error)):
                await gate(Live(journal)).perform(intent(), Effect(error))
            assert await entries(journal) == [("intended", False), (kind, True)]

    run_virtually(main)


@virtually
async def test_a_process_that_dies_in_between_leaves_an_intent_to_be_found():
    async with journalled() as journal:
        with pytest.raises(asyncio.CancelledError):
            await gate(Live(journal)).perform(intent(), Effect(asyncio.CancelledError()))
        assert [entry.verb for entry in await journal.unsettled()] == ["apply"]


@virtually
async def test_records_are_too_small_for_the_journal():
    async with journalled() as journal:
        await gate(Live(journal)).perform(intent(minor=True), Effect())
        assert await entries(journal) == []


@virtually
async def test_an_installation_that_observes_writes_nothing():
    effect = Effect()
    assert isinstance(await gate(Record(), OBSERVE).perform(intent(), effect), Withheld)
    assert effect.done == 0


@virtually
async def test_a_dry_run_asks_and_a_recording_remembers():
    effect, record = Effect(), Record()
    assert await gate(DryRun()).perform(intent(), effect) == Performed(b"would")
    await gate(record).perform(intent(), effect)
    assert (effect.done, effect.rehearsed, [each.verb for each in record.intents]) == (0, 1, ["apply"])


@virtually
async def test_a_second_owner_is_refused_before_anything_is_written():
    ledger, record = Ledger(), Record()
    thing = ClusterObject(Ref("apps", "Deployment", "shop", "web"))
    ledger.claim(Claim(thing, Owner("application", "argocd/shop")))
    with pytest.raises(OwnedElsewhere):
        await gate(record, ledger=ledger).perform(intent(claim=Claim(thing, Owner("terraform", "infra/net"))), Effect())
    assert record.intents == []


@virtually
async def test_who_no_longer_leads_writes_nothing():
    def down():
        raise Fenced("no longer")

    record = Record()
    with pytest.raises(Fenced):
        await gate(record, fence=down).perform(intent(), Effect())
    assert record.intents == []


@virtually
async def test_a_plan_that_is_no_longer_the_approved_one_is_not_carried_out():
    def moved():
        raise Conflict("the state moved since it was approved")

    record = Record()
    with pytest.raises(Conflict):
        await gate(record).perform(intent(still_meant=moved), Effect())
    assert record.intents == []


@virtually
async def test_indirect_destruction_waits_and_says_what_would_be_lost():
    lost = Destruction("replacement", (Loss("db/orders", "database, 100 GB", stateful=True),))
    with pytest.raises(NeedsConsent) as waits:
        await gate(Record()).perform(intent(destroys=lost), Effect())
    assert "db/orders (database, 100 GB)" in str(waits.value)
    agreed = intent(destroys=lost, consents=frozenset({waits.value.token}))
    assert isinstance(await gate(Record()).perform(agreed, Effect()), Performed)
    assert isinstance(await gate(Record()).perform(intent(destroys=lost, namespace_policy="warn"), Effect()), Performed)


def losses(count, *, stateful=False):
    return tuple(Loss(f"ConfigMap/{number}", stateful=stateful) for number in range(count))


@pytest.mark.parametrize(
    ("destruction", "verdict", "why"),
    [
        (None, Verdict.PASSES, "nothing is destroyed"),
        (Destruction("deletion", losses(1, stateful=True)), Verdict.PASSES, "a direct request"),
        (Destruction("prune", losses(3), 20), Verdict.PASSES, "a few of many"),
        (Destruction("prune", losses(11), 100), Verdict.WAITS, "more than ten"),
        (Destruction("prune", losses(8), 11), Verdict.WAITS, "most of them"),
        (Destruction("prune", losses(4), 4), Verdict.WAITS, "all of them: an emptied repository"),
        (Destruction("prune", losses(1), 1), Verdict.PASSES, "the only one is not a mass"),
        (Destruction("prune", losses(50), 50, requested=True), Verdict.PASSES, "a commit that names them"),
        (Destruction("prune", losses(1, stateful=True), 20), Verdict.WAITS, "what is in it cannot be made again"),
        (Destruction("drop", losses(1)), Verdict.WAITS, "a Composition dropped it"),
        (Destruction("descent", losses(1)), Verdict.WAITS, "a namespace goes down"),
        (Destruction("plan", losses(1)), Verdict.WAITS, "a plan deletes it"),
        (Destruction("prune", ()), Verdict.PASSES, "nothing in it"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_waits_for_consent(destruction, verdict, why):
    assert judged(intent(destroys=destruction), Limits()) is verdict
    assert judged(intent(destroys=destruction, namespace_policy="off"), Limits()) is Verdict.PASSES


def test_a_consent_fits_exactly_what_was_shown():
    shown = Destruction("prune", losses(3))
    assert token(shown) == token(Destruction("prune", tuple(reversed(losses(3)))))
    others = (
        Destruction("prune", losses(4)),
        Destruction("drop", losses(3)),
        Destruction("prune", losses(3, stateful=True)),
    )
    assert len({token(shown), *map(token, others)}) == 4


@pytest.mark.parametrize(
    ("mandate", "allowed", "why"),
    [
        (OBSERVE, False, "nothing was handed over"),
        (ENFORCE, True, "its own plane"),
        (MandateSpec(adopted=(Grant(group="apps"),)), True, "by group"),
        (MandateSpec(adopted=(Grant(kind="Deployment", namespace="shop"),)), True, "by kind and namespace"),
        (MandateSpec(adopted=(Grant(namespace="other"),)), False, "another namespace"),
        (MandateSpec(adopted=(Grant(group="", kind="Deployment"),)), False, "the core group is not every group"),
        (MandateSpec(adopted=(Grant(name="web"),)), True, "by name"),
        (MandateSpec(adopted=(Grant(project="p"),)), True, "by project"),
        (MandateSpec(mode="Enforce", released=(Grant(namespace="shop"),)), False, "handed back"),
        (MandateSpec(adopted=(Grant(group="apps"),), released=(Grant(name="web"),)), False, "but for this one"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_an_installation_may_touch(mandate, allowed, why):
    assert authorised(mandate, intent(project="p")) is allowed


def test_our_own_records_are_ours_in_every_mode():
    assert authorised(OBSERVE, intent(group="plumbline.dev", kind="Mandate"))


def test_external_resources_go_with_their_project():
    database = intent(project="p", subject=ExternalResource(provider="aws", id="arn:x"))
    assert authorised(MandateSpec(adopted=(Grant(project="p"),)), database)
    assert not authorised(MandateSpec(adopted=(Grant(namespace="shop"),)), database)


def test_handing_over_and_back_is_the_way_there_and_back():
    shop = Grant(group="argoproj.io", namespace="shop")
    over = adopted(OBSERVE, shop)
    assert over.adopted == (shop,)
    assert adopted(over, shop) == over
    assert released(over, shop) == OBSERVE
    assert released(ENFORCE, shop).released == (shop,)
    assert adopted(released(ENFORCE, shop), shop) == MandateSpec(mode="Enforce", adopted=(shop,))


REPLICAS = (FieldClaim("rogue", ".spec.replicas"),)


def fought(contests, times, subject="web", heals=REPLICAS):
    """When healing was refused."""
    refused = []
    for now_s in times:
        try:
            contests.healing(subject, heals, now_s)
        except Contested as fight:
            refused.append((now_s, fight.managers, fight.after_s))
    return refused


def test_drift_now_and_then_is_simply_healed():
    assert fought(Contests(), range(0, 3600, 90)) == []


def test_a_rogue_is_named_within_a_minute_and_does_not_become_a_loop():
    refused = fought(Contests(), range(600))
    first_s, managers, pause_s = refused[0]
    assert first_s <= 60
    assert (managers, pause_s) == (("rogue",), FIRST_PAUSE_S)
    healed = 600 - len(refused)
    assert healed <= ROUNDS + 6, "each pause is twice as long as the one before"


def test_a_fight_that_is_over_is_forgotten():
    contests = Contests()
    fought(contests, range(10))
    assert fought(contests, [1000]) == []


def test_other_fields_and_other_objects_are_other_fights():
    contests = Contests()
    fought(contests, range(10))
    assert fought(contests, [11], subject="other") == []
    assert fought(contests, [11], heals=(FieldClaim("x", ".data.a"),)) == []
    assert fought(contests, [12], heals=()) == []


def test_only_so_many_fights_are_remembered():
    contests = Contests()
    for number in range(10_100):
        contests.healing(f"object-{number}", REPLICAS, 0.0)
    assert len(contests._fights) == 10_000


@virtually
async def test_a_controller_that_keeps_healing_against_a_rogue_is_stopped_at_the_door_and_told_by_whom():
    record, clock = Record(), LoopClock()
    door = Gate(Powers(lambda: ENFORCE, Ledger(), lambda: None), record, clock)
    refusals = []
    for _ in range(300):
        try:
            await door.perform(intent(heals=REPLICAS), Effect())
        except Contested as fight:
            refusals.append((clock.monotonic(), str(fight)))
        await clock.sleep(1)
    assert refusals[0][0] < 60
    assert "rogue keeps writing .spec.replicas" in refusals[0][1]
    assert len(record.intents) <= ROUNDS + 4


def test_what_is_done_for_something_that_was_handed_over_is_handed_over_with_it():
    application = LiveObject(cluster="c", group="argoproj.io", kind="Application", namespace="argocd", name="web")
    grant = Grant(group="argoproj.io", kind="Application", namespace="argocd", name="web")
    assert authorised(MandateSpec(adopted=(grant,)), intent(behalf=application))
    assert not authorised(MandateSpec(adopted=(grant,)), intent())
    assert not authorised(MandateSpec(mode="Enforce", released=(grant,)), intent(behalf=application))


async def test_the_journal_knows_for_whom_something_was_done():
    behalf = LiveObject(cluster="in-cluster", group="argoproj.io", kind="Application", namespace="argocd", name="web")
    async with sqlite.in_memory(clock=LoopClock(), ids=Ids(1)) as journal:
        for details in ({}, {"x": "y" * 8150}):
            await gate(Live(journal)).perform(intent(behalf=behalf, project="shop", details=details), Effect())
        large, small = [each.effect for each in (await journal.page()).entries if each.kind == "performed"]
    named = {"group": "argoproj.io", "kind": "Application", "namespace": "argocd", "name": "web"}
    assert small == {"for": named, "project": "shop"}
    assert list(large) == ["x"]
