"""StatefulSets: their claims become volumes of their pods, and most of them is set once."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.checks import collected, meta, meta_update
from plumbline.apiserver.validation.claimspecs import claim_spec_errors
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import NEGATIVE, faulty, metadata_of
from plumbline.apiserver.validation.names import dns_label, label_name
from plumbline.apiserver.validation.pods.template import described_errors, template_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, number, text
from plumbline.apiserver.validation.templates import (
    collision_errors,
    exceeding_errors,
    excess_errors,
    lasting_errors,
    negative_errors,
    selected,
    selected_errors,
    selector_errors,
    selector_form,
    share,
    share_errors,
)
from plumbline.base.json import Json, JsonObject

_MANAGEMENT: Final = ("OrderedReady", "Parallel")
_FIXED: Final = ("podManagementPolicy", "selector", "serviceName", "volumeClaimTemplates")
_RETENTIONS: Final = ("Retain", "Delete")
_COUNTS: Final = (
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
)


@collected
def create_errors(obj: JsonObject) -> Iterator[FieldError]:
    yield from meta(obj, namespaced=True, names=label_name)
    spec = mapping(obj.get("spec"))
    yield from _spec_errors(spec, {})


@collected
def update_errors(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, before = mapping(new.get("spec")), mapping(old.get("spec"))
    yield from meta_update(new, old)
    if spec == before:
        return
    yield from _spec_errors(spec, before)
    if any((spec.get(name) or None) != (before.get(name) or None) for name in _FIXED):
        names = "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit'"
        detail = (
            f"updates to statefulset spec for fields other than {names},"
            " 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
        )
        yield forbidden("spec", detail)


@collected
def status_errors(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    status = mapping(new.get("status"))
    yield from negative_errors(status, _COUNTS, "status")
    limited = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    yield from exceeding_errors(status, dict.fromkeys(limited, "cannot be greater than status.replicas"), "status")
    available = number(status.get("availableReplicas"))
    if available > number(status.get("readyReplicas")):
        yield invalid("status.availableReplicas", available, "cannot be greater than status.readyReplicas")
    yield from meta_update(new, old)
    yield from collision_errors(new, old)


def _spec_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    yield from _policy_errors(spec)
    yield from _retention_errors(spec.get("persistentVolumeClaimRetentionPolicy"))
    if not before:
        for index, claim in enumerate(mappings(spec.get("volumeClaimTemplates"))):
            yield from claim_spec_errors(mapping(claim.get("spec")), f"spec.volumeClaimTemplates[{index}].spec")
    yield from negative_errors(spec, ("replicas", "minReadySeconds"), "spec")
    start = number(mapping(spec.get("ordinals")).get("start"))
    if start < 0:
        yield invalid("spec.ordinals.start", start, NEGATIVE)
    service = text(spec.get("serviceName"))
    if service and not before:
        yield from faulty("spec.serviceName", service, dns_label(service))
    selector = spec.get("selector")
    yield from selector_errors(selector, "spec.selector", "statefulset")
    if selected(selector, {}) is None:
        yield invalid("spec.selector", selector_form(selector), "")
    else:
        yield from _template_errors(spec, before)
    yield from lasting_errors(mapping(spec.get("template")), "spec.template", "StatefulSet")


def _policy_errors(spec: JsonObject) -> Iterator[FieldError]:
    management = text(spec.get("podManagementPolicy"))
    if not management:
        yield required("spec.podManagementPolicy")
    elif management not in _MANAGEMENT:
        detail = "must be 'OrderedReady' or 'Parallel'"
        yield invalid("spec.podManagementPolicy", Word(management), detail)
    strategy, field = mapping(spec.get("updateStrategy")), "spec.updateStrategy"
    kind, rolling = text(strategy.get("type")), strategy.get("rollingUpdate")
    if not kind:
        yield required(field)
    elif kind == "OnDelete":
        if rolling is not None:
            shown = go_form(rolling, "RollingUpdateStatefulSetStrategy")
            yield invalid(f"{field}.rollingUpdate", shown, "only allowed for updateStrategy 'RollingUpdate'")
    elif kind == "RollingUpdate":
        yield from _rolling_errors(mapping(rolling), f"{field}.rollingUpdate")
    else:
        shown = go_form(strategy, "StatefulSetUpdateStrategy")
        yield invalid(field, shown, "must be 'RollingUpdate' or 'OnDelete'")


def _rolling_errors(rolling: JsonObject, at: str) -> Iterator[FieldError]:
    yield from negative_errors(rolling, ("partition",), at)
    unavailable, field = rolling.get("maxUnavailable"), f"{at}.maxUnavailable"
    if unavailable is not None:
        yield from share_errors(unavailable, field)
        if share(unavailable) == 0:
            yield invalid(field, unavailable, "cannot be 0")
        yield from excess_errors(unavailable, field)


def _retention_errors(policy: Json) -> Iterator[FieldError]:
    if not isinstance(policy, dict):
        return
    for name in ("whenDeleted", "whenScaled"):
        if policy.get(name) not in _RETENTIONS:
            field = f"spec.persistentVolumeClaimRetentionPolicy.{name}"
            yield not_supported(field, Word(text(policy.get(name))), _RETENTIONS)


def _template_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    template = _filled(spec)
    yield from selected_errors(spec.get("selector"), template, "spec.template")
    if spec.get("template") == before.get("template"):
        return
    yield from template_errors(template, "spec.template")
    # Upstream looks at these twice.
    yield from described_errors(template, "spec.template")


def _filled(spec: JsonObject) -> JsonObject:
    """The template with a volume for each claim, and without the host names that are given to its pods."""
    template, claims = mapping(spec.get("template")), mappings(spec.get("volumeClaimTemplates"))
    pod = {
        name: value for name, value in mapping(template.get("spec")).items() if name not in {"hostname", "subdomain"}
    }
    if claims:
        names = list(dict.fromkeys(text(metadata_of(claim).get("name")) for claim in claims))
        added = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names]
        others = [each for each in mappings(pod.get("volumes")) if text(each.get("name")) not in names]
        pod["volumes"] = [*added, *others]
    return {**template, "spec": pod}
