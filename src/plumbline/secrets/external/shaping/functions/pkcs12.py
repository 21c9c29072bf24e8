"""PKCS#12 from PEM and back, with and without a password."""

import base64
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from plumbline.gotemplate import Function, function
from plumbline.gotemplate.sprig.certificates import certificates_of, pem_of
from plumbline.gotemplate.sprig.keys import private_key, private_pem
from plumbline.gotemplate.sprig.told import Told, costing, raw
from plumbline.secrets.external.shaping.functions.certificates import chain

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.serialization import KeySerializationEncryption
    from cryptography.hazmat.primitives.serialization.pkcs12 import PKCS12KeyAndCertificates
    from cryptography.x509 import Certificate

_STEPS: Final = 2_000
_ROUNDS: Final = 2_048
"""As many as go-pkcs12's `Modern` has."""


def _opened(text: str, password: str, what: str) -> "PKCS12KeyAndCertificates":
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - most installations never need OpenSSL
    from cryptography.hazmat.primitives.serialization.pkcs12 import load_pkcs12  # noqa: PLC0415 - same

    try:
        return load_pkcs12(raw(text), raw(password))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise Told(f"unable to decode {what} with password: it is damaged, or the password is wrong") from None


def _key(password: str, text: str) -> str:
    key = _opened(text, password, "pkcs12").key
    if key is None:
        raise Told("unable to decode pkcs12 with password: there is no private key in it")
    return private_pem(key)


def _certificates(password: str, text: str) -> str:
    """As a chain in order, or in the order they have if they are none."""
    opened = _opened(text, password, "pkcs12 certificate")
    found = [each.certificate for each in (opened.cert, *opened.additional_certs) if each is not None]
    if not found:
        raise Told("unable to decode pkcs12 certificate with password: there is no certificate in it")
    with suppress(Told):
        found = chain(found)
    return "".join(map(pem_of, found))


def _locked(password: str) -> "KeySerializationEncryption":
    """Without a password there is nothing that encryption could keep from anybody."""
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.serialization import NoEncryption, PrivateFormat  # noqa: PLC0415 - as above
    from cryptography.hazmat.primitives.serialization.pkcs12 import PBES  # noqa: PLC0415 - as above

    if not password:
        return NoEncryption()
    builder = PrivateFormat.PKCS12.encryption_builder().kdf_rounds(_ROUNDS)
    return builder.key_cert_algorithm(PBES.PBESv2SHA256AndAES256CBC).hmac_hash(SHA256()).build(raw(password))


def _packed(found: "list[Certificate]", key: str, password: str) -> str:
    from cryptography.hazmat.primitives.serialization import pkcs12  # noqa: PLC0415 - as above

    try:
        packed = pkcs12.serialize_key_and_certificates(
            None,
            private_key(key),  # type: ignore[arg-type] # keys of other kinds are what TypeError is for
            found[0],
            found[1:],
            _locked(password),
        )
    except (TypeError, ValueError):
        raise Told(
            "the private key does not belong to the certificate, or is of a kind that PKCS#12 cannot hold"
        ) from None
    return base64.b64encode(packed).decode()


@costing(_STEPS)
def _one(certificate: str, key: str, password: str = "") -> str:
    return _packed(certificates_of(certificate)[:1], key, password)


@costing(_STEPS)
def _full(certificates: str, key: str, password: str = "") -> str:
    return _packed(certificates_of(certificates), key, password)


@costing(_STEPS)
def _trusted(certificates: str, password: str = "") -> str:
    from cryptography.hazmat.primitives.serialization import pkcs12  # noqa: PLC0415 - as above

    entries = [
        pkcs12.PKCS12Certificate(certificate, certificate.subject.rfc4514_string().encode())
        for certificate in certificates_of(certificates)
    ]
    return base64.b64encode(pkcs12.serialize_java_truststore(entries, _locked(password))).decode()


FUNCTIONS: Final[Mapping[str, Function]] = {
    "fullPemToPkcs12": function("string string", _full),
    "fullPemToPkcs12Pass": function("string string string", _full),
    "pemToPkcs12": function("string string", _one),
    "pemToPkcs12Pass": function("string string string", _one),
    "pemTruststoreToPKCS12": function("string", _trusted),
    "pemTruststoreToPKCS12Pass": function("string string", _trusted),
    "pkcs12cert": function("string", costing(_STEPS)(partial(_certificates, ""))),
    "pkcs12certPass": function("string string", costing(_STEPS)(_certificates)),
    "pkcs12key": function("string", costing(_STEPS)(partial(_key, ""))),
    "pkcs12keyPass": function("string string", costing(_STEPS)(_key)),
}
