"""What becomes of a CRD after it was written: its names are accepted or not, then it is served.

Each function answers the status that a CRD should have now, or None where it has it. Times are given, not read.
"""

from collections.abc import Iterable
from typing import Final

from plumbline.apiserver.crds.definitions.bundles import readable_ca_bundle
from plumbline.apiserver.crds.definitions.naming import Approval, judged, protected
from plumbline.apiserver.crds.definitions.reading import condition_true, mapping, sequence, text, texts
from plumbline.apiserver.crds.definitions.structure import check_readable, structural_errors
from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.apiserver.statuses import aggregated
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import Json, JsonObject
from plumbline.kube.equality import identical
from plumbline.kube.gotext import quoted

FINALIZER: Final = "customresourcecleanup.apiextensions.k8s.io"
_APPROVALS: Final = {
    Approval.INVALID: ("False", "InvalidAnnotation"),
    Approval.MISSING: ("False", "MissingAnnotation"),
    Approval.APPROVED: ("True", "ApprovedAnnotation"),
    Approval.BYPASSED: ("False", "UnapprovedAnnotation"),
}


def names_accepted(crd: JsonObject, others: Iterable[JsonObject], now: str) -> JsonObject | None:
    """The status of *crd* once everything that follows from it and from the *others* of its group has happened."""
    current = crd
    names = list(others)
    structure = _structure_condition(mapping(crd.get("spec")))
    while True:
        status = (
            naming_status(current, names, now)
            or _structure_status(current, structure, now)
            or approval_status(current, now)
            or establishing_status(current, now)
        )
        if status is None:
            return None if current is crd else mapping(current.get("status"))
        current = {**current, "status": status}


def naming_status(crd: JsonObject, others: Iterable[JsonObject], now: str) -> JsonObject | None:
    """Names that no other CRD of the group was given before are accepted."""
    status, wanted = mapping(crd.get("status")), mapping(mapping(crd.get("spec")).get("names"))
    held = mapping(status.get("acceptedNames"))
    if identical(_names(wanted), _names(held)):
        return None
    accepted, conflict = _accepted(wanted, held, *_taken(crd, others))
    reason, message = conflict or ("NoConflicts", "no conflicts found")
    naming = _condition("NamesAccepted", "False" if conflict else "True", reason, message)
    before = _find(status, "NamesAccepted")
    if identical(accepted, _names(held)) and before is not None and _same(before, naming):
        return None
    updated = _with(status, naming, now) | {"acceptedNames": {"kind": "", **accepted}}
    established = _find(status, "Established")
    if not conflict and (established is None or established.get("status") != "True"):
        said = "the initial names have been accepted"
        return _with(updated, _condition("Established", "False", "Installing", said), now)
    if established is None:
        said = "not all names are accepted"
        return _with(updated, _condition("Established", "False", "NotAccepted", said), now)
    return updated


def establishing_status(crd: JsonObject, now: str) -> JsonObject | None:
    """A CRD whose names are accepted is served, unless its conversion cannot be trusted."""
    if not condition_true(crd, "NamesAccepted") or condition_true(crd, "Established"):
        return None
    status = mapping(crd.get("status"))
    webhook = mapping(mapping(mapping(crd.get("spec")).get("conversion")).get("webhook"))
    bundle = text(mapping(webhook.get("clientConfig")), "caBundle")
    if bundle and not readable_ca_bundle(bundle):
        condition = _condition("Established", "False", "InvalidCABundle", "The conversion webhook CABundle is invalid")
        known = _find(status, "Established")
        return None if known is not None and _same(known, condition) else _with(status, condition, now)
    said = "the initial names have been accepted"
    return _with(status, _condition("Established", "True", "InitialNamesAccepted", said), now)


def structure_status(crd: JsonObject, now: str) -> JsonObject | None:
    """Whether its schemas are structural, for CRDs that were there before they had to be."""
    return _structure_status(crd, _structure_condition(mapping(crd.get("spec"))), now)


def _structure_status(crd: JsonObject, condition: JsonObject | None, now: str) -> JsonObject | None:
    status = mapping(crd.get("status"))
    known = _find(status, "NonStructuralSchema")
    if condition is None:
        return None if known is None else _without(status, "NonStructuralSchema")
    return None if known is not None and _same(known, condition) else _with(status, condition, now)


def _structure_condition(spec: JsonObject) -> JsonObject | None:
    errors: list[FieldError] = []
    if spec.get("preserveUnknownFields") is True:
        errors.append(invalid("spec.preserveUnknownFields", True, "must be false"))
    for index, version in enumerate(map(mapping, sequence(spec.get("versions")))):
        schema = mapping(version.get("schema")).get("openAPIV3Schema")
        if not isinstance(schema, dict):
            continue
        try:
            check_readable(schema)
        except SchemaViolation as bad:
            said = f"failed to check validation schema for version {text(version, 'name')}: {bad.what}"
            return _condition("NonStructuralSchema", "Unknown", "StructuralError", said)
        errors += structural_errors(schema, f"spec.versions[{index}].schema.openAPIV3Schema")
    if not errors:
        return None
    return _condition("NonStructuralSchema", "True", "Violations", aggregated(map(str, errors)))


def approval_status(crd: JsonObject, now: str) -> JsonObject | None:
    """Whether a CRD in a group of the Kubernetes community was approved by it."""
    if not protected(text(mapping(crd.get("spec")), "group")):
        return None
    judgement = judged(mapping(crd.get("metadata")).get("annotations"))
    truth, reason = _APPROVALS[judgement.approval]
    condition = _condition("KubernetesAPIApprovalPolicyConformant", truth, reason, judgement.reason)
    status = mapping(crd.get("status"))
    known = _find(status, condition["type"])
    return None if known is not None and _same(known, condition) else _with(status, condition, now)


def terminating_status(crd: JsonObject, now: str) -> JsonObject:
    """While its objects are deleted."""
    said = "CustomResource deletion is in progress"
    condition = _condition("Terminating", "True", "InstanceDeletionInProgress", said)
    return _with(mapping(crd.get("status")), condition, now)


def obstructed_status(crd: JsonObject, reasons: Iterable[str], now: str) -> JsonObject:
    """While some of its objects are not let go."""
    said = f"could not issue all deletes: {aggregated(reasons)}"
    return _with(mapping(crd.get("status")), _condition("Terminating", "True", "InstanceDeletionFailed", said), now)


def terminated_status(crd: JsonObject, now: str) -> JsonObject:
    """Once there are none left, or there never were any."""
    if condition_true(crd, "Established"):
        condition = _condition("Terminating", "False", "InstanceDeletionCompleted", "removed all instances")
    else:
        condition = _condition("Terminating", "False", "NeverEstablished", "resource was never established")
    return _with(mapping(crd.get("status")), condition, now)


def _names(names: JsonObject) -> JsonObject:
    return {name: value for name, value in names.items() if value not in (None, "", [])}


def _taken(crd: JsonObject, others: Iterable[JsonObject]) -> tuple[set[str], set[str]]:
    """The resources and kinds that were given out in its group, its own among them."""
    group = text(mapping(crd.get("spec")), "group")
    resources: set[str] = set()
    kinds: set[str] = set()
    for each in (crd, *others):
        if text(mapping(each.get("spec")), "group") != group:
            continue
        names = mapping(mapping(each.get("status")).get("acceptedNames"))
        resources |= {text(names, "plural"), text(names, "singular"), *texts(names.get("shortNames"))}
        kinds |= {text(names, "kind"), text(names, "listKind")}
    return resources, kinds


def _accepted(
    wanted: JsonObject, held: JsonObject, resources: set[str], kinds: set[str]
) -> tuple[JsonObject, tuple[str, str] | None]:
    """The names that can be given, and the last conflict that was found."""
    accepted = _names(held)
    conflict: tuple[str, str] | None = None
    for name, taken in (
        ("plural", resources),
        ("singular", resources),
        ("", resources),
        ("kind", kinds),
        ("listKind", kinds),
    ):
        if not name:
            conflict = _accept_short_names(wanted, held, resources, accepted) or conflict
            continue
        asked = text(wanted, name)
        if asked != text(held, name) and asked in taken:
            conflict = f"{name[0].upper()}{name[1:]}Conflict", f"{quoted(asked)} is already in use"
        else:
            accepted[name] = asked
    accepted.pop("categories", None)
    if texts(wanted.get("categories")):
        accepted["categories"] = wanted["categories"]
    return _names(accepted), conflict


def _accept_short_names(
    wanted: JsonObject, held: JsonObject, taken: set[str], accepted: JsonObject
) -> tuple[str, str] | None:
    asked, had = texts(wanted.get("shortNames")), texts(held.get("shortNames"))
    used = [name for name in asked if name not in had and name in taken]
    if used:
        return "ShortNamesConflict", aggregated(f"{quoted(name)} is already in use" for name in used)
    accepted["shortNames"] = asked
    return None


def _condition(kind: str, truth: str, reason: str, message: str) -> JsonObject:
    return {"type": kind, "status": truth, "reason": reason, "message": message}


def _find(status: JsonObject, kind: str) -> JsonObject | None:
    found = (mapping(each) for each in sequence(status.get("conditions")))
    return next((each for each in found if each.get("type") == kind), None)


def _same(known: JsonObject, condition: JsonObject) -> bool:
    return all(known.get(name) == value for name, value in condition.items())


def _with(status: JsonObject, condition: JsonObject, now: str) -> JsonObject:
    """The time changes only where the truth does."""
    conditions: list[Json] = []
    replaced = False
    for each in sequence(status.get("conditions")):
        known = mapping(each)
        if known.get("type") != condition["type"]:
            conditions.append(each)
            continue
        kept = known.get("status") == condition["status"] and known.get("lastTransitionTime")
        since = known["lastTransitionTime"] if kept else now
        conditions.append({**known, **condition, "lastTransitionTime": since})
        replaced = True
    if not replaced:
        conditions.append({**condition, "lastTransitionTime": now})
    return {**status, "conditions": conditions}


def _without(status: JsonObject, kind: str) -> JsonObject:
    kept = [each for each in sequence(status.get("conditions")) if mapping(each).get("type") != kind]
    return {**status, "conditions": kept}
