"""A shop: an Application delivers a claim, which becomes a database; Terraform has a network and a Deployment too many."""

import gzip
from base64 import b64encode

from plumbline.base.json import encode

TRACKING = "argocd.argoproj.io/tracking-id"
ACCOUNT = "123456789012"


def obj(kind, name, namespace="", **more):
    version, _, kind = kind.partition(" ")
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {}) | more.pop("metadata", {})
    return {"apiVersion": version, "kind": kind, "metadata": metadata} | more


def tracked(app, group_kind, namespace, name):
    return {"annotations": {TRACKING: f"{app}:{group_kind}:{namespace}/{name}"}}


def child_of(kind, name):
    version, _, kind = kind.partition(" ")
    return [{"apiVersion": version, "kind": kind, "name": name, "uid": "u", "controller": True}]


STATE = {
    "version": 4,
    "resources": [
        {"mode": "managed", "type": "aws_vpc", "name": "main", "instances": [{"attributes": {"id": "vpc-1", "arn": f"arn:aws:ec2:us-east-1:{ACCOUNT}:vpc/vpc-1"}}]},
        {"mode": "managed", "type": "kubernetes_deployment", "name": "web", "instances": [{"attributes": {"metadata": [{"name": "web", "namespace": "shop"}], "token": "hunter2"}}]},
    ],
}  # fmt: skip

SHOP = (
    obj(
        "argoproj.io/v1alpha1 Application",
        "shop",
        "argocd",
        metadata={"managedFields": [{"manager": "kubectl-create"}]},
    ),
    obj("apps/v1 Deployment", "web", "shop", metadata=tracked("shop", "apps/Deployment", "shop", "web")),
    obj("apps/v1 ReplicaSet", "web-1", "shop", metadata={"ownerReferences": child_of("apps/v1 Deployment", "web")}),
    obj("v1 Pod", "web-1-x", "shop", metadata={"ownerReferences": child_of("apps/v1 ReplicaSet", "web-1")}),
    obj(
        "example.org/v1 Database", "orders", "shop", metadata=tracked("shop", "example.org/Database", "shop", "orders")
    ),
    obj(
        "apiextensions.crossplane.io/v1 CompositeResourceDefinition",
        "xdatabases.example.org",
        spec={"group": "example.org", "names": {"kind": "XDatabase"}, "claimNames": {"kind": "Database"}},
    ),
    obj(
        "example.org/v1 XDatabase",
        "orders-x",
        metadata={"labels": {"crossplane.io/claim-name": "orders", "crossplane.io/claim-namespace": "shop"}},
    ),
    obj(
        "rds.aws.upbound.io/v1beta3 Instance",
        "orders-x-1",
        metadata={
            "annotations": {"crossplane.io/composition-resource-name": "rds"},
            "ownerReferences": child_of("example.org/v1 XDatabase", "orders-x"),
        },
        spec={"forProvider": {"identifier": "orders", "region": "us-east-1"}},
    ),
    obj("infra.contrib.fluxcd.io/v1alpha2 Terraform", "net", "infra", spec={"path": "./net"}),
    obj(
        "v1 Secret",
        "tfstate-default-net",
        "infra",
        metadata={
            "labels": {"tfstate": "true", "tfstateWorkspace": "default", "tfstateSecretSuffix": "net"},
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        data={"tfstate": b64encode(gzip.compress(encode(STATE))).decode()},
    ),
)
