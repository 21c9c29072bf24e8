"""Keys leave the cluster encrypted to people, and come back whole or not at all."""

import base64
import pickle
from datetime import UTC, datetime, timedelta
from functools import cache

import pyrage
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID

from plumbline.base.errors import Corrupted, InvalidInput, Undecryptable
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.escrow import (
    bundle,
    bundle_of,
    identities_in,
    keys_in,
    mark,
    opened,
    packed,
    parcels,
    read_mark,
    recipients_in,
)
from plumbline.secrets.sealing import KEY_LABEL, key_secret, made_key

BORN = datetime(2026, 1, 1, tzinfo=UTC)


@cache
def key(number=0):
    return made_key(BORN + timedelta(days=number), size=2048)


@cache
def private():
    return rsa.generate_private_key(65537, 2048)


def pem(it):
    if hasattr(it, "private_bytes"):
        form = serialization.PrivateFormat.PKCS8
        return it.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()
    if isinstance(it, x509.Certificate):
        return it.public_bytes(serialization.Encoding.PEM).decode()
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return it.public_bytes(serialization.Encoding.PEM, form).decode()


@cache
def certificate():
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "safe")])
    builder = x509.CertificateBuilder(name, name, private().public_key(), 7, BORN, BORN + timedelta(days=9))
    return builder.sign(private(), hashes.SHA256())


def secrets(*numbers):
    made = [key_secret(key(number), "kube-system", name=f"key{number}") for number in numbers or (0,)]
    for each in made:
        each["metadata"] |= {"uid": "1-2", "resourceVersion": "7", "managedFields": [{}], "annotations": {"a": "b"}}
    return made


def with_age():
    identity = pyrage.x25519.Identity.generate()
    return [str(identity.to_public())], [f"# made today\n{identity}\n"]


def with_ssh():
    identity = ed25519.Ed25519PrivateKey.generate()
    form = serialization.PublicFormat.OpenSSH
    public = identity.public_key().public_bytes(serialization.Encoding.OpenSSH, form).decode()
    form = serialization.PrivateFormat.OpenSSH
    raw = identity.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()
    return [f"{public} ann@laptop"], [raw]


def with_certificate():
    return [pem(certificate())], [pem(private())]


def with_public_key():
    return [pem(private().public_key())], [pem(private())]


def with_old_ssh():
    form = serialization.PublicFormat.OpenSSH
    public = private().public_key().public_bytes(serialization.Encoding.OpenSSH, form).decode()
    form = serialization.PrivateFormat.TraditionalOpenSSL
    raw = private().private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()
    return [public], [raw]


def several():
    mine, theirs = with_age(), with_age()
    return [*mine[0], *theirs[0]], theirs[1]


WAYS = [with_age, with_ssh, with_old_ssh, with_certificate, with_public_key, several]


@pytest.mark.parametrize("way", WAYS, ids=[each.__name__ for each in WAYS])
def test_what_is_packed_is_opened_by_those_it_is_for_and_by_nobody_else(way):
    recipients, identities = way()
    bundle = bundle_of(secrets(0, 1))
    parcel = packed(bundle, recipients_in(recipients))
    back = opened(parcel, identities_in([Plaintext(each) for each in identities]))
    assert [found.fingerprint for _, found in keys_in(back, "file")] == [key(0).fingerprint, key(1).fingerprint]
    raw = bundle.reveal()
    assert base64.b64decode(decode(raw)["items"][0]["data"]["tls.key"])[40:80] not in parcel
    for _, strangers in (with_age(), ([], [pem(rsa.generate_private_key(65537, 2048))])):
        with pytest.raises(Undecryptable):
            opened(parcel, identities_in([Plaintext(each) for each in strangers]))


def test_what_only_one_cluster_means_stays_there():
    (item,) = decode(bundle_of(secrets()).reveal())["items"]
    assert item["metadata"] == {"name": "key0", "namespace": "kube-system", "labels": {KEY_LABEL: "active"}}


@pytest.mark.parametrize("way", [with_age, with_certificate])
def test_a_parcel_that_was_changed_is_not_opened(way):
    recipients, identities = way()
    parcel = bytearray(packed(bundle_of(secrets()), recipients_in(recipients)))
    middle = len(parcel) * 3 // 4
    parcel[middle] = ord("A") if parcel[middle] != ord("A") else ord("B")
    with pytest.raises((Undecryptable, InvalidInput)):
        keys_in(opened(bytes(parcel), identities_in([Plaintext(each) for each in identities])), "file")


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ([], "nobody"),
        (["age1nonsense"], "no recipient of age"),
        (["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"], "no certificate"),
        (["-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"], "no key"),
        ([pem(ec.generate_private_key(ec.SECP256R1()).public_key())], "not RSA"),
        ([pem(private().public_key()), with_age()[0][0]], "two formats"),
        (with_age()[1], "what opens is given to nobody"),
    ],
)
def test_what_is_no_recipient_is_refused(texts, why):
    with pytest.raises(InvalidInput):
        recipients_in(texts)
    assert why


@pytest.mark.parametrize(
    "text",
    ["", "# nothing", "AGE-SECRET-KEY-1NO", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
     "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
     "age-encryption.org/v1\n", "-----BEGIN AGE ENCRYPTED FILE-----\n", pem(ec.generate_private_key(ec.SECP256R1()))],
)  # fmt: skip
def test_what_is_no_identity_is_refused_without_being_told(text):
    with pytest.raises(InvalidInput) as refused:
        identities_in([Plaintext(text)])
    assert not text or text.splitlines()[-1] not in str(refused.value)


def broken(change):
    (secret,) = secrets()
    change(secret["data"])
    return Plaintext(encode(secret))


@pytest.mark.parametrize(
    "bundle",
    [
        Plaintext(b""),
        Plaintext(b"{"),
        Plaintext(b'{"kind": "ConfigMap"}'),
        Plaintext(b'{"kind": "List", "items": []}'),
        broken(lambda data: data.pop("tls.key")),
        broken(lambda data: data.update({"tls.key": "bm9uZQ=="})),
        broken(lambda data: data.update({"tls.crt": secrets(1)[0]["data"]["tls.crt"]})),
        Plaintext(b'{"kind": "Secret", "data": "tls.crt tls.key"}'),
        Plaintext(b'{"kind": "Secret", "stringData": {"tls.crt": 1, "tls.key": {}}}'),
    ],
    ids=range(9),
)
def test_what_holds_no_working_keys_is_refused(bundle):
    with pytest.raises(InvalidInput):
        keys_in(bundle, "file")


def test_something_else_is_no_parcel():
    with pytest.raises(InvalidInput, match="no parcel"):
        opened(b"hello", identities_in([Plaintext(pem(private()))]))


def test_a_key_that_was_read_cannot_be_kept_by_accident():
    ((_, found),) = keys_in(bundle_of(secrets()), "file")
    with pytest.raises(TypeError):
        pickle.dumps(found)


def test_a_key_that_opens_nothing_is_refused(monkeypatch):
    def opened_never(*_):
        raise Undecryptable("no")

    monkeypatch.setattr(bundle.Keyring, "opened", opened_never)
    with pytest.raises(InvalidInput, match="does not open what it seals"):
        keys_in(bundle_of(secrets()), "file")


def test_keys_that_people_wrote_by_hand_are_read_whole():
    """In `stringData`, which the API server would turn into `data`."""
    pair = {"tls.crt": key(0).certificate_pem.decode(), "tls.key": key(0).private.reveal().decode()}
    text = encode({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "stringData": pair})
    ((secret, found),) = keys_in(Plaintext(text), "file")
    assert secret["data"] == secrets()[0]["data"]
    assert found.fingerprint == key(0).fingerprint


def test_a_label_that_keeps_a_key_from_being_used_stays():
    (secret,) = secrets()
    secret["metadata"]["labels"] = {KEY_LABEL: "compromised", "other": "label"}
    (item,) = decode(bundle_of([secret]).reveal())["items"]
    assert item["metadata"]["labels"] == {KEY_LABEL: "compromised"}


def test_what_does_not_come_out_as_it_went_in_is_never_given_away(monkeypatch):
    monkeypatch.setattr(parcels, "opened", lambda *_: Plaintext("else"))
    with pytest.raises(Corrupted):
        packed(bundle_of(secrets()), recipients_in(with_age()[0]))


def test_a_pem_parcel_without_its_letters_or_with_a_torn_body_is_not_opened():
    recipients, identities = with_public_key()
    parcel = packed(bundle_of(secrets()), recipients_in(recipients))
    mine = identities_in([Plaintext(each) for each in identities])
    body, mark_, letters = parcel.partition(b"-----BEGIN CERTIFICATE-----")
    for torn in (body, body + mark_ + b"nothing", body[: len(body) // 2] + mark_ + letters):
        with pytest.raises(Undecryptable):
            opened(torn, mine)


def test_a_certificate_is_addressed_as_other_programs_look_for_it():
    parcel = packed(bundle_of(secrets()), recipients_in([pem(certificate())]))
    assert pem(certificate()).encode() in parcel


@pytest.mark.parametrize(
    ("recipient", "name", "why"),
    [
        (with_ssh()[0][0], "ann@laptop", "the comment of an SSH key"),
        (" ".join(with_ssh()[0][0].split()[:2]), "ssh-ed25519 …", "or what is left of it"),
        (pem(certificate()), "CN=safe", "the subject of a certificate"),
        (pem(private().public_key()), "SHA256:", "the fingerprint of a public key"),
        ("age1" + with_age()[0][0][4:], "age1", "a recipient of age itself"),
    ],
    ids=range(5),
)
def test_people_are_called_by_what_is_known_of_them(recipient, name, why):
    (found,) = recipients_in([recipient]).names
    assert found.startswith(name), why
    assert len(found) <= 80


def test_a_mark_is_read_as_it_was_written_and_stays_short():
    text = mark(BORN, ["ann", "bob\nand eve"])
    assert text == "2026-01-01T00:00:00Z ann, bob and eve"
    assert read_mark(text) == ("2026-01-01T00:00:00Z", "ann, bob and eve")
    assert read_mark("") is None
    assert read_mark("yesterday") == ("yesterday", "")
    many = mark(BORN, ["x" * 80] * 50)
    assert many.endswith(" and 42 more")
    assert len(many) <= 1024
