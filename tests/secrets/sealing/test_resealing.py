"""The same values under the newest key, and nothing gained by whoever asks for it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.secrets.sealing.scene import NOW, all_of, key, revealed, ring, sealed, text
from tests.secrets.sealing.test_opening import blob

from plumbline.base.errors import Undecryptable
from plumbline.base.json import encode
from plumbline.secrets.sealing import (
    SEALED_WITH,
    Keyring,
    outdated,
    renewed,
    resealed,
    scope_annotations,
    scope_of,
    unsealed,
)
from plumbline.secrets.sealing.scopes import CLUSTER_WIDE, NAMESPACE_WIDE, SCOPES

CANARY = "canary-7f3a"


def opened(obj, *numbers):
    return revealed(unsealed(obj, ring(*numbers), now=NOW).values)


def test_values_are_sealed_by_the_newest_key():
    obj = sealed({"a": text(b"1", number=0), "b": text(b"2", number=1)})
    again = resealed(obj, ring(0, 1, 2))
    assert opened(again, 2) == {"a": b"1", "b": b"2"}
    assert again["metadata"]["annotations"] == {SEALED_WITH: key(2).fingerprint}
    assert outdated(again, ring(0, 1, 2)) == {}


def test_the_metadata_of_the_template_is_replaced():
    metadata = {
        "labels": {"l": "1"},
        "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": CANARY,
            "note": "n",
            SEALED_WITH: "SHA256:x",
        },
        "uid": "u",
        "resourceVersion": "5",
        "ownerReferences": [{"uid": "o"}],
    }
    template = {"metadata": {"labels": {"other": "x"}, "annotations": {"x": "y"}}, "type": "Opaque", "immutable": True}
    again = resealed(sealed({"a": text(b"1")}, template, **metadata), ring())
    assert again["spec"]["template"] == {
        "metadata": {"namespace": "shop", "name": "db", "labels": {"l": "1"}, "annotations": {"note": "n"}},
        "type": "Opaque",
        "immutable": True,
    }
    assert "status" not in again
    assert CANARY.encode() not in encode(again)


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("asked", SCOPES)
def test_the_scope_stays_whatever_the_template_asks_for(scope, asked):
    """CVE-2026-22728: a template that asked for the whole cluster got it."""
    template = {"metadata": {"annotations": scope_annotations(asked)}}
    again = resealed(sealed({"a": text(b"1", scope=scope)}, template, scope_annotations(scope)), ring())
    assert scope_of(again["metadata"]["annotations"]) == scope
    assert scope_of(again["spec"]["template"]["metadata"].get("annotations", {})) == scope
    assert opened(again) == {"a": b"1"}
    for moved in ({"name": "other"}, {"namespace": "other"}):
        elsewhere = again | {"metadata": again["metadata"] | moved}
        if scope == "cluster-wide" or (scope == "namespace-wide" and "name" in moved):
            assert opened(elsewhere) == {"a": b"1"}
        else:
            with pytest.raises(Undecryptable):
                opened(elsewhere)


ORACLES = [
    {"x": '{{ if eq .a "1" }}{{ fail "yes" }}{{ end }}'},
    {"x": "{{ fail .a }}"},
    {"x": "{{"},
    {"x": "{{ .a }}"},
    {"a": None},
    {"x": 5},
]


@pytest.mark.parametrize("templates", ORACLES)
@pytest.mark.parametrize("again", [resealed, renewed])
def test_templates_are_carried_along_and_never_rendered(templates, again):
    done = again(sealed({"a": text(b"1")}, {"data": templates}), ring(0, 1))
    assert done["spec"]["template"]["data"] == templates
    assert set(done["spec"]["encryptedData"]) == {"a"}


@pytest.mark.parametrize("again", [resealed, renewed])
def test_what_does_not_open_is_not_sealed_again(again):
    for moved in (
        {"name": "other"},
        {"annotations": {CLUSTER_WIDE: "true"}},
        {"annotations": {NAMESPACE_WIDE: "true"}},
    ):
        with pytest.raises(Undecryptable) as refused:
            again(sealed({"a": text(CANARY), "b": text(CANARY)}, **moved), ring(0, 1))
        assert refused.value.what == "a, b cannot be decrypted"
        assert CANARY not in all_of(refused.value)


def test_a_file_is_renewed_and_nothing_else_in_it_changes():
    kept = text(b"2", number=1)
    obj = sealed(
        {"b": kept, "a": text(b"1", number=0)},
        {"metadata": {"labels": {"l": "1"}, "annotations": {"x": "y"}}, "data": {"t": "{{ .a }}"}},
        {"note": "n"},
        labels={"own": "label"},
    )
    before = encode(obj)
    again = renewed(obj, ring(0, 1))
    assert encode(obj) == before
    assert again["spec"]["encryptedData"]["b"] == kept
    assert list(again["spec"]["encryptedData"]) == ["b", "a"]
    assert again["spec"]["template"] == obj["spec"]["template"]
    assert again["metadata"] == obj["metadata"] | {"annotations": {"note": "n", SEALED_WITH: key(1).fingerprint}}
    assert opened(again, 1) == {"a": b"1", "b": b"2", "t": b"1"}


def test_the_old_form_stays_what_it_is_and_shows_nothing():
    secret = {"kind": "Secret", "metadata": {"labels": {CANARY: "x"}}, "data": {"a": "MQ=="}}
    obj = blob(secret)
    again = resealed(obj, ring(0, 1))
    assert again["spec"]["encryptedData"] == {}
    assert CANARY.encode() not in encode(again)
    assert opened(again, 1) == {"a": b"1"}
    del obj["spec"]["encryptedData"]
    fresh = renewed(obj, ring(0, 1))
    assert set(fresh["spec"]) == {"data"}
    assert opened(fresh, 1) == {"a": b"1"}
    assert renewed(fresh, ring(0, 1)) == fresh


@settings(max_examples=settings.default.max_examples // 8)
@given(
    st.dictionaries(st.sampled_from("abc"), st.tuples(st.binary(max_size=20), st.integers(0, 2))),
    st.sampled_from(SCOPES),
)
def test_whoever_sealed_what_the_newest_key_opens_it_then(values, scope):
    items = {name: text(value, number=number, scope=scope) for name, (value, number) in values.items()}
    for again in (resealed, renewed):
        done = again(sealed(items, annotations=scope_annotations(scope)), ring(0, 1, 2))
        assert opened(done, 2) == {name: value for name, (value, _) in values.items()}
        assert outdated(done, ring(0, 1, 2)) == {}


def test_without_a_key_nothing_is_sealed_again():
    with pytest.raises(Exception, match="no sealing key"):
        resealed(sealed({}), Keyring(()))
