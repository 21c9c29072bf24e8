"""What a cluster starts with."""

from collections import Counter

import pytest

from plumbline.access.identity import ANONYMOUS, Identity
from plumbline.apiserver.rbac import Attributes, Authorizer
from plumbline.apiserver.rbac.bootstrap import bootstrap_objects, seeds
from plumbline.base.json import decode


@pytest.fixture(scope="module")
def authorizer():
    authorizer = Authorizer()
    for seed in seeds():
        authorizer.observe(seed.encoded("u", "1", "2026-01-01T00:00:00Z"))
    return authorizer


def test_there_are_as_many_as_kubernetes_has():
    kinds = Counter(obj["kind"] for obj in bootstrap_objects())
    assert kinds == {"ClusterRole": 69, "ClusterRoleBinding": 50, "Role": 7, "RoleBinding": 7}


def test_every_binding_leads_to_a_role():
    objects = bootstrap_objects()
    roles = {(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in objects}
    for each in objects:
        if "roleRef" in each:
            kind, name = each["roleRef"]["kind"], each["roleRef"]["name"]
            assert (kind, each["metadata"].get("namespace"), name) in roles


@pytest.mark.parametrize(
    ("name", "holds", "lacks"),
    [
        ("view", ("get", "pods"), ("create", "pods")),
        ("edit", ("create", "pods"), ("create", "roles")),
        ("admin", ("get", "pods/log"), ("update", "resourcequotas")),
    ],
)
def test_aggregated_roles_are_complete(name, holds, lacks):
    rules = next(each["rules"] for each in bootstrap_objects() if each["metadata"]["name"] == name)
    pairs = {(verb, resource) for rule in rules for verb in rule["verbs"] for resource in rule.get("resources", ())}
    assert holds in pairs
    assert lacks not in pairs


CONTROLLER = Identity("system:serviceaccount:kube-system:replicaset-controller")
KNOWN = Identity("x", groups=("system:authenticated",))


@pytest.mark.parametrize(
    ("attributes", "allowed", "why"),
    [
        (Attributes(CONTROLLER, "create", "", "v1", "pods", namespace="any"), True, "a controller does its work"),
        (Attributes(CONTROLLER, "get", "", "v1", "secrets", namespace="any"), False, "and nothing else"),
        (Attributes(KNOWN, "get", path="/apis/apps"), True, "discovery"),
        (Attributes(ANONYMOUS, "get", path="/version"), True, "anybody may ask for the version"),
        (Attributes(ANONYMOUS, "get", path="/apis"), False, "but not discover"),
        (Attributes(KNOWN, "list", "", "v1", "pods", namespace="default"), False, "nobody sees pods unasked"),
        (
            Attributes(Identity("system:kube-scheduler"), "update", "coordination.k8s.io", "v1", "leases", namespace="kube-system"),
            True,
            "a role of a namespace",
        ),
    ],
)  # fmt: skip
def test_bootstrap_roles_allow_what_a_cluster_needs(authorizer, attributes, allowed, why):
    assert authorizer.decide(attributes).allowed is allowed, why


def test_seeds_are_the_objects_with_what_a_store_gives():
    for seed, obj in zip(seeds(), bootstrap_objects(), strict=True):
        stored = decode(seed.encoded("some-uid", "17", "2026-01-01T00:00:00Z"))
        metadata = stored["metadata"]
        assert (seed.kind, seed.name, seed.namespace) == (
            stored["kind"], metadata["name"], metadata.get("namespace", ""))  # fmt: skip
        assert metadata.pop("uid") == "some-uid"
        assert metadata.pop("resourceVersion") == "17"
        assert metadata.pop("creationTimestamp") == "2026-01-01T00:00:00Z"
        managers = metadata.pop("managedFields")
        assert {each["time"] for each in managers} == {"2026-01-01T00:00:00Z"}
        assert len(managers) == (2 if "aggregationRule" in obj else 1)
        assert stored == obj


def test_seeds_are_made_once_and_objects_are_nobody_elses():
    assert seeds() is seeds()
    assert bootstrap_objects()[0] is not bootstrap_objects()[0]
