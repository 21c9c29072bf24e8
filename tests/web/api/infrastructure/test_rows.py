"""What a claim says of itself, in words that somebody can use."""

import pytest

from plumbline.base.json import encode
from plumbline.kernel.cache import Relevance, cached
from plumbline.kube.names import GroupVersionKind
from plumbline.web.api.infrastructure.consoles import console
from plumbline.web.api.infrastructure.definitions import definition, schemas, shaped
from plumbline.web.api.infrastructure.rows import deepest, merged, provider, row

TOLD = [
    ("cannot create: AccessDenied", "cannot create: AccessDenied", "its own words"),
    (
        "Claim is waiting for composite resource to become Ready: db: no such class — really",
        "db: no such class — really",
        "the claim's words go",
    ),
    ("Unready resources: db — db: quota is met", "quota is met", "the composite's go"),
    ("Unready resources: a, b, and 2 more — inner: Unready resources: x — x: denied", "denied", "all the way down"),
    ("Unsynced resources: db. cannot apply it", "cannot apply it", "what is not synced counts too"),
    ("Unready resources: db", "Unready resources: db", "nothing more is known"),
    ("", "", "nothing is said"),
]


@pytest.mark.parametrize(("message", "found", "why"), TOLD, ids=[each[2] for each in TOLD])
def test_the_deepest_message_counts(message, found, why):
    assert deepest(message) == found


@pytest.mark.parametrize(
    ("group", "found"),
    [("rds.aws.upbound.io", "aws"), ("rds.aws.m.upbound.io", "aws"), ("kubernetes.crossplane.io", "kubernetes"),
     ("apps", ""), ("sql.gcp.upbound.io", "gcp"), ("aws.upbound.io.evil.test", "")],
)  # fmt: skip
def test_providers_are_known_by_their_groups(group, found):
    assert provider(GroupVersionKind(group, "v1", "Thing")) == found


AWS = {"spec": {"forProvider": {"region": "eu-central-1"}}}
GCP = {"spec": {"forProvider": {"project": "p", "region": "europe-west3"}}}
LINKS = [
    ("rds.aws.upbound.io", "Instance", "db-1", AWS, "https://eu-central-1.console.aws.amazon.com/rds/home?region=eu-central-1#database:id=db-1;is-cluster=false"),
    ("s3.aws.upbound.io", "Bucket", "a/../b", AWS, "https://eu-central-1.console.aws.amazon.com/s3/buckets/a%2F..%2Fb?region=eu-central-1"),
    ("s3.aws.upbound.io", "Bucket", "b", {}, ""),
    ("iam.aws.upbound.io", "Role", "r", {}, "https://us-east-1.console.aws.amazon.com/iam/home#/roles/details/r"),
    ("s3.aws.upbound.io", "Nothing", "b", AWS, ""),
    ("s3.aws.upbound.io", "Bucket", "", AWS, ""),
    ("s3.aws.upbound.io", "Bucket", "x" * 3000, AWS, ""),
    ("sql.gcp.upbound.io", "DatabaseInstance", "projects/p/instances/i", GCP, "https://console.cloud.google.com/sql/instances/i/overview?project=p"),
    ("sql.gcp.upbound.io", "DatabaseInstance", "i", {}, ""),
    ("dbforpostgresql.azure.upbound.io", "Server", "s", {"status": {"atProvider": {"id": "/subscriptions/1/x y"}}}, "https://portal.azure.com/#resource/subscriptions/1/x%20y"),
    ("dbforpostgresql.azure.upbound.io", "Server", "s", {"status": {"atProvider": {"id": "javascript:alert(1)"}}}, ""),
    ("kubernetes.crossplane.io", "Object", "o", {}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("group", "kind", "external", "obj", "link"), LINKS)
def test_consoles_are_linked_where_they_are_known(group, kind, external, obj, link):
    assert console(GroupVersionKind(group, "v1", kind), external, obj) == link


def entry(obj):
    return cached(encode(obj), Relevance())


def test_garbage_in_a_definition_reads_as_absent():
    bare = definition(
        entry(
            {
                "apiVersion": "apiextensions.crossplane.io/v2",
                "metadata": {"name": "x"},
                "spec": {"versions": [1, {}], "names": 7},
            }
        )
    )
    assert (bare.version, bare.scope, bare.namespaced, bare.composite.served) == ("", "Namespaced", True, False)
    assert shaped(bare)["offered"] is False
    assert schemas({"spec": {"versions": "none"}}) == {}


def test_garbage_in_a_claim_reads_as_absent():
    found = row(
        entry(
            {
                "apiVersion": "a/v1",
                "kind": "K",
                "metadata": {"name": "x", "namespace": "n"},
                "spec": {"resourceRef": 1},
                "status": {"conditions": "none"},
            }
        )
    )
    assert (found.ready, found.synced, found.composite, found.state) == ("Unknown", "Unknown", "", "waiting")
    assert merged(found, None) is found


def said(kind="XDatabase", synced=("True", "ReconcileSuccess", ""), ready=("False", "Creating", ""), **metadata):
    told = [
        {"type": type_, "status": status, "reason": reason, "message": message}
        for type_, (status, reason, message) in (("Synced", synced), ("Ready", ready))
    ]
    namespace = {"namespace": "shop"} if kind == "Database" else {}
    obj = {
        "apiVersion": "platform.test/v1",
        "kind": kind,
        "metadata": {"name": "orders", **namespace, **metadata},
        "status": {"conditions": told},
    }
    return row(cached(encode(obj), Relevance()))


WAITING = ("False", "Waiting", "Claim is waiting for composite resource to become Ready")
BROKEN = ("False", "ReconcileError", "cannot compose: no such Composition")
FARES = [
    (said(), "waiting", "it is being made"),
    (said(ready=("False", "Creating", "Unready resources: db")), "waiting", "a part is being made"),
    (said(ready=("False", "Creating", "Unready resources: x — x: Unready resources: db")), "waiting", "so is one below"),
    (said(ready=("False", "Creating", "Unready resources: db — db: quota is met")), "wrong", "a part says what it lacks"),
    (said(synced=BROKEN), "wrong", "it cannot be composed"),
    (said(synced=("False", "ReconcilePaused", "paused")), "waiting", "somebody has it wait"),
    (said(ready=("True", "Available", "")), "well", "it is there"),
    (said("Database", ready=WAITING), "waiting", "a claim waits for its composite"),
    (said("Database", ready=(*WAITING[:2], f"{WAITING[2]}: db: quota is met")), "wrong", "and says what is wrong with it"),
]  # fmt: skip


@pytest.mark.parametrize(("found", "state", "why"), FARES, ids=[each[2] for each in FARES])
def test_what_is_made_is_waited_for_and_what_cannot_be_is_wrong(found, state, why):
    assert found.state == state, why


def test_a_claim_is_wrong_where_its_composite_is_though_it_only_waits_itself():
    claim = said("Database", ready=WAITING)
    both = merged(claim, said(synced=BROKEN))
    assert (both.state, both.reason, both.message) == ("wrong", "ReconcileError", BROKEN[2])
    assert merged(claim, said()).state == "waiting"
    leaving = said("Database", ready=WAITING, deletionTimestamp="2026-01-01T00:00:00Z")
    assert merged(leaving, said(synced=BROKEN)).state == "waiting"
