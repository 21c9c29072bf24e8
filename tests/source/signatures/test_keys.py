"""Trusted keys, objects and ssh signatures: what is read, what is refused, and that nothing crashes."""

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st

from plumbline.source.signatures import Outcome, RawObject, parsed, sshsig, trusted
from plumbline.source.signatures.trusted import fingerprint


def string(content):
    return len(content).to_bytes(4) + content


def armored(*parts, magic=b"SSHSIG", version=1):
    blob = magic + version.to_bytes(4) + b"".join(string(part) for part in parts)
    return b"-----BEGIN SSH SIGNATURE-----\n" + base64.b64encode(blob) + b"\n-----END SSH SIGNATURE-----\n"


def signed_over(payload):
    return b"SSHSIG" + b"".join(string(part) for part in (b"git", b"", b"sha512", hashlib.sha512(payload).digest()))


class Token:
    """A security key, as far as signatures show it."""

    kind = b"sk-ssh-ed25519@openssh.com"

    def __init__(self, flags=b"\x01"):
        self._key = Ed25519PrivateKey.generate()
        self._flags = flags
        self.public = string(self.kind) + self._point() + string(b"ssh:")

    def _point(self):
        return string(self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))

    def _signed(self, content):
        return self._key.sign(content)

    def __call__(self, payload):
        digest = hashlib.sha256(signed_over(payload)).digest()
        raw = self._signed(hashlib.sha256(b"ssh:").digest() + self._flags + b"\0\0\0\7" + digest)
        signature = string(self.kind) + string(raw) + self._flags + b"\0\0\0\7"
        return armored(self.public, b"git", b"", b"sha512", signature)


class CurveToken(Token):
    kind = b"sk-ecdsa-sha2-nistp256@openssh.com"

    def __init__(self):
        self._curve = ec.generate_private_key(ec.SECP256R1())
        super().__init__()

    def _point(self):
        point = self._curve.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return string(b"nistp256") + string(point)

    def _signed(self, content):
        r, s = decode_dss_signature(self._curve.sign(content, ec.ECDSA(hashes.SHA256())))
        return b"".join(string(n.to_bytes(33)) for n in (r, s))


def fate(key, signature, payload=b"payload"):
    return sshsig.verify(payload, signature, {fingerprint(key): key}).outcome


@pytest.mark.parametrize("token", [Token(), CurveToken()])
def test_security_keys_are_understood(token):
    assert fate(token.public, token(b"payload")) is Outcome.GOOD
    assert fate(token.public, token(b"payload"), b"other") is Outcome.BAD


def test_a_security_key_that_nobody_touched_is_bad():
    token = Token(flags=b"\x00")
    assert fate(token.public, token(b"payload")) is Outcome.BAD


KEY = Ed25519PrivateKey.generate()
POINT = KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
PUBLIC = string(b"ssh-ed25519") + string(POINT)
SIGNATURE = string(b"ssh-ed25519") + string(KEY.sign(signed_over(b"payload")))


def test_the_plain_case_is_good():
    assert fate(PUBLIC, armored(PUBLIC, b"git", b"", b"sha512", SIGNATURE)) is Outcome.GOOD


@pytest.mark.parametrize(
    ("key", "signature", "why"),
    [
        (PUBLIC, armored(PUBLIC, b"git", b"", b"sha1", SIGNATURE), "a weak digest"),
        (PUBLIC, armored(PUBLIC, b"file", b"", b"sha512", SIGNATURE), "another purpose"),
        (PUBLIC, armored(PUBLIC, b"git", b"x", b"sha512", SIGNATURE), "a reserved part that was not signed"),
        (PUBLIC, armored(PUBLIC, b"git", b"", b"sha512", SIGNATURE, magic=b"SSHSIX"), "another format"),
        (PUBLIC, armored(PUBLIC, b"git", b"", b"sha512", SIGNATURE, version=2), "another version"),
        (PUBLIC, armored(PUBLIC, b"git", b"", b"sha512", SIGNATURE, b"more"), "something behind it"),
        (PUBLIC, armored(PUBLIC, b"git", b"", b"sha512", SIGNATURE + b"x"), "something behind the signature"),
        (PUBLIC, armored(PUBLIC, b"git", b"", b"sha512", string(b"ssh-rsa") + SIGNATURE[15:]), "another algorithm"),
        (PUBLIC, armored(PUBLIC, b"git", b"", b"sha512", b"\xff\xff\xff\xff"), "a length that leads nowhere"),
        (PUBLIC + b"x", armored(PUBLIC + b"x", b"git", b"", b"sha512", SIGNATURE), "something behind the key"),
        (string(b"ssh-dss"), armored(string(b"ssh-dss"), b"git", b"", b"sha512", string(b"ssh-dss")), "an old key"),
        (
            string(b"ecdsa-sha2-nistp256") + string(b"nistp384") + string(b"x"),
            armored(
                string(b"ecdsa-sha2-nistp256") + string(b"nistp384") + string(b"x"),
                *(b"git", b"", b"sha512", string(b"ecdsa-sha2-nistp256") + string(b"x")),
            ),
            "a curve that is not the one of the key",
        ),
        (PUBLIC, b"-----BEGIN SSH SIGNATURE-----\n%%\n-----END SSH SIGNATURE-----", "not base64"),
        (PUBLIC, b"-----BEGIN SSH SIGNATURE-----\n", "no end"),
        (PUBLIC, b"-----BEGIN SSH SIGNATURE-----\n" + b"A" * 70_000 + b"\n-----END SSH SIGNATURE-----", "too long"),
        (PUBLIC, b"", "nothing"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_anything_else_is_bad(key, signature, why):
    assert fate(key, signature) is Outcome.BAD


def test_rsa_with_the_old_digest_is_bad(ssh_keys):
    good = ssh_keys["rsa"](b"payload")
    blob = base64.b64decode(b"".join(good.split(b"\n")[1:-2]))
    for other in (b"rsa-sha2-1024", b"ssh-rsa"):
        old = blob.replace(string(b"rsa-sha2-512"), string(other))
        text = b"-----BEGIN SSH SIGNATURE-----\n" + base64.b64encode(old) + b"\n-----END SSH SIGNATURE-----"
        key = base64.b64decode(ssh_keys["rsa"].public.split()[1])
        assert fate(key, text) is Outcome.BAD
    assert fate(base64.b64decode(ssh_keys["rsa"].public.split()[1]), good) is Outcome.GOOD


@given(st.binary(max_size=200))
def test_no_signature_crashes(content):
    text = (
        b"-----BEGIN SSH SIGNATURE-----\n"
        + base64.b64encode(b"SSHSIG\0\0\0\1" + content)
        + b"\n-----END SSH SIGNATURE-----"
    )
    assert fate(PUBLIC, text) in {Outcome.BAD, Outcome.UNKNOWN_KEY}


@given(st.binary(max_size=200), st.binary(max_size=80))
def test_no_key_crashes(key, signature):
    text = armored(key, b"git", b"", b"sha256", signature)
    assert fate(key, text) is Outcome.BAD


@given(st.sampled_from(["commit", "tag", "tree"]), st.binary(max_size=300))
def test_any_object_can_be_taken_apart(kind, content):
    parsed("0" * 40, RawObject(kind, content))


@given(st.binary(max_size=60).map(lambda raw: b"gpgsig x\n y\ncommitter " + raw + b"\n\ngpgsig not a header\n"))
def test_only_headers_are_taken_out_of_what_is_signed(content):
    signed = parsed("0" * 40, RawObject("commit", content))
    assert signed.payload.endswith(b"\n\ngpgsig not a header\n")
    assert b"gpgsig x" not in signed.payload


def test_the_last_line_that_begins_a_signature_begins_it():
    quoted = b"object 0\ntype commit\ntag v\n\n-----BEGIN PGP SIGNATURE-----\nquoted\n"
    signed = parsed("0" * 40, RawObject("tag", quoted + b"-----BEGIN SSH SIGNATURE-----\nreal"))
    assert signed.scheme == "ssh"
    assert signed.payload == quoted
    assert signed.target == "0"


def test_who_made_an_object_is_read_from_it():
    raw = RawObject("commit", b"tree 0\nauthor A <a@x> 5 +0100\ncommitter B <b@x> 7 -0000\n\nm")
    signed = parsed("0" * 40, raw)
    assert (signed.author, signed.committed) == ("A <a@x>", 7)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (7, "not a text"),
        ("x" * (1 << 21), "too long"),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----", "a private key"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "a private key of ssh"),
        ("nonsense", "nothing known"),
        ("ssh-ed25519 A", "not base64"),
        ("ssh-ed25519 AAAA", "not a key of that kind"),
    ],
)
def test_what_is_no_key_is_named_and_left_out(text, why):
    good = "ssh-ed25519 " + base64.b64encode(PUBLIC).decode() + " ann@example.org"
    found = trusted({"data": {"bad": text, "good": good}})
    assert [fault.split()[0] for fault in found.faults] == ["bad"]
    assert found.ssh == {fingerprint(PUBLIC): PUBLIC}


def test_without_a_configmap_nobody_is_trusted():
    for nothing in (None, {}, {"data": None}, {"data": "x"}):
        found = trusted(nothing)
        assert not found.openpgp
        assert not found.ssh
