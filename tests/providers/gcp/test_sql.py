"""What is special about Cloud SQL."""

import pytest

from plumbline.base.errors import (
    AlreadyExists,
    Conflict,
    InvalidInput,
    NotFound,
    NotYet,
    Refused,
    SchemaViolation,
    Transient,
)
from plumbline.providers.gcp.operations import failed

from .yard import PROJECT, Yard, with_instance

PATH = f"projects/{PROJECT}/instances/pg"
NETWORK = "projects/myproject/global/networks/production-vpc"


def instance(yard, for_provider=None, **spec):
    wanted = {"databaseVersion": "POSTGRES_15", "settings": {"tier": "db-f1-micro"}, **(for_provider or {})}
    return yard.thing("sql/DatabaseInstance", "pg", wanted, **spec)


@pytest.mark.parametrize("lists", [True, False], ids=["as v1beta1 has it", "as v1beta2 has it"])
async def test_an_instance_works_in_the_words_of_both_versions(lists):
    ips = {"ipv4Enabled": False, "privateNetwork": NETWORK}
    settings = {"tier": "db-custom-2-8192", "diskSize": 50, "ipConfiguration": [ips] if lists else ips}
    yard = Yard()
    thing = instance(yard, {"region": "us-central1", "settings": [settings] if lists else settings})
    observed = await yard.straighten(thing)
    told = yard.cloud.resources[PATH]["settings"]
    assert (told["tier"], told["dataDiskSizeGb"]) == ("db-custom-2-8192", "50")
    assert told["ipConfiguration"]["privateNetwork"] == NETWORK
    found = observed.at_provider["settings"]
    assert isinstance(found, list) is lists, "what is told has the shape of what was written"
    inner = found[0] if lists else found
    assert inner["diskSize"] == 50
    assert inner["version"] == 1
    assert "settings" not in observed.late or not lists
    assert observed.at_provider["privateIpAddress"] == observed.connection["privateIP"].reveal().decode()


async def test_the_connection_secret_has_upstreams_keys():
    yard = Yard()
    yard.secrets.values["prod", "root", "pw"] = "s3cret-root"
    thing = instance(
        yard,
        {"rootPasswordSecretRef": {"name": "root", "namespace": "prod", "key": "pw"}},
        writeConnectionSecretToRef={"name": "conn", "namespace": "prod"},
    )
    await yard.straighten(thing)
    published = yard.secrets.published("prod", "conn")
    assert set(published) == {
        "connectionName",
        "publicIP",
        "password",
        "attribute.root_password",
        "serverCACertificateCert",
        "serverCACertificateCommonName",
        "serverCACertificateCreateTime",
        "serverCACertificateExpirationTime",
        "serverCACertificateSha1Fingerprint",
    }
    assert published["password"] == yard.cloud.secrets[PATH] == "s3cret-root"
    assert published["connectionName"] == f"{PROJECT}:us-central1:pg"


async def test_a_new_root_password_is_set_once_and_published_after():
    yard = Yard()
    yard.secrets.values["prod", "root", "pw"] = "first-password"
    thing = instance(
        yard,
        {"rootPasswordSecretRef": {"name": "root", "namespace": "prod", "key": "pw"}},
        writeConnectionSecretToRef={"name": "conn", "namespace": "prod"},
    )
    await yard.straighten(thing)
    yard.secrets.values["prod", "root", "pw"] = "second-password"
    observed = await yard.observe(thing)
    assert [difference.path for difference in observed.differences] == ["rootPasswordSecretRef"]
    assert "password" not in f"{observed.differences[0].wanted}{observed.differences[0].found}"
    assert observed.connection["password"].reveal() == b"first-password"
    await yard.straighten(thing)
    assert yard.cloud.secrets[PATH] == "second-password"
    assert yard.secrets.published("prod", "conn")["attribute.root_password"] == "second-password"
    assert yard.cloud.count("users.update") == 1


async def test_a_password_that_is_not_there_is_named():
    yard = Yard()
    thing = instance(yard, {"rootPasswordSecretRef": {"name": "root", "namespace": "prod", "key": "pw"}})
    with pytest.raises(NotFound, match="prod/root"):
        await yard.reconcile(thing)
    assert yard.cloud.count("instances.insert") == 0


async def test_while_it_is_made_it_says_so_and_asks_for_nothing_more():
    yard = Yard()
    thing = instance(yard)
    await yard.reconcile(thing)
    observed = await yard.observe(thing)
    assert (observed.exists, observed.state, observed.differences, observed.late) == (True, "Creating", (), {})
    assert observed.after_s
    yard.restart()
    assert (await yard.observe(thing)).state == "Creating", "a new process sees it in the state"


async def test_while_an_update_runs_no_second_one_is_asked_for():
    yard = Yard()
    thing = instance(yard)
    await yard.straighten(thing)
    thing.wants(settings={"tier": "db-g1-small"})
    await yard.reconcile(thing)
    observed = await yard.reconcile(thing)
    assert (observed.differences, observed.changing) == ((), True)
    assert yard.cloud.count("instances.patch") == 1
    yard.restart()
    with pytest.raises(NotYet):
        await yard.reconcile(thing)
    await yard.straighten(thing)
    assert yard.cloud.resources[PATH]["settings"]["tier"] == "db-g1-small"


async def test_an_update_of_what_somebody_else_has_changed_since_is_refused():
    yard = Yard()
    thing = instance(yard)
    await yard.straighten(thing)
    thing.wants(settings={"tier": "db-g1-small"})
    external, managed = await yard.external(thing), yard.managed(thing)
    observed = await external.observe(managed)
    yard.cloud.change(PATH, {"settings": {"settingsVersion": "9"}})
    with pytest.raises(Conflict):
        await external.update(managed, observed)
    await yard.straighten(thing)


async def test_an_update_without_an_observation_looks_first():
    yard = Yard()
    thing = instance(yard)
    await yard.straighten(thing)
    thing.wants(settings={"tier": "db-g1-small"})
    observed = await yard.observe(thing)
    other = await yard.external(thing)
    await other.update(yard.managed(thing), observed)
    assert yard.cloud.count("instances.patch") == 1
    await yard.straighten(thing)
    yard.cloud.remove(PATH)
    with pytest.raises(Transient, match="cannot be updated"):
        await (await yard.external(thing)).update(yard.managed(thing), observed)


async def test_why_an_operation_has_failed_is_told_once():
    yard = Yard()
    yard.cloud.failing["instances/pg"] = "Quota exceeded for instances"
    thing = instance(yard)
    await yard.reconcile(thing)
    await yard.wait()
    with pytest.raises(Refused, match="Quota exceeded"):
        await yard.reconcile(thing)
    yard.cloud.failing.clear()
    await yard.straighten(thing)


async def test_an_operation_that_fails_at_once_is_told_at_once():
    yard = Yard()
    answer = {"name": "op", "status": "DONE", "error": {"errors": [{"code": "QUOTA"}]}}
    assert failed(answer) == "QUOTA"
    external, managed = await yard.external(instance(yard)), yard.managed(instance(yard))

    async def done(_call):
        return answer

    external._ask = done
    with pytest.raises(Refused, match="QUOTA"):
        await external.create(managed)


@pytest.mark.parametrize(
    ("for_provider", "settings", "why"),
    [
        ({}, {}, "deletionProtection is on unless it is set to false"),
        ({"deletionProtection": True}, {}, "asked for"),
        ({"deletionProtection": False}, {"deletionProtectionEnabled": True}, "Google's own protection"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_protected_instance_is_not_deleted(for_provider, settings, why):
    yard = Yard()
    thing = instance(yard, {**for_provider, "settings": {"tier": "db-f1-micro", **settings}})
    observed = await yard.straighten(thing)
    assert "eletionProtection" in observed.protected
    assert observed.holds == "POSTGRES_15, 10 GB"
    with pytest.raises(Refused, match="rotection"):
        await yard.clear(thing)
    assert PATH in yard.cloud.resources


async def test_a_name_that_was_used_lately_is_refused_in_googles_words():
    yard = Yard()
    thing = instance(yard, {"deletionProtection": False})
    await yard.straighten(thing)
    await yard.clear(thing)
    del thing.object["metadata"]["deletionTimestamp"]
    with pytest.raises(AlreadyExists, match="one week") as refused:
        await yard.reconcile(thing)
    assert "external-name" in refused.value.hint


async def test_a_disk_that_has_grown_by_itself_is_as_it_should_be():
    yard = Yard()
    thing = instance(yard, {"settings": {"tier": "db-f1-micro", "diskSize": 20}})
    observed = await yard.straighten(thing)
    assert "diskSize" not in observed.late.get("settings", {})
    yard.cloud.change(PATH, {"settings": {"dataDiskSizeGb": "40"}})
    assert (await yard.observe(thing)).differences == ()
    yard.cloud.change(PATH, {"settings": {"storageAutoResize": False}})
    (shrinking,) = (await yard.observe(thing)).differences
    assert (shrinking.path, shrinking.replaces) == ("settings.diskSize", True)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"region": "europe-west1"}, "region"),
        ({"settings": {"tier": "db-f1-micro", "diskType": "PD_HDD"}}, "settings.diskType"),
        ({"project": "elsewhere"}, "project"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_cannot_change_in_place_is_refused_and_nothing_is_made_elsewhere(change, path):
    yard = Yard()
    thing = instance(yard, {"project": PROJECT})
    await yard.straighten(thing)
    thing.wants(**change)
    observed = await yard.observe(thing)
    assert [(difference.path, difference.replaces) for difference in observed.differences] == [(path, True)]
    with pytest.raises(Refused, match=path):
        await yard.reconcile(thing)
    assert len(yard.cloud.resources) == 1


async def test_the_same_disk_type_in_other_letters_is_the_same():
    yard = Yard()
    thing = instance(yard, {"settings": {"tier": "db-f1-micro", "diskType": "PD_SSD"}})
    await yard.straighten(thing)
    thing.wants(settings={"tier": "db-f1-micro", "diskType": "pd-ssd"})
    assert (await yard.observe(thing)).differences == ()


async def test_an_older_maintenance_version_and_the_full_name_of_a_primary_are_no_differences():
    yard = Yard()
    thing = instance(yard, {"masterInstanceName": "main", "maintenanceVersion": "POSTGRES_15_1.R2026"})
    external, managed = await yard.external(thing), yard.managed(thing)
    await external.create(managed)
    await yard.wait()
    newer = {"masterInstanceName": f"{PROJECT}:main", "maintenanceVersion": "POSTGRES_15_2.R2026"}
    yard.cloud.change(PATH, newer)
    assert (await yard.observe(thing)).differences == ()


async def test_an_instance_is_cloned_from_another():
    yard = Yard()
    await with_instance(yard, "source")
    thing = yard.thing(
        "sql/DatabaseInstance", "pg", {"databaseVersion": "POSTGRES_15", "clone": [{"sourceInstanceName": "source"}]}
    )
    await yard.straighten(thing)
    assert yard.cloud.count("instances.clone") == 1
    assert yard.cloud.resources[PATH]["settings"]["tier"] == "db-f1-micro"


async def test_a_field_that_is_not_supported_is_refused_and_not_left_out():
    yard = Yard()
    thing = instance(yard, {"restoreBackupContext": {"backupRunId": 1}})
    with pytest.raises(Refused, match="restoreBackupContext is not supported"):
        await yard.reconcile(thing)


async def test_an_instance_that_google_would_not_make_is_refused_with_its_reason():
    yard = Yard()
    thing = instance(yard, {"settings": {"tier": "db-f1-micro", "ipConfiguration": {"ipv4Enabled": False}}})
    with pytest.raises(InvalidInput, match="Private IP"):
        await yard.reconcile(thing)


@pytest.mark.parametrize(
    ("state", "ready"),
    [
        ("RUNNABLE", "Available"),
        ("PENDING_DELETE", "Deleting"),
        ("MAINTENANCE", "Unavailable"),
        ("FAILED", "Unavailable"),
        ("SUSPENDED", "Unavailable"),
        ("SQL_INSTANCE_STATE_UNSPECIFIED", "Unavailable"),
    ],
)
async def test_states_are_told_in_kubernetes_words(state, ready):
    yard = Yard()
    thing = instance(yard)
    await yard.straighten(thing)
    yard.cloud.change(PATH, {"state": state})
    observed = await yard.observe(thing)
    assert observed.state == ready
    assert bool(observed.message) is (ready == "Unavailable")


async def test_what_was_said_at_creation_only_is_not_a_difference_later():
    yard = Yard()
    thing = instance(yard, initProvider={"settings": {"diskSize": 30, "activationPolicy": "ALWAYS"}})
    observed = await yard.straighten(thing)
    assert yard.cloud.resources[PATH]["settings"]["dataDiskSizeGb"] == "30"
    assert "activationPolicy" not in observed.late["settings"]
    yard.cloud.change(PATH, {"settings": {"activationPolicy": "NEVER"}})
    assert (await yard.observe(thing)).differences == ()


async def test_a_database_waits_for_its_instance():
    yard = Yard()
    database = yard.thing("sql/Database", "orders", {"instance": "pg"})
    with pytest.raises(Transient, match="cannot be created yet"):
        await yard.reconcile(database)
    await yard.reconcile(instance(yard))
    with pytest.raises(Transient, match="not in an appropriate state"):
        await yard.reconcile(database)
    await yard.wait()
    await yard.straighten(database)


async def test_a_database_of_no_instance_is_refused():
    yard = Yard()
    with pytest.raises(SchemaViolation, match="has no instance"):
        await yard.observe(yard.thing("sql/Database", "orders", {}))


async def test_a_database_that_is_said_to_be_in_another_instance_stays_where_it_is():
    yard = Yard()
    await with_instance(yard, "pg")
    await with_instance(yard, "other")
    database = yard.thing("sql/Database", "orders", {"instance": "pg"})
    await yard.straighten(database)
    database.wants(instance="other")
    (moved,) = (await yard.observe(database)).differences
    assert (moved.path, moved.wanted, moved.found, moved.replaces) == ("instance", "other", "pg", True)
    yard.cloud.remove(f"{PATH}/databases/orders")
    await yard.straighten(database)
    assert f"projects/{PROJECT}/instances/other/databases/orders" in yard.cloud.resources


async def test_an_abandoned_database_is_left_where_it_is():
    yard = Yard()
    await with_instance(yard)
    database = yard.thing("sql/Database", "orders", {"instance": "pg", "deletionPolicy": "ABANDON"})
    await yard.straighten(database)
    await yard.clear(database)
    assert f"{PATH}/databases/orders" in yard.cloud.resources
    assert yard.cloud.count("databases.delete") == 0


async def test_a_users_password_follows_its_secret():
    yard = Yard()
    await with_instance(yard)
    yard.secrets.values["prod", "user", "pw"] = "first-password"
    user = yard.thing(
        "sql/User",
        "app",
        {"instance": "pg", "passwordSecretRef": {"name": "user", "namespace": "prod", "key": "pw"}},
        writeConnectionSecretToRef={"name": "conn", "namespace": "prod"},
    )
    await yard.straighten(user)
    assert yard.secrets.published("prod", "conn") == {
        "password": "first-password",
        "attribute.password": "first-password",
    }
    yard.secrets.values["prod", "user", "pw"] = "second-password"
    await yard.straighten(user)
    assert yard.cloud.secrets[f"{PATH}/users/app@"] == "second-password"
    assert yard.secrets.published("prod", "conn")["password"] == "second-password"


async def test_the_roles_of_a_user_are_replaced():
    yard = Yard()
    await with_instance(yard)
    user = yard.thing("sql/User", "app", {"instance": "pg", "databaseRoles": ["reader"]})
    await yard.straighten(user)
    user.wants(databaseRoles=["writer", "auditor"])
    await yard.straighten(user)
    assert yard.cloud.resources[f"{PATH}/users/app@"]["databaseRoles"] == ["writer", "auditor"]


async def test_a_user_goes_even_if_its_secret_and_its_manifest_are_no_longer_in_order():
    yard = Yard()
    await with_instance(yard)
    yard.secrets.values["prod", "user", "pw"] = "first-password"
    reference = {"name": "user", "namespace": "prod", "key": "pw"}
    user = yard.thing("sql/User", "app", {"instance": "pg", "passwordSecretRef": reference})
    await yard.straighten(user)
    del yard.secrets.values["prod", "user", "pw"]
    user.wants(passwordPolicy={"misspelt": True})
    await yard.clear(user)
    assert f"{PATH}/users/app@" not in yard.cloud.resources
