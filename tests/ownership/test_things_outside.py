"""One thing outside has one name, however somebody wrote it down."""

import pytest

from plumbline.kube.names import GroupKind
from plumbline.ownership import External, Unnamed
from plumbline.ownership.external import Described, Partial, named, parse, resource, rule_of_kind, type_of_kind
from plumbline.ownership.external.rules import RULES, camel

ACCOUNT = "123456789012"

SPELLINGS = [
    (f"arn:aws:rds:us-east-1:{ACCOUNT}:db:Orders", "aws_db_instance", "orders", "us-east-1", ACCOUNT),
    (f"arn:aws:rds:us-east-1:{ACCOUNT}:cluster:orders", "aws_rds_cluster", "orders", "us-east-1", ACCOUNT),
    (f"arn:aws:rds:us-east-1:{ACCOUNT}:subgrp:main", "aws_db_subnet_group", "main", "us-east-1", ACCOUNT),
    ("arn:aws:s3:::shop-images", "aws_s3_bucket", "shop-images", "", ""),
    ("arn:aws:s3:::shop-images/cats/1.jpg", "aws_s3_bucket", "shop-images", "", ""),
    (f"arn:aws:sqs:eu-west-1:{ACCOUNT}:jobs", "aws_sqs_queue", "jobs", "eu-west-1", ACCOUNT),
    (f"https://sqs.eu-west-1.amazonaws.com/{ACCOUNT}/jobs", "aws_sqs_queue", "jobs", "eu-west-1", ACCOUNT),
    (f"arn:aws:sns:eu-west-1:{ACCOUNT}:news", "aws_sns_topic", "news", "eu-west-1", ACCOUNT),
    (f"arn:aws:dynamodb:eu-west-1:{ACCOUNT}:table/carts", "aws_dynamodb_table", "carts", "eu-west-1", ACCOUNT),
    (f"arn:aws:dynamodb:eu-west-1:{ACCOUNT}:table/carts/index/by-age", "aws_dynamodb_table", "carts", "eu-west-1", ACCOUNT),
    (f"arn:aws:iam::{ACCOUNT}:role/team/a/Deployer", "aws_iam_role", "deployer", "", ACCOUNT),
    (f"arn:aws:iam::{ACCOUNT}:policy/reader", "aws_iam_policy", "reader", "", ACCOUNT),
    (f"arn:aws:ec2:us-east-1:{ACCOUNT}:vpc/vpc-0a1b", "aws_vpc", "vpc-0a1b", "us-east-1", ACCOUNT),
    (f"arn:aws:eks:us-east-1:{ACCOUNT}:nodegroup/main/blue/0ab-cd", "aws_eks_node_group", "main:blue", "us-east-1", ACCOUNT),
    (f"arn:aws:kms:us-east-1:{ACCOUNT}:key/1234-abcd", "aws_kms_key", "1234-abcd", "us-east-1", ACCOUNT),
    (f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:db/pass-AbCdEf", "aws_secretsmanager_secret", "db/pass", "us-east-1", ACCOUNT),
    (f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:resize:7", "aws_lambda_function", "resize", "us-east-1", ACCOUNT),
    (f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:/app/web:*", "aws_cloudwatch_log_group", "/app/web", "us-east-1", ACCOUNT),
    ("arn:aws:route53:::hostedzone/Z0ABC", "aws_route53_zone", "Z0ABC", "", ""),
    (f"arn:aws-cn:sqs:cn-north-1:{ACCOUNT}:jobs", "aws_sqs_queue", "jobs", "cn-north-1", ACCOUNT),
    (f"arn:aws:glue:us-east-1:{ACCOUNT}:job/etl", "arn:glue", "job/etl", "us-east-1", ACCOUNT),
    ("projects/shop/instances/main", "google_sql_database_instance", "main", "", "shop"),
    ("projects/shop/instances/main/databases/orders", "google_sql_database", "main/orders", "", "shop"),
    ("projects/shop/locations/europe-west1/instances/cache", "google_redis_instance", "cache", "europe-west1", "shop"),
    ("https://www.googleapis.com/compute/v1/projects/shop/global/networks/prod", "google_compute_network", "prod", "", "shop"),
    ("projects/shop/topics/news", "google_pubsub_topic", "news", "", "shop"),
    ("/subscriptions/s-1/resourceGroups/Shop", "azurerm_resource_group", "shop", "", "s-1"),
    (
        "/subscriptions/s-1/resourceGroups/Shop/providers/Microsoft.DBforPostgreSQL/flexibleServers/Orders",
        "azurerm_postgresql_flexible_server", "orders", "", "",
    ),
    (
        "/subscriptions/s-1/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/prod",
        "azurerm_kubernetes_cluster", "shop/prod", "", "s-1",
    ),
    (
        "/subscriptions/s-1/resourceGroups/shop/providers/Microsoft.Cdn/profiles/edge",
        "azure:microsoft.cdn/profiles", "shop/edge", "", "s-1",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "type_", "id_", "region", "account"), SPELLINGS, ids=[row[0][:60] for row in SPELLINGS]
)
def test_an_id_that_says_what_it_is_is_taken_apart(text, type_, id_, region, account):
    assert parse(text) == External(type_, id_, region, account)


@pytest.mark.parametrize(
    "text",
    ["", "orders", "deployment/web", "arn:aws", "arn:aws:s3", "arn:aws:rds:us-east-1:12:db:x", "projects/shop", "projects/shop/global/networks", "projects/shop/odd/x", "arn:" + "x" * 5000],
)  # fmt: skip
def test_other_texts_are_no_ids(text):
    assert parse(text) is None


def test_a_type_and_an_id_are_what_people_type():
    assert parse("aws_db_instance/Orders") == External("aws_db_instance", "orders")
    assert parse("random_pet/dog") == External("random_pet", "dog")


def test_an_arn_and_a_type_with_id_and_region_are_the_same_where_the_account_is_known():
    written = Described("aws_db_instance", "a", {"identifier": "orders", "region": "us-east-1"}, account=ACCOUNT)
    assert resource(written) == parse(f"arn:aws:rds:us-east-1:{ACCOUNT}:db:orders")


def test_what_does_not_tell_two_apart_is_left_out():
    assert named("aws_s3_bucket", "images", "us-east-1", ACCOUNT) == External("aws_s3_bucket", "images")
    assert named("aws_iam_role", "Deployer", "us-east-1", ACCOUNT) == External("aws_iam_role", "deployer", "", ACCOUNT)
    assert named("google_compute_network", "prod", "eu", "shop") == External(
        "google_compute_network", "prod", "", "shop"
    )


def test_a_member_of_a_cluster_is_a_database_instance_like_others():
    member = Described("aws_rds_cluster_instance", "a", {"identifier": "orders-1"})
    assert resource(member) == External("aws_db_instance", "orders-1")


DESCRIBED = [
    (
        Described("aws_db_instance", "a", {"arn": f"arn:aws:rds:eu-west-1:{ACCOUNT}:db:orders"}, "db-ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        External("aws_db_instance", "orders", "eu-west-1", ACCOUNT),
        "an ARN says everything",
    ),
    (
        Described("aws_db_instance", "a", {}, "db-ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        Unnamed("aws_db_instance", "a", assigned=True),
        "what AWS calls it besides is not its name",
    ),
    (Described("aws_db_instance", "a", {}, "orders"), External("aws_db_instance", "orders"), "an older provider's id is"),
    (
        Described("aws_db_instance", "a", {"identifier": Partial("orders-*")}),
        Unnamed("aws_db_instance", "a", "orders-*"),
        "a name known in part",
    ),
    (Described("aws_db_instance", "a", {}, Partial("x*")), Unnamed("aws_db_instance", "a", "x*"), "an id known in part"),
    (Described("aws_db_instance", "a"), Unnamed("aws_db_instance", "a", assigned=True), "nobody chose a name"),
    (Described("aws_vpc", "a"), Unnamed("aws_vpc", "a", assigned=True), "AWS picks the id"),
    (Described("aws_vpc", "a", {}, "vpc-1", "us-east-1"), External("aws_vpc", "vpc-1", "us-east-1"), "recorded"),
    (
        Described("aws_eks_node_group", "a", {"cluster_name": Partial(), "node_group_name": "blue"}),
        Unnamed("aws_eks_node_group", "a", "*:blue"),
        "one of two names is open",
    ),
    (
        Described("aws_eks_node_group", "a", {"node_group_name": "blue"}),
        Unnamed("aws_eks_node_group", "a", assigned=True),
        "one of two names is missing",
    ),
    (Described("aws_odd_thing", "a", {"name": "x"}), Unnamed("aws_odd_thing", "a", "x"), "names may not be unique"),
    (Described("aws_odd_thing", "a", {"name": "x"}, "id-1"), External("aws_odd_thing", "id-1"), "but ids are"),
    (Described("aws_odd_thing", "a"), Unnamed("aws_odd_thing", "a"), "nothing is known"),
    (
        Described("postgresql_role", "a", {"name": "app"}, account="ProviderConfig/main"),
        External("postgresql_role", "app", "", "ProviderConfig/main"),
        "a role on a known server",
    ),
    (Described("postgresql_role", "a", {"name": "app"}), Unnamed("postgresql_role", "app", "app"), "every server has one"),
    (
        Described("google_container_cluster", "a", {"name": "prod", "location": "europe-west1", "project": "shop"}),
        External("google_container_cluster", "prod", "europe-west1", "shop"),
        "its place has another name",
    ),
    (Described("aws_db_instance", "a", {"identifier": 5, "region": 7}), Unnamed("aws_db_instance", "a", assigned=True), "garbage"),
]  # fmt: skip


@pytest.mark.parametrize(("described", "expected", "why"), DESCRIBED, ids=[row[2] for row in DESCRIBED])
def test_a_description_becomes_the_thing_as_far_as_it_is_known(described, expected, why):
    assert resource(described) == expected


def test_every_kind_of_the_tables_is_known_in_both_its_groups():
    for rule in RULES:
        kind, _, group = rule.kind.partition(".")
        assert rule_of_kind(GroupKind(group, kind)) == rule
        modern = group.replace("upbound.io", "m.upbound.io").replace("crossplane.io", "m.crossplane.io")
        assert rule_of_kind(GroupKind(modern, kind)) == rule


def test_types_and_kinds_are_in_the_tables_once():
    assert len({rule.type for rule in RULES}) == len({rule.kind for rule in RULES}) == len(RULES)
    assert all(rule.names or not rule.external_name for rule in RULES)


@pytest.mark.parametrize(
    ("group", "kind", "type_"),
    [
        ("rds.aws.upbound.io", "Instance", "aws_db_instance"),
        ("ec2.aws.m.upbound.io", "VPC", "aws_vpc"),
        ("glue.aws.upbound.io", "CatalogDatabase", "aws_glue_catalog_database"),
        ("apigatewayv2.aws.upbound.io", "VPCLink", "aws_apigatewayv2_vpc_link"),
        ("spanner.gcp.upbound.io", "Instance", "google_spanner_instance"),
        ("azure.upbound.io", "ResourceGroup", "azurerm_resource_group"),
        ("azure.upbound.io", "Subscription", "azurerm_subscription"),
        ("apps", "Deployment", ""),
        ("example.org", "Instance", ""),
    ],
)
def test_kinds_mean_terraforms_types(group, kind, type_):
    assert type_of_kind(GroupKind(group, kind)) == type_


def test_fields_are_spelled_as_crossplane_does():
    assert camel("node_group_name") == "nodeGroupName"


def test_things_print_as_people_type_them():
    assert str(External("aws_sqs_queue", "jobs", "eu-west-1", ACCOUNT)) == f"aws_sqs_queue/jobs (eu-west-1, {ACCOUNT})"
    assert str(External("aws_s3_bucket", "images")) == "aws_s3_bucket/images"
    assert str(Unnamed("aws_vpc", "aws_vpc.main")) == "aws_vpc/* (aws_vpc.main)"
