"""PodDisruptionBudgets."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, invalid
from plumbline.apiserver.validation.checks import choice_errors, collected, condition_errors, nonnegative
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import percent
from plumbline.apiserver.validation.selectors import bad_label_selector, label_selector_errors
from plumbline.apiserver.validation.shapes import mapping, number
from plumbline.base.json import Json, JsonObject

_COUNTS: Final = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
_WHOLE: Final = 100
_INT64_DIGITS: Final = 18


def count_or_percent_errors(field: str, value: Json) -> Iterator[FieldError]:
    """Complaints about a number of pods, or a share of them that is at most all."""
    if not isinstance(value, str):
        yield from nonnegative(field, number(value))
        return
    faults = percent(value)
    yield from faulty(field, value, faults)
    digits = value.removesuffix("%").lstrip("0")
    if not faults and (len(digits) > _INT64_DIGITS or int(digits or "0") > _WHOLE):
        yield invalid(field, value, "must not be greater than 100%")


def _budget_errors(budget: JsonObject, *, old_values: bool) -> Iterator[FieldError]:
    spec = mapping(budget.get("spec"))
    bounds = {name: spec[name] for name in ("minAvailable", "maxUnavailable") if spec.get(name) is not None}
    if len(bounds) > 1:
        shown = go_form(spec, "PodDisruptionBudgetSpec")
        yield invalid("spec", shown, "minAvailable and maxUnavailable cannot be both set")
    for name, value in bounds.items():
        yield from count_or_percent_errors(f"spec.{name}", value)
    yield from label_selector_errors(spec.get("selector"), "spec.selector", old_values=old_values)
    policies = ("AlwaysAllow", "IfHealthyBudget")
    yield from choice_errors("spec.unhealthyPodEvictionPolicy", spec.get("unhealthyPodEvictionPolicy"), policies)


@collected
def budget_created(budget: JsonObject) -> Iterator[FieldError]:
    yield from _budget_errors(budget, old_values=False)


@collected
def budget_updated(budget: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    old_values = bad_label_selector(mapping(old.get("spec")).get("selector"))
    yield from _budget_errors(budget, old_values=old_values)


@collected
def budget_status_updated(budget: JsonObject, _: JsonObject) -> Iterator[FieldError]:
    status = mapping(budget.get("status"))
    yield from condition_errors(status.get("conditions"), "status.conditions")
    for name in _COUNTS:
        yield from nonnegative(f"status.{name}", number(status.get(name)))


CREATE: Final = {"PodDisruptionBudget": budget_created}
UPDATE: Final = {"PodDisruptionBudget": budget_updated}
STATUS_UPDATE: Final = {"PodDisruptionBudget": budget_status_updated}
