"""CertificateSigningRequests: what is asked for, and who may decide what about it.

PEM is looked at, not what it holds: whether a request is signed by its own key is known to who issues certificates.
"""

import binascii
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from plumbline.apiserver.fielderrors import (
    FieldError,
    Word,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from plumbline.apiserver.validation.checks import choice_errors, collected, meta, meta_update
from plumbline.apiserver.validation.goform import go_diff, go_form
from plumbline.apiserver.validation.names import LABEL_BYTES, SUBDOMAIN_BYTES, byte_count, dns_label, dns_subdomain
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, text, texts
from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical
from plumbline.kube.gotext import quoted

_LEGACY: Final = "kubernetes.io/legacy-unknown"
_SHORTEST_S: Final = 600
_DECIDED: Final = ("Approved", "Denied")
_FINAL: Final = ("Approved", "Denied", "Failed")
_USAGES: Final = (
    *("any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment"),
    *("decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel"),
    *("ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing", "s/mime"),
    *("server auth", "signing", "timestamping"),
)
_BEGIN: Final = b"-----BEGIN "
_DASHES: Final = b"-----"


class _Powers(NamedTuple):
    """What the subresource that is written lets happen."""

    approve: bool = False
    issue: bool = False


def _pem_blocks(content: bytes) -> Iterator[tuple[str, bool]]:
    """The type of each block, and whether it has headers."""
    type_, headed = None, False
    for line in content.split(b"\n"):
        bare = line.rstrip(b" \t\r")
        if bare.startswith(_BEGIN) and bare.endswith(_DASHES):
            type_, headed = bare[len(_BEGIN) : -len(_DASHES)], False
        elif type_ is not None and bare == b"-----END " + type_ + _DASHES:
            yield type_.decode(errors="replace"), headed
            type_ = None
        elif b":" in line:
            headed = True


def _decoded(encoded: Json) -> bytes:
    try:
        return binascii.a2b_base64(text(encoded))
    except ValueError:
        return b""


def _certificate_fault(encoded: Json) -> str:
    content = _decoded(encoded)
    if not content:
        return ""
    blocks = 0
    for type_, headed in _pem_blocks(content):
        if type_ != "CERTIFICATE":
            return f"only CERTIFICATE PEM blocks are allowed, found {quoted(type_)}"
        if headed:
            return "no PEM block headers are permitted"
        blocks += 1
    return "" if blocks else "must contain at least one CERTIFICATE PEM block"


def _request_errors(request: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    spec, old_spec = mapping(request.get("spec")), mapping(old.get("spec")) if old else {}
    yield from meta(request, namespaced=False, names=lambda _name, _prefix: [])
    first = next(_pem_blocks(_decoded(spec.get("request"))), ("", False))
    if first[0] != "CERTIFICATE REQUEST":
        yield invalid("spec.request", spec.get("request") or None, "PEM block type must be CERTIFICATE REQUEST")
    yield from _usage_errors(texts(spec.get("usages")), texts(old_spec.get("usages")))
    signer = text(spec.get("signerName"))
    if signer == _LEGACY and old_spec.get("signerName") != _LEGACY:
        yield invalid("spec.signerName", signer, "the legacy signerName is not allowed via this API version")
    else:
        yield from _signer_errors("spec.signerName", signer)
    expiration_s = integer(spec.get("expirationSeconds"))
    if expiration_s is not None and expiration_s < _SHORTEST_S:
        detail = "may not specify a duration less than 600 seconds (10 minutes)"
        yield invalid("spec.expirationSeconds", expiration_s, detail)
    yield from _condition_errors(_conditions(request), _conditions(old) if old else [])
    certificate, former = (_certificate(each) for each in (request, old or {}))
    kept = old is not None and (certificate == former or bool(_certificate_fault(former)))
    if not kept and (fault := _certificate_fault(certificate)):
        yield invalid("status.certificate", "<certificate data>", fault)


def _usage_errors(usages: list[str], former: list[str]) -> Iterator[FieldError]:
    if not usages:
        yield required("spec.usages")
    if set(former) <= set(_USAGES):
        for index, usage in enumerate(usages):
            if usage not in _USAGES:
                yield not_supported(f"spec.usages[{index}]", Word(usage), _USAGES)
    if len(set(former)) == len(former):
        for index, usage in enumerate(usages):
            if usage in usages[:index]:
                yield duplicate(f"spec.usages[{index}]", Word(usage))


def _signer_errors(field: str, signer: str) -> Iterator[FieldError]:
    if not signer:
        yield required(field)
        return
    if signer.count("/") != 1:
        detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
        yield invalid(field, signer, detail)
        return
    domain, _, path = signer.partition("/")
    if byte_count(domain) > SUBDOMAIN_BYTES:
        yield too_long(field, SUBDOMAIN_BYTES)
    yield from _part_errors(field, domain, dns_label)
    if "." not in domain:
        yield invalid(field, domain, "should be a domain with at least two segments separated by dots")
    yield from _part_errors(field, path, dns_subdomain)
    longest = SUBDOMAIN_BYTES + 1 + SUBDOMAIN_BYTES + LABEL_BYTES + 1
    if byte_count(signer) > longest:
        yield too_long(field, longest)


def _part_errors(field: str, dotted: str, faults_of: Callable[[str], list[str]]) -> Iterator[FieldError]:
    """The faults of the first label that has any; those of the rest would say the same."""
    for label in dotted.split("."):
        if faults := faults_of(label):
            yield from (invalid(field, dotted, f"validating label {quoted(label)}: {fault}") for fault in faults)
            return


def _conditions(request: JsonObject) -> list[JsonObject]:
    return mappings(mapping(request.get("status")).get("conditions"))


def _certificate(request: JsonObject) -> Json:
    return mapping(request.get("status")).get("certificate") or None


def _condition_errors(conditions: list[JsonObject], former: list[JsonObject]) -> Iterator[FieldError]:
    field, types = "status.conditions", [text(each.get("type")) for each in conditions]
    old_types = [text(each.get("type")) for each in former]
    for index, condition in enumerate(conditions):
        at, type_, status = f"{field}[{index}]", types[index], text(condition.get("status"))
        if not type_ and "" not in old_types:
            yield required(f"{at}.type")
        if status:
            allowed = ("True",) if type_ in _FINAL else ("False", "True", "Unknown")
            yield from choice_errors(f"{at}.status", status, allowed)
        else:
            yield required(f"{at}.status")
        if type_ in _DECIDED and not set(_DECIDED) <= set(old_types):
            other = _DECIDED[1 - _DECIDED.index(type_)]
            if other in types[:index]:
                detail = "Approved and Denied conditions are mutually exclusive"
                yield invalid(field, Word(type_), detail)
        if type_ in types[:index] and len(set(old_types)) == len(old_types):
            yield duplicate(f"{at}.type", Word(type_))


def _request_updated(request: JsonObject, old: JsonObject, powers: _Powers) -> Iterator[FieldError]:
    yield from _request_errors(request, old)
    field = "status.conditions"
    for type_ in _FINAL:
        now, before = (_of_type(each, type_) for each in (request, old))
        if len(now) < len(before):
            yield forbidden(field, f"updates may not remove a condition of type {quoted(type_)}")
    if not powers.approve:
        for type_ in _DECIDED:
            yield from _decision_errors(_of_type(request, type_), _of_type(old, type_), type_)
    certificate, former = _certificate(request), _certificate(old)
    if certificate != former and not powers.issue:
        yield forbidden("status.certificate", "updates may not set certificate content")
    elif certificate != former and former:
        yield forbidden("status.certificate", "updates may not modify existing certificate content")
    yield from meta_update(request, old)


def _of_type(request: JsonObject, type_: str) -> list[JsonObject]:
    return [each for each in _conditions(request) if each.get("type") == type_]


def _decision_errors(now: list[JsonObject], before: list[JsonObject], type_: str) -> Iterator[FieldError]:
    forms = [go_form(each, "[CertificateSigningRequestCondition") for each in (now, before)]
    if len(now) > len(before):
        yield forbidden("status.conditions", f"updates may not add a condition of type {quoted(type_)}")
    elif len(now) == len(before) and not identical(*forms):
        difference = go_diff(before, now, "[CertificateSigningRequestCondition")
        yield forbidden(
            "status.conditions", f"updates may not modify a condition of type {quoted(type_)}\n{difference}"
        )


@collected
def request_created(request: JsonObject) -> Iterator[FieldError]:
    yield from _request_errors(request, None)


@collected
def request_updated(request: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from _request_updated(request, old, _Powers())


@collected
def request_status_updated(request: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from _request_updated(request, old, _Powers(issue=True))


@collected
def request_approval_updated(request: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from _request_updated(request, old, _Powers(approve=True))


CREATE: Final = {"CertificateSigningRequest": request_created}
UPDATE: Final = {"CertificateSigningRequest": request_updated}
STATUS_UPDATE: Final = {"CertificateSigningRequest": request_status_updated}
SUBRESOURCE_UPDATE: Final = {("CertificateSigningRequest", "approval"): request_approval_updated}
