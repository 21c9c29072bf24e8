"""What is particular about databases: users, passwords, snapshots, protection, and taking them over."""

import msgspec
import pytest
from moto.backends import get_backend

from plumbline.base.errors import AlreadyExists, NotFound, Refused, Transient, Unreachable
from plumbline.managed.external import ABSENT
from plumbline.providers.aws.tables.rds import CLUSTER, INSTANCE

pytestmark = pytest.mark.asyncio(loop_scope="session")

SEED = {
    "instanceClass": "db.t3.medium", "engine": "postgres", "engineVersion": "15.4", "allocatedStorage": 100, "storageEncrypted": True,
    "multiAz": True,
}  # fmt: skip
CONNECTION = {"name": "db-credentials", "namespace": "team-alpha"}


def instance(cloud, name="team-alpha-db", namespace="", *, deleting=False, **wanted):
    metadata = {"name": name} | ({"deletionTimestamp": "2026-01-01T00:00:00Z"} if deleting else {})
    return cloud.managed(
        INSTANCE, {**SEED, **wanted}, name=name, namespace=namespace,
        object={"metadata": metadata, "spec": {"writeConnectionSecretToRef": CONNECTION}},
    )  # fmt: skip


def publish(cloud, connection):
    """What the reconciler does with connection details."""
    for key, value in connection.items():
        cloud.secrets.values["team-alpha", "db-credentials", key] = value.reveal()


def _databases():
    return get_backend("rds")["123456789012"]["us-east-1"].databases


def password_in_aws(name="team-alpha-db"):
    return _databases()[name]._master_user_password


async def test_a_manifest_without_user_and_password_gets_both(cloud):
    managed = instance(cloud)
    external = await cloud.external(INSTANCE, managed)
    created = await external.create(managed)
    publish(cloud, created.connection)
    assert created.external_name == "team-alpha-db"
    assert created.connection["password"].reveal().decode() == password_in_aws()
    observed = await external.observe(managed)
    assert observed.differences == ()
    assert set(observed.connection) == {
        "endpoint",
        "address",
        "host",
        "port",
        "username",
        "password",
        "attribute.password",
    }
    assert observed.connection["password"] == created.connection["password"]
    assert observed.connection["username"].reveal().startswith(b"u")
    assert password_in_aws() not in repr((created, observed))


async def test_the_user_depends_on_nothing_but_the_object(cloud):
    names = set()
    for name in ("one", "one", "two"):
        managed = instance(cloud, name=name)
        external = await cloud.external(INSTANCE, managed)
        await external.create(managed)
        names.add((await external.observe(managed)).at_provider["username"])
    assert len(names) == 2


async def test_a_password_whose_creation_was_not_acknowledged_is_set_anew(cloud):
    managed = instance(cloud)
    external = await cloud.external(INSTANCE, managed)
    answered = external._account.call

    async def lost(service, operation, params):
        await answered(service, operation, params)
        raise Unreachable("the connection broke")

    external._account.call = lost
    with pytest.raises(Transient):
        await external.create(managed)
    external._account.call = answered
    before = password_in_aws()
    observed = await external.observe(managed)
    assert [(difference.path, difference.wanted) for difference in observed.differences] == [
        ("passwordSecretRef", "(secret)")
    ]
    updated = await external.update(managed, observed)
    publish(cloud, updated.connection)
    assert before != password_in_aws() == updated.connection["password"].reveal().decode()
    assert (await external.observe(managed)).differences == ()
    assert list(_databases()) == ["team-alpha-db"]


async def test_nobody_resets_a_password_that_is_published_nowhere(cloud):
    managed = cloud.managed(INSTANCE, SEED, name="team-alpha-db")
    external = await cloud.external(INSTANCE, managed)
    await external.create(managed)
    assert (await external.observe(managed)).differences == ()


async def test_a_password_from_a_secret_is_used_published_and_followed(cloud):
    cloud.secrets.values["", "chosen", "p"] = "first-one"
    managed = instance(cloud, username="root", passwordSecretRef={"name": "chosen", "key": "p"})
    external = await cloud.external(INSTANCE, managed)
    publish(cloud, (await external.create(managed)).connection)
    assert password_in_aws() == "first-one"
    assert (await external.observe(managed)).differences == ()
    cloud.secrets.values["", "chosen", "p"] = "second-one"
    observed = await external.observe(managed)
    assert [difference.path for difference in observed.differences] == ["passwordSecretRef"]
    assert observed.connection["password"].reveal() == b"first-one", "what is published is what AWS has"
    publish(cloud, (await external.update(managed, observed)).connection)
    assert password_in_aws() == "second-one"
    assert (await external.observe(managed)).differences == ()


async def test_a_missing_secret_stops_creation_but_not_looking(cloud):
    cloud.secrets.values["", "chosen", "p"] = "first-one"
    managed = instance(cloud, passwordSecretRef={"name": "chosen", "key": "p"})
    external = await cloud.external(INSTANCE, managed)
    await external.create(managed)
    del cloud.secrets.values["", "chosen", "p"]
    assert (await external.observe(managed)).exists
    other = instance(cloud, name="other", passwordSecretRef={"name": "chosen", "key": "p"})
    with pytest.raises(NotFound):
        await external.create(other)


async def test_aws_may_keep_the_password_itself(cloud):
    managed = instance(cloud, manageMasterUserPassword=True)
    external = await cloud.external(INSTANCE, managed)
    assert "password" not in (await external.create(managed)).connection
    observed = await external.observe(managed)
    assert observed.differences == ()
    assert observed.at_provider["masterUserSecret"][0]["secretArn"].startswith("arn:")


async def test_a_cluster_gets_user_and_password_too(cloud):
    managed = cloud.managed(
        CLUSTER,
        {"engine": "aurora-postgresql"},
        object={"metadata": {}, "spec": {"writeConnectionSecretToRef": CONNECTION}},
    )
    external = await cloud.external(CLUSTER, managed)
    created = await external.create(managed)
    assert set(created.connection) == {"attribute.master_password"}
    publish(cloud, created.connection)
    observed = await external.observe(managed)
    assert set(observed.connection) == {
        "endpoint",
        "reader_endpoint",
        "master_username",
        "port",
        "attribute.master_password",
    }
    assert observed.differences == ()


async def test_what_cannot_change_in_place_is_a_replacement(cloud):
    managed = instance(cloud)
    external = await cloud.external(INSTANCE, managed)
    publish(cloud, (await external.create(managed)).connection)
    managed = msgspec.structs.replace(managed, wanted={**managed.wanted, "engine": "mysql", "engineVersion": "15"})
    observed = await external.observe(managed)
    assert [(difference.path, difference.replaces) for difference in observed.differences] == [("engine", True)]
    cloud.calls.clear()
    await external.update(managed, observed)
    assert cloud.calls == [], "whoever decides about replacements deletes and creates"


async def test_somebody_elses_database_of_that_name_is_not_taken_over_by_accident(cloud):
    cloud.outside("rds").create_db_instance(
        DBInstanceIdentifier="team-alpha-db", Engine="postgres", DBInstanceClass="db.t3.medium"
    )
    managed = instance(cloud)
    external = await cloud.external(INSTANCE, managed)
    with pytest.raises(AlreadyExists) as caught:
        await external.observe(managed)
    assert "crossplane.io/external-name" in caught.value.hint
    with pytest.raises(AlreadyExists):
        await external.create(managed)
    adopted = msgspec.structs.replace(managed, external_name="team-alpha-db")
    observed = await external.observe(adopted)
    assert observed.exists
    await external.update(adopted, msgspec.structs.replace(observed, differences=observed.differences[-2:-1]))


async def test_names_that_upstream_recorded_are_understood_and_kept(cloud):
    managed = instance(cloud, identifier="legacy")
    external = await cloud.external(INSTANCE, managed)
    await external.create(managed)
    resource_id = (await external.observe(managed)).at_provider["resourceId"]
    for wanted, calls in ((managed.wanted, 1), (SEED | {"region": "us-east-1"}, 2)):
        moved = msgspec.structs.replace(managed, external_name=resource_id, wanted=wanted)
        cloud.calls.clear()
        observed = await external.observe(moved)
        assert (observed.external_name, observed.at_provider["identifier"], len(cloud.calls)) == (
            resource_id,
            "legacy",
            calls,
        )


async def test_a_database_goes_with_a_last_snapshot_unless_nobody_wants_it(cloud):
    for name, wanted in (
        ("kept", {}),
        ("named", {"finalSnapshotIdentifier": "the-last"}),
        ("gone", {"skipFinalSnapshot": True}),
    ):
        managed = instance(cloud, name=name, deleting=True, **wanted)
        external = await cloud.external(INSTANCE, managed)
        await external.create(managed)
        observed = await external.observe(managed)
        assert observed.holds == "a database, 100 GB"
        await external.delete(managed, observed)
        assert await external.observe(managed) == ABSENT
    snapshots = cloud.outside("rds").describe_db_snapshots(SnapshotType="manual")["DBSnapshots"]
    assert {snapshot["DBSnapshotIdentifier"] for snapshot in snapshots} == {"kept-final-0f1e2d3c", "the-last"}


async def test_deletion_protection_is_honoured(cloud):
    managed = instance(cloud, deletionProtection=True)
    external = await cloud.external(INSTANCE, managed)
    await external.create(managed)
    observed = await external.observe(managed)
    assert observed.protected == "deletionProtection is on"
    with pytest.raises(Refused) as caught:
        await external.delete(managed, observed)
    assert caught.value.hint
    await external.delete(managed, msgspec.structs.replace(observed, state="Deleting"))


async def test_a_replica_and_a_restored_database_are_made_in_their_own_ways(cloud):
    source = instance(cloud, name="source")
    external = await cloud.external(INSTANCE, source)
    await external.create(source)
    cloud.outside("rds").create_db_snapshot(DBInstanceIdentifier="source", DBSnapshotIdentifier="snap")
    for name, wanted, operation in (
        ("replica", {"replicateSourceDb": "source"}, "CreateDBInstanceReadReplica"),
        ("restored", {"snapshotIdentifier": "snap"}, "RestoreDBInstanceFromDBSnapshot"),
        ("then", {"restoreToPointInTime": [{"sourceDbInstanceIdentifier": "source", "useLatestRestorableTime": True}]},
         "RestoreDBInstanceToPointInTime"),
    ):  # fmt: skip
        managed = instance(cloud, name=name, **wanted)
        cloud.calls.clear()
        created = await external.create(managed)
        assert cloud.calls == [operation]
        assert created.connection == {}
        assert (await external.observe(managed)).exists
    replica = instance(cloud, name="replica", replicateSourceDb="source")
    await external.delete(replica, await external.observe(replica))


async def test_exports_of_logs_are_turned_on_and_off(cloud):
    managed = instance(cloud, enabledCloudwatchLogsExports=["postgresql"])
    external = await cloud.external(INSTANCE, managed)
    publish(cloud, (await external.create(managed)).connection)
    managed = msgspec.structs.replace(managed, wanted={**managed.wanted, "enabledCloudwatchLogsExports": ["upgrade"]})
    await external.update(managed, await external.observe(managed))
    assert (await external.observe(managed)).differences == ()


@pytest.mark.parametrize(
    ("status", "state", "after_s", "why"),
    [
        ("creating", "Creating", 5.0, "it is looked at again soon"),
        ("deleting", "Deleting", 5.0, "so it is"),
        ("storage-full", "Unavailable", None, "somebody has to do something"),
        ("modifying", "Available", 5.0, "it answers meanwhile"),
        ("backing-up", "Available", 5.0, "the same, though nobody asked for it"),
        ("storage-optimization", "Available", None, "that takes days, in which all else can change"),
    ],
)
async def test_states_say_what_a_person_can_do(cloud, status, state, after_s, why):
    managed = instance(cloud)
    external = await cloud.external(INSTANCE, managed)
    await external.create(managed)
    _databases()["team-alpha-db"].status = status
    observed = await external.observe(managed)
    assert (observed.state, observed.after_s) == (state, after_s), why
    assert observed.changing == (state == "Available" and after_s is not None)
    assert observed.message == ("" if state == "Available" else f"DBInstanceStatus is {status}")
    assert bool(observed.differences) == (after_s is None), "nothing is changed while it is being made, or changed"


async def test_two_namespaces_may_use_one_name(cloud):
    names = set()
    for namespace in ("a", "b"):
        managed = instance(cloud, name="db", namespace=namespace)
        external = await cloud.external(INSTANCE, managed)
        created = await external.create(managed)
        names.add(created.external_name)
        tags = (await external.observe(managed)).at_provider["tagsAll"]
        assert (tags["crossplane-namespace"], tags["crossplane-kind"]) == (namespace, "instance.rds.aws.m.upbound.io")
    assert len(names) == 2


async def test_storage_that_aws_has_made_larger_is_left_alone(cloud):
    managed = instance(cloud, maxAllocatedStorage=500)
    external = await cloud.external(INSTANCE, managed)
    publish(cloud, (await external.create(managed)).connection)
    cloud.outside("rds").modify_db_instance(
        DBInstanceIdentifier="team-alpha-db", AllocatedStorage=150, ApplyImmediately=True
    )
    assert (await external.observe(managed)).differences == ()
    fixed = msgspec.structs.replace(managed, wanted={**managed.wanted, "maxAllocatedStorage": None})
    assert [difference.path for difference in (await external.observe(fixed)).differences] == ["allocatedStorage"]
