"""A definition that is deleted takes nothing with it that nobody agreed to lose."""

import asyncio

from plumbline.gate.consent import CONSENT_ANNOTATION

from .samples import xrd
from .stage import CLAIMS, CRDS, XRDS, XRS, conditions, story

NAME = "xdatabases.example.org"


def fresh(**spec):
    made = xrd(**spec)
    del made["metadata"]["uid"]
    return made


def composite(name):
    return {"apiVersion": "example.org/v1", "kind": "XDatabase", "metadata": {"name": name}, "spec": {}}


def claim(name, *finalizers):
    metadata = {"name": name, "namespace": "shop", "finalizers": list(finalizers)}
    return {"apiVersion": "example.org/v1", "kind": "Database", "metadata": metadata, "spec": {}}


async def established(place, **spec):
    await place.create(XRDS, fresh(**spec))
    await place.condition(XRDS, NAME, "Established", "True")


@story()
async def test_without_composite_resources_it_goes_with_its_kinds(place):
    await established(place)
    await place.delete(XRDS, NAME)
    await place.gone(XRDS, NAME)
    assert await place.get(CRDS, NAME) is None
    assert await place.get(CRDS, "databases.example.org") is None
    assert ("withdrawn", "XDatabase") in place.told.kinds
    reasons = [reason for reason, _ in await place.events(NAME)]
    assert {"TerminateComposite", "RedactClaim"} <= set(reasons)


@story()
async def test_with_composite_resources_it_waits_and_they_stay_as_they_are(place):
    await established(place)
    await place.create(XRS, composite("orders"))
    await place.create(CLAIMS, claim("orders"), "shop")
    await place.delete(XRDS, NAME)
    waiting = await place.condition(XRDS, NAME, "Synced", "False", "NeedsConsent")
    found = conditions(waiting)
    assert (found["Established"]["status"], found["Offered"]["status"]) == ("True", "True")
    said = found["Synced"]["message"]
    assert "XDatabase.example.org/orders" in said
    assert "Database.example.org/shop/orders" in said
    assert f"{CONSENT_ANNOTATION}=" in said
    await asyncio.sleep(120)
    assert "deletionTimestamp" not in (await place.get(XRS, "orders"))["metadata"]
    assert "deletionTimestamp" not in (await place.get(CLAIMS, "orders", "shop"))["metadata"]
    assert place.told.kinds == [("offered", "XDatabase")]
    assert ("TerminateComposite", "Warning") in await place.events(NAME)


@story()
async def test_with_consent_claims_go_first_then_composite_resources_then_the_kinds(place):
    await established(place)
    await place.create(XRS, composite("orders"))
    await place.create(CLAIMS, claim("orders", "example.org/hold"), "shop")
    await place.delete(XRDS, NAME)
    waiting = await place.condition(XRDS, NAME, "Synced", "False", "NeedsConsent")
    token = conditions(waiting)["Synced"]["message"].rpartition("=")[2]
    await place.patch(XRDS, NAME, {"metadata": {"annotations": {CONSENT_ANNOTATION: token}}})
    await place.condition(XRDS, NAME, "Established", "False", "TerminatingCompositeResource")
    await asyncio.sleep(5)
    assert "deletionTimestamp" in (await place.get(CLAIMS, "orders", "shop"))["metadata"]
    assert "deletionTimestamp" not in (await place.get(XRS, "orders"))["metadata"], "its claim would make it again"
    assert ("withdrawn", "XDatabase") not in place.told.kinds
    await place.patch(CLAIMS, "orders", {"metadata": {"finalizers": None}}, "shop")
    await place.gone(XRDS, NAME)
    assert await place.get(CRDS, NAME) is None
    done = await place.effects()
    assert done.index(("delete", "orders")) < done.index(("delete", NAME))


@story()
async def test_a_consent_to_another_loss_is_none(place):
    await established(place)
    await place.create(XRS, composite("orders"))
    await place.delete(XRDS, NAME)
    waiting = await place.condition(XRDS, NAME, "Synced", "False", "NeedsConsent")
    token = conditions(waiting)["Synced"]["message"].rpartition("=")[2]
    await place.create(XRS, composite("bills"))
    await place.patch(XRDS, NAME, {"metadata": {"annotations": {CONSENT_ANNOTATION: token}}})
    await asyncio.sleep(60)
    assert "deletionTimestamp" not in (await place.get(XRS, "orders"))["metadata"]


@story()
async def test_once_the_last_composite_resource_is_gone_nobody_is_asked(place):
    await established(place, claim=None)
    await place.create(XRS, composite("orders"))
    await place.delete(XRDS, NAME)
    await place.condition(XRDS, NAME, "Synced", "False", "NeedsConsent")
    await place.delete(XRS, "orders")
    await place.gone(XRDS, NAME)


@story()
async def test_one_that_became_invalid_can_still_be_deleted(place):
    await established(place)
    await place.patch(XRDS, NAME, {"spec": {"versions": [{"name": "v1", "served": True, "referenceable": True}]}})
    await place.condition(XRDS, NAME, "Synced", "False", "InvalidDefinition")
    await place.delete(XRDS, NAME)
    await place.gone(XRDS, NAME)
    assert await place.get(CRDS, NAME) is None


@story()
async def test_one_that_never_was_valid_can_be_deleted(place):
    await place.create(XRDS, fresh(versions=[{"name": "v1", "served": True, "referenceable": True}]))
    await place.condition(XRDS, NAME, "Synced", "False", "InvalidDefinition")
    await place.delete(XRDS, NAME)
    await place.gone(XRDS, NAME)
