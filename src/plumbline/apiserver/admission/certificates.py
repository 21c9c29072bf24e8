"""Who may decide about requests for certificates, and what nobody may ask for."""

import base64
import binascii
from typing import Final

from plumbline.apiserver.admission.plugin import Validating, creates, forbidden, object_of, updates
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.rbac.attributes import Attributes as Wish
from plumbline.apiserver.rbac.authorizer import Authorizer
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.validation.shapes import mapping, text
from plumbline.base.json import Json
from plumbline.kube.gotext import quoted

REQUESTS: Final = Collection("certificates.k8s.io", "certificatesigningrequests")
_CLIENT_SIGNER: Final = "kubernetes.io/kube-apiserver-client"
_MASTERS: Final = "system:masters"
_LARGEST_BYTES: Final = 1 << 16


class CertificateDecisions(Validating):
    """Approving and signing need a right to do so for the signer that is asked."""

    name = "CertificateApproval"
    concerns = frozenset({REQUESTS})

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer

    async def check(self, attributes: Attributes) -> None:
        if updates(attributes, "approval"):
            self._check(attributes, "approve")
        elif updates(attributes, "status"):
            new, old = mapping(object_of(attributes).get("status")), mapping((attributes.old or {}).get("status"))
            if any(new.get(field) != old.get(field) for field in ("certificate", "conditions")):
                self._check(attributes, "sign")

    def _check(self, attributes: Attributes, verb: str) -> None:
        signer = text(mapping((attributes.old or {}).get("spec")).get("signerName"))
        domain = signer.split("/", 1)[0]
        if not any(self._allows(attributes, verb, name) for name in (signer, f"{domain}/*")):
            raise forbidden(attributes, f"user not permitted to {verb} requests with signerName {quoted(signer)}")

    def _allows(self, attributes: Attributes, verb: str, signer: str) -> bool:
        identity = attributes.scope.identity
        return self._authorizer.decide(Wish(identity, verb, REQUESTS.group, "*", "signers", name=signer)).allowed


class CertificateSubjects(Validating):
    """Nobody gets into the group that may do everything by asking for a certificate."""

    name = "CertificateSubjectRestriction"
    concerns = frozenset({REQUESTS})

    async def check(self, attributes: Attributes) -> None:
        spec = mapping(object_of(attributes).get("spec"))
        if not creates(attributes) or spec.get("signerName") != _CLIENT_SIGNER:
            return
        organizations = _organizations(spec.get("request"))
        if organizations is None:
            raise forbidden(attributes, "failed to parse CSR: PEM block type must be CERTIFICATE REQUEST")
        if _MASTERS in organizations:
            why = f"use of {_CLIENT_SIGNER} signer with {_MASTERS} group is not allowed"
            raise forbidden(attributes, why)


def _organizations(request: Json) -> list[str] | None:
    """Of the subject of a request in PEM in base64; None where it cannot be read."""
    from cryptography import x509  # noqa: PLC0415 - needs 20 MB that most servers never do

    try:
        pem = base64.b64decode(text(request), validate=True)[:_LARGEST_BYTES]
        subject = x509.load_pem_x509_csr(pem).subject
    except (ValueError, binascii.Error):
        return None
    return [str(each.value) for each in subject.get_attributes_for_oid(x509.NameOID.ORGANIZATION_NAME)]
