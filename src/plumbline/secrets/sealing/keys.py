"""Sealing keys: made, and read from PEM. The private half is loaded once and shows itself to nobody by accident."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Never

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtensionOID, NameOID

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.base.limits import KIB
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.sealing.certificates import Certificate, certificate_of, check_size
from plumbline.secrets.sealing.entropy import serial_number

DEFAULT_BITS: Final = 4096
DEFAULT_LIFETIME: Final = timedelta(hours=87600)
_EXPONENT: Final = 65537
_LARGEST_BYTES: Final = 256 * KIB
# A bit string with bit 7 alone. RFC 5280 leaves encipherOnly without keyAgreement undefined, and so the library refuses to
# write it by name; it is what sealed-secrets writes.
_ENCIPHER_ONLY: Final = bytes((3, 2, 0, 1))
_KEY_ID_BYTES: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class SealingKey:
    """A certificate and the private key that opens what it sealed. *name* is that of its Secret, empty before it has one."""

    name: str
    certificate: Certificate
    private: Plaintext
    """PKCS#1 in PEM, whatever it was read from."""
    created: datetime | None
    loaded: rsa.RSAPrivateKey
    """The same, ready for use: reading it costs as much as opening many values."""

    @property
    def certificate_pem(self) -> bytes:
        return self.certificate.pem

    @property
    def fingerprint(self) -> str:
        return self.certificate.fingerprint

    @property
    def not_before(self) -> datetime:
        return self.certificate.not_before

    @property
    def not_after(self) -> datetime:
        return self.certificate.not_after

    def __repr__(self) -> str:
        return f"SealingKey({self.name or 'unnamed'}, {self.fingerprint}, ***)"

    def __reduce__(self) -> Never:
        raise TypeError("a SealingKey cannot be pickled or copied")

    def __copy__(self) -> Never:
        raise TypeError("a SealingKey cannot be pickled or copied")

    def __deepcopy__(self, memo: object) -> Never:
        raise TypeError("a SealingKey cannot be pickled or copied")


def made_key(
    now: datetime, *, size: int = DEFAULT_BITS, lifetime: timedelta = DEFAULT_LIFETIME, common_name: str = ""
) -> SealingKey:
    """A new key with a certificate that vouches for itself, from *now* on, of *size* bits. With 4096 bits it takes up to some seconds."""
    check_size(size)
    private = rsa.generate_private_key(_EXPONENT, size)
    certificate = self_signed(private, serial_number(), (now, now + lifetime), common_name)
    return _key(private, certificate_of(certificate), "", now)


def key_from_pem(
    private: Plaintext, certificate_pem: bytes, *, name: str = "", created: datetime | None = None
) -> SealingKey:
    """Read both halves. Raises InvalidInput if one cannot be read or they do not belong together."""
    certificate = certificate_of(certificate_pem)
    loaded = loaded_private(private)
    if loaded.public_key().public_numbers() != certificate.public.public_numbers():
        raise InvalidInput(
            "the private key is not the one of the certificate",
            why="what the one seals the other would not open",
            hint="Put the key and the certificate that were made together into the same Secret.",
        )
    return _key(loaded, certificate, name, created)


def loaded_private(pem: Plaintext) -> rsa.RSAPrivateKey:
    """The RSA key of *pem*. Raises InvalidInput, which quotes nothing of it."""
    text = pem.reveal()
    if len(text) > _LARGEST_BYTES:
        raise LimitExceeded(f"the private key is larger than {_LARGEST_BYTES // KIB} KiB")
    found = None
    try:
        # To test the primes takes half a second for each key; the sums are checked below, and who can write the Secret
        # of a key could as well put one there that is fine and known to them.
        found = load_pem_private_key(text, None, unsafe_skip_rsa_key_validation=True)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if found is None:
        raise InvalidInput("there is no private key that can be read", why="PEM without a password was expected")
    if not isinstance(found, rsa.RSAPrivateKey):
        raise InvalidInput("the private key cannot open anything", why="it is not an RSA key")
    check_size(found.key_size)
    if not _sums_up(found.private_numbers()):
        raise InvalidInput("the private key cannot open anything", why="its numbers do not belong together")
    return found


def _sums_up(numbers: rsa.RSAPrivateNumbers) -> bool:
    p, q, d = numbers.p, numbers.q, numbers.d
    exponent, modulus = numbers.public_numbers.e, numbers.public_numbers.n
    if min(p, q) <= 1 or p == q or p * q != modulus:
        return False
    return (
        (d * exponent) % (p - 1) == 1
        and (d * exponent) % (q - 1) == 1
        and numbers.dmp1 == d % (p - 1)
        and numbers.dmq1 == d % (q - 1)
        and (numbers.iqmp * q) % p == 1
    )


def _key(private: rsa.RSAPrivateKey, certificate: Certificate, name: str, created: datetime | None) -> SealingKey:
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    return SealingKey(name=name, certificate=certificate, private=Plaintext(pem), created=created, loaded=private)


def self_signed(
    private: rsa.RSAPrivateKey, serial: int, valid: tuple[datetime, datetime], common_name: str = ""
) -> bytes:
    """The certificate as Go's x509 writes the one of sealed-secrets, in PEM; bit for bit where there is no *common_name*."""
    public = private.public_key()
    subject = _subject(common_name)
    key_id = hashlib.sha256(public.public_bytes(Encoding.DER, PublicFormat.PKCS1)).digest()[:_KEY_ID_BYTES]
    not_before, not_after = (moment.astimezone(UTC).replace(microsecond=0) for moment in valid)
    usage = x509.UnrecognizedExtension(ExtensionOID.KEY_USAGE, _ENCIPHER_ONLY)
    unsigned = (
        x509.CertificateBuilder(issuer_name=subject, subject_name=subject, public_key=public, serial_number=serial)
        .not_valid_before(not_before)
        .not_valid_after(not_after)
        .add_extension(usage, critical=True)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier(key_id), critical=False)
    )
    return unsigned.sign(private, SHA256()).public_bytes(Encoding.PEM)


def _subject(common_name: str) -> x509.Name:
    try:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)] if common_name else [])
    except ValueError as fault:
        raise InvalidInput(
            "the common name is not one for a certificate", why="it has more than 64 characters"
        ) from fault
