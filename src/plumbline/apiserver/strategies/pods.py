"""Pods: what the server writes into a new one, and which part of one each of its subresources may change."""

from collections.abc import Iterator, Sequence
from typing import Final

from plumbline.apiserver.strategies import apparmor
from plumbline.apiserver.strategies.parts import (
    STATUS_METADATA,
    generation_of,
    keep_status,
    kept_metadata,
    with_field,
    with_generation,
)
from plumbline.apiserver.strategies.podfields import CONTAINER_FIELDS, enabled_spec, enabled_status
from plumbline.apiserver.strategies.qos import qos_class
from plumbline.apiserver.strategies.strategy import Strategy, as_updated
from plumbline.apiserver.strategies.warnings.addresses import listed_ip_warnings
from plumbline.apiserver.strategies.warnings.names import label_warnings
from plumbline.apiserver.strategies.warnings.pods import pod_warnings
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.validation.shapes import mapping, mappings, number, text, texts
from plumbline.base.json import Json, JsonObject

_AS_HOSTNAME: Final = "this is used in the Pod's hostname, which can result in surprising behavior"
_TERMS: Final = ("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution")
_FINISHED: Final = ("Failed", "Succeeded")


def _prepare_create(pod: JsonObject, writing: Writing) -> JsonObject:
    spec = mapping(pod.get("spec"))
    status: JsonObject = {"phase": "Pending", "qosClass": mapping(pod.get("status")).get("qosClass") or qos_class(spec)}
    if spec.get("schedulingGates"):
        status["conditions"] = [_gated(writing.now)]
    spec = _with_label_keys(enabled_spec(spec, {}), mapping(mapping(pod.get("metadata")).get("labels")))
    spec = _with_profiles(pod, spec, writing.warnings)
    return with_generation({**pod, "spec": spec, "status": status}, 1)


def _gated(now: str) -> JsonObject:
    return {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": now,
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
    }


def _with_label_keys(spec: JsonObject, labels: JsonObject) -> JsonObject:
    """Selectors that name keys of labels only are completed with the values that this pod has."""
    constraints = spec.get("topologySpreadConstraints")
    if constraints:
        spec = {**spec, "topologySpreadConstraints": [_term(each, labels) for each in mappings(constraints)]}
    affinity = mapping(spec.get("affinity"))
    for field in ("podAffinity", "podAntiAffinity"):
        if field in affinity:
            affinity = {**affinity, field: _affinity(mapping(affinity[field]), labels)}
    return {**spec, "affinity": affinity} if affinity else spec


def _affinity(affinity: JsonObject, labels: JsonObject) -> JsonObject:
    required, preferred = _TERMS
    if required in affinity:
        affinity = {**affinity, required: [_term(term, labels) for term in mappings(affinity[required])]}
    if preferred in affinity:
        weighted = [
            {**each, "podAffinityTerm": _term(mapping(each.get("podAffinityTerm")), labels)}
            for each in mappings(affinity[preferred])
        ]
        affinity = {**affinity, preferred: weighted}
    return affinity


def _term(term: JsonObject, labels: JsonObject) -> JsonObject:
    selector = term.get("labelSelector")
    if not isinstance(selector, dict):
        return term
    added = [*_requirements(term.get("matchLabelKeys"), "In", labels)]
    added += _requirements(term.get("mismatchLabelKeys"), "NotIn", labels)
    if not added:
        return term
    expressions = [*(selector.get("matchExpressions") or ()), *added]
    return {**term, "labelSelector": {**selector, "matchExpressions": expressions}}


def _requirements(keys: Json, operator: str, labels: JsonObject) -> Iterator[JsonObject]:
    for key in texts(keys):
        if key in labels:
            yield {"key": key, "operator": operator, "values": [labels[key]]}


def _with_profiles(pod: JsonObject, spec: JsonObject, warnings: list[str]) -> JsonObject:
    annotations = mapping(mapping(pod.get("metadata")).get("annotations"))
    if not any(name.startswith(apparmor.PREFIX) for name in annotations):
        return spec
    if mapping(spec.get("os")).get("name") == "windows":
        return spec
    whole = mapping(spec.get("securityContext")).get("appArmorProfile")
    for field in CONTAINER_FIELDS:
        if spec.get(field):
            changed = [_with_profile(each, annotations, whole, warnings) for each in mappings(spec[field])]
            spec = {**spec, field: changed}
    return spec


def _with_profile(container: JsonObject, annotations: JsonObject, whole: Json, warnings: list[str]) -> JsonObject:
    key = f"{apparmor.PREFIX}{text(container.get('name'))}"
    context = mapping(container.get("securityContext"))
    if key not in annotations or context.get("appArmorProfile") is not None:
        return container
    profile = apparmor.profile_from(annotations[key])
    if profile is not None and not apparmor.valid(profile):
        profile = None
    if profile is not None and profile == whole:
        return container
    warnings.append(f"metadata.annotations[{key}]: {apparmor.DEPRECATED}")
    return container if profile is None else {**container, "securityContext": {**context, "appArmorProfile": profile}}


def _prepare_update(new: JsonObject, old: JsonObject, writing: Writing) -> JsonObject:
    return _counted(_enabled(keep_status(new, old, writing), old), old)


def _enabled(new: JsonObject, old: JsonObject) -> JsonObject:
    spec = mapping(new.get("spec"))
    kept = enabled_spec(spec, mapping(old.get("spec")))
    return new if kept is spec else {**new, "spec": kept}


def _counted(new: JsonObject, old: JsonObject) -> JsonObject:
    return new if new.get("spec") == old.get("spec") else with_generation(new, generation_of(old) + 1)


def _prepare_status(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
    status, before = mapping(new.get("status")), mapping(old.get("status"))
    status = enabled_status(_observed(_classed(status, before), before), before)
    metadata = kept_metadata(new, old, "deletionTimestamp", "ownerReferences")
    return {**old, "metadata": metadata, "status": status}


def _classed(status: JsonObject, before: JsonObject) -> JsonObject:
    if status.get("qosClass") or not before.get("qosClass"):
        return status
    return {**status, "qosClass": before["qosClass"]}


def _observed(status: JsonObject, before: JsonObject) -> JsonObject:
    """Writers who do not know of observed generations do not take them away."""
    if not number(status.get("observedGeneration")):
        status = with_field(status, "observedGeneration", before.get("observedGeneration"))
    known: dict[str, list[Json]] = {}
    for condition in mappings(before.get("conditions")):
        known.setdefault(text(condition.get("type")), []).append(condition.get("observedGeneration"))
    if not any(any(generations) for generations in known.values()):
        return status
    conditions: list[JsonObject] = []
    for condition in mappings(status.get("conditions")):
        earlier = known.get(text(condition.get("type")))
        generation = condition.get("observedGeneration") or (earlier.pop(0) if earlier else None)
        conditions.append(with_field(condition, "observedGeneration", generation or None))
    return {**status, "conditions": conditions} if conditions else status


def _prepare_ephemeral(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
    added = mapping(new.get("spec")).get("ephemeralContainers")
    spec = with_field(mapping(old.get("spec")), "ephemeralContainers", added)
    pod = {**old, "metadata": kept_metadata(new, old, *STATUS_METADATA), "spec": spec}
    return _counted(_enabled(pod, old), old)


def _prepare_resize(new: JsonObject, old: JsonObject, _: Writing) -> JsonObject:
    spec, before = mapping(new.get("spec")), mapping(old.get("spec"))
    if any(len(mappings(spec.get(field))) != len(mappings(before.get(field))) for field in CONTAINER_FIELDS[:2]):
        return _counted(_enabled(new, old), old)
    resized = with_field(before, "resources", spec.get("resources"))
    for field in CONTAINER_FIELDS[:2]:
        if field in spec:
            resized = {**resized, field: _resized(mappings(spec[field]), mappings(before.get(field)))}
    pod = {**old, "metadata": kept_metadata(new, old, *STATUS_METADATA), "spec": resized}
    return _counted(_enabled(pod, old), old)


def _resized(new: list[JsonObject], old: list[JsonObject]) -> list[JsonObject]:
    if [each.get("name") for each in new] != [each.get("name") for each in old]:
        return new
    changed = []
    for container, before in zip(new, old, strict=True):
        kept = with_field(before, "resources", container.get("resources"))
        changed.append(with_field(kept, "resizePolicy", container.get("resizePolicy")))
    return changed


def _grace_s(pod: JsonObject, asked_s: int | None) -> int:
    spec = mapping(pod.get("spec"))
    if not spec.get("nodeName") or mapping(pod.get("status")).get("phase") in _FINISHED:
        return 0
    wanted_s = number(spec.get("terminationGracePeriodSeconds")) if asked_s is None else asked_s
    return wanted_s if wanted_s >= 0 else 1


def _create_warnings(pod: JsonObject) -> Sequence[str]:
    return [*label_warnings(pod, _AS_HOSTNAME), *pod_warnings(pod)]


def _status_warnings(new: JsonObject, _: JsonObject) -> Sequence[str]:
    status = mapping(new.get("status"))
    return [
        warning
        for field in ("podIPs", "hostIPs")
        for warning in listed_ip_warnings(f"status.{field}", status.get(field), "ip")
    ]


POD: Final = Strategy(
    answers_deleted=True,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    prepare_subresource={
        "binding": as_updated,
        "status": _prepare_status,
        "ephemeralcontainers": _prepare_ephemeral,
        "resize": _prepare_resize,
    },
    create_warnings=_create_warnings,
    subresource_warnings={"status": _status_warnings},
    grace_s=_grace_s,
)
