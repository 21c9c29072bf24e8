"""Sprig's keys and certificates that are made up. They are new each time that a template is executed."""

from collections.abc import Mapping
from datetime import timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, NamedTuple

from plumbline.gotemplate.gobase64 import read_base64
from plumbline.gotemplate.sprig.certificates import certificates_of, pem_of
from plumbline.gotemplate.sprig.keys import private_key
from plumbline.gotemplate.sprig.pem import blocks, encoded
from plumbline.gotemplate.sprig.surroundings import Surroundings
from plumbline.gotemplate.sprig.told import Told, costing, raw, text
from plumbline.gotemplate.values import INVALID, Function, Typed, Value, function

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes, PrivateKeyTypes
    from cryptography.x509 import Certificate, CertificateBuilder

_MAKING: Final = 40_000
_SIGNING: Final = 2_000
_KEY_BITS: Final = 2_048
_LONE_KEY_BITS: Final = 4_096
_EXPONENT: Final = 65_537


class Issued(Typed):
    """A certificate and its key, both as PEM."""

    type_name = "sprig.certificate"

    def __init__(self, certificate: str, key: str) -> None:
        self.certificate = certificate
        self.key = key

    def member(self, name: str) -> Value:
        return {"Cert": self.certificate, "Key": self.key}.get(name, INVALID)

    def text(self) -> str:
        return f"{{{self.certificate} {self.key}}}"

    def json(self) -> Value:
        return {"Cert": self.certificate, "Key": self.key}


class _Signer(NamedTuple):
    certificate: "Certificate"
    key: "CertificateIssuerPrivateKeyTypes"


@costing(_MAKING)
def _lone_key(kind: str) -> str:
    from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa  # noqa: PLC0415 - seldom needed

    if kind in {"", "rsa"}:
        return _key_pem(rsa.generate_private_key(_EXPONENT, _LONE_KEY_BITS))
    if kind == "ecdsa":
        return _key_pem(ec.generate_private_key(ec.SECP256R1()))
    if kind == "ed25519":
        return _key_pem(ed25519.Ed25519PrivateKey.generate())
    return _key_pem(dsa.generate_private_key(_KEY_BITS)) if kind == "dsa" else f"Unknown type {kind}"


def _key_pem(key: "PrivateKeyTypes") -> str:
    """In the form that is older than PKCS#8, where there is one."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - as above
        Encoding,
        NoEncryption,
        PrivateFormat,
    )

    newer = isinstance(key, Ed25519PrivateKey)
    form = PrivateFormat.PKCS8 if newer else PrivateFormat.TraditionalOpenSSL
    (block,) = blocks(key.private_bytes(Encoding.PEM, form, NoEncryption()).decode())
    return encoded(block.kind, block.body)


def _new_key() -> "PrivateKeyTypes":
    from cryptography.hazmat.primitives.asymmetric import rsa  # noqa: PLC0415 - as above

    return rsa.generate_private_key(_EXPONENT, _KEY_BITS)


def _custom(certificate: str, key: str) -> Issued:
    opened = [read_base64(raw(each)) for each in (certificate, key)]
    if opened[0] is None:
        raise Told("unable to decode base64 certificate")
    if opened[1] is None:
        raise Told("unable to decode base64 private key")
    certificates_of(text(opened[0]))
    private_key(text(opened[1]))
    return Issued(text(opened[0]), text(opened[1]))


class _Issuing:
    """All certificates begin now, and last some days."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._now = surroundings.now

    def authority(self, name: str, days: int, key: str | None = None) -> Issued:
        return _issued(self._subject(name, days), key, authority=True)

    def self_signed(self, name: str, addresses: Value, hosts: Value, days: int, key: str | None = None) -> Issued:
        return _issued(_named(self._subject(name, days), addresses, hosts), key)

    def signed(self, name: str, addresses: Value, hosts: Value, days: int, *by: Value) -> Issued:
        issuer, key = by[0], by[1] if len(by) > 1 else None
        if not isinstance(issuer, Issued):
            raise Told("the signer is no certificate")
        signer = _Signer(certificates_of(issuer.certificate)[0], _issuer(private_key(issuer.key)))
        return _issued(_named(self._subject(name, days, signer), addresses, hosts), key, signer)

    def _subject(self, name: str, days: int, signer: _Signer | None = None) -> "CertificateBuilder":
        from cryptography import x509  # noqa: PLC0415 - as above
        from cryptography.x509.oid import NameOID  # noqa: PLC0415 - as above

        begin = self._now()
        try:
            subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
            builder = x509.CertificateBuilder().subject_name(subject).serial_number(x509.random_serial_number())
            builder = builder.issuer_name(subject if signer is None else signer.certificate.subject)
            return builder.not_valid_before(begin).not_valid_after(begin + timedelta(days=days))
        except (ValueError, OverflowError):
            raise Told("the name or the days of the certificate cannot be used") from None


def _issued(
    builder: "CertificateBuilder", key: str | None, signer: _Signer | None = None, *, authority: bool = False
) -> Issued:
    from cryptography import x509  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415 - as above

    owner = _issuer(_new_key() if key is None else private_key(key))
    signing = owner if signer is None else signer.key
    own, issuer = owner.public_key(), signing.public_key()
    builder = _used(builder, authority=authority).public_key(own)
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(own), critical=False)
    builder = builder.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), critical=False)
    made = builder.sign(signing, None if isinstance(signing, Ed25519PrivateKey) else SHA256())
    return Issued(pem_of(made), _key_pem(owner))


def _named(builder: "CertificateBuilder", addresses: Value, hosts: Value) -> "CertificateBuilder":
    from cryptography import x509  # noqa: PLC0415 - as above

    try:
        names: list[x509.GeneralName] = [x509.DNSName(each) for each in hosts or ()]
        names += [x509.IPAddress(ip_address(each)) for each in addresses or ()]
    except (TypeError, ValueError):
        raise Told("an address or a name of the certificate is none") from None
    return builder.add_extension(x509.SubjectAlternativeName(names), critical=False) if names else builder


def _used(builder: "CertificateBuilder", *, authority: bool) -> "CertificateBuilder":
    from cryptography import x509  # noqa: PLC0415 - as above
    from cryptography.x509.oid import ExtendedKeyUsageOID  # noqa: PLC0415 - as above

    usage = x509.KeyUsage(
        digital_signature=True,
        key_encipherment=True,
        key_cert_sign=authority,
        content_commitment=False,
        data_encipherment=False,
        key_agreement=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    purposes = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    builder = builder.add_extension(usage, critical=True).add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
    return builder.add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)


def _issuer(key: "PrivateKeyTypes") -> "CertificateIssuerPrivateKeyTypes":
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa  # noqa: PLC0415 - as above

    if not isinstance(key, rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey):
        raise Told("a key of this kind cannot sign certificates")
    return key


def issuing(surroundings: Surroundings) -> Mapping[str, Function]:
    made = _Issuing(surroundings)
    new, given = costing(_MAKING), costing(_SIGNING)
    return {
        "buildCustomCert": function("string string", given(_custom)),
        "genCA": function("string int", new(made.authority)),
        "genCAWithKey": function("string int string", given(made.authority)),
        "genPrivateKey": function("string", _lone_key),
        "genSelfSignedCert": function("string list list int", new(made.self_signed)),
        "genSelfSignedCertWithKey": function("string list list int string", given(made.self_signed)),
        "genSignedCert": function("string list list int any", new(made.signed)),
        "genSignedCertWithKey": function("string list list int any string", given(made.signed)),
    }
