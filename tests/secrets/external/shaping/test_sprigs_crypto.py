"""Sprig's AES, keys and certificates."""

import base64
from functools import cache

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from tests.secrets.external.shaping.making import chain, pem, printed, rsa_key

from plumbline.base.errors import InvalidInput, LimitExceeded

OF_SPRIG = "8ZsEhJYecP6z9Ur+Kg2PvkZLyToSYnpIM/HaYm0RzHI="


@cache
def old_key():
    return dsa.generate_private_key(1024)  # noqa: S505 - nothing depends on it


def _failure(text, **values):
    with pytest.raises(InvalidInput) as caught:
        printed(text, **values)
    return caught.value.why.partition("error calling ")[2].partition(": ")[2]


def test_what_sprig_encrypted_is_decrypted():
    assert printed("{{ decryptAES `secretkey` .x }}", x=OF_SPRIG).decode() == "plaintext é"


@pytest.mark.parametrize("value", [b"", b"x", b"sixteen bytes!!!", b"\xff\x00" * 20])
@pytest.mark.parametrize("password", ["", "short", "longer than thirty-two bytes, by far"])
def test_what_is_encrypted_comes_back(value, password):
    assert printed("{{ encryptAES .p .x | decryptAES .p }}", p=password, x=value) == value


def test_no_two_are_alike():
    assert len(set(printed("{{ encryptAES `p` `x` }} {{ encryptAES `p` `x` }}").split())) == 2


@pytest.mark.parametrize(
    "sealed", ["canary!", "Y2FuYXJ5", base64.b64encode(bytes(40)).decode(), base64.b64encode(bytes(32)).decode()]
)
def test_what_cannot_be_decrypted_is_not_told(sealed):
    failure = _failure("{{ decryptAES `p` .x }}", x=sealed)
    assert failure in {"it is no base64 of whole blocks", "it is damaged, or the password is wrong"}


KINDS = [("ecdsa", ec.EllipticCurvePrivateKey), ("ed25519", ed25519.Ed25519PrivateKey)]


@pytest.mark.parametrize(("kind", "expected"), KINDS)
def test_keys_of_all_kinds(kind, expected):
    assert isinstance(load_pem_private_key(printed(f"{{{{ genPrivateKey `{kind}` }}}}"), None), expected)


def test_long_keys_and_old_ones(monkeypatch):
    """Made elsewhere, because they take seconds."""
    monkeypatch.setattr(rsa, "generate_private_key", lambda exponent, bits: rsa_key())
    assert printed("{{ genPrivateKey `rsa` }}").startswith(b"-----BEGIN RSA PRIVATE KEY-----\n")
    key = old_key()
    monkeypatch.setattr(dsa, "generate_private_key", lambda bits: key)
    assert printed("{{ genPrivateKey `dsa` }}").startswith(b"-----BEGIN DSA PRIVATE KEY-----\n")
    assert printed("{{ genPrivateKey `other` }}") == b"Unknown type other"


def _certificates(text, **values):
    return x509.load_pem_x509_certificates(printed(text, **values))


SIGNED = """
{{- $ca := genCAWithKey "authority" 30 .k -}}
{{- $made := genSignedCertWithKey "leaf" (list "10.0.0.1") (list "leaf.example.org") 10 $ca .k2 -}}
{{ $made.Cert }}{{ $ca.Cert }}"""


def test_certificates_are_signed_by_the_authority_that_was_made():
    second = ec.generate_private_key(ec.SECP256R1())
    leaf, authority = _certificates(SIGNED, k=pem(rsa_key()), k2=pem(second))
    leaf.verify_directly_issued_by(authority)
    authority.verify_directly_issued_by(authority)
    assert leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value.get_values_for_type(
        x509.DNSName
    ) == ["leaf.example.org"]
    assert authority.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert not leaf.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert (leaf.not_valid_after_utc - leaf.not_valid_before_utc).days == 10
    assert printed("{{ filterCertChain `leaf` .x }}", x=printed(SIGNED, k=pem(rsa_key()), k2=pem(second)))


def test_new_keys_are_made_where_none_is_given(monkeypatch):
    monkeypatch.setattr(rsa, "generate_private_key", lambda exponent, bits: rsa_key())
    text = (
        "{{ $ca := genCA `a` 1 }}{{ $c := genSignedCert `c` nil nil 1 $ca }}{{ $s := genSelfSignedCert `s` nil nil 1 }}"
    )
    leaf, alone = _certificates(f"{text}{{{{ $c.Cert }}}}{{{{ $s.Cert }}}}")
    assert leaf.issuer.rfc4514_string() == "CN=a"
    alone.verify_directly_issued_by(alone)
    key = printed(f"{text}{{{{ $c.Key }}}}")
    assert load_pem_private_key(key, None).public_key() == leaf.public_key()


def test_ed25519_signs_too():
    key = ed25519.Ed25519PrivateKey.generate()
    (alone,) = _certificates("{{ (genSelfSignedCertWithKey `s` (list `::1`) nil 1 .k).Cert }}", k=pem(key))
    alone.verify_directly_issued_by(alone)


def test_a_certificate_of_ones_own():
    made = chain()
    encoded = {"c": base64.b64encode(made.leaf.encode()), "k": base64.b64encode(made.key.encode())}
    assert (
        printed("{{ $x := buildCustomCert .c .k }}{{ $x.Cert }}{{ $x.Key }}", **encoded).decode()
        == made.leaf + made.key
    )
    assert printed("{{ buildCustomCert .c .k | toYaml }}", **encoded).startswith(b"Cert: |\n")
    assert printed("{{ buildCustomCert .c .k }}", **encoded).decode() == f"{{{made.leaf} {made.key}}}"
    assert _failure("{{ buildCustomCert `!` .k }}", **encoded) == "unable to decode base64 certificate"
    assert _failure("{{ buildCustomCert .c `!` }}", **encoded) == "unable to decode base64 private key"


BAD = [
    ("{{ genSelfSignedCertWithKey `s` (list `nowhere`) nil 1 .k }}", "an address or a name of the certificate is none"),
    ("{{ genSignedCertWithKey `s` nil nil 1 `no` .k }}", "the signer is no certificate"),
    ("{{ genCAWithKey `s` 99999999 .k }}", "the name or the days of the certificate cannot be used"),
    ("{{ genCAWithKey `s` 1 `junk` }}", "failed to decode PEM block"),
    ("{{ genCAWithKey `s` 1 .d }}", "a key of this kind cannot sign certificates"),
]


@pytest.mark.parametrize(("text", "said"), BAD)
def test_certificates_that_cannot_be_made(text, said):
    assert _failure(text, k=chain().key, d=pem(old_key())) == said


def test_keys_are_dear():
    with pytest.raises(LimitExceeded):
        printed("{{ range until 20 }}{{ genPrivateKey `ecdsa` }}{{ end }}")
