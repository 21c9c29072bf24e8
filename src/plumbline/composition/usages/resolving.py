"""Which object a selector means, and what a usage says of itself once it is known. Pure."""

from collections.abc import Iterable, Mapping
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.composition.definitions.writing import controller_of
from plumbline.composition.usages.values import DETAILS, FINALIZER
from plumbline.kinds.crossplane.usage import PlacedRef, PlacedSelector, ResourceSelector, UsageSpec
from plumbline.kube.gotext import quoted
from plumbline.kube.names import Ref

_SHORTEST_S: Final = 1.0
_LONGEST_S: Final = 30.0
_SHARE: Final = 4


def chosen(candidates: Iterable[JsonObject], selector: ResourceSelector, usage: JsonObject) -> JsonObject | None:
    """The first that *selector* means, in the order of namespaces and names."""
    fitting = [each for each in candidates if _fits(each, selector, usage)]
    return min(fitting, key=Ref.of, default=None)


def matching(labels: Mapping[str, str]) -> str:
    """Labels as a query has them."""
    return ",".join(f"{key}={value}" for key, value in sorted(labels.items()))


def namespace_of(selector: ResourceSelector, own: str) -> str:
    elsewhere = selector.namespace if isinstance(selector, PlacedSelector) else None
    return own if elsewhere is None else elsewhere


def nothing_fits(field: str, kind: str, selector: ResourceSelector, *, any_labelled: bool) -> str:
    """In upstream's words."""
    labels = " ".join(f"{quoted(key)}:{quoted(value)}" for key, value in sorted(selector.match_labels.items()))
    where = f'cannot resolve selectors: cannot resolve selector at "spec.{field}.resourceSelector"'
    said = f"{where}: no {quoted(kind)} found matching labels: map[{labels}]"
    return f"{said} and with same controller reference" if any_labelled else said


def details(spec: UsageSpec, of: Ref, by: Ref | None, own: str) -> str:
    """Why it is used, in a few words for a column."""
    if spec.reason:
        return spec.reason
    if by is None:
        return "undefined"
    said, elsewhere = f"{by.kind}/{by.name} uses {of.kind}/{of.name}", _elsewhere(spec, of, own)
    return f"{said} in namespace {elsewhere}" if elsewhere else said


def recording(usage: JsonObject, spec: UsageSpec, of: Ref, by: Ref | None, using: JsonObject | None) -> JsonObject:
    """The merge patch that has a usage say what it protects, before it does; empty where it says so already."""
    metadata = usage["metadata"]
    change: JsonObject = {}
    finalizers = metadata.get("finalizers") or []
    if FINALIZER not in finalizers:
        change["finalizers"] = [*finalizers, FINALIZER]
    told = details(spec, of, by, metadata.get("namespace") or "")
    if (metadata.get("annotations") or {}).get(DETAILS) != told:
        change["annotations"] = {DETAILS: told}
    owners = metadata.get("ownerReferences") or []
    if using is not None and all(each.get("uid") != using["metadata"]["uid"] for each in owners):
        change["ownerReferences"] = [*owners, _owner(using)]
    refs = _refs(spec, of, by, metadata.get("namespace") or "")
    return {**({"metadata": change} if change else {}), **({"spec": refs} if refs else {})}


def patience_s(waited_s: float) -> float:
    """How long to wait for something that nobody announces: a share of the time that it has taken so far."""
    return min(_LONGEST_S, max(_SHORTEST_S, waited_s / _SHARE))


def _fits(candidate: JsonObject, selector: ResourceSelector, usage: JsonObject) -> bool:
    labels = candidate["metadata"].get("labels") or {}
    if any(labels.get(key) != value for key, value in selector.match_labels.items()):
        return False
    if not selector.match_controller_ref:
        return True
    theirs, ours = controller_of(candidate), controller_of(usage)
    return theirs is not None and ours is not None and theirs.get("uid") == ours.get("uid")


def _elsewhere(spec: UsageSpec, of: Ref, own: str) -> str:
    """The namespace that a usage names, or has to: one that only resolves to its own need not be."""
    ref = spec.of.resource_ref
    if ref is not None and ref.name:
        return (isinstance(ref, PlacedRef) and ref.namespace) or ""
    return of.namespace if of.namespace != own else ""


def _refs(spec: UsageSpec, of: Ref, by: Ref | None, own: str) -> JsonObject:
    found: JsonObject = {}
    if spec.of.resource_ref is None or not spec.of.resource_ref.name:
        elsewhere = _elsewhere(spec, of, own)
        found["of"] = {"resourceRef": {"name": of.name, **({"namespace": elsewhere} if elsewhere else {})}}
    if spec.by is not None and by is not None and (spec.by.resource_ref is None or not spec.by.resource_ref.name):
        found["by"] = {"resourceRef": {"name": by.name}}
    return found


def _owner(using: JsonObject) -> JsonObject:
    metadata = using["metadata"]
    return {"apiVersion": using["apiVersion"], "kind": using["kind"], "name": metadata["name"], "uid": metadata["uid"]}
