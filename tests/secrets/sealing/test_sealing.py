"""Plain Secrets become SealedSecrets: what is sealed, what is carried along, and what must never be."""

from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.secrets.sealing.scene import NOW, all_of, certificate, key, revealed, ring, sealed, text

from plumbline.base.errors import InvalidInput, LimitExceeded, Undecryptable
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing import (
    SEALED_WITH,
    label_of,
    merged_into,
    scope_annotations,
    sealed_secret,
    sealed_value,
    unsealed,
)
from plumbline.secrets.sealing.scopes import CLUSTER_WIDE, NAMESPACE_WIDE, SCOPES

CANARY = "canary-7f3a"


def secret(values=None, written=None, **more):
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "shop"}, **more}
    if values is not None:
        body["data"] = {name: b64encode(value).decode() for name, value in values.items()}
    return body | ({"stringData": written} if written is not None else {})


def opened(made, *numbers):
    return revealed(unsealed(made, ring(*numbers), now=NOW).values)


def test_every_value_is_sealed_and_the_rest_goes_into_the_template():
    given_secret = secret(
        {"password": b"p\xff\x00"},
        {"user": "ada", "password2": "x"},
        type="kubernetes.io/basic-auth",
        immutable=True,
        metadata={"name": "db", "namespace": "shop", "labels": {"app": "shop"}, "annotations": {"note": "n"}},
    )
    made = sealed_secret(given_secret, certificate())
    assert made["apiVersion"] == "bitnami.com/v1alpha1"
    assert made["metadata"] == {
        "name": "db",
        "namespace": "shop",
        "annotations": {SEALED_WITH: key().fingerprint},
    }
    assert made["spec"]["template"] == {
        "metadata": {"name": "db", "namespace": "shop", "labels": {"app": "shop"}, "annotations": {"note": "n"}},
        "type": "kubernetes.io/basic-auth",
        "immutable": True,
    }
    assert opened(made) == {"password": b"p\xff\x00", "user": b"ada", "password2": b"x"}


def test_what_is_written_plainly_wins_over_what_is_encoded():
    assert opened(sealed_secret(secret({"a": b"1"}, {"a": "2"}), certificate())) == {"a": b"2"}


def test_nothing_says_which_key_sealed_it_where_that_is_not_wanted():
    made = sealed_secret(secret({"a": b"1"}), certificate(), noted=False)
    assert made["metadata"] == {"name": "db", "namespace": "shop"}


@settings(max_examples=settings.default.max_examples // 8)
@given(
    scope=st.sampled_from(SCOPES),
    values=st.dictionaries(st.from_regex(r"[-_a-zA-Z0-9]{1,20}", fullmatch=True), st.binary(max_size=60), max_size=3),
    place=st.tuples(*[st.from_regex(r"[a-z0-9]{1,20}", fullmatch=True)] * 2),
)
def test_what_was_sealed_for_a_scope_opens_there_again(scope, values, place):
    metadata = {"namespace": place[0], "name": place[1]}
    made = sealed_secret(secret(values, metadata=metadata), certificate(), scope, allow_empty=True)
    assert opened(made) == values
    assert {key: made["metadata"]["annotations"].get(key) for key in (CLUSTER_WIDE, NAMESPACE_WIDE)} == {
        key: scope_annotations(scope).get(key) for key in (CLUSTER_WIDE, NAMESPACE_WIDE)
    }


MOVES = [
    ("strict", {"name": "other"}, False, "renamed"),
    ("strict", {"namespace": "other"}, False, "in another namespace"),
    ("namespace-wide", {"name": "other"}, True, "any name will do"),
    ("namespace-wide", {"namespace": "other"}, False, "in another namespace"),
    ("cluster-wide", {"name": "other", "namespace": "other"}, True, "anything will do"),
    ("strict", {"annotations": {CLUSTER_WIDE: "true"}}, False, "a wider scope is claimed"),
    ("strict", {"annotations": {NAMESPACE_WIDE: "true"}}, False, "a wider scope is claimed"),
    ("cluster-wide", {"annotations": {}}, False, "a narrower scope is claimed"),
    ("namespace-wide", {"annotations": {CLUSTER_WIDE: "true", NAMESPACE_WIDE: "true"}}, False, "the wider wins"),
]


@pytest.mark.parametrize(("scope", "moved", "opens", "why"), MOVES, ids=[f"{each[0]}: {each[3]}" for each in MOVES])
def test_a_sealed_secret_moves_as_far_as_its_scope_goes(scope, moved, opens, why):
    made = sealed_secret(secret({"a": b"1"}), certificate(), scope)
    made["metadata"] |= moved
    if opens:
        assert opened(made) == {"a": b"1"}
    else:
        with pytest.raises(Undecryptable):
            opened(made)


def test_a_secret_may_ask_for_its_scope_and_the_one_that_is_given_wins():
    asking = secret({"a": b"1"}, metadata={"name": "db", "namespace": "shop", "annotations": {CLUSTER_WIDE: "true"}})
    made = sealed_secret(asking, certificate())
    assert made["metadata"]["annotations"][CLUSTER_WIDE] == "true"
    assert made["spec"]["template"]["metadata"]["annotations"] == {CLUSTER_WIDE: "true"}
    made = sealed_secret(asking, certificate(), "namespace-wide")
    assert made["spec"]["template"]["metadata"]["annotations"] == {NAMESPACE_WIDE: "true"}
    made = sealed_secret(asking, certificate(), "strict")
    assert "annotations" not in made["spec"]["template"]["metadata"]


def test_copies_of_the_values_that_tools_left_behind_are_not_carried_along():
    metadata = {
        "name": "db",
        "namespace": "shop",
        "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": CANARY,
            "kubecfg.ksonnet.io/last-applied-configuration": CANARY,
            SEALED_WITH: "SHA256:of-another-time",
            "kept": "k",
        },
        "uid": "u",
        "resourceVersion": "1",
        "generation": 3,
        "creationTimestamp": None,
        "deletionTimestamp": "2026-01-01T00:00:00Z",
        "deletionGracePeriodSeconds": 0,
        "selfLink": "/x",
        "ownerReferences": [{"uid": "o"}],
        "managedFields": [{"manager": "kubectl"}],
        "generateName": "db-",
    }
    made = sealed_secret(secret({"a": CANARY.encode()}, metadata=metadata), certificate())
    assert made["spec"]["template"]["metadata"] == {
        "name": "db",
        "namespace": "shop",
        "annotations": {"kept": "k"},
        "generateName": "db-",
    }
    assert CANARY.encode() not in encode(made)


def test_the_name_and_namespace_that_are_given_win():
    made = sealed_secret(secret({"a": b"1"}), certificate(), name="x", namespace="y")
    assert (made["metadata"]["name"], made["metadata"]["namespace"]) == ("x", "y")
    assert made["spec"]["template"]["metadata"] == {"name": "x", "namespace": "y"}
    assert opened(made) == {"a": b"1"}


def test_for_the_whole_cluster_no_namespace_is_needed():
    made = sealed_secret(secret({"a": b"1"}, metadata={"name": "db"}), certificate(), "cluster-wide")
    assert "namespace" not in made["metadata"]
    assert opened(made | {"metadata": made["metadata"] | {"namespace": "any"}}) == {"a": b"1"}


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        ({"kind": "ConfigMap"}, "only Secrets"),
        ({"apiVersion": "v2"}, "only Secrets"),
        ({"data": {}}, "nothing to seal"),
        ({"data": None}, "nothing to seal"),
        ({"data": {"a": CANARY + "%"}}, "no base64"),
        ({"data": {"a": [CANARY]}}, "no text"),
        ({"data": [CANARY]}, "no mapping"),
        ({"stringData": {"a": 5}}, "no text"),
        ({"stringData": {"a": CANARY + "\ud800"}}, "half a character"),
        ({"metadata": {"namespace": "shop"}}, "no name"),
        ({"metadata": {"name": "db"}}, "no namespace"),
        ({"metadata": {"name": 5, "namespace": "shop"}}, "no text"),
        ({"metadata": {"name": "db", "namespace": "shop", "annotations": {"a": 1}}}, "no text"),
        ({"stringData": {"a b": CANARY}}, "no name of an item"),
        ({"stringData": {"..": CANARY}}, "no name of an item"),
        ({"stringData": {"x" * 254: CANARY}}, "no name of an item"),
        ({"immutable": "yes"}, "neither true nor false"),
        ({"type": 5}, "no text"),
    ],
)
def test_what_cannot_be_sealed_is_refused_and_no_value_told(odd, why):
    with pytest.raises(InvalidInput) as refused:
        sealed_secret(secret({"a": b"1"}) | odd, certificate())
    assert CANARY not in all_of(refused.value)


def test_more_than_a_secret_holds_is_not_sealed():
    with pytest.raises(LimitExceeded):
        sealed_secret(secret({"a": b"x" * 600_000, "b": b"x" * 600_000}), certificate())
    with pytest.raises(LimitExceeded):
        sealed_value(Plaintext(b"x" * 1_100_000), certificate(), "cluster-wide")


def test_an_empty_secret_is_sealed_if_one_insists():
    assert opened(sealed_secret(secret({}), certificate(), allow_empty=True)) == {}


def test_an_item_that_is_null_is_empty():
    assert opened(sealed_secret(secret() | {"data": {"a": None}}, certificate())) == {"a": b""}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_value_is_sealed_alone(scope):
    made = sealed_value(Plaintext(b"v"), certificate(), scope, namespace="shop", name="db")
    assert ring().opened(made, label_of(scope, "shop", "db")).value.reveal() == b"v"


@pytest.mark.parametrize("place", [{"scope": "strict", "namespace": "a"}, {"scope": "namespace-wide", "name": "a"}])
def test_a_value_alone_is_told_where_it_belongs(place):
    with pytest.raises(InvalidInput):
        sealed_value(Plaintext(b"v"), certificate(), **place)


def test_merging_takes_items_and_template_and_leaves_the_rest():
    existing = sealed(
        {"a": text(b"1"), "b": text(b"2")},
        {"metadata": {"labels": {"l": "1"}, "finalizers": ["f"]}, "type": "Opaque", "data": {"t": "old", "u": "kept"}},
        {SEALED_WITH: "SHA256:old", "note": "n"},
        labels={"own": "label"},
    ) | {"status": {"observedGeneration": 4}}
    new = sealed(
        {"b": text(b"3", number=1), "c": text(b"4", number=1)},
        {"metadata": {"labels": {"m": "2"}, "annotations": {"x": "y"}}, "type": "other", "data": {"t": "new"}},
        {SEALED_WITH: key(1).fingerprint},
    )
    before = encode(existing)
    merged = merged_into(existing, new)
    assert encode(existing) == before
    assert revealed(unsealed(merged, ring(0, 1), now=NOW).values) == {
        "a": b"1", "b": b"3", "c": b"4", "t": b"new", "u": b"kept",
    }  # fmt: skip
    assert merged["spec"]["template"] == {
        "metadata": {"labels": {"l": "1", "m": "2"}, "annotations": {"x": "y"}, "finalizers": ["f"]},
        "type": "Opaque",
        "data": {"t": "new", "u": "kept"},
    }
    assert merged["metadata"] == existing["metadata"] | {"annotations": {SEALED_WITH: key(1).fingerprint, "note": "n"}}
    assert merged["status"] == {"observedGeneration": 4}


def test_merging_works_where_there_is_no_template():
    merged = merged_into(sealed({"a": text(b"1")}), sealed({"b": text(b"2")}))
    assert set(merged["spec"]["encryptedData"]) == {"a", "b"}
    assert merged["metadata"] == {"namespace": "shop", "name": "db"}


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ({"name": "other"}, "sealed for another name"),
        ({"namespace": "other"}, "sealed for another namespace"),
        ({"annotations": {CLUSTER_WIDE: "true"}}, "sealed for another scope"),
    ],
)
def test_what_would_not_open_there_is_not_merged(new, why):
    with pytest.raises(InvalidInput, match="sealed for another place"):
        merged_into(sealed({"a": text(b"1")}), sealed({"b": text(b"2")}, **new))


@pytest.mark.parametrize(
    ("scope", "existing", "why"),
    [
        ("strict", {"namespace": None}, "the file is for whichever namespace it is put into"),
        ("namespace-wide", {"namespace": None, "name": "other"}, "same, and the name does not matter"),
        ("namespace-wide", {"name": "other"}, "the name does not matter"),
        ("cluster-wide", {"namespace": "other", "name": "other"}, "nothing matters"),
    ],
)
def test_what_opens_there_is_merged(scope, existing, why):
    there = sealed({"a": text(b"1", scope=scope)}, annotations=scope_annotations(scope), **existing)
    merged = merged_into(there, sealed({"b": text(b"2", scope=scope)}, annotations=scope_annotations(scope)))
    assert set(merged["spec"]["encryptedData"]) == {"a", "b"}, why
    assert merged["metadata"] == there["metadata"]


def test_nothing_is_merged_into_a_blob():
    blob = sealed({})
    blob["spec"] = {"data": text(b"{}")}
    with pytest.raises(InvalidInput):
        merged_into(blob, sealed({"b": text(b"2")}))
