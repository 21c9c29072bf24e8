"""Who a client certificate says that somebody is. TLS has checked by whom it was signed."""

import hashlib
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from cryptography.x509 import Certificate, ObjectIdentifier, load_der_x509_certificate
from cryptography.x509.oid import NameOID

from plumbline.access.identity import CREDENTIAL_ID, Identity, authenticated
from plumbline.base.errors import Unauthenticated

_UID: Final = ObjectIdentifier("1.3.6.1.4.1.57683.2")
_REMEMBERED: Final = 512


class _Bearer(NamedTuple):
    identity: Identity
    since: datetime
    until: datetime


def certificate_identity(der: bytes, now: datetime) -> Identity | None:
    """The common name as user and the organizations as groups; None for a certificate that names nobody.

    Connections may outlive a certificate, so its dates are looked at each time. Raises Unauthenticated.
    """
    bearer = _bearer(der)
    if bearer is None:
        return None
    if not bearer.since <= now <= bearer.until:
        raise Unauthenticated("the client certificate has expired or is not yet valid")
    return bearer.identity


@lru_cache(maxsize=_REMEMBERED)
def _bearer(der: bytes) -> _Bearer | None:
    try:
        certificate = load_der_x509_certificate(der)
        names, groups, uids = (
            _texts(certificate, oid) for oid in (NameOID.COMMON_NAME, NameOID.ORGANIZATION_NAME, _UID)
        )
    except ValueError as unreadable:
        raise Unauthenticated("cannot read the client certificate", why=str(unreadable)) from unreadable
    if not names or not names[-1]:
        return None
    if len(uids) > 1:
        raise Unauthenticated(f"expected 1 UID, but found multiple: [{' '.join(uids)}]")
    if uids == [""]:
        raise Unauthenticated("UID cannot be an empty string")
    extra = {CREDENTIAL_ID: (f"X509SHA256={hashlib.sha256(der).hexdigest()}",)}
    identity = authenticated(Identity(names[-1], "".join(uids), tuple(groups), extra))
    return _Bearer(identity, certificate.not_valid_before_utc, certificate.not_valid_after_utc)


def _texts(certificate: Certificate, oid: ObjectIdentifier) -> list[str]:
    values = [attribute.value for attribute in certificate.subject.get_attributes_for_oid(oid)]
    return [value for value in values if isinstance(value, str)]
