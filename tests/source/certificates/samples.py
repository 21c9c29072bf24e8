"""Certificates and host keys, made when they are asked for."""

import base64
from datetime import UTC, datetime, timedelta
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID

EXAMPLE = (
    (NameOID.COUNTRY_NAME, "DE"),
    (NameOID.ORGANIZATION_NAME, "Example"),
    (NameOID.COMMON_NAME, "git.example.org"),
)


def issued(*attributes, host="localhost"):
    """A certificate that vouches for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(oid, value) for oid, value in attributes or EXAMPLE])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return made.public_bytes(Encoding.PEM).decode(), private.decode()


def pem(number=0):
    """Another certificate for each number."""
    return _certificate(number)


def host_key(number=0):
    """What follows the host in a line of known hosts; another one for each number."""
    return _host_key(number)


@cache
def _certificate(_):
    return issued()[0]


@cache
def _host_key(_):
    made = ed25519.Ed25519PrivateKey.generate().public_key()
    return made.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def coded(text):
    return base64.b64encode(text.encode()).decode()
