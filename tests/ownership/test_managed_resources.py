"""Which thing outside a managed resource or a Terraform object stands for."""

import pytest

from plumbline.kube.names import Ref
from plumbline.ownership import ClusterObject, External, Unnamed
from plumbline.ownership.learn import learn_managed, learn_terraform

NAME = "crossplane.io/external-name"


def managed(kind, name="orders", spec=None, annotations=None, status=None, **metadata):
    version, _, kind = kind.partition(" ")
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, "annotations": annotations or {}} | metadata,
        "spec": {"forProvider": spec or {}},
        "status": status or {},
    }


RDS = "rds.aws.upbound.io/v1beta3 Instance"
CASES = [
    (
        managed(RDS, spec={"identifier": "shop-orders", "region": "us-east-1"}),
        External("aws_db_instance", "shop-orders", "us-east-1"),
        "the identifier names it",
    ),
    (
        managed(RDS, annotations={NAME: "shop-orders"}),
        External("aws_db_instance", "shop-orders"),
        "the external name of older providers",
    ),
    (
        managed(RDS, annotations={NAME: "db-ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, spec={"identifier": "orders"}),
        External("aws_db_instance", "orders"),
        "what AWS assigned is not its name",
    ),
    (managed(RDS), Unnamed("aws_db_instance", "Instance/orders", assigned=True), "it is still to be named"),
    (
        managed(RDS, status={"atProvider": {"arn": "arn:aws:rds:eu-west-1:123456789012:db:orders"}}),
        External("aws_db_instance", "orders", "eu-west-1", "123456789012"),
        "the ARN that was reported says everything",
    ),
    (managed("s3.aws.upbound.io/v1beta2 Bucket", "images"), External("aws_s3_bucket", "images"), "its own name"),
    (
        managed("s3.aws.m.upbound.io/v1beta1 Bucket", "images", annotations={NAME: "shop-images"}, namespace="shop"),
        External("aws_s3_bucket", "shop-images"),
        "the external name goes before, in the namespaced kind too",
    ),
    (
        managed("s3.aws.upbound.io/v1beta2 Bucket", "", generateName="images-"),
        Unnamed("aws_s3_bucket", "Bucket/images-", assigned=True),
        "a generated name is nobody else's",
    ),
    (
        managed("eks.aws.upbound.io/v1beta2 NodeGroup", "blue", spec={"clusterName": "main", "region": "us-east-1"}),
        External("aws_eks_node_group", "main:blue", "us-east-1"),
        "two names",
    ),
    (
        managed("eks.aws.upbound.io/v1beta2 NodeGroup", "blue", spec={"clusterNameRef": {"name": "main"}}),
        Unnamed("aws_eks_node_group", "NodeGroup/blue", "*:blue"),
        "one of two is filled in from elsewhere",
    ),
    (
        managed("sqs.aws.upbound.io/v1beta1 Queue", annotations={NAME: "https://sqs.eu-west-1.amazonaws.com/123456789012/jobs"}),
        External("aws_sqs_queue", "jobs", "eu-west-1", "123456789012"),
        "a URL for an external name",
    ),
    (
        managed("sql.gcp.upbound.io/v1beta1 DatabaseInstance", "production-postgres", spec={"region": "us-central1"}),
        External("google_sql_database_instance", "production-postgres"),
        "names in Google are not per region",
    ),
    (
        managed("dbforpostgresql.azure.upbound.io/v1beta2 FlexibleServer", "Orders", spec={"location": "West Europe"}),
        External("azurerm_postgresql_flexible_server", "orders"),
        "nor in Azure, where case does not matter",
    ),
    (
        managed("postgresql.sql.crossplane.io/v1alpha1 Role", "app"),
        External("postgresql_role", "app", "", "ProviderConfig/default"),
        "on the server that the configuration leads to",
    ),
    (
        managed("glue.aws.upbound.io/v1beta1 CatalogDatabase", annotations={NAME: "lake"}),
        External("aws_glue_catalog_database", "lake"),
        "a kind that no table has",
    ),
    (
        {**managed(RDS), "spec": {"forProvider": {}, "initProvider": {"identifier": "first"}}},
        External("aws_db_instance", "first"),
        "what is set at creation counts",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("obj", "expected", "why"), CASES, ids=[row[2] for row in CASES])
def test_a_managed_resource_claims_the_thing_that_it_names(obj, expected, why):
    (claim,) = learn_managed(obj)
    assert claim.resource == expected
    assert claim.owner.engine == "crossplane"
    assert claim.owner.ref == Ref.of(obj)


@pytest.mark.parametrize(
    ("policies", "claims"),
    [
        (["*"], 1),
        (["Observe"], 0),
        ([], 0),
        (["Observe", "LateInitialize"], 0),
        (["Observe", "Update"], 1),
        (["Observe", "Create", "Delete"], 1),
        ("garbage", 1),
    ],
)
def test_what_only_observes_claims_nothing(policies, claims):
    obj = managed(RDS, spec={"identifier": "orders"})
    obj["spec"]["managementPolicies"] = policies
    assert len(learn_managed(obj)) == claims


def test_other_objects_claim_nothing_outside():
    assert learn_managed({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}) == []
    assert learn_managed({}) == []


def test_an_object_of_provider_kubernetes_claims_what_it_holds():
    inner = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "shop"}}
    obj = managed("kubernetes.crossplane.io/v1alpha2 Object", spec={"manifest": inner})
    (there,) = learn_managed(obj)
    (here,) = learn_managed(obj, local_configs=frozenset({"default"}))
    assert there.resource == ClusterObject(Ref("", "ConfigMap", "shop", "a"), "ProviderConfig/default")
    assert here.resource == ClusterObject(Ref("", "ConfigMap", "shop", "a"))
    assert here.source.said == "spec.forProvider.manifest"
    assert learn_managed(managed("kubernetes.crossplane.io/v1alpha2 Object")) == []


@pytest.mark.parametrize(
    ("obj", "said"),
    [
        (managed(RDS, annotations={NAME: "x"}), f"annotation {NAME}"),
        (managed(RDS, annotations={NAME: "x"}, spec={"identifier": "x"}), "spec.forProvider.identifier"),
        (managed(RDS), "spec.forProvider.identifier"),
        (managed(RDS, spec={"identifier": "x"}), "spec.forProvider.identifier"),
        (managed("s3.aws.upbound.io/v1beta2 Bucket"), "metadata.name"),
    ],
)
def test_the_evidence_is_the_field_that_names_it(obj, said):
    assert learn_managed(obj)[0].source.said == said


def test_a_terraform_object_claims_its_inventory():
    entries = [
        {"n": "main", "t": "aws_db_instance", "id": "arn:aws:rds:us-east-1:123456789012:db:orders"},
        {"n": "web", "t": "kubernetes_deployment", "id": "shop/web"},
        {"n": "ns", "t": "kubernetes_namespace", "id": "shop"},
        {"n": "crd", "t": "kubernetes_manifest", "id": "apiVersion=v1,kind=ConfigMap,namespace=shop,name=a"},
        {"n": "pet", "t": "random_pet", "id": "dog"},
        {"n": 5},
        "garbage",
    ]
    obj = {
        "apiVersion": "infra.contrib.fluxcd.io/v1alpha2",
        "kind": "Terraform",
        "metadata": {"name": "db", "namespace": "infra"},
        "status": {"inventory": {"entries": entries}},
    }
    claims = learn_terraform(obj)
    assert {str(claim.owner) for claim in claims} == {"Terraform infra/db"}
    assert [claim.resource for claim in claims] == [
        External("aws_db_instance", "orders", "us-east-1", "123456789012"),
        ClusterObject(Ref("apps", "Deployment", "shop", "web")),
        ClusterObject(Ref("", "Namespace", "", "shop")),
        ClusterObject(Ref("", "ConfigMap", "shop", "a")),
        External("random_pet", "dog"),
    ]
    assert learn_terraform({**obj, "status": {}}) == []
    assert learn_terraform({**obj, "kind": "Other"}) == []
