"""Claims that pods make: for volumes of their own, and for devices."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, duplicate, forbidden, invalid, required
from plumbline.apiserver.validation.claimspecs import claim_spec_errors
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import annotation_errors, faulty, label_errors
from plumbline.apiserver.validation.names import dns_label, dns_subdomain
from plumbline.apiserver.validation.shapes import mapping, text
from plumbline.base.json import Json, JsonObject

MIRROR: Final = "kubernetes.io/config.mirror"
_NOT_IN_TEMPLATES: Final = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
    "finalizers",
    "managedFields",
)
"""In declared order; the server names uid by its Go name with a small first letter."""


def claim_template_errors(template: JsonObject, at: str) -> Iterator[FieldError]:
    """Complaints about the claim that comes and goes with its pod."""
    meta = mapping(template.get("metadata"))
    yield from annotation_errors(meta.get("annotations"), f"{at}.metadata.annotations")
    yield from label_errors(meta.get("labels"), f"{at}.metadata.labels")
    for name in _NOT_IN_TEMPLATES:
        if meta.get(name):
            yield forbidden(f"{at}.metadata.{'uID' if name == 'uid' else name}", "cannot be set")
    yield from claim_spec_errors(mapping(template.get("spec")), f"{at}.spec")


def resource_claim_errors(claims: list[JsonObject], field: str, annotations: Json) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        if MIRROR in mapping(annotations):
            yield forbidden("[]", "static pods do not support resource claims")
            continue
        at, name = f"{field}[{index}]", text(claim.get("name"))
        if not name:
            yield required(f"{at}.name")
        elif name in seen:
            yield duplicate(f"{at}.name", name)
        else:
            yield from faulty(f"{at}.name", name, dns_label(name))
            seen.add(name)
        yield from _claimed_errors(claim, at)


def _claimed_errors(claim: JsonObject, at: str) -> Iterator[FieldError]:
    sources = ("resourceClaimName", "resourceClaimTemplateName")
    given = [name for name in sources if claim.get(name) is not None]
    if len(given) > 1:
        detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
        yield invalid(at, go_form(claim, "PodResourceClaim"), detail)
    if not given:
        detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
        yield invalid(at, go_form(claim, "PodResourceClaim"), detail)
    for name in given:
        yield from faulty(f"{at}.{name}", claim[name], dns_subdomain(text(claim[name])))
