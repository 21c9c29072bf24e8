"""What workloads share: a selector that finds the pods of their template, and counts that are not below zero."""

from collections.abc import Iterator, Mapping
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import IMMUTABLE, NEGATIVE
from plumbline.apiserver.validation.names import percent
from plumbline.apiserver.validation.pods.template import template_errors
from plumbline.apiserver.validation.selectors import label_selector_errors
from plumbline.apiserver.validation.shapes import integer, mapping, number, text
from plumbline.base.errors import BadSelector
from plumbline.base.json import Json, JsonObject
from plumbline.kube.intorstring import int_value
from plumbline.kube.selectors import LabelSelector

_WHOLE: Final = 100


def selector_errors(selector: Json, field: str, kind: str) -> Iterator[FieldError]:
    """Complaints about the selector of a *kind* that must have one."""
    if not isinstance(selector, dict):
        yield required(field)
        return
    yield from label_selector_errors(selector, field)
    if not selector.get("matchLabels") and not selector.get("matchExpressions"):
        yield invalid(field, selector_form(selector), f"empty selector is invalid for {kind}")


def selected(selector: Json, labels: Json) -> bool | None:
    """Whether a selector finds what has *labels*; None for what is no selector."""
    try:
        return LabelSelector.from_object(selector).matches(mapping(labels))
    except BadSelector:
        return None


def selected_errors(selector: Json, template: JsonObject, field: str) -> Iterator[FieldError]:
    labels = mapping(template.get("metadata")).get("labels")
    if selected(selector, labels) is False:
        shown = {key: labels[key] for key in sorted(labels)} if isinstance(labels, dict) else None
        yield invalid(f"{field}.metadata.labels", shown, "`selector` does not match template `labels`")


def lasting_template_errors(template: JsonObject, before: Json, field: str, kind: str) -> Iterator[FieldError]:
    """Complaints about the template of a workload that runs forever. One that was there *before* is sound."""
    if template == before:
        return
    yield from template_errors(template, field)
    yield from lasting_errors(template, field, kind)


def lasting_errors(template: JsonObject, field: str, kind: str) -> Iterator[FieldError]:
    spec = mapping(template.get("spec"))
    if spec.get("restartPolicy") != "Always":
        yield not_supported(f"{field}.spec.restartPolicy", text(spec.get("restartPolicy")), ("Always",))
    if spec.get("activeDeadlineSeconds") is not None:
        detail = f"activeDeadlineSeconds in {kind} is not Supported"
        yield forbidden(f"{field}.spec.activeDeadlineSeconds", detail)


def selector_form(selector: Json) -> Json:
    return go_form(selector, "*@LabelSelector")


def same_selector_errors(new: Json, old: Json, field: str) -> Iterator[FieldError]:
    if new != old and selector_form(new) != selector_form(old):
        yield invalid(field, selector_form(new), IMMUTABLE)


def negative_errors(held: JsonObject, names: tuple[str, ...], at: str) -> Iterator[FieldError]:
    """A complaint for each of the counts *names* that is below zero."""
    for name in names:
        if number(held.get(name)) < 0:
            yield invalid(f"{at}.{name}", held[name], NEGATIVE)


def exceeding_errors(status: JsonObject, limits: Mapping[str, str], at: str) -> Iterator[FieldError]:
    """A complaint for each count in a status that is larger than `replicas`."""
    for name, detail in limits.items():
        if number(status.get(name)) > number(status.get("replicas")):
            yield invalid(f"{at}.{name}", number(status.get(name)), detail)


def collision_errors(new: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    count, before = (integer(mapping(each.get("status")).get("collisionCount")) for each in (new, old))
    if before is not None and (count is None or count < before):
        yield invalid("status.collisionCount", count or 0, "cannot be decremented")


def share_errors(value: Json, field: str) -> Iterator[FieldError]:
    """Complaints about what must be a count or a percentage."""
    if isinstance(value, str):
        yield from (invalid(field, value, fault) for fault in percent(value))
    elif number(value) < 0:
        yield invalid(field, number(value), NEGATIVE)


def share(value: Json) -> int:
    """The count, or the number of percent."""
    if isinstance(value, str):
        return int_value(value.removesuffix("%") if not percent(value) else value)
    return number(value)


def excess_errors(value: Json, field: str) -> Iterator[FieldError]:
    if isinstance(value, str) and not percent(value) and share(value) > _WHOLE:
        yield invalid(field, value, "must not be greater than 100%")
