"""State and plans say what Terraform has, and give away nothing else."""

import gzip
from base64 import b64encode

import pytest

from plumbline.base.errors import BadDocument, LimitExceeded
from plumbline.base.json import encode
from plumbline.kube.names import Ref
from plumbline.ownership import ClusterObject, External, Owner, Source, Unnamed
from plumbline.ownership import states as states_module
from plumbline.ownership.external import Described, Partial
from plumbline.ownership.states import inflated, state_of_terraform, stored_states, terraform_owner
from plumbline.ownership.terraform import plan_claims, state_claims, terraform_resource

INFRA = Owner("terraform", "infra")
SOURCE = Source("infra/terraform.tfstate")
ACCOUNT = "123456789012"


def state(*resources, **more):
    return encode({"version": 4, "serial": 1, "lineage": "l", "resources": list(resources)} | more)


def instance(type_, attributes, name="main", **more):
    return {"mode": "managed", "type": type_, "name": name, "instances": [{"attributes": attributes}]} | more


def things(claims):
    return {claim.source.said.partition(" ")[0]: claim.resource for claim in claims}


def test_a_state_has_what_its_resources_are():
    text = state(
        instance("aws_db_instance", {"id": "db-X", "arn": f"arn:aws:rds:us-east-1:{ACCOUNT}:db:orders", "password": "hunter2"}),
        instance("aws_vpc", {"id": "vpc-1", "arn": f"arn:aws:ec2:us-east-1:{ACCOUNT}:vpc/vpc-1"}, module="module.net"),
        instance("aws_db_instance", {"id": "x"}, "read", mode="data"),
        instance("kubernetes_deployment_v1", {"id": "shop/web", "metadata": [{"name": "web", "namespace": "shop"}]}, "web"),
        instance("kubernetes_manifest", {"manifest": {"type": [], "value": {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}}}, "ns"),
        instance("helm_release", {"id": "argocd", "name": "argocd", "namespace": "argocd"}, "argocd"),
        {
            "type": "aws_sqs_queue",
            "name": "many",
            "instances": [
                {"index_key": "a", "attributes": {"id": f"https://sqs.us-east-1.amazonaws.com/{ACCOUNT}/a"}},
                {"index_key": 0, "attributes": {"name": "b"}},
                {"attributes": None},
            ],
        },
        {"type": "aws_x", "name": "none"},
    )  # fmt: skip
    claims = state_claims(text, INFRA, SOURCE)
    assert things(claims) == {
        "aws_db_instance.main": External("aws_db_instance", "orders", "us-east-1", ACCOUNT),
        "module.net.aws_vpc.main": External("aws_vpc", "vpc-1", "us-east-1", ACCOUNT),
        "kubernetes_deployment_v1.web": ClusterObject(Ref("apps", "Deployment", "shop", "web")),
        "kubernetes_manifest.ns": ClusterObject(Ref("", "Namespace", "", "shop")),
        "helm_release.argocd": ClusterObject(Ref("helm.sh", "Release", "argocd", "argocd")),
        'aws_sqs_queue.many["a"]': External("aws_sqs_queue", "a", "us-east-1", ACCOUNT),
        "aws_sqs_queue.many[0]": External("aws_sqs_queue", "b"),
        "aws_sqs_queue.many": Unnamed("aws_sqs_queue", "aws_sqs_queue.many", assigned=True),
    }
    assert {claim.owner for claim in claims} == {INFRA}
    assert "hunter2" not in repr(claims)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b'{"version": 3}', b'{"version": 4, "resources": "hunter2"}', b"\xff", b"[" * 100_000],
    ids=lambda text: text[:12].decode("latin-1"),
)
def test_what_is_no_state_is_refused_without_quoting_it(text):
    with pytest.raises(BadDocument) as refused:
        state_claims(text, INFRA, SOURCE)
    assert "hunter2" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_an_encrypted_state_is_empty_to_us():
    assert state_claims(b'{"meta": {}, "encrypted_data": "x", "encryption_version": "v0"}', INFRA, SOURCE) == []


def change(address, actions, after=None, before=None, **more):
    return {
        "address": address,
        "type": address.split(".")[-2],
        "change": {"actions": actions, "before": before, "after": after} | more.pop("change", {}),
    } | more


def test_a_plan_has_what_will_be_there_when_it_is_applied():
    plan = {
        "format_version": "1.2",
        "configuration": {
            "provider_config": {
                "aws": {"name": "aws", "expressions": {"region": {"constant_value": "us-east-1"}}},
                "google": {"name": "google", "expressions": {"region": {"references": ["var.x"]}}},
            }
        },
        "resource_changes": [
            change(
                "aws_db_instance.new",
                ["create"],
                {"identifier": "orders"},
                change={"after_unknown": {"id": True, "arn": True}},
            ),
            change("module.m.aws_sqs_queue.kept", ["no-op"], {"name": "jobs", "id": "x"}, {"name": "jobs"}),
            change("aws_sqs_queue.replaced", ["delete", "create"], {"name": "new"}, {"name": "old", "id": "old"}),
            change("aws_sqs_queue.gone", ["delete"], None, {"name": "gone"}),
            change("aws_sqs_queue.forgotten", ["forget"], None, {"name": "forgotten"}),
            change("aws_sqs_queue.old", ["delete"], None, {"name": "x"}, deposed="00000000"),
            change("aws_sqs_queue.open", ["create"], {}, change={"after_unknown": {"name": True}}),
            change("aws_vpc.taken", ["no-op"], {}, change={"importing": {"id": "vpc-9"}}),
            change("data.aws_vpc.read", ["read"], {"id": "vpc-1"}, mode="data"),
            change("google_compute_network.net", ["create"], {"name": "prod", "project": "shop"}),
        ],
    }
    assert things(plan_claims(encode(plan), INFRA, Source("plan.json"))) == {
        "aws_db_instance.new": External("aws_db_instance", "orders", "us-east-1"),
        "module.m.aws_sqs_queue.kept": External("aws_sqs_queue", "jobs", "us-east-1"),
        "aws_sqs_queue.replaced": External("aws_sqs_queue", "new", "us-east-1"),
        "aws_sqs_queue.open": Unnamed("aws_sqs_queue", "aws_sqs_queue.open"),
        "aws_vpc.taken": External("aws_vpc", "vpc-9", "us-east-1"),
        "google_compute_network.net": External("google_compute_network", "prod", "", "shop"),
    }


def test_of_several_regions_none_is_guessed():
    regions = {name: {"name": "aws", "expressions": {"region": {"constant_value": name}}} for name in ("a", "b")}
    plan = {
        "format_version": "1.2",
        "configuration": {"provider_config": regions},
        "resource_changes": [change("aws_sqs_queue.q", ["create"], {"name": "jobs"})],
    }
    assert things(plan_claims(encode(plan), INFRA, SOURCE)) == {"aws_sqs_queue.q": External("aws_sqs_queue", "jobs")}


def test_a_plan_of_another_form_is_refused():
    for text in (b"{}", b"[" * 100_000, b"\xff"):
        with pytest.raises(BadDocument):
            plan_claims(text, INFRA, SOURCE)
    assert plan_claims(b'{"format_version": "1.2"}', INFRA, SOURCE) == []


OBJECTS = [
    ("kubernetes_config_map", {"metadata": [{"name": "a"}]}, ClusterObject(Ref("", "ConfigMap", "default", "a"))),
    ("kubernetes_cluster_role_v1", {"metadata": {"name": "a", "namespace": "x"}}, ClusterObject(Ref("rbac.authorization.k8s.io", "ClusterRole", "", "a"))),
    ("kubernetes_api_service", {"metadata": {"name": "a"}}, ClusterObject(Ref("apiregistration.k8s.io", "APIService", "", "a"))),
    ("kubernetes_config_map", {"metadata": [{"generate_name": "a-"}]}, Unnamed("kubernetes_config_map", "x", assigned=True)),
    ("kubernetes_config_map", {"metadata": [{"name": Partial("a-*")}]}, Unnamed("kubernetes_config_map", "x", "a-*")),
    ("kubernetes_config_map", {"metadata": [{"name": "a", "namespace": Partial()}]}, Unnamed("kubernetes_config_map", "x", "a")),
    ("kubernetes_config_map", {}, Unnamed("kubernetes_config_map", "x", assigned=True)),
    ("kubernetes_manifest", {"manifest": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "namespace": "s"}}}, ClusterObject(Ref("apps", "Deployment", "s", "a"))),
    ("kubernetes_manifest", {"manifest": Partial()}, Unnamed("kubernetes_manifest", "x")),
    ("kubernetes_manifest", {"manifest": {"kind": "x"}}, Unnamed("kubernetes_manifest", "x")),
    ("helm_release", {"name": "a"}, ClusterObject(Ref("helm.sh", "Release", "default", "a"))),
    ("helm_release", {"name": Partial("a*")}, Unnamed("helm_release", "x", "a*")),
    ("helm_release", {"name": "a", "namespace": Partial()}, Unnamed("helm_release", "x", "a")),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "attributes", "expected"), OBJECTS)
def test_types_for_clusters_mean_objects(type_, attributes, expected):
    assert terraform_resource(Described(type_, "x", attributes)) == expected


def secret(name, content, namespace="infra", **labels):
    data = content if isinstance(content, dict) else {"tfstate": b64encode(content).decode()}
    metadata = {"name": name, "namespace": namespace, "labels": {"tfstate": "true"} | labels}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": data}


def test_states_are_found_in_secrets_and_put_together_from_pieces():
    whole = gzip.compress(b'{"version": 4}')
    labels = {"tfstateWorkspace": "default", "tfstateSecretSuffix": "db"}
    secrets = [
        secret("tfstate-default-db-part-2", whole[20:], **labels),
        secret("tfstate-default-db", whole[:10], **labels),
        secret("tfstate-default-db-part-1", whole[10:20], **labels),
        secret("tfstate-prod-net", whole, tfstateWorkspace="prod", tfstateSecretSuffix="net"),
    ]
    found = stored_states(secrets)
    assert [(each.secret.name, each.workspace, each.suffix, each.content) for each in found.states] == [
        ("tfstate-default-db", "default", "db", b'{"version": 4}'),
        ("tfstate-prod-net", "prod", "net", b'{"version": 4}'),
    ]
    assert found.faults == ()


def test_secrets_without_a_readable_state_are_named():
    torn = gzip.compress(b"x" * 1000)[:20]
    found = stored_states([secret("a", torn), secret("b", {}), secret("c", {"tfstate": "%"}), secret("d", b"plain")])
    assert found.states == ()
    assert {ref.name: why for ref, why in found.faults} == {
        "a": "a piece of it is missing",
        "b": "it has no key tfstate",
        "c": "its data are not base64",
        "d": "it is not compressed as states are",
    }


def test_a_state_that_inflates_without_end_is_stopped(monkeypatch):
    monkeypatch.setattr(states_module, "LARGEST", 1000)
    with pytest.raises(LimitExceeded):
        inflated(gzip.compress(b"0" * 2000))
    assert inflated(gzip.compress(b"0" * 1000)) == b"0" * 1000


def test_a_state_belongs_to_the_object_that_keeps_it_there():
    def terraform(name, **spec):
        return {"kind": "Terraform", "metadata": {"name": name, "namespace": "infra"}, "spec": spec}

    objects = dict(
        state_of_terraform(each)
        for each in (terraform("db"), terraform("net", workspace="prod", backendConfig={"secretSuffix": "network"}))
    )
    assert set(objects) == {("infra", "default", "db"), ("infra", "prod", "network")}
    content = gzip.compress(b"{}")
    suffixes = {"db": "default", "network": "prod", "other": "stage"}
    states = stored_states(
        [
            secret(name, content, tfstateWorkspace=workspace, tfstateSecretSuffix=name)
            for name, workspace in suffixes.items()
        ]
    ).states
    owners = [str(terraform_owner(each, objects)) for each in states]
    assert owners == ["Terraform infra/db", "Terraform infra/net", "Terraform infra/other@stage"]
