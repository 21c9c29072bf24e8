"""What is special about buckets, networks, Redis and topics."""

import pytest

from plumbline.base.errors import AlreadyExists, Conflict, NotYet, Refused, Throttled
from plumbline.kube.names import Ref
from plumbline.managed.external import Config

from .vendor.storage import put_object
from .yard import PROJECT, Yard

BUCKET = "b/orders"
NETWORK = f"projects/{PROJECT}/global/networks/net"


def bucket(yard, **wanted):
    return yard.thing("storage/Bucket", "orders", {"location": "EU", **wanted})


async def test_a_bucket_with_objects_goes_only_if_that_was_asked_for():
    yard = Yard()
    thing = bucket(yard)
    await yard.straighten(thing)
    put_object(yard.cloud, "orders", "2026/january.csv")
    put_object(yard.cloud, "orders", "2026/february.csv")
    with pytest.raises(Refused, match="not empty") as refused:
        await yard.clear(thing)
    assert "forceDestroy" in refused.value.hint
    thing.wants(forceDestroy=True)
    await yard.clear(thing)
    assert yard.cloud.resources == {}


async def test_an_object_that_goes_by_itself_is_no_obstacle():
    yard = Yard()
    thing = bucket(yard, forceDestroy=True)
    await yard.straighten(thing)
    put_object(yard.cloud, "orders", "report")
    yard.cloud.fail("objects.delete", status=404, reason="notFound")
    with pytest.raises(Refused, match="not empty"):
        await yard.clear(thing)
    await yard.clear(thing)


async def test_a_bucket_name_that_somebody_else_has_is_refused():
    yard = Yard()
    thing = bucket(yard)
    yard.cloud.resources[BUCKET] = {"name": "orders", "projectNumber": "999", "metageneration": "1"}
    external, managed = await yard.external(thing), yard.managed(thing)
    with pytest.raises(AlreadyExists):
        await external.create(managed)


async def test_a_google_that_cannot_be_asked_whose_name_it_is_is_asked_again():
    yard = Yard()
    thing = bucket(yard)
    yard.cloud.resources[BUCKET] = {"name": "orders", "projectNumber": "999", "metageneration": "1"}
    yard.cloud.fail("buckets.get", status=503, retry_after="3")
    external, managed = await yard.external(thing), yard.managed(thing)
    with pytest.raises(Throttled):
        await external.create(managed)


async def test_a_retention_policy_is_locked_and_never_unlocked():
    yard = Yard()
    thing = bucket(yard, retentionPolicy={"retentionPeriod": 3600})
    await yard.straighten(thing)
    thing.wants(retentionPolicy={"retentionPeriod": 7200, "isLocked": True})
    await yard.straighten(thing)
    assert yard.cloud.resources[BUCKET]["retentionPolicy"] == {"retentionPeriod": "7200", "isLocked": True}
    assert yard.cloud.count("buckets.lockRetentionPolicy") == 1
    thing.wants(retentionPolicy={"retentionPeriod": 7200, "isLocked": False})
    (unlock,) = (await yard.observe(thing)).differences
    assert unlock.replaces


async def test_a_bucket_that_changed_in_between_is_not_overwritten():
    yard = Yard()
    thing = bucket(yard, storageClass="STANDARD")
    await yard.straighten(thing)
    thing.wants(storageClass="NEARLINE")
    external, managed = await yard.external(thing), yard.managed(thing)
    observed = await external.observe(managed)
    yard.cloud.change(BUCKET, {"metageneration": "7"})
    with pytest.raises(Conflict):
        await external.update(managed, observed)


async def test_object_retention_is_asked_for_at_creation():
    yard = Yard()
    thing = bucket(yard, enableObjectRetention=True)
    observed = await yard.straighten(thing)
    assert yard.cloud.resources[BUCKET]["objectRetention"] == {"mode": "Enabled"}
    assert observed.at_provider["enableObjectRetention"] is True
    assert observed.at_provider["url"] == "gs://orders"


async def test_labels_that_google_adds_are_left_alone_and_others_go():
    yard = Yard()
    thing = bucket(yard, labels={"team": "orders"})
    await yard.straighten(thing)
    yard.cloud.change(BUCKET, {"labels": {"goog-managed": "yes"}})
    assert (await yard.observe(thing)).differences == ()
    yard.cloud.change(BUCKET, {"labels": {"stray": "yes"}})
    await yard.straighten(thing)
    assert yard.cloud.resources[BUCKET]["labels"] == {"team": "orders", "goog-managed": "yes"}


async def test_requests_are_billed_to_the_project_that_was_named():
    config = {"billingProject": "payer", "userProjectOverride": True}
    yard = Yard(config={**Yard().config, **config})
    thing = bucket(yard)
    await yard.straighten(thing)
    account = await yard.accounts.of(_config(yard))
    assert account.headers == (("X-Goog-User-Project", "payer"),)


def _config(yard):
    return Config(Ref("gcp.upbound.io", "ProviderConfig", "", "default"), yard.config, yard.secrets)


async def made_network(yard):
    network = yard.thing("compute/Network", "net", {"autoCreateSubnetworks": False})
    await yard.straighten(network)
    return network


def subnetwork(yard, **wanted):
    base = {"region": "europe-west1", "network": "net", "ipCidrRange": "10.2.0.0/20"}
    return yard.thing("compute/Subnetwork", "sub", {**base, **wanted})


async def test_while_a_network_is_made_it_cannot_be_seen_but_is_known_of():
    yard = Yard()
    network = yard.thing("compute/Network", "net", {"autoCreateSubnetworks": False})
    await yard.reconcile(network)
    observed = await yard.observe(network)
    assert (observed.exists, observed.state) == (True, "Creating")
    yard.restart()
    with pytest.raises(NotYet):
        await yard.reconcile(network)
    await yard.straighten(network)


async def test_a_network_in_use_is_deleted_when_it_no_longer_is():
    yard = Yard()
    network = await made_network(yard)
    part = subnetwork(yard)
    await yard.straighten(part)
    with pytest.raises(NotYet, match="already being used"):
        await yard.clear(network)
    await yard.clear(part)
    await yard.clear(network)


async def test_while_a_network_is_deleted_it_says_so():
    yard = Yard()
    network = await made_network(yard)
    external, managed = await yard.external(network), yard.managed(network)
    await external.delete(managed, await external.observe(managed))
    assert (await yard.observe(network)).state == "Deleting"


async def test_an_operation_that_google_has_forgotten_is_forgotten_here():
    yard = Yard()
    network = yard.thing("compute/Network", "net", {"autoCreateSubnetworks": False})
    await yard.reconcile(network)
    yard.cloud.operations.clear()
    assert not (await yard.observe(network)).exists


async def test_a_refused_field_of_a_network_is_named():
    yard = Yard()
    network = yard.thing("compute/Network", "net", {"deleteDefaultRoutesOnCreate": True})
    with pytest.raises(Refused, match="deleteDefaultRoutesOnCreate"):
        await yard.reconcile(network)


@pytest.mark.parametrize(
    ("ranges", "replaces"),
    [("10.2.0.0/16", False), ("10.2.0.0/24", True), ("10.9.0.0/16", True), ("nonsense", True)],
)
async def test_a_subnetwork_grows_but_neither_shrinks_nor_moves(ranges, replaces):
    yard = Yard()
    await made_network(yard)
    thing = subnetwork(yard)
    await yard.straighten(thing)
    thing.wants(ipCidrRange=ranges)
    (change,) = (await yard.observe(thing)).differences
    assert change.replaces is replaces


@pytest.mark.parametrize(
    "network", ["net", NETWORK, f"https://www.googleapis.com/compute/v1/{NETWORK}"], ids=["name", "path", "link"]
)
async def test_a_network_may_be_named_in_any_way(network):
    yard = Yard()
    await made_network(yard)
    thing = subnetwork(yard, network=network)
    await yard.straighten(thing)
    assert yard.cloud.resources[f"projects/{PROJECT}/regions/europe-west1/subnetworks/sub"]["network"].endswith(NETWORK)


def cache(yard, **wanted):
    return yard.thing("redis/Instance", "cache", {"region": "europe-west1", "memorySizeGb": 1, **wanted})


async def test_redis_gives_away_its_password_and_certificates():
    yard = Yard()
    thing = cache(yard, authEnabled=True, transitEncryptionMode="SERVER_AUTHENTICATION")
    observed = await yard.straighten(thing)
    found = {key: value.reveal().decode() for key, value in observed.connection.items()}
    assert found == {
        "host": observed.at_provider["host"],
        "port": "6378",
        "server_ca_certs_0_cert": "vendor certificate",
        "attribute.auth_string": yard.cloud.secrets[f"projects/{PROJECT}/locations/europe-west1/instances/cache"],
    }
    assert observed.holds == "a Redis database, 1 GB"


async def test_redis_without_a_password_is_not_asked_for_one():
    yard = Yard()
    observed = await yard.straighten(cache(yard))
    assert "attribute.auth_string" not in observed.connection
    assert yard.cloud.count("projects.locations.instances.getAuthString") == 0


async def test_redis_is_protected_only_if_somebody_says_so():
    yard = Yard()
    thing = cache(yard, deletionProtection=True)
    await yard.straighten(thing)
    with pytest.raises(Refused, match="deletionProtection is on"):
        await yard.clear(thing)
    thing.wants(deletionProtection=False)
    await yard.clear(thing)


async def test_a_range_that_was_given_by_name_is_no_difference():
    yard = Yard()
    thing = cache(yard, reservedIpRange="google-managed-services-default")
    await yard.straighten(thing)
    path = f"projects/{PROJECT}/locations/europe-west1/instances/cache"
    yard.cloud.change(path, {"reservedIpRange": "10.7.0.0/29"})
    assert (await yard.observe(thing)).differences == ()


async def test_a_redis_that_is_not_well_says_why():
    yard = Yard()
    thing = cache(yard)
    await yard.straighten(thing)
    path = f"projects/{PROJECT}/locations/europe-west1/instances/cache"
    yard.cloud.change(path, {"state": "STATE_UNSPECIFIED", "statusMessage": "the zone is on fire"})
    observed = await yard.observe(thing)
    assert (observed.state, observed.message) == ("Unavailable", "the zone is on fire")


async def test_a_topic_publishes_where_it_is():
    yard = Yard()
    observed = await yard.straighten(yard.thing("pubsub/Topic", "orders", {}))
    found = {key: value.reveal().decode() for key, value in observed.connection.items()}
    assert found == {"id": f"projects/{PROJECT}/topics/orders", "topic": "orders", "project": PROJECT}


async def test_an_external_name_is_used_instead_of_the_objects_name():
    yard = Yard()
    thing = yard.thing("pubsub/Topic", "orders", {})
    thing.object["metadata"]["annotations"] = {"crossplane.io/external-name": "prod-orders"}
    observed = await yard.straighten(thing)
    assert observed.external_name == "prod-orders"
    assert f"projects/{PROJECT}/topics/prod-orders" in yard.cloud.resources


async def test_a_topic_that_is_deleted_by_somebody_else_in_the_same_moment_is_gone():
    yard = Yard()
    thing = yard.thing("pubsub/Topic", "orders", {})
    await yard.straighten(thing)
    external, managed = await yard.external(thing), yard.managed(thing)
    observed = await external.observe(managed)
    yard.cloud.resources.clear()
    await external.delete(managed, observed)
    assert not (await yard.observe(thing)).exists


async def test_who_may_not_see_operations_goes_by_the_state_of_the_resource():
    yard = Yard()
    network = yard.thing("compute/Network", "net", {"autoCreateSubnetworks": False})
    await yard.reconcile(network)
    yard.cloud.fail("globalOperations.get", status=403, reason="forbidden")
    await yard.wait()
    observed = await yard.observe(network)
    assert (observed.exists, observed.state) == (True, "Available")
