import pytest

from plumbline.base.errors import InvalidInput, OwnedElsewhere
from plumbline.composition import marks
from plumbline.composition.claims import syncing
from plumbline.composition.definitions.values import Defined, Offer
from plumbline.kube.names import GroupVersionKind, GroupVersionResource, Ref

DEFINED = Defined(
    name="xdatabases.example.org",
    uid="d",
    composite=Offer(GroupVersionKind("example.org", "v1", "XDatabase"), GroupVersionResource("example.org", "v1", "xdatabases")),
    claim=Offer(GroupVersionKind("example.org", "v1", "Database"), GroupVersionResource("example.org", "v1", "databases")),
)  # fmt: skip
REFERENCE = {"apiVersion": "example.org/v1", "kind": "Database", "name": "orders", "namespace": "shop"}


def claim(metadata=None, **spec):
    return {
        "apiVersion": "example.org/v1",
        "kind": "Database",
        "metadata": {"name": "orders", "namespace": "shop", "uid": "c", **(metadata or {})},
        "spec": spec,
    }


def composite(metadata=None, **spec):
    name = marks.composite_name(Ref("example.org", "Database", "shop", "orders"))
    return {"metadata": {"name": name, **(metadata or {})}, "spec": {"claimRef": REFERENCE, **spec}}


def test_a_claim_names_its_composite_the_same_way_whenever_it_is_made():
    name = syncing.composite_of(claim())
    assert name == syncing.composite_of(claim({"uid": "another"}))
    assert name.startswith("orders-")
    assert name != syncing.composite_of({**claim(), "metadata": {"name": "orders", "namespace": "other"}})
    assert syncing.composite_of(claim(resourceRef={"name": "existing"})) == "existing"


def test_long_names_leave_room():
    assert len(marks.composite_name(Ref("g", "K", "n", "x" * 100))) == 63


def test_what_is_asked_for_goes_to_the_composite_and_what_is_the_claims_own_does_not():
    asked = claim(
        {
            "labels": {"team": "a", "app.kubernetes.io/name": "x"},
            "annotations": {"note": "b", "kubectl.kubernetes.io/last": "x"},
        },
        parameters={"size": "small"},
        compositionSelector={"matchLabels": {"provider": "aws"}},
        compositeDeletePolicy="Foreground",
        compositionRevisionRef={"name": "r"},
        writeConnectionSecretToRef={"name": "s"},
        resourceRef={"name": "x"},
    )
    body = syncing.composite_for(asked, None, DEFINED)
    assert body["metadata"] == {
        "name": "x",
        "labels": {"team": "a", marks.CLAIM_NAME: "orders", marks.CLAIM_NAMESPACE: "shop"},
        "annotations": {"note": "b"},
    }
    assert body["spec"] == {
        "parameters": {"size": "small"},
        "compositionSelector": {"matchLabels": {"provider": "aws"}},
        "claimRef": REFERENCE,
    }


def test_an_enforced_composition_is_not_the_claims_to_choose():
    enforced = Defined(name="x", uid="d", composite=DEFINED.composite, enforced_composition="only")
    body = syncing.composite_for(claim(compositionRef={"name": "mine"}), None, enforced)
    assert "compositionRef" not in body["spec"]


def test_a_manual_composite_follows_the_claims_revision():
    asked = claim(compositionRevisionRef={"name": "r1"})
    manual = composite(compositionUpdatePolicy="Manual")
    assert syncing.composite_for(asked, manual, DEFINED)["spec"]["compositionRevisionRef"] == {"name": "r1"}


def test_the_external_name_of_the_composite_wins():
    asked = claim({"annotations": {marks.EXTERNAL_NAME: "mine"}})
    there = composite({"annotations": {marks.EXTERNAL_NAME: "theirs"}})
    assert syncing.composite_for(asked, there, DEFINED)["metadata"]["annotations"] == {marks.EXTERNAL_NAME: "theirs"}
    assert syncing.claim_patch(asked, there, DEFINED)["metadata"]["annotations"] == {marks.EXTERNAL_NAME: "theirs"}


def test_a_claim_is_bound_in_one_write_with_its_finalizer():
    name = syncing.composite_of(claim())
    assert syncing.claim_patch(claim(), None, DEFINED) == {
        "metadata": {"finalizers": [marks.CLAIM_FINALIZER]},
        "spec": {"resourceRef": {"apiVersion": "example.org/v1", "kind": "XDatabase", "name": name}},
    }


def test_a_bound_claim_is_told_what_was_chosen_and_is_then_left_alone():
    bound = claim(
        {"finalizers": [marks.CLAIM_FINALIZER]},
        resourceRef=marks.reference(DEFINED.composite.gvk, syncing.composite_of(claim())),
    )
    chosen = composite(
        compositionRef={"name": "c"}, compositionRevisionRef={"name": "c-1"}, compositionUpdatePolicy="Automatic"
    )
    patch = syncing.claim_patch(bound, chosen, DEFINED)
    assert patch == {"spec": {"compositionRef": {"name": "c"}, "compositionRevisionRef": {"name": "c-1"}}}
    assert syncing.claim_patch({**bound, "spec": bound["spec"] | patch["spec"]}, chosen, DEFINED) == {}


def test_a_composite_of_another_claim_is_not_taken():
    other = composite(claimRef={**REFERENCE, "name": "billing"})
    with pytest.raises(OwnedElsewhere, match="bound to another claim, Database shop/billing"):
        syncing.check_bound(claim(), other)
    syncing.check_bound(claim(), composite())
    syncing.check_bound(claim(), {"metadata": {"name": "x"}, "spec": {}})
    syncing.check_bound(claim(), None)


def test_a_connection_secret_is_in_the_claims_namespace():
    syncing.check_secret(claim(writeConnectionSecretToRef={"name": "s", "namespace": "shop"}))
    syncing.check_secret(claim())
    with pytest.raises(InvalidInput, match="always in its own namespace, shop"):
        syncing.check_secret(claim(writeConnectionSecretToRef={"name": "s", "namespace": "kube-system"}))


def test_machinery_of_the_composite_is_not_reported():
    status = {"address": "db", "conditions": [], "connectionDetails": {}, "claimConditionTypes": []}
    assert syncing.reported({"status": status}) == {"address": "db"}
    assert syncing.reported({}) == {}


def test_a_claim_has_no_say_in_what_its_composite_remembers_to_be_made_of():
    stolen = [{"apiVersion": "v1", "kind": "Secret", "name": "root", "namespace": "kube-system"}]
    assert "resourceRefs" not in syncing.composite_for(claim(resourceRefs=stolen), None, DEFINED)["spec"]


def test_a_claim_keeps_its_composite_when_another_version_becomes_the_one_that_compositions_refer_to():
    older = composite(claimRef={**REFERENCE, "apiVersion": "example.org/v1alpha1"})
    syncing.check_bound(claim(), older)
    with pytest.raises(OwnedElsewhere):
        syncing.check_bound(claim(), composite(claimRef={**REFERENCE, "apiVersion": "other.org/v1"}))
