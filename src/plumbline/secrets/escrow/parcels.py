"""Keys encrypted to people, in formats that other programs open: age, and CMS in PEM."""

from datetime import UTC, datetime, timedelta
from typing import Final

import pyrage
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.serialization import Encoding, pkcs7

from plumbline.base.errors import Corrupted, InvalidInput, Undecryptable
from plumbline.base.plaintext import Plaintext
from plumbline.secrets.escrow.people import Identities, Recipients

_EXPONENT: Final = 65537
_BITS: Final = 2048
_NOBODY: Final = x509.Name([])
_BEGUN: Final = datetime(2000, 1, 1, tzinfo=UTC)
_OPTIONS: Final = [pkcs7.PKCS7Options.Binary]
_AGE: Final = (b"-----BEGIN AGE ENCRYPTED FILE-----", b"age-encryption.org/")
_CMS: Final = b"-----BEGIN PKCS7-----"
_CERTIFICATE: Final = b"-----BEGIN CERTIFICATE-----"


def packed(bundle: Plaintext, recipients: Recipients) -> bytes:
    """*bundle* for *recipients*, read back and found to be the same before anybody relies on it.

    It is read back with a key that is made for that, and is gone when this returns: it opens this parcel and nothing else.
    """
    parcel, witness = _aged(bundle, recipients) if recipients.age else _enveloped(bundle, recipients)
    if opened(parcel, witness) != bundle:
        raise Corrupted("the encrypted keys do not come out as they went in")
    return parcel


def encrypted(content: bytes) -> bool:
    """Whether it looks like a parcel at all."""
    return content.lstrip().startswith(_AGE) or _CMS in content


def opened(parcel: bytes, identities: Identities) -> Plaintext:
    """Raises Undecryptable if none of *identities* is one that it was made for."""
    if parcel.lstrip().startswith(_AGE):
        return _from_age(parcel, identities)
    if _CMS in parcel:
        return _from_cms(parcel, identities)
    raise InvalidInput("that is no parcel of keys", hint="Use a file that `plumb keys export` wrote.")


def _aged(bundle: Plaintext, recipients: Recipients) -> tuple[bytes, Identities]:
    witness = pyrage.x25519.Identity.generate()
    everybody = [*recipients.age, witness.to_public()]
    return pyrage.encrypt(bundle.reveal(), everybody, armored=True), Identities(age=(witness,))


def _from_age(parcel: bytes, identities: Identities) -> Plaintext:
    if identities.age:
        try:
            return Plaintext(pyrage.decrypt(parcel, list(identities.age)))
        except pyrage.DecryptError:
            pass
    raise _stranger("age")


def _enveloped(bundle: Plaintext, recipients: Recipients) -> tuple[bytes, Identities]:
    witness = rsa.generate_private_key(_EXPONENT, _BITS)
    certificates = [
        # Under their own certificate, where they have one, since that is what other programs look for.
        each if isinstance(each, x509.Certificate) else _addressed(each, witness, number)
        for number, each in enumerate(recipients.pem, 1)
    ]
    certificates.append(_addressed(witness.public_key(), witness, len(certificates) + 1))
    builder = pkcs7.PKCS7EnvelopeBuilder().set_data(bundle.reveal()).set_content_encryption_algorithm(AES256)
    for each in certificates:
        builder = builder.add_recipient(each)
    # Whoever opens it is found by a certificate, and a private key alone does not tell which: all of them go with it, and
    # behind it, since openssl reads what is first.
    letters = b"".join(each.public_bytes(Encoding.PEM) for each in certificates)
    return builder.encrypt(Encoding.PEM, _OPTIONS) + letters, Identities(pem=(witness,))


def _addressed(public: rsa.RSAPublicKey, signer: rsa.RSAPrivateKey, number: int) -> x509.Certificate:
    """Names a recipient within one parcel; nobody trusts it for anything."""
    builder = x509.CertificateBuilder(_NOBODY, _NOBODY, public, number, _BEGUN, _BEGUN + timedelta(days=36500))
    return builder.sign(signer, hashes.SHA256())


def _from_cms(parcel: bytes, identities: Identities) -> Plaintext:
    body, mark, rest = parcel.partition(_CERTIFICATE)
    try:
        letters = x509.load_pem_x509_certificates(mark + rest) if mark else []
    except ValueError:
        letters = []
    for private in identities.pem:
        for letter in letters:
            if letter.public_key() == private.public_key():
                try:
                    return Plaintext(pkcs7.pkcs7_decrypt_pem(body, letter, private, []))
                except ValueError:
                    raise Undecryptable("the parcel of keys cannot be opened", why="it was changed") from None
    raise _stranger("PEM")


def _stranger(kind: str) -> Undecryptable:
    return Undecryptable(
        "the parcel of keys cannot be opened",
        why=f"it is for recipients of {kind}, and none of the identities given is theirs",
        hint="Give the identity of one of those it was exported for.",
    )
