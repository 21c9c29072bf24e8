"""What single kinds do that tables alone do not say."""

import msgspec
import pytest

from plumbline.base.errors import InvalidInput, Refused
from plumbline.managed.external import ABSENT, Difference
from plumbline.providers.aws.engine.scene import Scene
from plumbline.providers.aws.tables import (
    dynamodb,
    eks,
    elasticache,
    iam,
    kms,
    rds,
    route53,
    s3,
    secretsmanager,
    sns,
    sqs,
)

from .cases import a_secret, a_topic, a_user, a_zone, permission, policies, trust

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def made(cloud, table, wanted, **more):
    managed = cloud.managed(table, wanted, **more)
    external = await cloud.external(table, managed)
    created = await external.create(managed)
    return (
        external,
        msgspec.structs.replace(managed, external_name=created.external_name or managed.external_name),
        created,
    )


class Recorder:
    """An account that only remembers what it was asked."""

    region = "us-east-1"

    def __init__(self):
        self.asked = []

    async def call(self, service, operation, params):
        self.asked.append((operation, params))
        return {}


async def test_a_key_that_the_tagging_service_does_not_know_yet_is_looked_for(cloud):
    external, managed, _ = await made(cloud, kms.KEY, {})
    real = external._account.call

    async def slow(service, operation, params):
        return {} if operation == "GetResources" else await real(service, operation, params)

    external._account.call = slow
    lost = cloud.managed(kms.KEY, {})
    assert await external.observe(lost) == ABSENT, "nobody had begun to create it"
    begun = {"metadata": {"annotations": {"crossplane.io/external-create-pending": "2026-01-01T00:00:00Z"}}}
    assert (await external.observe(msgspec.structs.replace(lost, object=begun))).external_name == managed.external_name


async def test_a_key_that_waits_for_its_end_is_no_key(cloud):
    external, managed, _ = await made(cloud, kms.KEY, {"deletionWindowInDays": 7, "isEnabled": True})
    disabled = msgspec.structs.replace(managed, wanted={**managed.wanted, "isEnabled": False})
    await external.update(disabled, await external.observe(disabled))
    assert (await external.observe(disabled)).at_provider["isEnabled"] is False
    await external.delete(managed, await external.observe(managed))
    again, second, _ = await made(cloud, kms.KEY, {})
    assert (
        (await again.observe(cloud.managed(kms.KEY, {}))).external_name == second.external_name != managed.external_name
    )


async def test_a_secret_goes_with_time_to_think_unless_nobody_wants_it(cloud):
    external, managed, _ = await made(cloud, secretsmanager.SECRET, {})
    await external.delete(managed, await external.observe(managed))
    assert await external.observe(managed) == ABSENT
    with pytest.raises(Refused):
        await external.create(cloud.managed(secretsmanager.SECRET, {}))


async def test_the_value_of_a_secret_is_compared_and_never_shown(cloud):
    external, managed, _ = await made(
        cloud, secretsmanager.VERSION, {"secretStringSecretRef": {"name": "value", "key": "v"}, **a_secret(cloud)}
    )
    observed = await external.observe(managed)
    assert "s3cr3t" not in repr(observed)
    cloud.secrets.values["", "value", "v"] = "changed"
    observed = await external.observe(managed)
    assert [difference.path for difference in observed.differences] == ["secretStringSecretRef"]
    await external.update(managed, observed)
    assert (
        cloud.outside("secretsmanager").get_secret_value(SecretId=managed.wanted["secretId"])["SecretString"]
        == "changed"
    )
    after = await external.observe(managed)
    assert (after.differences, after.external_name != managed.external_name) == ((), True)


async def test_a_fifo_queue_is_called_so(cloud):
    _, managed, _ = await made(cloud, sqs.QUEUE, {"fifoQueue": True, "contentBasedDeduplication": True})
    assert managed.external_name.endswith("/team-alpha.fifo")
    external, plain, _ = await made(cloud, sqs.QUEUE, {"fifoQueue": False}, name="plain")
    assert (await external.observe(plain)).differences == ()
    assert (await external.observe(plain)).connection["url"].reveal().decode() == plain.external_name


async def test_a_subscription_that_waits_for_confirmation_is_asked_for_again(cloud):
    topic = a_topic(cloud)
    cloud.outside("sns").subscribe(
        TopicArn=topic["topicArn"], Protocol="sqs", Endpoint="arn:aws:sqs:us-east-1:123456789012:other"
    )
    wanted = {"protocol": "sqs", "endpoint": "arn:aws:sqs:us-east-1:123456789012:q", **topic}
    external, managed, _ = await made(cloud, sns.SUBSCRIPTION, wanted)
    assert (await external.observe(cloud.managed(sns.SUBSCRIPTION, wanted))).external_name == managed.external_name


async def test_indexes_of_a_table_come_and_go_one_at_a_time(cloud):
    attributes = [{"name": name, "type": "S"} for name in "abc"]
    index = {"name": "by-b", "hashKey": "b", "projectionType": "ALL", "readCapacity": 1, "writeCapacity": 1}
    base = {"hashKey": "a", "readCapacity": 1, "writeCapacity": 1, "serverSideEncryption": {"enabled": True}}
    external, managed, _ = await made(
        cloud, dynamodb.TABLE, {**base, "attribute": attributes[:2], "globalSecondaryIndex": [index]}
    )
    assert (await external.observe(managed)).differences == ()
    steps = (
        ([{**index, "readCapacity": 5}], attributes[:2], 1),
        ([{**index, "readCapacity": 5}, {**index, "name": "by-c", "hashKey": "c", "rangeKey": "b"}], attributes, 1),
        ([{**index, "readCapacity": 5, "projectionType": "INCLUDE", "nonKeyAttributes": ["x"]}], attributes[:2], 3),
    )
    for indexes, described, updates in steps:
        managed = msgspec.structs.replace(
            managed, wanted={**managed.wanted, "attribute": described, "globalSecondaryIndex": indexes}
        )
        for _ in range(updates):
            observed = await external.observe(managed)
            assert observed.differences
            await external.update(managed, observed)
        left = {difference.path for difference in (await external.observe(managed)).differences}
        assert "globalSecondaryIndex" not in left


async def test_a_local_index_has_the_hash_key_of_its_table(cloud):
    wanted = {
        "hashKey": "a", "rangeKey": "b", "billingMode": "PAY_PER_REQUEST", "attribute": [{"name": name, "type": "S"} for name in "abc"],
        "localSecondaryIndex": [{"name": "by-c", "rangeKey": "c", "projectionType": "KEYS_ONLY"}], "deletionProtectionEnabled": True,
    }  # fmt: skip
    external, managed, _ = await made(cloud, dynamodb.TABLE, wanted)
    observed = await external.observe(managed)
    assert observed.differences == ()
    assert observed.protected


async def test_a_policy_keeps_five_versions(cloud):
    external, managed, _ = await made(cloud, iam.POLICY, {"policy": permission("s3:Get0")})
    for index in range(1, 7):
        managed = msgspec.structs.replace(managed, wanted={"policy": permission(f"s3:Get{index}")})
        await external.update(managed, await external.observe(managed))
    observed = await external.observe(managed)
    assert observed.differences == ()
    versions = cloud.outside("iam").list_policy_versions(PolicyArn=observed.at_provider["arn"])["Versions"]
    assert len(versions) == 5
    await external.delete(managed, observed)
    assert await external.observe(managed) == ABSENT


async def test_a_role_and_a_user_go_with_what_hangs_on_them_only_if_asked(cloud):
    policies(cloud)
    arn = "arn:aws:iam::123456789012:policy/reads"
    external, managed, _ = await made(cloud, iam.ROLE, {"assumeRolePolicy": trust("ec2"), "forceDetachPolicies": True})
    cloud.outside("iam").attach_role_policy(RoleName="team-alpha", PolicyArn=arn)
    cloud.outside("iam").put_role_policy(RoleName="team-alpha", PolicyName="inline", PolicyDocument=permission("s3:*"))
    await external.delete(managed, await external.observe(managed))
    assert await external.observe(managed) == ABSENT
    external, managed, _ = await made(cloud, iam.USER, {"forceDestroy": True})
    cloud.outside("iam").create_access_key(UserName="team-alpha")
    cloud.outside("iam").attach_user_policy(UserName="team-alpha", PolicyArn=arn)
    await external.delete(managed, await external.observe(managed))
    assert await external.observe(managed) == ABSENT


async def test_the_secret_of_an_access_key_is_told_once(cloud):
    external, managed, created = await made(cloud, iam.ACCESS_KEY, a_user(cloud))
    assert set(created.connection) == {"password", "attribute.secret"}
    observed = await external.observe(managed)
    assert observed.connection["username"].reveal().decode() == managed.external_name
    assert await external.observe(cloud.managed(iam.ACCESS_KEY, managed.wanted)) == ABSENT


async def test_records_of_every_form(cloud):
    zone = a_zone(cloud)
    forms = (
        {"name": "txt.example.org", "type": "TXT", "records": ["v=spf1 -all"], "ttl": 60},
        {"name": "alias.example.org", "type": "A", "alias": [{"name": "lb.example.com", "zoneId": "Z2", "evaluateTargetHealth": True}]},
        {"name": "w.example.org", "type": "A", "records": ["10.0.0.1"], "ttl": 1, "setIdentifier": "one", "weightedRoutingPolicy": {"weight": 7}},
        {"name": "f.example.org", "type": "A", "records": ["10.0.0.1"], "ttl": 1, "setIdentifier": "p", "failoverRoutingPolicy": [{"type": "PRIMARY"}],
         "healthCheckId": "h"},
        {"name": "g.example.org", "type": "A", "records": ["10.0.0.1"], "ttl": 1, "setIdentifier": "de", "geolocationRoutingPolicy": {"country": "DE"}},
    )  # fmt: skip
    for wanted in forms:
        external, managed, _ = await made(cloud, route53.RECORD, {**wanted, **zone})
        assert (await external.observe(managed)).differences == (), wanted["name"]
        await external.delete(managed, await external.observe(managed))
        assert await external.observe(managed) == ABSENT


async def test_a_record_of_somebody_else_is_overwritten_only_if_asked(cloud):
    zone = a_zone(cloud)
    wanted = {"name": "www.example.org", "type": "A", "records": ["10.0.0.1"], "ttl": 60, **zone}
    external, _, _ = await made(cloud, route53.RECORD, wanted)
    over = cloud.managed(route53.RECORD, {**wanted, "records": ["10.0.0.2"], "allowOverwrite": True})
    await external.create(over)
    assert (await external.observe(over)).differences == ()


async def test_a_zone_goes_with_its_records_only_if_asked(cloud):
    external, managed, _ = await made(cloud, route53.ZONE, {"name": "example.net", "forceDestroy": True})
    cloud.outside("route53").change_resource_record_sets(HostedZoneId=managed.external_name, ChangeBatch={"Changes": [
        {"Action": "CREATE", "ResourceRecordSet": {"Name": "a.example.net", "Type": "A", "TTL": 5, "ResourceRecords": [{"Value": "10.0.0.9"}]}}]})  # fmt: skip
    other = cloud.managed(route53.ZONE, {"name": "example.net"}, name="other")
    assert await external.observe(other) == ABSENT, "a zone of that name is somebody else's"
    await external.delete(managed, await external.observe(managed))
    assert await external.observe(managed) == ABSENT


@pytest.mark.parametrize(("wanted", "operation"), [(4, "IncreaseReplicaCount"), (2, "DecreaseReplicaCount")])
async def test_replicas_of_a_cache_are_added_and_taken_away(cloud, wanted, operation):
    recorder = Recorder()
    scene = Scene(elasticache.REPLICATION_GROUP, cloud.managed(elasticache.REPLICATION_GROUP, {}), recorder)
    await elasticache.REPLICATION_GROUP.change(scene, {"numCacheClusters": Difference("numCacheClusters", wanted, 3)})
    assert recorder.asked == [
        (operation, {"ReplicationGroupId": "team-alpha", "NewReplicaCount": wanted - 1, "ApplyImmediately": True})
    ]


async def test_logs_of_a_cluster_are_all_said():
    said = eks.CLUSTER.codecs["enabledClusterLogTypes"].request(["api"], {})["logging"]["clusterLogging"]
    assert said == [
        {"types": ["api"], "enabled": True},
        {"types": ["audit", "authenticator", "controllerManager", "scheduler"], "enabled": False},
    ]


async def test_without_a_region_nobody_guesses(cloud):
    managed = msgspec.structs.replace(cloud.managed(rds.INSTANCE, {}), wanted={})
    with pytest.raises(Refused):
        await cloud.external(rds.INSTANCE, managed)


async def test_what_only_init_provider_says_counts_at_creation_alone(cloud):
    managed = cloud.managed(sqs.QUEUE, {"delaySeconds": 5}, initial={"visibilityTimeoutSeconds": 77, "delaySeconds": 9})
    external = await cloud.external(sqs.QUEUE, managed)
    created = await external.create(managed)
    managed = msgspec.structs.replace(managed, external_name=created.external_name)
    observed = await external.observe(managed)
    assert (
        observed.at_provider["delaySeconds"],
        observed.at_provider["visibilityTimeoutSeconds"],
        observed.differences,
    ) == (5, 77, ())
    cloud.outside("sqs").set_queue_attributes(QueueUrl=created.external_name, Attributes={"VisibilityTimeout": "1"})
    assert (await external.observe(managed)).differences == ()


async def test_what_aws_does_not_accept_is_said_in_its_words(cloud):
    managed = cloud.managed(s3.BUCKET, {}, name="x")
    external = await cloud.external(s3.BUCKET, managed)
    with pytest.raises(InvalidInput) as caught:
        await external.create(managed)
    assert "InvalidBucketName" in caught.value.why


async def test_labels_of_nodes_are_put_on_and_taken_off():
    changed = Difference("labels", {"a": "b"}, {"c": "d"})
    build = eks.NODE_GROUP.updates[1].build
    assert build({"labels": changed}, {}) == {"labels": {"addOrUpdateLabels": {"a": "b"}, "removeLabels": ["c"]}}
    assert build({}, {}) == {}
