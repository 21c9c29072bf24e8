"""Whose a claim is under each policy."""

import itertools

import pytest

from plumbline.apiserver.controllers.workloads.podviews import pod_from
from plumbline.apiserver.controllers.workloads.statefulsets.retention import (
    Keepers,
    is_contested,
    is_of_earlier_pod,
    is_settled,
    is_stale,
    settled,
)
from plumbline.kube.object import Object


def reference(kind, uid, *, controller=True, name=None):
    version = "apps/v1" if kind == "StatefulSet" else "v1"
    name = name or ("web" if kind == "StatefulSet" else "web-0")
    return {
        "apiVersion": version,
        "kind": kind,
        "name": name,
        "uid": uid,
        "controller": controller,
        "blockOwnerDeletion": True,
    }


def keepers(deleted="Retain", scaled="Retain", replicas=1):
    policy = {"whenDeleted": deleted, "whenScaled": scaled}
    owner = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "uid": "set"},
        "spec": {"replicas": replicas, "persistentVolumeClaimRetentionPolicy": policy},
    }
    return Keepers(Object(owner), pod_from({"metadata": {"name": "web-0", "uid": "pod", "namespace": "default"}}))


def claim(*owners):
    return {"metadata": {"name": "disk-web-0", "ownerReferences": list(owners)}}


SET, POD = reference("StatefulSet", "set"), reference("Pod", "pod")

WANTED = [
    ("Retain", "Retain", 1, []),
    ("Retain", "Retain", 0, []),
    ("Delete", "Retain", 1, [SET]),
    ("Delete", "Retain", 0, [SET]),
    ("Retain", "Delete", 1, []),
    ("Retain", "Delete", 0, [POD]),
    ("Delete", "Delete", 1, [SET]),
    ("Delete", "Delete", 0, [POD]),
]


@pytest.mark.parametrize(("deleted", "scaled", "replicas", "wanted"), WANTED)
@pytest.mark.parametrize("before", [[], [SET], [POD], [SET, POD]])
def test_a_claim_gets_the_owner_of_the_policy_whoever_had_it(deleted, scaled, replicas, wanted, before):
    who = keepers(deleted, scaled, replicas)
    after = settled(claim(*before), who)
    assert after["metadata"].get("ownerReferences", []) == wanted
    assert is_settled(Object(after), who)
    assert is_settled(Object(claim(*before)), who) == (before == wanted)


def test_an_owner_that_does_not_control_is_made_to():
    who = keepers("Delete")
    loose = claim(reference("StatefulSet", "set", controller=False))
    assert not is_settled(Object(loose), who)
    assert settled(loose, who)["metadata"]["ownerReferences"] == [SET]


@pytest.mark.parametrize("owner", [reference("StatefulSet", "earlier"), reference("Pod", "earlier")])
def test_a_claim_of_an_earlier_namesake_goes_with_it(owner):
    who = keepers("Delete", "Delete")
    assert is_stale(Object(claim(owner)), who)
    assert is_settled(Object(claim(owner)), who), "nothing is changed about it"
    assert is_of_earlier_pod(Object(claim(owner)), who) == (owner["kind"] == "Pod")


def test_another_controllers_claim_is_only_let_go():
    other = reference("Thing", "x", name="x")
    who = keepers("Delete", "Delete")
    assert is_contested(Object(claim(other)), who)
    assert is_settled(Object(claim(other)), who)
    assert not is_settled(Object(claim(other, SET)), who)
    assert settled(claim(other, SET), who)["metadata"]["ownerReferences"] == [other]
    assert not is_contested(Object(claim(other)), keepers()), "without a policy nobody contests it"
    assert not is_contested(Object(claim(SET, POD)), who)


def test_owners_that_are_nobodys_business_stay():
    friend = reference("Thing", "x", name="x", controller=False)
    for deleted, scaled in itertools.product(("Retain", "Delete"), repeat=2):
        assert friend in settled(claim(friend), keepers(deleted, scaled))["metadata"]["ownerReferences"]
