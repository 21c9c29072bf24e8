"""DaemonSets. The generation of their templates is counted by the server and cannot be wrong."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, invalid, not_supported, required
from plumbline.apiserver.validation.checks import collected, meta, meta_update
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.selectors import label_selector_errors
from plumbline.apiserver.validation.shapes import mapping, number
from plumbline.apiserver.validation.templates import (
    collision_errors,
    excess_errors,
    lasting_template_errors,
    negative_errors,
    same_selector_errors,
    selected_errors,
    selector_form,
    share,
    share_errors,
)
from plumbline.base.json import JsonObject

_COUNTS: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)


@collected
def create_errors(obj: JsonObject) -> Iterator[FieldError]:
    yield from meta(obj, namespaced=True)
    yield from _spec_errors(mapping(obj.get("spec")), {})


@collected
def update_errors(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, before = mapping(new.get("spec")), mapping(old.get("spec"))
    yield from meta_update(new, old)
    if spec == before:
        return
    yield from same_selector_errors(spec.get("selector"), before.get("selector"), "spec.selector")
    yield from _spec_errors(spec, before)


@collected
def status_errors(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(new, old)
    yield from negative_errors(mapping(new.get("status")), _COUNTS, "status")
    yield from collision_errors(new, old)


def _spec_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    selector, template = spec.get("selector"), mapping(spec.get("template"))
    yield from label_selector_errors(selector, "spec.selector")
    yield from selected_errors(selector, template, "spec.template")
    held = mapping(selector)
    if selector is not None and not held.get("matchLabels") and not held.get("matchExpressions"):
        yield invalid("spec.selector", selector_form(selector), "empty selector is invalid for daemonset")
    yield from lasting_template_errors(template, before.get("template"), "spec.template", "DaemonSet")
    yield from negative_errors(spec, ("minReadySeconds",), "spec")
    yield from _strategy_errors(mapping(spec.get("updateStrategy")))
    yield from negative_errors(spec, ("revisionHistoryLimit",), "spec")


def _strategy_errors(strategy: JsonObject) -> Iterator[FieldError]:
    kind, rolling, field = strategy.get("type"), strategy.get("rollingUpdate"), "spec.updateStrategy"
    if kind == "OnDelete":
        return
    if kind != "RollingUpdate":
        shown = go_form(strategy, "DaemonSetUpdateStrategy")
        yield not_supported(field, shown, ("RollingUpdate", "OnDelete"))
    elif not isinstance(rolling, dict):
        yield required(f"{field}.rollingUpdate")
    else:
        yield from _rolling_errors(rolling, f"{field}.rollingUpdate")


def _rolling_errors(rolling: JsonObject, at: str) -> Iterator[FieldError]:
    unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    yield from share_errors(unavailable, f"{at}.maxUnavailable")
    yield from share_errors(surge, f"{at}.maxSurge")
    yield from excess_errors(unavailable, f"{at}.maxUnavailable")
    yield from excess_errors(surge, f"{at}.maxSurge")
    if share(unavailable) and share(surge):
        shown = surge if isinstance(surge, str) else number(surge)
        yield invalid(f"{at}.maxSurge", shown, "may not be set when maxUnavailable is non-zero")
    elif not share(unavailable) and not share(surge):
        yield required(f"{at}.maxUnavailable", "cannot be 0 when maxSurge is 0")
