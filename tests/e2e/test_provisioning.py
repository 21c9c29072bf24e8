"""From a push to a cloud: ten lines in Git become a database, its Secret, and pods that start because of it."""

import psycopg
import pytest

from .company import SEEDED, Company, condition, deployment, ready, seeded_claim

pytestmark = pytest.mark.conformance

SECRET = f"{SEEDED}-credentials"
RDS = "rds.aws.upbound.io/v1beta3"
FIRST_REGION = "us-east-1"
SEED_001 = {
    "apiVersion": "rds.aws.upbound.io/v1beta1",
    "kind": "Instance",
    "metadata": {"name": "team-alpha-db"},
    "spec": {
        "forProvider": {
            "region": FIRST_REGION,
            "instanceClass": "db.t3.medium",
            "engine": "postgres",
            "engineVersion": "15.4",
            "allocatedStorage": 100,
            "storageEncrypted": True,
            "multiAz": True,
        },
        "writeConnectionSecretToRef": {"namespace": "team-alpha", "name": "db-credentials"},
    },
}


@pytest.fixture(scope="session")
def company(installation, shop):
    place = Company(installation, shop)
    place.offer()
    return place


@pytest.fixture
def delivered(company):
    """Deliver a team's objects, and wait until there is all of what they ask for."""

    def deliver(team, *objects):
        commit = company.deliver(team, *objects)
        company.installation.until(
            lambda: all(ready(company.live(each)) for each in objects if each["kind"] != "Deployment")
        )
        company.installation.synced(team, commit)

    return deliver


def instance_of(company, team):
    found = company.managed(RDS, "instances", claim_namespace=team)
    return found[0] if found else None


def external_name(managed):
    return managed["metadata"]["annotations"]["crossplane.io/external-name"]


def test_a_claim_becomes_the_database_that_was_asked_for_and_pods_that_wait_for_it_start(company, delivered):
    delivered("asking", seeded_claim("asking"), deployment("api", SECRET))
    found = company.cloud.database(external_name(instance_of(company, "asking")))
    asked = {
        "DBInstanceClass": "db.r6g.large",
        "AllocatedStorage": 100,
        "MultiAZ": True,
        "Engine": "postgres",
        "StorageEncrypted": True,
        "PubliclyAccessible": False,
        "BackupRetentionPeriod": 30,
        "PreferredBackupWindow": "03:00-04:00",
        "PerformanceInsightsEnabled": True,
        "MonitoringInterval": 60,
        "DeletionProtection": False,
        "DBInstanceStatus": "available",
    }
    assert {key: found[key] for key in asked} == asked
    assert found["EngineVersion"].partition(".")[0] == "17"
    tags = {each["Key"]: each["Value"] for each in found["TagList"]}
    assert (tags["claim"], tags["namespace"]) == (SEEDED, "asking")
    private = {each["SubnetIdentifier"] for each in found["DBSubnetGroup"]["Subnets"]}
    assert private == {name for kind, name in company.cloud.resources if kind == "subnet"}
    secret = company.secret("asking", SECRET)
    assert secret.keys() == {"endpoint", "port", "username", "password", "database"}
    assert (secret["endpoint"], secret["port"]) == (found["Endpoint"]["Address"], "5432")
    assert secret["username"] == found["MasterUsername"]
    assert company.installation.live("/apis/apps/v1/namespaces/asking/deployments/api")["status"]["readyReplicas"] == 2
    assert secret["password"] not in company.installation.log


@pytest.mark.parametrize("how", ["by hand", "in a commit"])
def test_a_claim_that_goes_takes_everything_with_it_in_order(company, delivered, how):
    team = how.replace(" ", "-")
    before = company.cloud.resources
    delivered(team, seeded_claim(team), deployment("api", SECRET))
    assert company.cloud.resources > before
    if how == "in a commit":
        company.deliver(team, deployment("api", SECRET))
    else:
        company.installation.delete_app_alone(team)
        company.installation.delete(f"/apis/database.company.io/v1/namespaces/{team}/postgresqlinstances/{SEEDED}")
    company.installation.until(lambda: company.claim(team, SEEDED) is None)
    company.installation.until(lambda: company.cloud.resources == before)
    company.installation.until(lambda: not company.managed(RDS, "instances", claim_namespace=team))
    assert company.secret(team, SECRET) == {}


def test_the_same_claim_on_this_machine_opens_a_real_database(company, delivered):
    local = {"compositionSelector": {"matchLabels": {"provider": "local"}}}
    delivered("local", seeded_claim("local", **local))
    secret = company.secret("local", SECRET)
    address = {"host": secret["endpoint"], "port": int(secret["port"]), "dbname": secret["database"]}
    with psycopg.connect(**address, user=secret["username"], password=secret["password"]) as connection:
        connection.execute("CREATE TABLE orders (id integer)")
        connection.execute("INSERT INTO orders VALUES (17)")
        assert connection.execute("SELECT id FROM orders").fetchall() == [(17,)]
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(**address, user=secret["username"], password="another")
    company.deliver("local", deployment("other", "none"))
    company.installation.until(lambda: company.claim("local", SEEDED) is None)
    refused = company.installation.until(lambda: _refused(address, secret))
    assert "does not exist" in refused or "authentication failed" in refused


def _refused(address, secret):
    try:
        psycopg.connect(**address, user=secret["username"], password=secret["password"]).close()
    except psycopg.OperationalError as error:
        return str(error)
    return ""


def test_another_composition_for_a_live_claim_waits_because_the_database_would_be_lost(company, delivered):
    delivered("swapping", seeded_claim("swapping"))
    name = external_name(instance_of(company, "swapping"))
    company.deliver("swapping", seeded_claim("swapping", compositionRef={"name": "postgresqlinstances-local"}))

    def waiting():
        xrs = company.managed("database.company.io/v1", "xpostgresqlinstances", claim_namespace="swapping")
        message = condition(xrs[0], "Synced").get("message", "")
        return message if "plumbline.dev/consent=" in message else ""

    assert "a database" in company.installation.until(waiting)
    assert company.cloud.database(name)["DBInstanceStatus"] == "available"
    company.deliver("swapping", seeded_claim("swapping", compositionRef={"name": "postgresqlinstances-aws"}))
    company.installation.until(lambda: ready(company.claim("swapping", SEEDED)))
    assert company.cloud.database(name)


def test_a_secret_in_somebody_elses_namespace_is_refused_with_the_way_out(company):
    claim = seeded_claim("foreign")
    claim["spec"]["writeConnectionSecretToRef"]["namespace"] = "kube-system"
    company.deliver("foreign", claim)
    synced = company.installation.until(lambda: condition(company.claim("foreign", SEEDED), "Synced"))
    assert synced["status"] == "False"
    assert "always in its own namespace, foreign" in synced["message"]
    assert company.secret("kube-system", SECRET) == {}


def test_what_somebody_changes_in_the_cloud_is_seen_as_drift_and_put_right(company, delivered):
    delivered("drifting", seeded_claim("drifting"))
    company.installation.until(lambda: condition(instance_of(company, "drifting"), "UpToDate").get("status") == "True")
    managed = instance_of(company, "drifting")
    name = external_name(managed)
    company.cloud.ask("rds", "ModifyDBInstance", DBInstanceIdentifier=name, BackupRetentionPeriod=1)
    assert company.cloud.database(name)["BackupRetentionPeriod"] == 1
    company.installation.until(lambda: company.cloud.database(name)["DBInstanceStatus"] == "available")
    path = f"/apis/{RDS}/instances/{managed['metadata']['name']}"
    sooner = {"metadata": {"annotations": {"crossplane.io/poll-interval": "2s"}}}
    company.installation.patch(path, sooner, "application/merge-patch+json")
    company.installation.until(lambda: company.cloud.database(name)["BackupRetentionPeriod"] == 30)
    told = "CorrectedDrift: Changed outside and set back: backupRetentionPeriod is 1, wanted 30"
    company.installation.until(lambda: told in company.events(managed["metadata"]["name"]))


def test_buckets_and_queues_are_asked_for_the_same_way(company, delivered):
    bucket = {
        "apiVersion": "storage.company.io/v1",
        "kind": "ObjectBucket",
        "metadata": {"name": "pictures", "namespace": "storing"},
        "spec": {"writeConnectionSecretToRef": {"name": "pictures"}},
    }
    queue = {
        "apiVersion": "messaging.company.io/v1",
        "kind": "Queue",
        "metadata": {"name": "orders", "namespace": "storing"},
        "spec": {"parameters": {"fifo": True, "maxReceiveCount": 3}, "writeConnectionSecretToRef": {"name": "orders"}},
    }
    before = company.cloud.resources
    delivered("storing", bucket, queue)
    name = company.secret("storing", "pictures")["bucket"]
    assert company.cloud.ask("s3", "GetBucketVersioning", Bucket=name)["Status"] == "Enabled"
    rules = company.cloud.ask("s3", "GetBucketEncryption", Bucket=name)["ServerSideEncryptionConfiguration"]["Rules"]
    assert rules[0]["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"] == "aws:kms"
    blocked = company.cloud.ask("s3", "GetPublicAccessBlock", Bucket=name)["PublicAccessBlockConfiguration"]
    assert set(blocked.values()) == {True}
    secret = company.secret("storing", "orders")
    found = company.cloud.ask("sqs", "GetQueueAttributes", QueueUrl=secret["url"], AttributeNames=["All"])["Attributes"]
    assert found["FifoQueue"] == "true"
    assert '"maxReceiveCount":3' in found["RedrivePolicy"].replace(" ", "")
    assert secret["deadLetterUrl"] in company.cloud.ask("sqs", "ListQueues")["QueueUrls"]
    company.deliver("storing", deployment("api", "none"))
    company.installation.agree_to_the_loss("storing")
    company.installation.until(lambda: company.cloud.resources == before)


def test_a_managed_resource_is_delivered_as_it_is(company):
    """RDS needs a user name, and nobody gave one."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-alpha"}}
    company.installation.synced("alpha", company.deliver("alpha", namespace, SEED_001))
    secret = company.secret("team-alpha", "db-credentials")
    assert {"endpoint", "host", "port", "username", "password"} <= secret.keys()
    found = company.cloud.database("team-alpha-db", region=FIRST_REGION)
    asked = {"DBInstanceClass": "db.t3.medium", "EngineVersion": "15.4", "AllocatedStorage": 100, "MultiAZ": True}
    assert {key: found[key] for key in asked} == asked
    assert found["StorageEncrypted"]
    assert found["MasterUsername"] == secret["username"]
