"""Upstream's marks, byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.secrets.external.shaping.making import plain

from plumbline.base.plaintext import Plaintext
from plumbline.secrets.external.shaping.markers import created_by, data_hash, field_manager, written_keys


def test_the_hash_is_the_one_of_gos_text_of_the_map():
    assert data_hash({}) == "74a974446e359fb3e6baff9bd0058950e6edd0f040888d9989b0a11b"
    assert data_hash(plain(b="", a="ab")) == "c9547aaafe151ea67e9174ea003dd51b168ff06b351947fe0b519e64"


def test_with_a_key_nobody_else_can_compute_it():
    keyed = data_hash(plain(a="1"), Plaintext("k"))
    assert keyed == data_hash(plain(a="1"), Plaintext("k"))
    assert len({keyed, data_hash(plain(a="1")), data_hash(plain(a="1"), Plaintext("other"))}) == 3


@given(st.dictionaries(st.text("ab.-", min_size=1, max_size=3), st.binary(max_size=3)))
def test_the_order_of_keys_does_not_matter(values):
    closed = {key: Plaintext(value) for key, value in values.items()}
    assert data_hash(closed) == data_hash(dict(reversed(closed.items())))


def test_the_owner_is_marked_by_a_hash_of_its_name():
    assert created_by("default", "test") == created_by("default", "test")
    assert len(created_by("a", "b")) == 56
    assert created_by("a", "b/c") == created_by("a/b", "c"), "a slash is in no name"


@pytest.mark.parametrize(("length", "hashed"), [(27, False), (28, True), (253, True)])
def test_long_names_are_hashed_into_the_field_manager(length, hashed):
    manager = field_manager("x" * length)
    assert manager.startswith("externalsecrets.external-secrets.io/")
    assert ("/sha3/" in manager) is hashed
    assert len(manager) <= 128


def test_fields_are_found_by_who_wrote_them():
    ours = {
        "manager": field_manager("es"),
        "fieldsV1": {"f:data": {".": {}, "f:a": {}}, "f:metadata": {"f:labels": {"f:x/y": {}}}},
    }
    other = {"manager": "kubectl", "fieldsV1": {"f:data": {"f:b": {}}}}
    live = {"metadata": {"managedFields": [ours, other, "garbage", {"manager": field_manager("es")}]}}
    assert written_keys(live, "es", "data") == {"a"}
    assert written_keys(live, "es", "metadata", "labels") == {"x/y"}
    assert written_keys(live, "es", "metadata", "annotations") == frozenset()
    assert written_keys({}, "es", "data") == frozenset()
