"""The certificate by which an API server knows that it asks us: made here, or given by whoever runs several of us."""

import ipaddress
import ssl
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from plumbline.base.errors import InvalidInput
from plumbline.base.keyfile import as_file
from plumbline.base.plaintext import Plaintext

if TYPE_CHECKING:
    from cryptography import x509

_LIFE: Final = timedelta(days=3650)
_CLOCK_SKEW: Final = timedelta(hours=1)
_NAME: Final = "plumbline-admission"
_MOST_BYTES: Final = 1 << 20


class Certificate(NamedTuple):
    chain_pem: bytes
    key: Plaintext
    authority_pem: bytes
    """What others trust to trust it."""

    def context(self) -> ssl.SSLContext:
        """TLS for a server. Raises InvalidInput where certificate and key do not fit."""
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.minimum_version = ssl.TLSVersion.TLSv1_2
        with as_file(self.key.reveal() + b"\n" + self.chain_pem) as path:
            try:
                made.load_cert_chain(path)
            except ssl.SSLError as bad:
                raise InvalidInput("The certificate for admission cannot be used", why=bad.reason or "") from None
        return made


def made(hosts: Sequence[str], now: datetime) -> Certificate:
    """One that vouches for itself: its key is never stored, and whoever is told of it trusts nobody else by that."""
    from cryptography import x509  # noqa: PLC0415 - most processes are given one, or need none
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - as above
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID  # noqa: PLC0415 - as above

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    purpose = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    alternatives = x509.SubjectAlternativeName([_alternative(host) for host in hosts])
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + _LIFE)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(purpose, critical=False)
        .add_extension(alternatives, critical=False)
    )
    certificate = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return Certificate(certificate, Plaintext(private), certificate)


def given(folder: Path) -> Certificate:
    """tls.crt, tls.key and ca.crt, as a Secret of cert-manager holds them. Raises InvalidInput where one cannot be read."""
    chain, key, authority = (_content(folder / name) for name in ("tls.crt", "tls.key", "ca.crt"))
    return Certificate(chain, Plaintext(key), authority)


def _content(path: Path) -> bytes:
    hint = "Mount a Secret that has tls.crt, tls.key and ca.crt."
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except OSError as failed:
        raise InvalidInput(f"{path} cannot be read", why=failed.strerror or "", hint=hint) from failed
    if len(content) > _MOST_BYTES or b"-----BEGIN " not in content:
        raise InvalidInput(f"{path} cannot be used", why="it is not PEM", hint=hint)
    return content


def _alternative(host: str) -> "x509.GeneralName":
    from cryptography import x509  # noqa: PLC0415 - as above

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
