"""Names of kinds and resources, and the approval that Kubernetes' own groups need."""

from collections.abc import Iterator
from enum import Enum
from typing import Final, NamedTuple

from plumbline.apiserver.cel.urls import parse_request_uri
from plumbline.apiserver.crds.definitions.reading import mapping, sequence, text
from plumbline.apiserver.fielderrors import FieldError, invalid, required
from plumbline.apiserver.validation.names import dns_1035_label
from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted

APPROVAL: Final = "api-approved.kubernetes.io"
_SEE: Final = "see https://github.com/kubernetes/enhancements/pull/1111"


def name_errors(names: Json, path: str) -> Iterator[FieldError]:
    held = mapping(names)
    for name in ("plural", "singular"):
        written = text(held, name)
        faults = dns_1035_label(written) if written else []
        if faults:
            yield invalid(f"{path}.{name}", written, ",".join(faults))
    for name in ("kind", "listKind"):
        written = text(held, name)
        faults = dns_1035_label(written.lower()) if written else []
        if faults:
            said = f"may have mixed case, but should otherwise match: {','.join(faults)}"
            yield invalid(f"{path}.{name}", written, said)
    yield from _each_label(held, "shortNames", path)
    if text(held, "kind") and text(held, "kind") == text(held, "listKind"):
        yield invalid(f"{path}.listKind", text(held, "listKind"), "kind and listKind may not be the same")
    yield from _each_label(held, "categories", path)


def _each_label(names: JsonObject, name: str, path: str) -> Iterator[FieldError]:
    for index, each in enumerate(sequence(names.get(name))):
        faults = dns_1035_label(str(each))
        if faults:
            yield invalid(f"{path}.{name}[{index}]", each, ",".join(faults))


class Approval(Enum):
    INVALID = "invalid"
    APPROVED = "approved"
    BYPASSED = "bypassed"
    MISSING = "missing"


class Judgement(NamedTuple):
    approval: Approval
    reason: str


def protected(group: str) -> bool:
    """Whether a group belongs to the Kubernetes community."""
    return group in {"k8s.io", "kubernetes.io"} or group.endswith((".k8s.io", ".kubernetes.io"))


def judged(annotations: Json) -> Judgement:
    value = mapping(annotations).get(APPROVAL)
    annotation = value if isinstance(value, str) else ""
    needed = f"protected groups must have approval annotation {quoted(APPROVAL)}"
    if not annotation:
        return Judgement(Approval.MISSING, f"{needed}, {_SEE}")
    if annotation.startswith("unapproved"):
        return Judgement(Approval.BYPASSED, f"not approved: {quoted(annotation)}")
    try:
        url = parse_request_uri(annotation)
    except InvalidInput:
        url = None
    if url is not None and url.host and url.scheme:
        return Judgement(Approval.APPROVED, f"approved in {annotation}")
    said = f'{needed} with either a URL or a reason starting with "unapproved", {_SEE}'
    return Judgement(Approval.INVALID, said)


def approval_errors(crd: JsonObject, old: JsonObject | None) -> Iterator[FieldError]:
    if not protected(text(mapping(crd.get("spec")), "group")):
        return
    annotations = mapping(crd.get("metadata")).get("annotations")
    judgement = judged(annotations)
    if old is not None and judged(mapping(old.get("metadata")).get("annotations")).approval is judgement.approval:
        return
    place = f"metadata.annotations[{APPROVAL}]"
    if judgement.approval is Approval.INVALID:
        yield invalid(place, mapping(annotations).get(APPROVAL), judgement.reason)
    elif judgement.approval is Approval.MISSING:
        yield required(place, judgement.reason)
