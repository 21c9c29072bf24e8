"""Keys and certificates: made, read, kept in Secrets, and never shown."""

import copy
import pickle
import ssl
from base64 import b64decode, b64encode
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from tests.secrets.sealing.scene import NOW, all_of, key, renamed, ring, text

from plumbline.base.errors import InvalidInput, LimitExceeded, NotFound, Undecryptable
from plumbline.base.json import encode
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing import (
    KEY_LABEL,
    Keyring,
    active,
    certificate_of,
    key_from_pem,
    key_of,
    key_secret,
    label_of,
    loaded_private,
    made_key,
    self_signed,
)
from plumbline.secrets.sealing import keys as keys_module

LABEL = label_of("strict", "shop", "db")


def pem_of(private, form=PrivateFormat.TraditionalOpenSSL, lock=None):
    return private.private_bytes(Encoding.PEM, form, lock or NoEncryption())


def parsed(certificate_pem):
    return x509.load_pem_x509_certificate(certificate_pem)


def test_a_key_is_made_as_upstream_makes_it(monkeypatch):
    asked = []
    known = key().loaded
    monkeypatch.setattr(keys_module.rsa, "generate_private_key", lambda *each: asked.append(each) or known)
    made = made_key(NOW)
    assert asked == [(65537, 4096)]
    assert made.not_before == NOW
    assert made.not_after == NOW + timedelta(hours=87600)
    assert made.created == NOW
    assert made.private.reveal().startswith(b"-----BEGIN RSA PRIVATE KEY-----\n")


def test_its_certificate_says_what_gos_does():
    certificate = parsed(made_key(NOW + timedelta(microseconds=7), size=2048, common_name="seal").certificate_pem)
    found = [(each.oid.dotted_string, each.critical) for each in _extensions(certificate)]
    assert found == [("2.5.29.15", True), ("2.5.29.19", True), ("2.5.29.14", False)]
    assert certificate.subject == certificate.issuer
    assert certificate.subject.rfc4514_string() == "CN=seal"
    assert 0 < certificate.serial_number < 2**128
    assert certificate.version is x509.Version.v3
    assert b"\x03\x02\x00\x01" in certificate.public_bytes(Encoding.DER)
    certificate.verify_directly_issued_by(certificate)


def _extensions(certificate):
    """The library reads no key usage that the standard leaves undefined, so it is looked at in a copy without it."""
    der = certificate.public_bytes(Encoding.DER)
    return x509.load_der_x509_certificate(der.replace(b"\x03\x02\x00\x01", b"\x03\x02\x00\x20")).extensions


def test_two_keys_have_different_serial_numbers():
    numbers = {parsed(each.certificate_pem).serial_number for each in (key(0), key(1))}
    assert len(numbers) == 2


@pytest.mark.parametrize("size", [512, 1024, 2047, 16385])
def test_no_key_is_made_that_is_too_small_or_too_large(size):
    with pytest.raises(InvalidInput):
        made_key(NOW, size=size)


def test_a_common_name_that_no_certificate_takes_is_refused():
    with pytest.raises(InvalidInput):
        made_key(NOW, size=2048, common_name="x" * 65)


def test_a_fingerprint_is_that_of_ssh():
    certificate = certificate_of(self_signed(key().loaded, 1, (NOW, NOW + timedelta(days=1))))
    assert certificate.fingerprint == key().fingerprint
    assert certificate.fingerprint.startswith("SHA256:")
    assert len(b64decode(certificate.fingerprint[7:] + "=")) == 32


def test_the_first_certificate_counts_and_what_is_around_it_does_not():
    bundle = b"Bag Attributes\n" + key(0).certificate_pem + b"\n# and another\n" + key(1).certificate_pem
    assert certificate_of(bundle).fingerprint == key(0).fingerprint
    assert certificate_of(bundle).pem == key(0).certificate_pem


def test_a_certificate_that_expired_seals_nothing_if_one_asks():
    ends = key().not_after
    assert certificate_of(key().certificate_pem, at=ends).not_after == ends
    with pytest.raises(InvalidInput, match=r"it expired on July 29, 2036"):
        certificate_of(key().certificate_pem, at=ends + timedelta(seconds=1))


def _small():
    return rsa.generate_private_key(65537, 1024)  # noqa: S505 - that is what is to be refused


def _elliptic():
    private = ec.generate_private_key(ec.SECP256R1())
    return private, _signed(private)


def _signed(private):
    subject = x509.Name([])
    unsigned = x509.CertificateBuilder(subject, subject, private.public_key(), 1, NOW, NOW + timedelta(days=1))
    return unsigned.sign(private, SHA256()).public_bytes(Encoding.PEM)


@pytest.mark.parametrize(
    ("pem", "error", "why"),
    [
        (lambda: b"", InvalidInput, "nothing"),
        (lambda: b"\xff\x00", InvalidInput, "no text"),
        (lambda: b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", InvalidInput, "no certificate"),
        (key().private.reveal, InvalidInput, "the other half"),
        (lambda: _elliptic()[1], InvalidInput, "not RSA"),
        (lambda: _signed(_small()), InvalidInput, "too small"),
        (lambda: b"x" * 300_000, LimitExceeded, "too large"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_is_no_certificate_to_seal_with_is_refused(pem, error, why):
    with pytest.raises(error):
        certificate_of(pem())


@pytest.mark.parametrize("form", [PrivateFormat.TraditionalOpenSSL, PrivateFormat.PKCS8])
def test_a_private_key_is_read_in_both_forms_and_kept_in_one(form):
    read = key_from_pem(Plaintext(pem_of(key().loaded, form)), key().certificate_pem)
    assert read.private == key().private


@pytest.mark.parametrize(
    ("pem", "why"),
    [
        (lambda: b"", "nothing"),
        (lambda: b"-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n", "no key"),
        (lambda: key().certificate_pem, "the other half"),
        (lambda: pem_of(_elliptic()[0]), "not RSA"),
        (lambda: pem_of(key().loaded, PrivateFormat.PKCS8, BestAvailableEncryption(b"x")), "locked"),
        (lambda: pem_of(_small()), "too small"),
        (lambda: b"x" * 300_000, "too large"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_is_no_private_key_to_open_with_is_refused(pem, why):
    with pytest.raises(InvalidInput) as refused:
        loaded_private(Plaintext(pem()))
    assert "BEGIN" not in all_of(refused.value)


def _written(*numbers):
    """PKCS#1 by hand, as no library would write it."""
    parts = b"".join(_tagged(2, number.to_bytes(number.bit_length() // 8 + 1)) for number in (0, *numbers))
    body = b64encode(_tagged(0x30, parts)).decode()
    return f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n".encode()


def _tagged(tag, content):
    size = len(content)
    long = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes([tag, size] if size < 128 else [tag, 0x80 | len(long), *long]) + content


def _numbers():
    found = key().loaded.private_numbers()
    public = found.public_numbers
    return [public.n, public.e, found.d, found.p, found.q, found.dmp1, found.dmq1, found.iqmp]


def test_a_key_that_was_written_by_hand_is_read():
    assert loaded_private(Plaintext(_written(*_numbers()))).private_numbers() == key().loaded.private_numbers()


@pytest.mark.parametrize("at", [0, 2, 3, 4, 5, 6, 7])
def test_numbers_that_do_not_belong_together_are_no_key(at):
    numbers = _numbers()
    numbers[at] += 2
    with pytest.raises(InvalidInput):
        loaded_private(Plaintext(_written(*numbers)))


def test_two_halves_that_do_not_belong_together_are_refused():
    with pytest.raises(InvalidInput, match="not the one of the certificate"):
        key_from_pem(key(0).private, key(1).certificate_pem)


def test_a_key_is_read_from_the_secret_it_was_written_to():
    secret = key_secret(key(), "kube-system", labels={"a": "b"}, annotations={"c": "d"})
    assert secret["type"] == "kubernetes.io/tls"
    assert secret["metadata"] == {
        "generateName": "sealed-secrets-key",
        "namespace": "kube-system",
        "labels": {"a": "b", KEY_LABEL: "active"},
        "annotations": {"c": "d"},
    }
    secret["metadata"] |= {"name": "sealed-secrets-keyabcde", "creationTimestamp": "2026-08-02T10:00:00Z"}
    read = key_of(secret)
    assert (read.name, read.fingerprint) == ("sealed-secrets-keyabcde", key().fingerprint)
    assert read.private == key().private
    assert read.created == datetime(2026, 8, 2, 10, 0, 0, tzinfo=UTC)


def test_the_label_of_keys_cannot_be_taken_over():
    assert key_secret(key(), "ns", labels={KEY_LABEL: "compromised"})["metadata"]["labels"] == {KEY_LABEL: "active"}


def test_a_key_that_has_a_name_keeps_it():
    named = renamed(key(), "sealed-secrets-keyxyz")
    assert key_secret(named, "ns")["metadata"]["name"] == "sealed-secrets-keyxyz"
    assert key_secret(named, "ns", name="other")["metadata"]["name"] == "other"


def test_a_key_is_read_from_what_people_write_by_hand():
    written = {"tls.key": key().private.reveal().decode(), "tls.crt": key().certificate_pem.decode()}
    assert key_of({"metadata": {"name": "mine"}, "stringData": written}).created is None


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({}, "nothing"),
        ({"tls.key": "", "tls.crt": ""}, "empty"),
        ({"tls.key": 5, "tls.crt": None}, "no texts"),
        ({"tls.key": "%%%", "tls.crt": "%%%"}, "no base64"),
        ({"tls.crt": b64encode(key().certificate_pem).decode()}, "no private half"),
        ([], "no mapping"),
    ],
)
def test_a_secret_without_a_key_is_named(data, why):
    with pytest.raises(InvalidInput, match="sealed-secrets-keyabc"):
        key_of({"metadata": {"name": "sealed-secrets-keyabc"}, "data": data})


@pytest.mark.parametrize(
    ("metadata", "used", "why"),
    [
        ({"name": "k", "labels": {KEY_LABEL: "active"}}, True, "it says so"),
        ({"name": "k", "labels": {KEY_LABEL: "compromised"}}, False, "somebody took it out of use"),
        ({"name": "k", "labels": {}}, False, "any Secret"),
        ({"name": "sealed-secrets-key"}, True, "the first versions wrote it without a label"),
        ({"name": "sealed-secrets-key", "labels": {KEY_LABEL: "compromised"}}, False, "taken out of use all the same"),
        ({"labels": "odd"}, False, "no labels"),
    ],
)
def test_a_key_is_in_use_if_its_label_says_so(metadata, used, why):
    assert active({"metadata": metadata}) is used, why


def test_a_key_shows_itself_to_nobody():
    secret_parts = [key().private.reveal().decode().splitlines()[5]]
    for shown in (repr(key()), str(key()), f"{key()}", repr(ring()), repr(key().certificate), repr([key()])):
        assert not any(part in shown for part in secret_parts)
    for taken in (pickle.dumps, copy.copy, copy.deepcopy, asdict, encode):
        with pytest.raises(TypeError):
            taken(key())


def test_the_newest_key_seals():
    assert ring(0, 2, 1).newest.fingerprint == key(2).fingerprint
    assert [each.fingerprint for each in ring(0, 2, 1).keys] == [key(at).fingerprint for at in (2, 1, 0)]


def test_the_newest_may_be_the_one_whose_secret_is():
    early, late = NOW, NOW + timedelta(hours=1)
    keys = [renamed(key(0), "restored", late), renamed(key(1), "made", early), renamed(key(2), "undated")]
    assert Keyring(keys, "SecretCreationTimestamp").newest.name == "restored"
    assert Keyring(keys, "CertNotBefore").newest.name == "undated"


def test_of_two_that_are_as_old_the_one_whose_secret_is_older_counts():
    twin = key_from_pem(key(1).private, self_signed(key(1).loaded, 7, (NOW, NOW + timedelta(days=9))))
    older, newer = renamed(key(0), "older", NOW), renamed(twin, "newer", NOW + timedelta(hours=1))
    assert Keyring([newer, older]).newest.name == "older"


def test_a_key_that_is_there_twice_is_tried_once():
    assert len(Keyring([key(0), renamed(key(0), "again"), key(1)])) == 2


def test_without_a_key_nothing_is_sealed():
    with pytest.raises(NotFound):
        _ = Keyring(()).newest


class Counting:
    """A private key that counts what it is asked to do."""

    def __init__(self, private):
        self.private, self.count, self.key_size = private, 0, private.key_size

    def decrypt(self, *given):
        self.count += 1
        return self.private.decrypt(*given)


def counted(*numbers):
    counts = [Counting(key(number).loaded) for number in numbers]
    keys = [
        keys_module.SealingKey("", key(number).certificate, key(number).private, None, loaded)
        for number, loaded in zip(numbers, counts, strict=True)
    ]
    return Keyring(keys), lambda: [each.count for each in counts]


def test_one_try_is_enough_where_the_hint_is_right():
    keyring, counts = counted(0, 1, 2)
    opened = keyring.opened(text(b"v", number=0), LABEL, key(0).fingerprint)
    assert opened.fingerprint == key(0).fingerprint
    assert counts() == [1, 0, 0]


@pytest.mark.parametrize("hint", ["", "SHA256:unknown", key(1).fingerprint], ids=["none", "unknown", "another"])
def test_a_wrong_hint_costs_a_try_at_most(hint):
    keyring, counts = counted(0, 1, 2)
    assert keyring.opened(text(b"v", number=0), LABEL, hint).value.reveal() == b"v"
    assert counts() == [1, 1, 1]


def test_what_cannot_be_opened_is_tried_with_each_key_once():
    keyring, counts = counted(0, 1, 2)
    with pytest.raises(Undecryptable):
        keyring.opened(text(b"v", name="other"), LABEL, key(1).fingerprint)
    assert counts() == [1, 1, 1]


def test_keys_of_another_size_are_not_tried():
    keyring, counts = counted(0, 1)
    longer = b64encode((512).to_bytes(2) + bytes(512 + 16)).decode()
    with pytest.raises(Undecryptable):
        keyring.opened(longer, LABEL)
    assert counts() == [0, 0]


def test_the_library_agrees_that_a_made_key_is_sound():
    load_pem_private_key(key().private.reveal(), None)


def test_keys_are_found_by_their_fingerprints():
    assert key(0).fingerprint in ring(0, 1)
    assert "SHA256:other" not in ring(0, 1)


def test_a_certificate_of_a_version_that_nobody_knows_is_refused():
    der = x509.load_pem_x509_certificate(key().certificate_pem).public_bytes(Encoding.DER)
    odd = der.replace(bytes((0xA0, 3, 2, 1, 2)), bytes((0xA0, 3, 2, 1, 9)), 1)
    with pytest.raises(InvalidInput, match="no certificate that can be read"):
        certificate_of(ssl.DER_cert_to_PEM_cert(odd).encode())
