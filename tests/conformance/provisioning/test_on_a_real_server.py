"""What provisioning promises, on the real API server: a claim becomes a database and its Secret, once, and all of it goes.

Nothing here follows from the order of tests but their duration: kube-controller-manager hears of new kinds every 30 s, and nothing
of theirs is collected before. So those that delete claims come last.
"""

import urllib.request

import pytest
from tests.e2e.company import MANIFESTS, SEEDED, deployment, ready, seeded_claim
from tests.e2e.test_provisioning import FIRST_REGION, SEED_001

from plumbline.base.json import encode

pytestmark = pytest.mark.conformance

SECRET = f"{SEEDED}-credentials"
CLAIM = MANIFESTS / "infrastructure" / "databases" / f"{SEEDED}.yaml"
ASKED = {
    "DBInstanceClass": "db.r6g.large",
    "AllocatedStorage": 100,
    "MultiAZ": True,
    "Engine": "postgres",
    "StorageEncrypted": True,
    "PubliclyAccessible": False,
    "BackupRetentionPeriod": 30,
    "PreferredBackupWindow": "03:00-04:00",
    "DBInstanceStatus": "available",
}


def databases(resources):
    return {name for kind, name in resources if kind == "db-instance"}


def external_name(stage, team):
    (instance,) = stage.composed("instances", team)
    return instance["metadata"]["annotations"]["crossplane.io/external-name"]


def leave(stage, team, before):
    """Delete the claim of a team, and have all of it gone: objects, Secrets and what was in the cloud."""
    stage.kubectl("delete", "postgresqlinstance", SEEDED, "-n", team, "--timeout=45s")
    stage.until(lambda: stage.cloud.resources == before)
    stage.until(lambda: not stage.composed("instances", team) and not stage.composed("subnetgroups", team))
    stage.until(lambda: not stage.secret(team, SECRET))
    stage.until(lambda: not stage.live("/apis/database.company.io/v1/xpostgresqlinstances")["items"])
    kept = stage.live("/api/v1/namespaces/crossplane-system/secrets")["items"]
    assert [each["metadata"]["name"] for each in kept] == ["aws"]


def broken(cloud, *faults):
    body = encode(list(faults))
    request = urllib.request.Request(f"{cloud.url}/_sandbox/faults", body, method="POST")  # noqa: S310 - on loopback
    urllib.request.urlopen(request, timeout=10).close()  # noqa: S310 - same


@pytest.mark.parametrize(
    ("role", "verb", "answer", "why"),
    [
        ("edit", "create", "yes", "whoever edits asks for databases"),
        ("view", "get", "yes", "whoever views sees them"),
        ("view", "create", "no", "and changes none"),
        ("browse", "get", "no", "claims are their team's; only composites are for all"),
    ],
)
def test_roles_let_people_at_claims(stage, role, verb, answer, why):
    name = f"crossplane:composite:xpostgresqlinstances.database.company.io:aggregate-to-{role}"
    stage.namespace("people")
    who = f"{role}-{verb}"
    stage.kubectl("create", "rolebinding", who, "-n", "people", "--clusterrole", name, "--user", who)
    asked = ("auth", "can-i", verb, "postgresqlinstances.database.company.io", "-n", "people", "--as", who)
    stage.until(lambda: stage.cluster.kubectl(*asked).out.strip() == answer, within_s=10)


def test_a_managed_resource_is_provided_as_it_is_written(stage):
    stage.namespace("team-alpha")
    stage.apply(SEED_001)
    stage.kubectl("wait", "instance.rds.aws.upbound.io", "team-alpha-db", "--for=condition=Ready", "--timeout=45s")
    secret = stage.secret("team-alpha", "db-credentials")
    assert {"endpoint", "host", "port", "username", "password"} <= secret.keys()
    found = stage.cloud.database("team-alpha-db", region=FIRST_REGION)
    asked = {"DBInstanceClass": "db.t3.medium", "EngineVersion": "15.4", "AllocatedStorage": 100, "MultiAZ": True}
    assert {key: found[key] for key in asked} == asked
    assert found["StorageEncrypted"]
    assert found["MasterUsername"] == secret["username"]


def test_a_kill_while_the_cloud_has_not_answered_leaves_one_database(stage):
    before, creations = stage.cloud.resources, stage.cloud.creations.get("rds.CreateDBInstance", 0)
    fault = {"effect": "delay", "service": "rds", "operation": "CreateDBInstance", "delay_s": 60}
    broken(stage.cloud, fault)
    stage.namespace("killed")
    stage.apply(seeded_claim("killed"))
    stage.until(lambda: databases(stage.cloud.resources - before))
    stage.kill()
    (pending,) = stage.composed("instances", "killed")
    marks = pending["metadata"]["annotations"]
    assert "crossplane.io/external-create-pending" in marks
    assert "crossplane.io/external-create-succeeded" not in marks
    stage.start()
    stage.until(lambda: ready(stage.claim("killed", SEEDED)))
    assert databases(stage.cloud.resources - before) == {external_name(stage, "killed")}
    assert stage.cloud.creations["rds.CreateDBInstance"] == creations + 1
    secret = stage.secret("killed", SECRET)
    assert secret["endpoint"] == stage.cloud.database(external_name(stage, "killed"))["Endpoint"]["Address"]
    assert secret["password"]
    leave(stage, "killed", before)


def test_a_claim_becomes_the_database_that_was_asked_for_and_takes_all_of_it_when_it_goes(stage):
    before = stage.cloud.resources
    stage.namespace("commerce")
    stage.apply({**deployment("order-service", SECRET), "metadata": {"name": "order-service", "namespace": "commerce"}})
    stage.kubectl("apply", "-f", str(CLAIM))
    stage.until(lambda: ready(stage.claim("commerce", SEEDED)))
    found = stage.cloud.database(external_name(stage, "commerce"))
    assert {key: found[key] for key in ASKED} == ASKED
    assert found["EngineVersion"].partition(".")[0] == "17"
    secret = stage.secret("commerce", SECRET)
    assert secret.keys() == {"endpoint", "port", "username", "password", "database"}
    assert (secret["endpoint"], secret["port"]) == (found["Endpoint"]["Address"], "5432")
    assert secret["username"] == found["MasterUsername"]
    assert secret["password"] not in stage.log
    pods = stage.kubectl("get", "pods", "-n", "commerce", "-l", "app=order-service", "-o", "name").split()
    assert len(pods) == 2, "they were let in before their Secret, and wait for it"
    columns = stage.kubectl("get", "postgresqlinstance", SEEDED, "-n", "commerce").split()
    assert columns[:3] == ["NAME", "SIZE", "VERSION"]
    leave(stage, "commerce", before)
