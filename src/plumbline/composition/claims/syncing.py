"""What goes from a claim to its composite and back. Pure."""

from typing import Final

from plumbline.base.errors import InvalidInput, OwnedElsewhere, OwnerSide
from plumbline.base.json import JsonObject
from plumbline.composition import marks
from plumbline.composition.definitions.values import Defined
from plumbline.composition.machinery import HANDED_ON, OF_CLAIMS, OF_COMPOSITES, OF_STATUS, machinery, name_in
from plumbline.kube.names import GroupVersionKind, Ref

_RESERVED: Final = ("kubernetes.io", "k8s.io")
"""What others' tools write about the claim says nothing about the composite."""


def composite_of(claim: JsonObject) -> str:
    """The name of the claim's composite: the one that it says, or the one that is made for it."""
    return name_in(claim["spec"], "resourceRef") or marks.composite_name(Ref.of(claim))


def check_bound(claim: JsonObject, composite: JsonObject | None) -> None:
    """Raise where the composite was made for somebody else."""
    theirs = composite["spec"].get("claimRef") if composite is not None else None
    if composite is None or not isinstance(theirs, dict) or _same(theirs, claim_reference(claim)):
        return
    name = composite["metadata"]["name"]
    holder = f"{theirs.get('kind')} {theirs.get('namespace')}/{theirs.get('name')}"
    raise OwnedElsewhere(
        f"refusing to bind to composite resource {name!r}",
        why=f"it is bound to another claim, {holder}",
        hint="Name another composite in spec.resourceRef, or none.",
        holder=OwnerSide(holder, f"spec.claimRef of {name}"),
        claimant=OwnerSide(str(Ref.of(claim)), "spec.resourceRef"),
    )


def _same(one: JsonObject, other: JsonObject) -> bool:
    """Whether both mean the same claim: the version in which it was read says nothing."""
    groups = {GroupVersionKind.parse(str(each.get("apiVersion") or ""), "").group for each in (one, other)}
    return len(groups) == 1 and all(one.get(field) == other.get(field) for field in ("kind", "namespace", "name"))


def check_secret(claim: JsonObject) -> None:
    """A claim's connection Secret is in its own namespace, whatever else it says."""
    said = claim["spec"].get("writeConnectionSecretToRef")
    namespace = said.get("namespace") if isinstance(said, dict) else None
    own = claim["metadata"]["namespace"]
    if namespace and namespace != own:
        raise InvalidInput(
            f"Connection details are not written to namespace {namespace}",
            why=f"a claim's Secret is always in its own namespace, {own}",
            hint="Remove spec.writeConnectionSecretToRef.namespace.",
        )


def claim_reference(claim: JsonObject) -> JsonObject:
    metadata = claim["metadata"]
    gvk = GroupVersionKind.of(claim)
    return {
        "apiVersion": gvk.api_version,
        "kind": gvk.kind,
        "name": metadata["name"],
        "namespace": metadata["namespace"],
    }


def composite_for(claim: JsonObject, live: JsonObject | None, defined: Defined) -> JsonObject:
    """What the claim says about its composite: exactly what is applied, and nothing that others look after."""
    metadata = claim["metadata"]
    labels = {
        **_own(metadata.get("labels")),
        marks.CLAIM_NAME: metadata["name"],
        marks.CLAIM_NAMESPACE: metadata["namespace"],
    }
    annotations = _own(metadata.get("annotations"))
    taken = _external_name(live)
    if taken:
        annotations[marks.EXTERNAL_NAME] = taken
    handed_on = set(HANDED_ON)
    if defined.enforced_composition:
        handed_on.discard("compositionRef")
    if live is not None and machinery(live, legacy=True).get("compositionUpdatePolicy") == "Manual":
        handed_on.add("compositionRevisionRef")
    kept_back = (OF_CLAIMS | OF_COMPOSITES) - handed_on
    spec = {key: value for key, value in claim["spec"].items() if key not in kept_back}
    spec["claimRef"] = claim_reference(claim)
    described: JsonObject = {"name": composite_of(claim), "labels": labels}
    if annotations:
        described["annotations"] = annotations
    gvk = defined.composite.gvk
    return {"apiVersion": gvk.api_version, "kind": gvk.kind, "metadata": described, "spec": spec}


def claim_patch(claim: JsonObject, composite: JsonObject | None, defined: Defined) -> JsonObject:
    """The merge patch of the claim that binds it, and tells what was chosen for it; empty where it is so already."""
    gvk = defined.composite.gvk
    wanted: JsonObject = {"resourceRef": marks.reference(gvk, composite_of(claim))}
    metadata: JsonObject = {}
    finalizers = claim["metadata"].get("finalizers") or []
    if marks.CLAIM_FINALIZER not in finalizers:
        metadata["finalizers"] = [*finalizers, marks.CLAIM_FINALIZER]
    if composite is not None:
        wanted |= _chosen(claim["spec"], composite["spec"], enforced=bool(defined.enforced_composition))
        external = _external_name(composite)
        if external and (claim["metadata"].get("annotations") or {}).get(marks.EXTERNAL_NAME) != external:
            metadata["annotations"] = {marks.EXTERNAL_NAME: external}
    spec = {key: value for key, value in wanted.items() if claim["spec"].get(key) != value}
    return {**({"metadata": metadata} if metadata else {}), **({"spec": spec} if spec else {})}


def _chosen(claim: JsonObject, composite: JsonObject, *, enforced: bool) -> JsonObject:
    chosen: JsonObject = {}
    if composite.get("compositionRef") and (enforced or not claim.get("compositionRef")):
        chosen["compositionRef"] = composite["compositionRef"]
    if composite.get("compositionRevisionSelector") and not claim.get("compositionRevisionSelector"):
        chosen["compositionRevisionSelector"] = composite["compositionRevisionSelector"]
    automatic = composite.get("compositionUpdatePolicy") == "Automatic"
    if automatic and composite.get("compositionRevisionRef"):
        chosen["compositionRevisionRef"] = composite["compositionRevisionRef"]
    return chosen


def reported(composite: JsonObject) -> JsonObject:
    """What a composite reports about what was asked for; how it was composed is nobody else's business."""
    status = composite.get("status")
    return {key: value for key, value in status.items() if key not in OF_STATUS} if isinstance(status, dict) else {}


def _external_name(obj: JsonObject | None) -> str:
    annotations = (obj["metadata"].get("annotations") or {}) if obj is not None else {}
    return str(annotations.get(marks.EXTERNAL_NAME, ""))


def _own(pairs: JsonObject | None) -> dict[str, str]:
    """Labels or annotations that people gave; those of Kubernetes and its tools stay where they are."""
    return {key: value for key, value in (pairs or {}).items() if not _is_reserved(key)}


def _is_reserved(key: str) -> bool:
    prefix, slash, _ = key.partition("/")
    return bool(slash) and prefix.endswith(_RESERVED)
