"""Rules as a table: a request, and the code that AWS answers it with. Nothing of moto is asked."""

import pytest

from plumbline.providers.sandbox.calls import Call, Refusal
from plumbline.providers.sandbox.rules import SERVICES, objection, rules_of
from plumbline.providers.sandbox.rules.rule import between

from .aws import DATABASE, model
from .tables import CASES


class World:
    def __init__(self, things=None, deleted=()):
        self._things = things or {}
        self._deleted = deleted

    def found(self, kind, name):
        return self._things.get((kind, name))

    def since_deleted_s(self, kind, name):
        return 1.0 if (kind, name) in self._deleted else None


def _objection(service, operation, params, world=None, region="us-east-1"):
    described = model(service)
    protocol = described.resolved_protocol
    call = Call(service=service, operation=operation, params=params, region=region, protocol=protocol)
    return objection(call, described.operation_model(operation), world or World())


@pytest.mark.parametrize(
    ("service", "operation", "params", "code", "why"),
    [case[:5] for case in CASES],
    ids=[f"{case[0]}-{case[4]}" for case in CASES],
)
def test_a_request_is_answered_as_aws_answers_it(service, operation, params, code, why):
    refusal = _objection(service, operation, params, World(THINGS))
    assert (refusal.code if refusal else "") == code, why


THINGS = {
    ("db-instance", "orders"): {
        "status": "available",
        "engine": "postgres",
        "engine_version": "16.3",
        "allocated_storage": 100,
        "storage_type": "gp2",
        "preferred_backup_window": "03:00-04:00",
        "preferred_maintenance_window": "mon:05:00-mon:06:00",
    },
    ("db-instance", "young"): {"status": "creating", "engine": "postgres", "engine_version": "16.3"},
    ("db-instance", "going"): {"status": "deleting", "engine": "postgres"},
    ("db-instance", "guarded"): {"status": "available", "engine": "postgres", "deletion_protection": True},
    ("db-instance", "member"): {"status": "available", "engine": "aurora-postgresql", "db_cluster_identifier": "c"},
    ("db-cluster", "young"): {"status": "creating"},
    ("subnet", "subnet-a"): {"availability_zone": "us-east-1a"},
    ("subnet", "subnet-b"): {"availability_zone": "us-east-1b"},
    ("subnet", "subnet-a2"): {"availability_zone": "us-east-1a"},
    ("vpc", "vpc-1"): {"cidr_blocks": ["10.0.0.0/16"], "subnet_blocks": ["10.0.0.0/24"], "groups": []},
    ("vpc", "vpc-empty"): {"cidr_blocks": ["10.0.0.0/16"], "subnet_blocks": [], "groups": []},
    ("kms-key", "1234"): {"arn": "arn:aws:kms:us-east-1:1:key/1234", "key_state": "PendingDeletion"},
    ("kms-key", "off"): {"arn": "arn:aws:kms:us-east-1:1:key/off", "key_state": "Disabled"},
    ("kms-key", "on"): {"arn": "arn:aws:kms:us-east-1:1:key/on", "key_state": "Enabled"},
    ("secret", "gone"): {"deleted_date": 1.0},
    ("secret", "there"): {"deleted_date": None},
    ("dynamodb-table", "young"): {"status": "CREATING"},
    ("hosted-zone", "Z1"): {"name": "example.org."},
    ("policy", "arn:aws:iam::123456789012:policy/used"): {"attachment_count": 1},
    ("eks-cluster", "main"): {"status": "ACTIVE", "version": "1.31"},
    ("eks-cluster", "young"): {"status": "CREATING", "version": "1.31"},
    ("replication-group", "young"): {"status": "creating"},
}


def test_a_refusal_does_not_show_the_password():
    refusal = _objection("rds", "CreateDBInstance", {**DATABASE, "MasterUserPassword": "canary@2026"})
    assert refusal is not None
    assert "canary" not in refusal.message


def test_the_name_of_a_deleted_queue_rests():
    world = World(deleted={("queue", "jobs")})
    refusal = _objection("sqs", "CreateQueue", {"QueueName": "jobs"}, world)
    assert refusal is not None
    assert refusal.code == "AWS.SimpleQueueService.QueueDeletedRecently"
    assert _objection("sqs", "CreateQueue", {"QueueName": "others"}, world) is None


def test_a_bucket_outside_the_first_region_says_where():
    def refused(place):
        params = {"Bucket": "a-bucket"} | (
            {"CreateBucketConfiguration": {"LocationConstraint": place}} if place else {}
        )
        refusal = _objection("s3", "CreateBucket", params, region="eu-west-1")
        return refusal.code if refusal else ""

    assert refused("") == "IllegalLocationConstraintException"
    assert refused("us-west-2") == "IllegalLocationConstraintException"
    assert refused("us-east-1") == "InvalidLocationConstraint"
    assert refused("eu-west-1") == refused("EU") == ""


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_every_row_names_an_operation_that_the_service_has(service):
    assert set(rules_of(service)) <= set(model(service).operation_names)


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_every_rule_refuses_something_in_the_table(service):
    """A row that no request trips over is no rule."""
    refused = {(case[1], case[3]) for case in CASES if case[0] == service and case[3]}
    codes = {code for _, code in refused}
    own = {rule.code for rules in rules_of(service).values() for rule in rules}
    assert own - codes - ELSEWHERE == set()


ELSEWHERE = {
    "AWS.SimpleQueueService.QueueDeletedRecently",
    "IllegalLocationConstraintException",
    "InvalidDBSubnetGroupStateFault",
}


def test_a_service_without_rules_of_its_own_is_held_against_its_model():
    refusal = _objection("sts", "AssumeRole", {"RoleArn": "arn:aws:iam::123456789012:role/x"})
    assert refusal == Refusal(
        "ValidationError",
        "1 validation error detected: Value null at 'roleSessionName' failed to satisfy constraint: Member must not be null",
    )
    assert rules_of("sts") == {}


def test_a_word_where_a_number_belongs_is_refused():
    check = between("Size", 1, 5)
    call = Call(service="x", operation="Y", params={"Size": "large"})
    assert check(call, World()) == "Invalid value large for parameter Size: it must be between 1 and 5."
    assert check(Call(service="x", operation="Y", params={"Size": "3"}), World()) is None
