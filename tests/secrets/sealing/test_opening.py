"""SealedSecrets become Secrets, whole or not at all; what went wrong is said without a word about what is inside."""

from base64 import b64encode

import pytest
from tests.secrets.sealing.scene import NOW, all_of, certificate, key, revealed, ring, sealed, text
from tests.secrets.sealing.test_keys import counted

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound, Undecryptable
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing import SEALED_WITH, Keyring, outdated, unsealed, verified
from plumbline.secrets.sealing.opening import SKIP_OWNER
from plumbline.secrets.sealing.scopes import CLUSTER_WIDE
from plumbline.secrets.sealing.shape import MOST_ITEMS

CANARY = "canary-7f3a"


def unseal(obj, *numbers, **more):
    return unsealed(obj, ring(*numbers), now=NOW, **more)


def blob(secret, **more):
    made = sealed({}, **more)
    made["spec"] = {"data": text(encode(secret) if isinstance(secret, dict) else secret), "encryptedData": {}}
    return made


def test_the_template_says_what_the_secret_looks_like():
    template = {
        "metadata": {
            "name": "another",
            "namespace": "another",
            "labels": {"app": "shop"},
            "annotations": {"note": "n"},
            "finalizers": ["f"],
            "ownerReferences": [{"uid": "somebody"}],
            "uid": "another",
            "creationTimestamp": None,
        },
        "type": "kubernetes.io/basic-auth",
        "immutable": True,
    }
    found = unseal(sealed({"password": text(b"\xff")}, template, uid="u-1"))
    owner = {
        "apiVersion": "bitnami.com/v1alpha1",
        "kind": "SealedSecret",
        "name": "db",
        "uid": "u-1",
        "controller": True,
    }
    assert found.secret() == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "db",
            "namespace": "shop",
            "labels": {"app": "shop"},
            "annotations": {"note": "n"},
            "finalizers": ["f"],
            "ownerReferences": [owner],
        },
        "type": "kubernetes.io/basic-auth",
        "immutable": True,
        "data": {"password": b64encode(b"\xff").decode()},
    }


def test_without_a_template_there_are_values_alone():
    found = unseal(sealed({"a": text(b"1")}))
    assert found.secret() == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"namespace": "shop", "name": "db"},
        "data": {"a": "MQ=="},
    }


def test_a_template_may_keep_the_owners_it_names():
    owners = [{"uid": "somebody"}]
    template = {"metadata": {"annotations": {SKIP_OWNER: "true"}, "ownerReferences": owners}}
    assert unseal(sealed({}, template, uid="u")).metadata["ownerReferences"] == owners
    template = {"metadata": {"annotations": {SKIP_OWNER: "true"}}}
    assert "ownerReferences" not in unseal(sealed({}, template, uid="u")).metadata


def test_what_is_opened_does_not_show_itself():
    found = unseal(sealed({"a": text(CANARY)}))
    assert CANARY not in f"{found!r} {found} {found.values}"


def test_the_key_that_opened_each_item_is_named():
    found = unseal(sealed({"a": text(b"1", number=0), "b": text(b"2", number=1)}), 0, 1)
    assert found.fingerprints == {"a": key(0).fingerprint, "b": key(1).fingerprint}


@pytest.mark.parametrize("hinted", ["annotation", "parameter"])
def test_one_try_is_enough_for_each_item_where_the_hint_is_right(hinted):
    keyring, counts = counted(0, 1, 2)
    annotations = {SEALED_WITH: key(0).fingerprint} if hinted == "annotation" else {}
    obj = sealed({name: text(b"v", number=0) for name in "abc"}, annotations=annotations)
    unsealed(obj, keyring, now=NOW, hint=key(0).fingerprint if hinted == "parameter" else "")
    assert counts() == [3, 0, 0]


def test_without_a_hint_the_key_of_one_item_is_tried_first_with_the_next():
    keyring, counts = counted(0, 1, 2)
    unsealed(sealed({name: text(b"v", number=0) for name in "abc"}), keyring, now=NOW)
    assert counts() == [3, 1, 1]


WRONG = [
    (5, "it is not a text"),
    (None, "it is not a text"),
    ({"x": CANARY}, "it is not a text"),
    ("", "it is incomplete, or not base64"),
    (CANARY + "%", "it is incomplete, or not base64"),
    ("AQA=", "it is incomplete, or not base64"),
    ("ünïcode", "it is incomplete, or not base64"),
]


@pytest.mark.parametrize(("value", "why"), WRONG, ids=range(len(WRONG)))
def test_an_item_that_is_no_sealed_value_is_named_with_the_reason(value, why):
    with pytest.raises(Undecryptable) as refused:
        unseal(sealed({"fine": text(CANARY), "odd": value}))
    assert str(refused.value) == f"odd cannot be decrypted: {why}"
    assert [(each.field, each.message) for each in refused.value.causes] == [("spec.encryptedData.odd", why)]
    assert CANARY not in all_of(refused.value)


def test_all_that_cannot_be_opened_is_named_and_nothing_is_opened():
    items = {"a": text(CANARY, name="other"), "b": text(CANARY), "c": text(CANARY, number=1), "d": 5}
    with pytest.raises(Undecryptable) as refused:
        unseal(sealed(items))
    assert refused.value.what == "a, c, d cannot be decrypted"
    assert refused.value.why.startswith("a, c: no key that is known here opens it")
    assert CANARY not in all_of(refused.value)


def test_it_is_not_told_whether_the_key_or_the_value_was_wrong():
    from base64 import b64decode  # noqa: PLC0415 - for this alone

    raw = b64decode(text(b"v"))
    wrong = [raw[:-1] + bytes([raw[-1] ^ 1]), raw[:9] + bytes([raw[9] ^ 1]) + raw[10:], raw[:258]]
    said = set()
    for each in wrong:
        with pytest.raises(Undecryptable) as refused:
            unseal(sealed({"a": b64encode(each).decode()}))
        said.add(all_of(refused.value))
    assert len(said) == 1


def test_names_of_items_from_outside_cannot_write_the_message():
    with pytest.raises(Undecryptable) as refused:
        unseal(sealed({"a\nSynced: all is well": 1, "x" * 5000: 1, "\ud800": 1}))
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


def test_only_so_many_failures_are_paid_for():
    keyring, counts = counted(0)
    stranger = text(b"v", number=1)
    with pytest.raises(Undecryptable, match="and 36 others were not tried") as refused:
        unsealed(sealed({f"item-{at:03}": stranger for at in range(100)}), keyring, now=NOW)
    assert counts() == [64]
    assert "and 54 more cannot be decrypted" in str(refused.value)


SHAPES = [
    ({"kind": "Secret"}, "another kind"),
    ({"apiVersion": "bitnami.com/v2"}, "another version"),
    ({"metadata": None}, "no name"),
    ({"metadata": {"name": "db"}}, "no namespace"),
    ({"metadata": {"name": 5, "namespace": "shop"}}, "no text"),
    ({"metadata": {"name": "db", "namespace": "shop", "annotations": [CANARY]}}, "no mapping"),
    ({"metadata": {"name": "db", "namespace": "shop", "annotations": {"a": 5}}}, "no text"),
    ({"spec": [CANARY]}, "no mapping"),
    ({"spec": {"encryptedData": [CANARY]}}, "no mapping"),
    ({"spec": {"encryptedData": {}, "template": "x"}}, "no mapping"),
    ({"spec": {"encryptedData": {}, "template": {"metadata": 1}}}, "no mapping"),
    ({"spec": {"encryptedData": {}, "template": {"metadata": {"labels": {"a": 1}}}}}, "no text"),
    ({"spec": {"encryptedData": {}, "template": {"metadata": {"finalizers": "f"}}}}, "no list"),
    ({"spec": {"encryptedData": {}, "template": {"type": 1}}}, "no text"),
    ({"spec": {"encryptedData": {}, "template": {"immutable": "no"}}}, "neither true nor false"),
    ({"spec": {"encryptedData": {}, "template": {"data": {"a": 1}}}}, "no text"),
    ({"spec": {"encryptedData": {}, "template": {"data": []}}}, "no mapping"),
    ({"spec": {"encryptedData": {"a": "x"}, "data": "x"}}, "both forms at once"),
    ({"spec": {"data": 5}}, "no text"),
]


@pytest.mark.parametrize(("odd", "why"), SHAPES, ids=range(len(SHAPES)))
def test_what_is_no_sealed_secret_is_refused(odd, why):
    with pytest.raises(InvalidInput) as refused:
        unseal(sealed({}) | odd)
    assert CANARY not in all_of(refused.value)


def test_too_much_is_refused_before_it_costs_anything():
    keyring, counts = counted(0)
    for items in (dict.fromkeys(map(str, range(MOST_ITEMS + 1)), "x"), {"a": "x" * 4_000_000}):
        with pytest.raises(LimitExceeded):
            unsealed(sealed(items), keyring, now=NOW)
    assert counts() == [0]


def test_more_than_a_secret_holds_is_refused():
    half = text(b"x" * 600_000)
    with pytest.raises(LimitExceeded):
        unseal(sealed({"a": half, "b": half}))


def test_a_secret_without_items_is_empty():
    for spec in ({}, {"encryptedData": None}, {"encryptedData": {}}):
        assert unseal(sealed({}) | {"spec": spec}).values == {}


def test_the_old_form_holds_a_whole_secret():
    secret = {
        "kind": "Secret",
        "apiVersion": "v1",
        "metadata": {"name": "x", "namespace": "y", "labels": {"l": "1"}, "creationTimestamp": None},
        "type": "Opaque",
        "immutable": False,
        "data": {"a": "MQ=="},
        "stringData": {"b": "2"},
    }
    found = unseal(blob(secret, uid="u"))
    assert revealed(found.values) == {"a": b"1", "b": b"2"}
    assert (found.metadata["name"], found.metadata["namespace"]) == ("db", "shop")
    assert found.metadata["labels"] == {"l": "1"}
    assert found.metadata["ownerReferences"][0]["uid"] == "u"
    assert (found.type, found.immutable) == ("Opaque", False)
    assert found.fingerprints == {"spec.data": key().fingerprint}


@pytest.mark.parametrize(
    "content",
    [
        CANARY.encode(),
        b"[1]",
        {"kind": "ConfigMap", "data": {CANARY: CANARY}},
        {"data": {CANARY: CANARY + "%"}},
        {"immutable": CANARY},
        {"metadata": {"labels": {CANARY: 5}}},
        {"metadata": {"finalizers": CANARY}},
        b'{"a":' * 2000,
    ],
    ids=range(8),
)
def test_an_old_form_that_holds_no_secret_is_refused_and_nothing_of_it_told(content):
    with pytest.raises(InvalidInput, match=r"what spec.data holds is not a Secret") as refused:
        unseal(blob(content))
    assert CANARY not in all_of(refused.value)


def test_the_old_form_is_undecryptable_like_the_new_one():
    with pytest.raises(Undecryptable, match=r"spec.data cannot be decrypted"):
        unseal(blob({}, name="other"))
    odd = blob({})
    odd["spec"]["data"] = ""
    with pytest.raises(Undecryptable, match="it is incomplete"):
        unseal(odd)


def test_the_old_form_can_be_refused():
    with pytest.raises(InvalidInput):
        unseal(blob({}), accept_blob=False)
    with pytest.raises(Undecryptable):
        verified(blob({}), ring(), accept_blob=False)


def test_what_opens_is_verified_whatever_its_template_says():
    verified(sealed({"a": text(b"1")}, {"data": {"b": "{{ fail .a }}", "c": "{{"}}), ring())
    verified(blob({"kind": "Secret"}), ring())


@pytest.mark.parametrize(
    "obj",
    [
        lambda: sealed({"a": text(b"1", name="other")}),
        lambda: sealed({"a": text(b"1", number=1)}),
        lambda: sealed({"a": "x"}),
        lambda: sealed({"a": text(b"1"), "b": 5}),
        lambda: sealed({"a": text(b"1")}, annotations={CLUSTER_WIDE: "true"}),
        lambda: sealed({"a": text(b"1")}, namespace=""),
        lambda: sealed({"a": text(b"1")}) | {"kind": "Secret"},
        lambda: blob({}, name="other"),
        lambda: sealed({"a": text(b"x" * 600_000), "b": text(b"x" * 600_000)}),
    ],
)
def test_what_does_not_is_refused_in_the_same_words_whatever_is_wrong(obj):
    with pytest.raises(Undecryptable) as refused:
        verified(obj(), ring())
    assert str(refused.value) == "the SealedSecret cannot be decrypted"
    assert refused.value.causes == ()
    assert refused.value.__context__ is None


def test_all_items_are_tried_where_one_is_wrong():
    keyring, counts = counted(0)
    with pytest.raises(Undecryptable):
        verified(sealed({"a": text(b"1", number=1), "b": text(b"2"), "c": text(b"3")}), keyring)
    assert counts() == [3]


def test_items_that_an_older_key_sealed_are_found():
    obj = sealed({"a": text(b"1", number=0), "b": text(b"2", number=1)})
    assert outdated(obj, ring(0, 1)) == {"a": key(0).fingerprint}
    assert outdated(obj, ring(0, 1, 2)) == {"a": key(0).fingerprint, "b": key(1).fingerprint}
    assert outdated(blob({}), ring(0, 1)) == {"spec.data": key(0).fingerprint}
    assert outdated(sealed({}), Keyring(())) == {}
    with pytest.raises(Undecryptable):
        outdated(obj, ring(1))


def test_without_a_key_nothing_opens():
    with pytest.raises(Undecryptable):
        unsealed(sealed({"a": text(b"1")}), Keyring(()), now=NOW)
    with pytest.raises(NotFound):
        _ = Keyring(()).newest


def test_inputs_stay_as_they_are():
    obj = sealed({"a": text(b"1")}, {"metadata": {"labels": {"l": "1"}}, "data": {"b": "{{ .a }}"}})
    before = encode(obj)
    found = unseal(obj)
    found.metadata["labels"]["l"] = "changed"
    assert encode(obj) == before


def test_a_certificate_alone_opens_nothing():
    assert not hasattr(certificate(), "loaded")
    assert Plaintext(b"v") != certificate().sealed(Plaintext(b"v"), b"")
