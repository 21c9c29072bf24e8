"""Flexible servers and what is in them, where no two kinds are alike."""

import pytest

from plumbline.base.errors import (
    AlreadyExists,
    InvalidInput,
    NotFound,
    NotYet,
    Refused,
    SchemaViolation,
    Transient,
)
from plumbline.providers.azure.arm import Answer
from plumbline.providers.azure.operations import Operations

from .yard import PASSWORD, RESOURCE_GROUP, SERVER, Yard, server, with_group, with_server

CONNECTION = {"name": "conn", "namespace": "prod"}


async def yard_with_group():
    yard = Yard()
    await with_group(yard)
    return yard


def found(yard):
    return yard.cloud.resources[SERVER.lower()]["properties"]


@pytest.mark.parametrize("lists", [False, True], ids=["objects", "lists of one"])
async def test_both_versions_shapes_are_taken_and_answered_with(lists):
    yard = await yard_with_group()
    high, window = {"mode": "SameZone"}, {"dayOfWeek": 1, "startHour": 2, "startMinute": 0}
    wanted = {"highAvailability": high, "maintenanceWindow": window, "storageMb": 131072}
    thing = server(
        yard, {key: [value] if lists and isinstance(value, dict) else value for key, value in wanted.items()}
    )
    observed = await yard.straighten(thing)
    assert found(yard)["storage"]["storageSizeGB"] == 128
    assert found(yard)["maintenanceWindow"]["customWindow"] == "Enabled"
    shown = observed.at_provider["highAvailability"]
    assert (shown[0] if lists else shown)["mode"] == "SameZone"
    assert observed.at_provider["storageMb"] == 131072
    assert observed.at_provider["skuName"] == "GP_Standard_D2s_v3"
    assert observed.at_provider["fqdn"] == "pg.postgres.database.azure.com"
    assert observed.holds == "database, 128 GB"
    chosen = observed.late["authentication"]
    assert (chosen[0] if lists else chosen) == {"activeDirectoryAuthEnabled": False, "passwordAuthEnabled": True}
    assert {"zone", "storageTier", "storageMb"}.isdisjoint(observed.late)
    assert observed.late["backupRetentionDays"] == 7


async def test_a_location_may_be_written_in_any_way():
    yard = await yard_with_group()
    thing = server(yard)
    await yard.straighten(thing)
    assert yard.cloud.resources[SERVER.lower()]["location"] == "westeurope"
    thing.wants(location="WESTEUROPE")
    assert (await yard.observe(thing)).differences == ()


async def test_tags_are_upstreams_and_what_azure_hides_stays():
    yard = await yard_with_group()
    thing = server(yard, {"tags": {"team": "orders"}})
    await yard.straighten(thing)
    ours = {
        "team": "orders",
        "crossplane-kind": "flexibleserver.dbforpostgresql.azure.upbound.io",
        "crossplane-name": "pg",
        "crossplane-providerconfig": "default",
    }
    assert yard.cloud.resources[SERVER.lower()]["tags"] == ours
    yard.cloud.change(SERVER, {"tags": {"hidden-link:insights": "x"}})
    assert (await yard.observe(thing)).differences == ()
    yard.cloud.change(SERVER, {"tags": {"somebody": "else"}})
    await yard.straighten(thing)
    assert yard.cloud.resources[SERVER.lower()]["tags"] == {**ours, "hidden-link:insights": "x"}


async def test_a_namespaced_one_is_tagged_with_its_namespace():
    yard = await yard_with_group()
    thing = server(yard, providerConfigRef={"kind": "ClusterProviderConfig", "name": "default"})
    thing.object["metadata"]["namespace"] = "prod"
    await yard.straighten(thing)
    tags = yard.cloud.resources[SERVER.lower()]["tags"]
    assert (tags["crossplane-namespace"], tags["crossplane-providerconfig-kind"]) == ("prod", "ClusterProviderConfig")


async def test_the_connection_secret_has_upstreams_keys():
    yard = await yard_with_group()
    await yard.straighten(server(yard, writeConnectionSecretToRef=CONNECTION))
    assert yard.secrets.published("prod", "conn") == {
        "endpoint": "pg.postgres.database.azure.com",
        "port": "5432",
        "username": "boss@pg",
        "password": PASSWORD,
        "attribute.administrator_password": PASSWORD,
    }
    assert yard.cloud.secrets[SERVER.lower()] == PASSWORD


async def test_a_new_password_is_set_once_and_published_after():
    yard = await yard_with_group()
    thing = server(yard, writeConnectionSecretToRef=CONNECTION)
    await yard.straighten(thing)
    yard.secrets.values["prod", "admin", "pw"] = "Another-Horse-10"
    observed = await yard.observe(thing)
    assert [difference.path for difference in observed.differences] == ["administratorPasswordSecretRef"]
    assert "Horse" not in f"{observed.differences}"
    assert observed.connection["password"].reveal().decode() == PASSWORD
    await yard.straighten(thing)
    assert yard.cloud.secrets[SERVER.lower()] == "Another-Horse-10"
    assert yard.secrets.published("prod", "conn")["password"] == "Another-Horse-10"
    patches = [seen.body for seen in yard.cloud.writes if seen.method == "PATCH servers"]
    assert patches == [{"properties": {"administratorLoginPassword": "Another-Horse-10"}}]


async def test_a_password_that_is_not_there_is_named_and_nothing_is_made():
    yard = await yard_with_group()
    del yard.secrets.values["prod", "admin", "pw"]
    with pytest.raises(NotFound, match="prod/admin"):
        await yard.reconcile(server(yard))
    assert yard.cloud.count("PUT servers") == 0


async def test_a_server_without_passwords_has_no_username():
    yard = await yard_with_group()
    thing = server(yard, {"authentication": {"activeDirectoryAuthEnabled": True, "passwordAuthEnabled": False}})
    for field in ("administratorLogin", "administratorPasswordSecretRef"):
        del thing.object["spec"]["forProvider"][field]
    observed = await yard.straighten(thing)
    assert set(observed.connection) == {"endpoint", "port"}


@pytest.mark.parametrize("hidden", [False, True], ids=["seen at once", "not seen before it is ready"])
async def test_while_it_is_made_it_says_so_and_nobody_waits(hidden):
    yard = await yard_with_group()
    yard.cloud.hidden = hidden
    thing = server(yard)
    await yard.reconcile(thing)
    observed = await yard.reconcile(thing)
    assert (observed.exists, observed.state, observed.differences, observed.late) == (True, "Creating", (), {})
    assert observed.after_s == 12, "Azure says when to look again"
    yard.restart()
    if hidden:
        with pytest.raises(NotYet, match="busy"):
            await yard.reconcile(thing)
    else:
        assert (await yard.observe(thing)).state == "Creating", "a new process sees it in the state"
    await yard.straighten(thing)
    assert yard.cloud.count("PUT servers") == 1


async def test_while_an_update_runs_no_second_one_is_asked_for():
    yard = Yard()
    thing = await with_server(yard)
    thing.wants(skuName="MO_Standard_E2s_v3")
    await yard.reconcile(thing)
    observed = await yard.reconcile(thing)
    assert (observed.state, observed.differences) == ("Available", ())
    yard.restart()
    assert (await yard.reconcile(thing)).after_s, "the state says so as well"
    await yard.straighten(thing)
    assert yard.cloud.count("PATCH servers") == 1


async def test_storage_is_changed_by_itself():
    yard = Yard()
    thing = await with_server(yard)
    thing.wants(storageMb=65536, backupRetentionDays=20)
    await yard.straighten(thing)
    bodies = [seen.body for seen in yard.cloud.writes if seen.method == "PATCH servers"]
    assert bodies == [
        {"properties": {"storage": {"storageSizeGB": 64}}},
        {"properties": {"backup": {"backupRetentionDays": 20}}},
    ]


async def test_why_an_operation_has_failed_is_told_once():
    yard = await yard_with_group()
    yard.cloud.failing["flexibleservers/pg"] = "The subscription has no quota left"
    thing = server(yard)
    await yard.reconcile(thing)
    await yard.wait()
    with pytest.raises(Refused, match="no quota left"):
        await yard.reconcile(thing)
    yard.cloud.failing.clear()
    await yard.straighten(thing)


async def test_an_operation_that_azure_has_forgotten_is_over():
    yard = await yard_with_group()
    thing = server(yard)
    await yard.reconcile(thing)
    await yard.wait()
    yard.cloud.settle()
    yard.cloud.operations.clear()
    assert (await yard.observe(thing)).state == "Available"


async def test_the_oldest_of_too_many_operations_is_forgotten(monkeypatch):
    monkeypatch.setattr("plumbline.providers.rest.operations._KEPT", 1)
    operations = Operations()
    answer = Answer(body={}, status=202, operation="/subscriptions/s/op?x=1")
    assert operations.remember("one", "create", answer)
    assert operations.remember("two", "create", answer)
    assert await operations.look("one", None) is None


FINAL = [
    ({"location": "northeurope"}, "location"),
    ({"administratorLogin": "other"}, "administratorLogin"),
    ({"geoRedundantBackupEnabled": True}, "geoRedundantBackupEnabled"),
    ({"zone": "3"}, "zone"),
    ({"version": "14"}, "version"),
    ({"storageMb": 32768}, "storageMb"),
    ({"resourceGroupName": "elsewhere"}, "resourceGroupName"),
    ({"delegatedSubnetId": "/subscriptions/s/x"}, "delegatedSubnetId"),
]


@pytest.mark.parametrize(("change", "path"), FINAL, ids=[path for _, path in FINAL])
async def test_what_cannot_change_in_place_is_refused_and_nothing_is_made_elsewhere(change, path):
    yard = await yard_with_group()
    thing = server(yard, {"storageMb": 65536})
    await yard.straighten(thing)
    thing.wants(**change)
    observed = await yard.observe(thing)
    assert [(difference.path, difference.replaces) for difference in observed.differences] == [(path, True)]
    with pytest.raises(Refused, match=path):
        await yard.reconcile(thing)
    assert yard.cloud.count("PUT servers") == 1


async def test_a_disk_that_has_grown_by_itself_is_as_it_should_be():
    yard = await yard_with_group()
    thing = server(yard, {"storageMb": 32768, "autoGrowEnabled": True})
    await yard.straighten(thing)
    yard.cloud.change(SERVER, {"properties": {"storage": {"storageSizeGB": 64}}})
    assert (await yard.observe(thing)).differences == ()


async def test_a_failover_that_has_exchanged_the_zones_is_no_reason_for_another_one():
    yard = await yard_with_group()
    high = {"mode": "ZoneRedundant", "standbyAvailabilityZone": "2"}
    thing = server(yard, {"zone": "1", "highAvailability": high})
    await yard.straighten(thing)
    yard.cloud.change(
        SERVER, {"properties": {"availabilityZone": "2", "highAvailability": {"standbyAvailabilityZone": "1"}}}
    )
    assert (await yard.observe(thing)).differences == ()


async def test_high_availability_is_turned_on_and_off():
    yard = Yard()
    thing = await with_server(yard)
    thing.wants(highAvailability={"mode": "ZoneRedundant", "standbyAvailabilityZone": "2"})
    await yard.straighten(thing)
    assert found(yard)["highAvailability"]["state"] == "Healthy"
    thing.wants(highAvailability={"mode": "Disabled"})
    await yard.straighten(thing)
    assert found(yard)["highAvailability"]["state"] == "NotEnabled"


async def test_a_key_and_its_identity_are_told_as_azure_has_them():
    yard = await yard_with_group()
    identity = f"{RESOURCE_GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/one"
    key = {"keyVaultKeyId": "https://vault/keys/k/1", "primaryUserAssignedIdentityId": identity}
    both = {"type": "SystemAssigned, UserAssigned", "identityIds": [identity]}
    thing = server(yard, {"customerManagedKey": key, "identity": {**both, "type": "UserAssigned"}})
    observed = await yard.straighten(thing)
    assert found(yard)["dataEncryption"]["type"] == "AzureKeyVault"
    assert observed.at_provider["customerManagedKey"] == key
    assert observed.at_provider["identity"] == {"type": "UserAssigned", "identityIds": [identity]}
    thing.wants(identity={"type": "UserAssigned", "identityIds": [identity.upper()]})
    assert (await yard.observe(thing)).differences == ()


async def test_a_replica_is_made_and_promoted():
    yard = Yard()
    await with_server(yard)
    replica = yard.thing(
        "dbforpostgresql/FlexibleServer",
        "copy",
        {"location": "westeurope", "resourceGroupName": "shop", "createMode": "Replica", "sourceServerId": SERVER},
    )
    await yard.straighten(replica)
    path = SERVER.replace("/pg", "/copy")
    yard.cloud.change(path, {"properties": {"replicationRole": "AsyncReplica", "sourceServerResourceId": None}})
    assert (await yard.observe(replica)).differences == (), "Azure tells the source of some only"
    replica.wants(replicationRole="None")
    await yard.straighten(replica)
    assert yard.cloud.resources[path.lower()]["properties"]["replicationRole"] == "Primary"


STATES = [
    ("Ready", "Available", True),
    ("Updating", "Available", False),
    ("Dropping", "Deleting", False),
    ("Restarting", "Unavailable", False),
    ("Stopped", "Unavailable", True),
    ("Inaccessible", "Unavailable", True),
]


@pytest.mark.parametrize(("state", "ready", "settled"), STATES, ids=[state for state, *_ in STATES])
async def test_states_are_told_in_kubernetes_words(state, ready, settled):
    yard = Yard()
    thing = await with_server(yard)
    yard.cloud.change(SERVER, {"properties": {"state": state}})
    observed = await yard.observe(thing)
    assert observed.state == ready
    assert bool(observed.message) is (ready == "Unavailable")
    assert (observed.after_s is None) is settled


REFUSED = [
    ({"skuName": "Standard_D2s_v3"}, InvalidInput, "no known tier", "a size without a tier"),
    ({"storageMb": 40960}, InvalidInput, "StorageSizeGB", "a size that Azure does not have"),
    ({"version": "9"}, InvalidInput, "version", "a version that never was"),
    ({"administratorLogin": ""}, InvalidInput, "administratorLogin is missing", "details say what is missing"),
    ({"administratorPasswordWo": "x"}, Refused, "administratorPasswordWo is not supported", "a password in a manifest"),
    ({"highAvailability": {"mod": "SameZone"}}, SchemaViolation, "highAvailability.mod", "a typing error"),
    ({"resourceGroupName": "../other"}, SchemaViolation, "is no id", "a path that leads elsewhere"),
    ({"resourceGroupName": None}, SchemaViolation, "has no resourceGroupName", "no group"),
]


@pytest.mark.parametrize(("change", "error", "text", "why"), REFUSED, ids=[case[-1] for case in REFUSED])
async def test_what_cannot_be_made_is_refused_with_the_reason(change, error, text, why):
    yard = await yard_with_group()
    with pytest.raises(error, match=text):
        await yard.reconcile(server(yard, change))
    assert yard.cloud.count("PUT servers") == 0


async def test_a_weak_password_is_refused_in_azures_words_and_not_shown():
    yard = await yard_with_group()
    yard.secrets.values["prod", "admin", "pw"] = "weakling"
    with pytest.raises(InvalidInput, match="not complex enough") as refused:
        await yard.reconcile(server(yard))
    assert "weakling" not in str(refused.value)


async def test_a_name_that_somebody_else_has_is_refused():
    yard = await yard_with_group()
    await yard.straighten(yard.thing("ResourceGroup", "other", {"location": "westeurope"}))
    await yard.straighten(server(yard, {"resourceGroupName": "other"}))
    with pytest.raises(AlreadyExists, match="already used") as refused:
        await yard.reconcile(server(yard))
    assert "external-name" in refused.value.hint


async def test_what_was_said_at_creation_only_is_not_a_difference_later():
    yard = await yard_with_group()
    thing = server(yard, initProvider={"backupRetentionDays": 30})
    observed = await yard.straighten(thing)
    assert found(yard)["backup"]["backupRetentionDays"] == 30
    assert "backupRetentionDays" not in observed.late
    yard.cloud.change(SERVER, {"properties": {"backup": {"backupRetentionDays": 8}}})
    assert (await yard.observe(thing)).differences == ()


async def test_a_server_goes_even_if_its_secret_and_its_manifest_are_no_longer_in_order():
    yard = Yard()
    thing = await with_server(yard)
    del yard.secrets.values["prod", "admin", "pw"]
    thing.wants(highAvailability={"misspelt": True})
    await yard.clear(thing)
    assert SERVER.lower() not in yard.cloud.resources


async def test_an_update_without_an_observation_looks_first():
    yard = Yard()
    thing = await with_server(yard)
    thing.wants(skuName="B_Standard_B1ms")
    observed = await yard.observe(thing)
    await (await yard.external(thing)).update(yard.managed(thing), observed)
    assert yard.cloud.count("PATCH servers") == 1
    yard.cloud.remove(SERVER)
    with pytest.raises(Transient, match="no longer there"):
        await (await yard.external(thing)).update(yard.managed(thing), observed)


async def test_a_deletion_that_somebody_was_faster_with_is_no_error():
    yard = Yard()
    thing = await with_server(yard)
    external = await yard.external(thing)
    observed = await external.observe(yard.managed(thing))
    yard.cloud.remove(SERVER)
    await external.delete(yard.managed(thing), observed)
