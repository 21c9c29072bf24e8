"""What is told of objects, without any cluster."""

from datetime import UTC, datetime

import pytest

from plumbline.cli.composition.drawing import as_dot, drawn
from plumbline.composition.parts import Branch, branches
from plumbline.composition.tracing.branches import FINE, WAITING, WRONG, Node, state_of
from plumbline.composition.tracing.causes import cause_of, lasting, sentence, told, turn_of
from plumbline.kube.names import GroupVersionKind

from .platform import SINCE, bucket, composite, conditions, obj, ref

NOW = datetime(2026, 1, 2, 4, 4, 5, tzinfo=UTC)


def app(status, **spec):
    return obj("Application", "shop", "argocd", spec, status, "argoproj.io/v1alpha1")


SYNCED = {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}}
APPS = [
    (SYNCED, FINE, "Healthy", "all is well"),
    ({"sync": {"status": "OutOfSync"}}, WAITING, "OutOfSync", "Git says something else"),
    ({}, WAITING, "Unknown", "nobody has looked yet"),
    (SYNCED | {"health": {"status": "Degraded", "message": "m"}}, WRONG, "Degraded", "its objects are not well"),
    (SYNCED | {"conditions": [{"type": "ComparisonError", "message": "m"}]}, WRONG, "ComparisonError", "it cannot be compared"),
    (SYNCED | {"operationState": {"phase": "Running", "startedAt": SINCE}}, WAITING, "OperationRunning", "it is at it"),
    (SYNCED | {"operationState": {"phase": "Failed", "message": "m"}}, WRONG, "OperationFailed", "its sync failed"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "level", "reason", "why"), APPS, ids=[case[-1] for case in APPS])
def test_applications_are_judged_by_what_they_say(status, level, reason, why):
    state = state_of(Node(app(status)))
    assert (state.level, state.reason) == (level, reason), why


def test_applications_name_what_they_deliver():
    listed = [
        {"group": "apps", "version": "v1", "kind": "Deployment", "namespace": "n", "name": "web"},
        {"kind": "x"},
        1,
    ]
    assert branches(app({"resources": listed})) == [Branch(GroupVersionKind("apps", "v1", "Deployment"), "n", "web")]


def test_modern_composites_name_their_parts_further_in():
    modern = obj("XShop", "m", "shop", {"crossplane": {"resourceRefs": [ref("Bucket", "b"), {"kind": "Bucket"}, 1]}})
    assert branches(modern) == [Branch(GroupVersionKind("platform.test", "v1", "Bucket"), "shop", "b")]


def test_connection_secrets_of_managed_resources():
    managed = obj("Bucket", "b", "", {"forProvider": {}, "writeConnectionSecretToRef": {"name": "s", "namespace": "n"}})
    assert branches(managed) == []
    assert branches(managed, secrets=True) == [Branch(GroupVersionKind("", "v1", "Secret"), "n", "s")]


GONE = Node(obj("Bucket", "gone"), error="not found", missing=True)
DENIED = Node(obj("Bucket", "hidden"), error="may not be read")


def deleting(kind="Bucket", *finalizers):
    return Node(obj(kind, "b", deletionTimestamp=SINCE, finalizers=list(finalizers)))


def synced(message, **annotations):
    return Node(bucket("b", conditions("False", "False", synced_message=message), **annotations))


TURNS = [
    (GONE, "Plumbline's", "Bucket gone is not there", "", "not made yet"),
    (DENIED, "your", "Bucket hidden cannot be read: may not be read", "", "forbidden"),
    (deleting("Bucket", "finalizer.managedresource.crossplane.io"), "the provider's", "Bucket b is being deleted, and waits for the provider, which deletes what is in the cloud", "", "the cloud deletes"),
    (deleting("XShop", "composite.apiextensions.crossplane.io"), "Plumbline's", "XShop b is being deleted, and waits for Plumbline, which lets go of what it composed", "", "we delete"),
    (deleting("Bucket", "foregroundDeletion"), "Kubernetes'", "Bucket b is being deleted, and waits for Kubernetes, which deletes what it owns first", "", "Kubernetes deletes"),
    (deleting(), "Kubernetes'", "Bucket b is being deleted", "", "nobody holds it"),
    (synced("Secret shop/login not found"), "your", "Bucket b cannot be made so: Secret shop/login not found", "", "a Secret is missing"),
    (synced("refusing external-create", **{"crossplane.io/external-create-pending": SINCE}), "your", "Bucket b cannot be made so: refusing external-create", "kubectl annotate bucket.platform.test/b crossplane.io/external-create-pending-", "nobody knows whether it was made"),
    (synced("the size is wrong"), "your", "Bucket b cannot be made so: the size is wrong", "", "refused"),
    (synced("plumbline.dev/consent=abc123"), "your", "Bucket b cannot be made so: plumbline.dev/consent=abc123", "plumb consent bucket/b abc123", "consent for the object itself"),
    (Node(composite("x", status=conditions("False", "False", synced_message="no composition."))), "your", "XShop x cannot be made so: no composition", "", "a composite that is wrong"),
    (Node(composite("x")), "Plumbline's", "XShop x is not ready yet: Unready resources: bucket", "", "a composite that waits"),
    (Node(app({"sync": {"status": "OutOfSync"}})), "your", "Application shop in argocd is not ready yet: OutOfSync", "plumb app sync shop", "nobody syncs it"),
    (Node(app({"sync": {"status": "OutOfSync"}}, syncPolicy={"automated": {"prune": True}})), "Plumbline's", "Application shop in argocd is not ready yet: OutOfSync", "", "it syncs itself"),
    (Node(app(SYNCED | {"operationState": {"phase": "Running"}})), "Plumbline's", "Application shop in argocd is not ready yet: OperationRunning", "", "it is at it"),
    (Node(app({"conditions": [{"type": "InvalidSpecError", "message": "bad"}]})), "your", "Application shop in argocd is InvalidSpecError: bad", "", "wrong in Git"),
    (Node(obj("Deployment", "web", "shop", {"replicas": 1}, {"observedGeneration": 0}, "apps/v1", generation=1)), "Kubernetes'", "Deployment web in shop is not ready yet: Waiting for rollout to finish: observed deployment generation less than desired generation", "", "a rollout"),
]  # fmt: skip


@pytest.mark.parametrize(("node", "whose", "text", "command", "why"), TURNS, ids=[case[-1] for case in TURNS])
def test_whose_turn_it_is(node, whose, text, command, why):
    cause = cause_of(node)
    assert cause is not None
    turn = turn_of(cause)
    assert (turn.whose, told(cause), list(turn.release)) == (whose, text, [command] if command else []), why
    assert sentence(node) == f"{text}."


def test_the_worst_goes_before_the_deepest():
    wrong = Node(bucket("wrong", conditions("False", "False", synced_message="m")))
    waiting = Node(composite("x"), (Node(composite("y"), (GONE,)),))
    assert cause_of(Node(composite("root"), (waiting, wrong))).node is wrong
    assert cause_of(Node(composite("root"), (waiting,))).node is GONE


def test_what_is_well_has_no_cause():
    fine = Node(bucket("b", conditions("True", "True")))
    assert cause_of(fine) is None
    assert sentence(fine) == "Bucket b is well."


@pytest.mark.parametrize(
    ("since", "text"),
    [
        (SINCE, "60m"),
        ("2025-12-01T00:00:00Z", "32d"),
        ("2026-01-02T04:04:00Z", "5s"),
        ("", ""),
        ("soon", ""),
        ("2026-01-02", ""),
    ],
)
def test_how_long_it_is(since, text):
    assert lasting(since, NOW) == text


def test_a_terminal_without_box_drawing_gets_plain_letters():
    tree = Node(composite("x"), (GONE, Node(composite("y"), (GONE,))))
    lines = drawn(tree, wide=False, plain=True).splitlines()
    assert [line.split("/")[0] for line in lines[1:]] == ["XShop", "|- Bucket", "`- XShop", "   `- Bucket"]
    assert 'Error: not \\"found\\"' in as_dot(Node(obj("Bucket", "b"), error='not "found"'))
