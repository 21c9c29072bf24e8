"""One value: what opens it, and that nothing else does."""

import struct
from base64 import b64decode, b64encode

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.secrets.sealing.scene import certificate, key, ring, text

from plumbline.base.errors import InvalidInput, Undecryptable
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing import Keyring, label_of, scope_annotations, scope_of
from plumbline.secrets.sealing.envelope import decoded
from plumbline.secrets.sealing.scopes import CLUSTER_WIDE, NAMESPACE_WIDE, SCOPES, with_scope

NAMES = st.from_regex(r"[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?", fullmatch=True)
PLACES = st.tuples(st.sampled_from(SCOPES), NAMES, NAMES)
LABEL = label_of("strict", "shop", "db")
FEW = settings.default.max_examples // 5
"""A private operation takes a millisecond, and an example needs some."""


def test_the_envelope_has_the_layout_of_kubeseal():
    raw = b64decode(certificate().sealed(Plaintext(b"abc"), LABEL))
    assert struct.unpack(">H", raw[:2]) == (256,)
    assert len(raw) == 2 + 256 + len(b"abc") + 16


def test_the_same_value_is_never_sealed_the_same_way():
    assert len({text(b"abc") for _ in range(5)}) == 5


@settings(max_examples=FEW)
@given(place=PLACES, value=st.binary(max_size=300))
def test_what_was_sealed_is_opened_again(place, value):
    sealed = certificate().sealed(Plaintext(value), label_of(*place))
    opened = ring().opened(sealed, label_of(*place))
    assert opened == (Plaintext(value), key().fingerprint)


@settings(max_examples=FEW)
@given(sealed_for=PLACES, opened_for=PLACES)
def test_it_opens_for_the_same_label_and_for_no_other(sealed_for, opened_for):
    sealed = certificate().sealed(Plaintext(b"v"), label_of(*sealed_for))
    if label_of(*sealed_for) == label_of(*opened_for):
        assert ring().opened(sealed, label_of(*opened_for)).value.reveal() == b"v"
    else:
        with pytest.raises(Undecryptable):
            ring().opened(sealed, label_of(*opened_for))


@given(first=PLACES, second=PLACES)
def test_labels_are_the_same_for_the_same_place_only(first, second):
    bound = {"strict": 3, "namespace-wide": 2, "cluster-wide": 1}
    same = first[: bound[first[0]]] == second[: bound[second[0]]]
    if label_of(*first) == label_of(*second):
        assert same
    else:
        assert not same


@settings(max_examples=FEW)
@given(st.data(), st.binary(max_size=40))
def test_no_bit_can_be_flipped(data, value):
    raw = bytearray(b64decode(text(value)))
    at = data.draw(st.integers(0, len(raw) * 8 - 1))
    raw[at // 8] ^= 1 << at % 8
    with pytest.raises(Undecryptable):
        ring().opened(b64encode(raw).decode(), LABEL)


@settings(max_examples=FEW)
@given(st.data(), st.binary(max_size=40))
def test_nothing_can_be_cut_off_or_added(data, value):
    raw = b64decode(text(value))
    cut = raw[: data.draw(st.integers(0, len(raw) - 1))] if data.draw(st.booleans()) else raw + b"\x00"
    with pytest.raises(Undecryptable):
        ring().opened(b64encode(cut).decode(), LABEL)


def test_keys_and_values_cannot_be_put_together_anew():
    first, second = (b64decode(text(value)) for value in (b"one", b"two"))
    with pytest.raises(Undecryptable):
        ring().opened(b64encode(first[:258] + second[258:]).decode(), LABEL)


@pytest.mark.parametrize("odd", ["", "A", "AA==", "Ag", "not base64!", "AQ==", "ünïcode", "AAAA", "=AAA", "AQAA" * 5])
def test_what_is_no_envelope_is_refused_in_the_same_words(odd):
    with pytest.raises(Undecryptable) as refused:
        ring().opened(odd, LABEL)
    with pytest.raises(Undecryptable) as other:
        ring().opened(text(b"v", name="other"), LABEL)
    assert str(refused.value) == str(other.value)


@pytest.mark.parametrize(
    ("written", "raw"),
    [("YQ==", b"a"), ("YWI=", b"ab"), ("YWJj", b"abc"), ("", b""), ("Y\nQ\r==", b"a"), ("YR==", b"a")],
)
def test_base64_is_read_as_go_reads_it(written, raw):
    assert decoded(written) == raw


@pytest.mark.parametrize(
    "odd", ["YQ", "YQ=", "YQ===", "YWI==", "YWJj=", "YWJj==", "YWJj====", "=YWJ", "Y Q=", "Y-_j", "ü==="]
)
def test_what_go_does_not_read_as_base64_is_none(odd):
    with pytest.raises(ValueError, match=r"."):
        decoded(odd)


def test_line_breaks_in_base64_are_as_nothing():
    whole = text(b"v")
    broken = "\r\n".join(whole[at : at + 76] for at in range(0, len(whole), 76))
    assert ring().opened(broken, LABEL).value.reveal() == b"v"


def test_a_value_under_the_key_that_stands_in_for_none_does_not_open():
    """Where the wrapped key does not fit, the value is tried with another to take the same time."""
    body = AESGCM(bytes(32)).encrypt(bytes(12), b"chosen", None)
    forged = struct.pack(">H", 256) + b"\x01" * 256 + body
    with pytest.raises(Undecryptable):
        ring().opened(b64encode(forged).decode(), LABEL)


def test_a_session_key_of_another_size_is_as_good_as_upstream_takes_it():
    from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP  # noqa: PLC0415 - for this alone
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415 - for this alone

    padding = OAEP(mgf=MGF1(SHA256()), algorithm=SHA256(), label=LABEL)
    for size, fine in ((16, True), (24, True), (20, False)):
        wrapped = certificate().public.encrypt(bytes(size), padding)
        body = AESGCM(bytes(size) if fine else bytes(32)).encrypt(bytes(12), b"v", None)
        made = b64encode(struct.pack(">H", 256) + wrapped + body).decode()
        if fine:
            assert ring().opened(made, LABEL).value.reveal() == b"v"
        else:
            with pytest.raises(Undecryptable):
                ring().opened(made, LABEL)


def test_another_key_opens_nothing():
    with pytest.raises(Undecryptable):
        ring(1).opened(text(b"v", number=0), LABEL)
    with pytest.raises(Undecryptable):
        Keyring(()).opened(text(b"v"), LABEL)


@pytest.mark.parametrize(
    ("annotations", "scope", "why"),
    [
        ({}, "strict", "nothing is asked for"),
        ({NAMESPACE_WIDE: "true"}, "namespace-wide", "as it says"),
        ({CLUSTER_WIDE: "true"}, "cluster-wide", "as it says"),
        ({NAMESPACE_WIDE: "true", CLUSTER_WIDE: "true"}, "cluster-wide", "the wider wins"),
        ({CLUSTER_WIDE: "True"}, "strict", "exactly true"),
        ({CLUSTER_WIDE: True}, "strict", "a text"),
        ({NAMESPACE_WIDE: "1"}, "strict", "exactly true"),
        ({NAMESPACE_WIDE: "true", CLUSTER_WIDE: "false"}, "namespace-wide", "the wider is not asked for"),
    ],
)
def test_the_scope_is_what_the_annotations_ask_for(annotations, scope, why):
    assert scope_of(annotations) == scope, why


@pytest.mark.parametrize("scope", SCOPES)
def test_annotations_ask_for_one_scope(scope):
    assert scope_of(scope_annotations(scope)) == scope
    mixed = with_scope({NAMESPACE_WIDE: "true", CLUSTER_WIDE: "true", "a": "b"}, scope)
    assert mixed == {"a": "b", **scope_annotations(scope)}


@pytest.mark.parametrize(
    ("scope", "namespace", "name", "why"),
    [
        ("strict", "", "db", "it would be the label of /db"),
        ("strict", "shop", "", "a name is bound"),
        ("namespace-wide", "", "db", "an empty label is that of the whole cluster"),
        ("namespace-wide", "shop/db", "", "it would be the label of shop/db"),
        ("strict", "shop", "a/b", "no name has a slash"),
        ("strict", "shop", "a\ud800", "no name has half a character"),
    ],
)
def test_labels_that_could_mean_two_places_are_refused(scope, namespace, name, why):
    with pytest.raises(InvalidInput):
        label_of(scope, namespace, name)


def test_a_place_need_not_be_said_for_the_whole_cluster():
    assert label_of("cluster-wide", "", "") == b""
    assert label_of("namespace-wide", "shop", "") == b"shop"
