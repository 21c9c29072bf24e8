"""Certificates: how an authority of our own is made, how it signs others, and when one has to be replaced."""

import ipaddress
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_AUTHORITY_LIFE: Final = timedelta(days=3650)
_LEAF_LIFE: Final = timedelta(days=365)
_RENEWED_BEFORE: Final = timedelta(days=30)
_CLOCK_SKEW: Final = timedelta(minutes=5)


class Holder(NamedTuple):
    """Whom a certificate is for. Who has hosts is a server, who has none a client."""

    name: str
    organization: str = ""
    hosts: tuple[str, ...] = ()


class Issued(NamedTuple):
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    @property
    def pem(self) -> bytes:
        """Both in one text, so that no file ever holds one without the other."""
        return self.key_pem + self.certificate_pem

    def __repr__(self) -> str:
        return f"Issued({self.certificate.subject.rfc4514_string()})"


def read_issued(pem: bytes) -> Issued | None:
    """None unless *pem* holds a certificate and the P-256 key that belongs to it."""
    try:
        certificate = x509.load_pem_x509_certificate(pem)
        key = load_pem_private_key(pem, None)
    except (ValueError, TypeError):
        return None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or certificate.public_key() != key.public_key():
        return None
    return Issued(certificate, key)


def new_authority(now: datetime) -> Issued:
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name(Holder("plumbline-ca"))
    builder = _builder(name, key, now, _AUTHORITY_LIFE).issuer_name(name)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    return Issued(builder.add_extension(_usage(authority=True), critical=True).sign(key, SHA256()), key)


def issue(authority: Issued, holder: Holder, now: datetime) -> Issued:
    key = ec.generate_private_key(ec.SECP256R1())
    purpose = ExtendedKeyUsageOID.SERVER_AUTH if holder.hosts else ExtendedKeyUsageOID.CLIENT_AUTH
    builder = _builder(_name(holder), key, now, _LEAF_LIFE).issuer_name(authority.certificate.subject)
    builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    builder = builder.add_extension(_usage(authority=False), critical=True)
    builder = builder.add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
    signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())
    builder = builder.add_extension(signer, critical=False)
    if holder.hosts:
        names = x509.SubjectAlternativeName(list(_alternatives(holder.hosts)))
        builder = builder.add_extension(names, critical=False)
    return Issued(builder.sign(authority.key, SHA256()), key)


def lasting(issued: Issued, now: datetime) -> bool:
    """Whether it is valid now and for some time to come."""
    since, until = issued.certificate.not_valid_before_utc, issued.certificate.not_valid_after_utc
    return since <= now and now + _RENEWED_BEFORE < until


def serves(issued: Issued, authority: Issued, holder: Holder) -> bool:
    """Whether *authority* issued it to this very holder, under all hosts that it is to have."""
    certificate = issued.certificate
    try:
        certificate.verify_directly_issued_by(authority.certificate)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return certificate.subject == _name(holder) and set(_alternatives(holder.hosts)) <= set(_hosts(certificate))


def _hosts(certificate: x509.Certificate) -> list[x509.GeneralName]:
    try:
        return list(certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except (x509.ExtensionNotFound, ValueError):
        return []


def _alternatives(hosts: tuple[str, ...]) -> Iterator[x509.GeneralName]:
    for host in hosts:
        try:
            yield x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            yield x509.DNSName(host)


def _builder(
    name: x509.Name, key: ec.EllipticCurvePrivateKey, now: datetime, life: timedelta
) -> x509.CertificateBuilder:
    public = key.public_key()
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + life)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _name(holder: Holder) -> x509.Name:
    groups = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, holder.organization)] if holder.organization else []
    return x509.Name([*groups, x509.NameAttribute(NameOID.COMMON_NAME, holder.name)])


def _usage(*, authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=authority,
        crl_sign=authority,
        encipher_only=False,
        decipher_only=False,
    )
