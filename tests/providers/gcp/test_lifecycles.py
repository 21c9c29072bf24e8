"""Every kind lives the same life: made once, left alone, changed, put straight, and gone."""

from typing import Any, NamedTuple

import pytest

from plumbline.base.errors import PlumblineError, Throttled, Transient

from .yard import Yard, with_instance


class Life(NamedTuple):
    kind: str
    wanted: dict[str, Any]
    changed: dict[str, Any]
    path: str
    """Of the resource in the cloud."""
    meddled: dict[str, Any]
    """What somebody does to it in the console."""
    create: str
    update: str
    before: tuple[str, ...] = ()


NETWORK = ("compute/Network",)
LIVES = [
    Life(
        "sql/DatabaseInstance",
        {
            "databaseVersion": "POSTGRES_15",
            "region": "us-central1",
            "deletionProtection": False,
            "settings": {
                "tier": "db-custom-2-8192",
                "diskSize": 50,
                "databaseFlags": [{"name": "a", "value": "1"}, {"name": "b", "value": "2"}],
                "userLabels": {"team": "orders"},
                "ipConfiguration": {
                    "ipv4Enabled": True,
                    "authorizedNetworks": [{"name": "office", "value": "1.2.3.0/24"}],
                },
                "denyMaintenancePeriod": {"startDate": "2026-11-01", "endDate": "2026-12-01", "time": "00:00:00"},
            },
        },
        {
            "settings": {
                "tier": "db-custom-4-16384",
                "diskSize": 60,
                "databaseFlags": [{"name": "b", "value": "2"}],
                "userLabels": {"cost": "low"},
                "ipConfiguration": {"ipv4Enabled": True, "authorizedNetworks": []},
            }
        },
        "projects/shop/instances/thing",
        {"settings": {"tier": "db-f1-micro"}},
        "instances.insert",
        "instances.patch",
    ),
    Life(
        "sql/Database",
        {"instance": "pg", "charset": "UTF8"},
        {"collation": "de_DE.UTF8"},
        "projects/shop/instances/pg/databases/thing",
        {"charset": "LATIN1"},
        "databases.insert",
        "databases.patch",
        ("sql/DatabaseInstance",),
    ),
    Life(
        "sql/User",
        {"instance": "pg", "host": "10.0.0.1", "passwordPolicy": {"allowedFailedAttempts": 5}},
        {"passwordPolicy": {"allowedFailedAttempts": 7}},
        "projects/shop/instances/pg/users/thing@10.0.0.1",
        {"passwordPolicy": {"allowedFailedAttempts": 1}},
        "users.insert",
        "users.update",
        ("sql/DatabaseInstance",),
    ),
    Life(
        "storage/Bucket",
        {
            "location": "eu",
            "labels": {"team": "orders"},
            "versioning": {"enabled": True},
            "uniformBucketLevelAccess": True,
            "lifecycleRule": [
                {"action": {"type": "Delete"}, "condition": {"age": 30, "withState": "ARCHIVED"}},
                {
                    "action": {"type": "SetStorageClass", "storageClass": "NEARLINE"},
                    "condition": {"age": 7, "withState": "ANY"},
                },
            ],
            "retentionPolicy": {"retentionPeriod": "3600"},
        },
        {"labels": {"cost": "low"}, "versioning": {"enabled": False}, "lifecycleRule": []},
        "b/thing",
        {"storageClass": "COLDLINE", "versioning": {"enabled": False}},
        "buckets.insert",
        "buckets.patch",
    ),
    Life(
        "compute/Network",
        {"autoCreateSubnetworks": False, "routingMode": "REGIONAL", "description": "for orders"},
        {"routingMode": "GLOBAL"},
        "projects/shop/global/networks/thing",
        {"routingConfig": {"routingMode": "GLOBAL"}},
        "networks.insert",
        "networks.patch",
    ),
    Life(
        "compute/Subnetwork",
        {
            "region": "europe-west1",
            "network": "net",
            "ipCidrRange": "10.2.0.0/20",
            "logConfig": {"flowSampling": 0.5},
            "secondaryIpRange": [{"rangeName": "pods", "ipCidrRange": "10.4.0.0/16"}],
        },
        {"ipCidrRange": "10.2.0.0/16", "privateIpGoogleAccess": True, "logConfig": {"flowSampling": 0.7}},
        "projects/shop/regions/europe-west1/subnetworks/thing",
        {"logConfig": {"flowSampling": 0.1}},
        "subnetworks.insert",
        "subnetworks.patch",
        NETWORK,
    ),
    Life(
        "redis/Instance",
        {
            "region": "europe-west1",
            "memorySizeGb": 4,
            "tier": "STANDARD_HA",
            "redisVersion": "REDIS_6_X",
            "authorizedNetwork": "projects/shop/global/networks/net",
            "labels": {"team": "orders"},
            "persistenceConfig": {"persistenceMode": "RDB", "rdbSnapshotPeriod": "ONE_HOUR"},
        },
        {"memorySizeGb": 5, "redisVersion": "REDIS_7_0", "labels": {"cost": "low"}},
        "projects/shop/locations/europe-west1/instances/thing",
        {"memorySizeGb": 1},
        "projects.locations.instances.create",
        "projects.locations.instances.patch",
    ),
    Life(
        "pubsub/Topic",
        {"labels": {"team": "orders"}, "messageRetentionDuration": "86400s"},
        {"labels": {"cost": "low"}, "messageStoragePolicy": {"allowedPersistenceRegions": ["europe-west1"]}},
        "projects/shop/topics/thing",
        {"messageRetentionDuration": "600s"},
        "projects.topics.create",
        "projects.topics.patch",
    ),
]
every_kind = pytest.mark.parametrize("life", LIVES, ids=[life.kind for life in LIVES])


async def begun(life):
    yard = Yard()
    if "sql/DatabaseInstance" in life.before:
        await with_instance(yard)
    if "compute/Network" in life.before:
        await yard.straighten(yard.thing("compute/Network", "net", {"autoCreateSubnetworks": False}))
    yard.cloud.calls.clear()
    return yard, yard.thing(life.kind, "thing", dict(life.wanted))


@every_kind
async def test_it_is_made_and_then_left_alone(life):
    yard, thing = await begun(life)
    assert not (await yard.observe(thing)).exists
    observed = await yard.straighten(thing)
    assert observed.external_name == "thing"
    assert observed.at_provider["id"]
    assert life.path in yard.cloud.resources
    writes = [seen for seen in yard.cloud.calls if seen.verb != "GET"]
    assert [seen.method for seen in writes] == [life.create]
    again = await yard.observe(thing)
    assert again.differences == ()
    assert again.at_provider == observed.at_provider


@every_kind
async def test_a_change_is_carried_out_and_then_there_is_none(life):
    yard, thing = await begun(life)
    await yard.straighten(thing)
    thing.wants(**life.changed)
    assert (await yard.observe(thing)).differences
    await yard.straighten(thing)
    assert yard.cloud.count(life.create) == 1
    assert 1 <= len([seen for seen in yard.cloud.calls if seen.verb != "GET"]) - 1 <= 3


@every_kind
async def test_what_was_changed_in_the_console_is_put_straight(life):
    yard, thing = await begun(life)
    await yard.straighten(thing)
    yard.cloud.change(life.path, life.meddled)
    changed = (await yard.observe(thing)).differences
    assert len(changed) == 1
    await yard.straighten(thing)
    assert yard.cloud.count(life.update) == 1


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
    await external.create(managed)
    await yard.straighten(thing)
    assert yard.cloud.count(life.create) == 1


@every_kind
async def test_it_slows_down_when_it_is_told_to(life):
    yard, thing = await begun(life)
    yard.cloud.fail(life.create, status=429, reason="rateLimitExceeded", retry_after="7")
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
    assert life.path not in yard.cloud.resources
    external, managed = await yard.external(thing), yard.managed(thing)
    observed = await external.observe(managed)
    assert not observed.exists
    await external.delete(managed, observed)


@every_kind
async def test_a_refusal_says_what_google_says(life):
    yard, thing = await begun(life)
    yard.cloud.fail(life.create, status=403, reason="forbidden")
    with pytest.raises(PlumblineError) as told:
        await yard.reconcile(thing)
    assert told.value.code == "forbidden"
    assert "fails on demand" in told.value.why


@every_kind
async def test_what_the_provider_chose_is_told_and_changes_nothing(life):
    yard, thing = await begun(life)
    observed = await yard.straighten(thing)
    assert observed.late
    thing.wants(**{name: value for name, value in observed.late.items() if name not in life.wanted})
    assert (await yard.observe(thing)).differences == ()
