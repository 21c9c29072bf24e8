"""Pods whose containers are given more or less while they run."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, forbidden, invalid
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import metadata_of
from plumbline.apiserver.validation.pods.claims import MIRROR
from plumbline.apiserver.validation.pods.internal import same_form, spec_form
from plumbline.apiserver.validation.pods.levels import Amounts, amounts
from plumbline.apiserver.validation.pods.updates import base_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import Json, JsonObject

_RESIZED: Final = ("cpu", "memory")
_KINDS: Final = ("containers", "initContainers")


def resize_errors(new: JsonObject, old: JsonObject) -> list[FieldError]:
    errors = base_errors(new, old)
    spec, before = mapping(new.get("spec")), mapping(old.get("spec"))
    if MIRROR in mapping(metadata_of(old).get("annotations")):
        return [forbidden("[]", "static pods cannot be resized")]
    if mapping(before.get("os")).get("name") == "windows":
        return [forbidden("[]", "windows pods cannot be resized")]
    status = mapping(old.get("status"))
    if (text(status.get("qosClass")) or quality(before)) != quality(spec):
        shown = Word(text(mapping(new.get("status")).get("qosClass")))
        errors.append(invalid("spec", shown, "Pod QOS Class may not change as a result of resizing"))
    if not _supported(status):
        errors.append(forbidden("spec", "Pod running on node without support for resize"))
    munged = dict(spec)
    if _has_own(before) or _has_own(spec):
        errors += _pod_level_errors(spec, before)
        munged["resources"] = _kept(spec.get("resources"), mapping(before.get("resources")))
    if order := list(_order_errors(spec, before)):
        return errors + order
    errors += _removal_errors(spec, before)
    errors += _container_errors(spec, before)
    for name in _KINDS:
        if name in spec:
            munged[name] = [_as_before(now, then) for now, then in _pairs(spec, before, name)]
    if not errors and munged != before and not same_form(spec_form(munged), spec_form(before)):
        errors.append(forbidden("spec", "only cpu and memory resources are mutable"))
    return errors


def _pod_level_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    now, then = spec.get("resources"), before.get("resources")
    if then is not None and now is None:
        yield forbidden("spec.resources", "pod-level resources cannot be removed")
        return
    for name in ("requests", "limits"):
        if _removed(mapping(now).get(name), mapping(then).get(name)):
            yield forbidden(f"spec.resources.{name}", f"pod-level resource {name} cannot be removed")
    kept = _kept(now, mapping(then))
    if (kept or then) and kept != then:
        yield forbidden("spec", "only cpu and memory resources are mutable at pod-level")


def _order_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    for name in _KINDS:
        now, then = mappings(spec.get(name)), mappings(before.get(name))
        if len(now) != len(then):
            yield forbidden(f"spec.{name}", f"{name} may not be added or removed on resize")
            continue
        for index, (one, other) in enumerate(zip(now, then, strict=True)):
            if text(one.get("name")) != text(other.get("name")):
                yield forbidden(f"spec.{name}[{index}].name", f"{name} may not be renamed or reordered on resize")


def _removal_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    for name in reversed(_KINDS):
        for index, (now, then) in enumerate(_pairs(spec, before, name)):
            held, former = mapping(now.get("resources")), mapping(then.get("resources"))
            for each in ("requests", "limits"):
                if _removed(held.get(each), former.get(each)):
                    yield forbidden(f"spec.{name}[{index}].resources.{each}", f"resource {each} cannot be removed")


def _container_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    for now, then in _pairs(spec, before, "containers"):
        if not _same(_as_before(now, then), then):
            yield forbidden("spec", "only cpu and memory resources are mutable")
    for index, (now, then) in enumerate(_pairs(spec, before, "initContainers")):
        field = f"spec.initContainers[{index}]"
        if not _same(_as_before(now, then), then):
            yield forbidden(field, "only cpu and memory resources for init or sidecar containers are mutable")
        if now.get("restartPolicy") == "Always" or _same(now, then):
            continue
        for policy in mappings(now.get("resizePolicy")):
            if policy.get("restartPolicy") == "RestartContainer":
                detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
                yield forbidden(field, detail)


def _same(now: JsonObject, then: JsonObject) -> bool:
    return now == then or same_form(go_form(now, "Container"), go_form(then, "Container"))


def _as_before(now: JsonObject, then: JsonObject) -> JsonObject:
    """A container with the CPU and memory it had; claims, which upstream forgets here, are lost."""
    held, former = mapping(now.get("resources")), mapping(then.get("resources"))
    kept = {name: _kept_amounts(held.get(name), former.get(name)) for name in ("limits", "requests")}
    return {**now, "resources": {name: each for name, each in kept.items() if each is not None}}


def _kept(requirements: Json, then: JsonObject) -> Json:
    if requirements is None:
        return None
    held = mapping(requirements)
    kept = {name: _kept_amounts(held.get(name), then.get(name)) for name in ("limits", "requests")}
    kept |= {"claims": held.get("claims")}
    return {name: each for name, each in kept.items() if each} or (then and {}) or None


def _kept_amounts(now: Json, then: Json) -> Json:
    if now is None and then is None:
        return None
    others = {name: value for name, value in mapping(now).items() if name not in _RESIZED}
    return others | {name: value for name, value in mapping(then).items() if name in _RESIZED}


def _removed(now: Json, then: Json) -> bool:
    return not mapping(then).keys() <= mapping(now).keys()


def _pairs(spec: JsonObject, before: JsonObject, name: str) -> list[tuple[JsonObject, JsonObject]]:
    return list(zip(mappings(spec.get(name)), mappings(before.get(name)), strict=True))


def _has_own(spec: JsonObject) -> bool:
    resources = mapping(spec.get("resources"))
    return bool(resources.get("requests") or resources.get("limits"))


def _supported(status: JsonObject) -> bool:
    for each in mappings(status.get("containerStatuses")):
        if mapping(each.get("state")).get("running") is not None:
            return each.get("resources") is not None
    return True


def quality(spec: JsonObject) -> str:
    """The quality of service that a pod has by what its containers ask for."""
    whole = mapping(spec.get("resources"))
    if _has_own(spec):
        return _quality_of([whole])
    containers = [*mappings(spec.get("containers")), *mappings(spec.get("initContainers"))]
    return _quality_of([mapping(each.get("resources")) for each in containers])


def _quality_of(held: list[JsonObject]) -> str:
    requests: Amounts = {}
    limits: Amounts = {}
    guaranteed = True
    for resources in held:
        _gather(requests, resources.get("requests"))
        found = _gather(limits, resources.get("limits"))
        guaranteed = guaranteed and found == set(_RESIZED)
    if not requests and not limits:
        return "BestEffort"
    matched = all(name in limits and limits[name] == amount for name, amount in requests.items())
    return "Guaranteed" if guaranteed and matched and len(requests) == len(limits) else "Burstable"


def _gather(total: Amounts, held: Json) -> set[str]:
    compute = {name: amount for name, amount in amounts(held).items() if name in _RESIZED and amount.digits > 0}
    for name, amount in compute.items():
        total[name] = total[name] + amount if name in total else amount
    return set(compute)
