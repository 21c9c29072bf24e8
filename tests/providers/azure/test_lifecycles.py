"""Every kind lives the same life: made once, left alone, changed, put straight, and gone."""

from typing import Any, NamedTuple

import pytest

from plumbline.base.errors import PlumblineError, Throttled, Transient

from .vendor.identity import SUBSCRIPTION
from .yard import SERVER, Yard, server, with_group, with_server


class Life(NamedTuple):
    kind: str
    wanted: dict[str, Any]
    changed: dict[str, Any]
    """None where nothing of it can change."""
    path: str
    meddled: dict[str, Any]
    """What somebody does to it in the portal."""
    create: str
    update: str
    before: str = ""


def lives():
    base = server(Yard()).object["spec"]["forProvider"]
    return [
        Life(
            "ResourceGroup",
            {"location": "West Europe", "tags": {"team": "orders"}},
            {"tags": {"cost": "low"}},
            f"/subscriptions/{SUBSCRIPTION}/resourceGroups/thing",
            {"tags": {"team": "others"}},
            "PUT groups",
            "PATCH groups",
        ),
        Life(
            "dbforpostgresql/FlexibleServer",
            {
                **base,
                "storageMb": 65536,
                "backupRetentionDays": 14,
                "autoGrowEnabled": False,
                "zone": "1",
                "highAvailability": {"mode": "ZoneRedundant", "standbyAvailabilityZone": "2"},
                "maintenanceWindow": {"dayOfWeek": 2, "startHour": 3},
                "authentication": {"passwordAuthEnabled": True},
                "publicNetworkAccessEnabled": True,
                "identity": {"type": "UserAssigned", "identityIds": ["/subscriptions/s/identities/one"]},
                "tags": {"team": "orders"},
            },
            {
                "skuName": "MO_Standard_E4s_v3",
                "storageMb": 131072,
                "autoGrowEnabled": True,
                "backupRetentionDays": 7,
                "version": "16",
                "highAvailability": {"mode": "SameZone"},
                "publicNetworkAccessEnabled": False,
                "maintenanceWindow": {"dayOfWeek": 5, "startMinute": 30},
                "tags": {"cost": "low"},
            },
            SERVER.replace("/pg", "/thing"),
            {"sku": {"name": "Standard_D4s_v3"}},
            "PUT servers",
            "PATCH servers",
            "group",
        ),
        Life(
            "dbforpostgresql/FlexibleServerDatabase",
            {"serverId": SERVER, "charset": "UTF8", "collation": "en_US.utf8"},
            {},
            f"{SERVER}/databases/thing",
            {},
            "PUT databases",
            "",
            "server",
        ),
        Life(
            "dbforpostgresql/FlexibleServerFirewallRule",
            {"serverId": SERVER, "startIpAddress": "10.0.0.1", "endIpAddress": "10.0.0.9"},
            {"endIpAddress": "10.0.0.20"},
            f"{SERVER}/firewallRules/thing",
            {"properties": {"startIpAddress": "10.9.9.9"}},
            "PUT firewallRules",
            "PUT firewallRules",
            "server",
        ),
        Life(
            "dbforpostgresql/FlexibleServerConfiguration",
            {"serverId": SERVER, "name": "work_mem", "value": "8192"},
            {"value": "16384"},
            f"{SERVER}/configurations/work_mem",
            {"properties": {"value": "64"}},
            "PUT configurations",
            "PUT configurations",
            "server",
        ),
    ]


LIVES = lives()
CHANGING = [life for life in LIVES if life.changed]
every_kind = pytest.mark.parametrize("life", LIVES, ids=[life.kind for life in LIVES])
every_kind_that_changes = pytest.mark.parametrize("life", CHANGING, ids=[life.kind for life in CHANGING])


async def begun(life):
    yard = Yard()
    if life.before == "server":
        await with_server(yard)
    if life.before == "group":
        await with_group(yard)
    yard.cloud.calls.clear()
    return yard, yard.thing(life.kind, "thing", dict(life.wanted))


@every_kind
async def test_it_is_made_and_then_left_alone(life):
    yard, thing = await begun(life)
    assert not (await yard.observe(thing)).exists
    observed = await yard.straighten(thing)
    assert observed.at_provider["id"] == life.path
    assert observed.external_name in {"thing", life.path}
    assert life.path.lower() in yard.cloud.resources
    assert yard.cloud.count(life.create) == 1
    assert len(yard.cloud.writes) <= 2, "a maintenance window is said afterwards"
    writes = len(yard.cloud.writes)
    again = await yard.reconcile(thing)
    assert again.differences == ()
    assert again.at_provider == observed.at_provider
    assert len(yard.cloud.writes) == writes


@every_kind_that_changes
async def test_a_change_is_carried_out_and_then_there_is_none(life):
    yard, thing = await begun(life)
    await yard.straighten(thing)
    before = len(yard.cloud.writes)
    thing.wants(**life.changed)
    assert (await yard.observe(thing)).differences
    await yard.straighten(thing)
    assert 1 <= len([seen for seen in yard.cloud.writes[before:] if seen.status < 300]) <= 3


@every_kind_that_changes
async def test_what_was_changed_in_the_portal_is_put_straight(life):
    yard, thing = await begun(life)
    await yard.straighten(thing)
    before = yard.cloud.count(life.update)
    yard.cloud.change(life.path, life.meddled)
    changed = (await yard.observe(thing)).differences
    assert len(changed) == 1
    await yard.straighten(thing)
    assert yard.cloud.count(life.update) == before + 1


@every_kind
async def test_a_creation_whose_reply_is_lost_makes_one(life):
    yard, thing = await begun(life)
    yard.cloud.lose(life.create)
    with pytest.raises(Transient):
        await yard.reconcile(thing)
    yard.restart()
    await yard.straighten(thing)
    assert yard.cloud.count(life.create) == 1


@every_kind
async def test_two_creations_make_one(life):
    yard, thing = await begun(life)
    external, managed = await yard.external(thing), yard.managed(thing)
    await external.create(managed)
    await yard.wait()
    again = await external.create(managed)
    await yard.straighten(thing)
    assert yard.cloud.count(life.create) == 1
    assert again.external_name in {"", life.path}


@every_kind
async def test_it_slows_down_when_it_is_told_to(life):
    yard, thing = await begun(life)
    yard.cloud.fail(life.create, status=429, code="TooManyRequests", retry_after="7")
    with pytest.raises(Throttled) as told:
        await yard.reconcile(thing)
    assert told.value.after_s == 7
    await yard.straighten(thing)
    assert yard.cloud.count(life.create) == 1


@every_kind
async def test_it_is_deleted_and_stays_gone(life):
    yard, thing = await begun(life)
    await yard.straighten(thing)
    await yard.clear(thing)
    found = yard.cloud.resources.get(life.path.lower())
    assert found is None or found["properties"]["value"] == found["properties"]["defaultValue"]
    external, managed = await yard.external(thing), yard.managed(thing)
    observed = await external.observe(managed)
    assert not observed.exists
    await external.delete(managed, observed)


@pytest.mark.parametrize("life", LIVES[:-1], ids=[life.kind for life in LIVES[:-1]])
async def test_what_is_gone_by_itself_is_made_again(life):
    """Settings never are: a server always has all of them."""
    yard, thing = await begun(life)
    await yard.straighten(thing)
    yard.cloud.remove(life.path)
    assert not (await yard.observe(thing)).exists
    await yard.straighten(thing)
    assert yard.cloud.count(life.create) == 2


@every_kind
async def test_a_refusal_says_what_azure_says(life):
    yard, thing = await begun(life)
    yard.cloud.fail(life.create, status=403, code="AuthorizationFailed")
    with pytest.raises(PlumblineError) as told:
        await yard.reconcile(thing)
    assert told.value.code == "forbidden"
    assert told.value.why == f"{life.create} fails on demand"
    assert "role" in told.value.hint


@every_kind
async def test_a_subscription_that_azure_does_not_know_is_no_sign_that_it_is_gone(life):
    yard, thing = await begun(life)
    await yard.straighten(thing)
    yard.cloud.subscriptions.clear()
    thing.object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    with pytest.raises(PlumblineError) as told:
        await yard.observe(thing)
    assert told.value.code == "refused"
