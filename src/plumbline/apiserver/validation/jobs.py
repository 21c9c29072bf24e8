"""Jobs and CronJobs."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, invalid, not_supported, required
from plumbline.apiserver.validation.checks import collected, meta, meta_update
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.jobspecs import job_spec_errors
from plumbline.apiserver.validation.jobstatus import job_status_errors
from plumbline.apiserver.validation.metadata import IMMUTABLE, metadata_of
from plumbline.apiserver.validation.names import byte_count, dns_label
from plumbline.apiserver.validation.pods.choices import chosen_errors
from plumbline.apiserver.validation.pods.internal import same_form, spec_form, template_form
from plumbline.apiserver.validation.schedules import schedule_errors, zone_errors
from plumbline.apiserver.validation.selectors import label_selector_errors
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, text
from plumbline.apiserver.validation.templates import (
    negative_errors,
    same_selector_errors,
    selected,
    selected_errors,
    selector_form,
)
from plumbline.base.json import Json, JsonObject

_CRON_NAME_BYTES: Final = 52
_CONCURRENCY: Final = ("Allow", "Forbid", "Replace")
_PREFIX: Final = "batch.kubernetes.io/"
_SCHEDULING: Final = ("nodeSelector", "tolerations", "schedulingGates")


@collected
def _job_create(job: JsonObject) -> Iterator[FieldError]:
    yield from _job_errors(job, {})


def _job_errors(job: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    spec, name = mapping(job.get("spec")), text(metadata_of(job).get("name"))
    yield from meta(job, namespaced=True)
    if spec == before:
        return
    yield from _generated_errors(job, prefixed=not before or _prefixed(before))
    yield from _spec_errors(spec, before)
    completions = integer(spec.get("completions"))
    if spec.get("completionMode") == "Indexed" and completions is not None and completions > 0:
        hostname = f"{name}-{completions - 1}"
        if dns_label(hostname):
            detail = f"will not able to create pod with invalid DNS label: {hostname}"
            yield invalid("metadata.name", name, detail)


def _prefixed(spec: JsonObject) -> bool:
    labels = mapping(mapping(mapping(spec.get("template")).get("metadata")).get("labels"))
    return f"{_PREFIX}job-name" in labels and f"{_PREFIX}controller-uid" in labels


def _spec_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    yield from job_spec_errors(spec, "spec", before.get("template"))
    selector = spec.get("selector")
    if not isinstance(selector, dict):
        yield required("spec.selector")
    yield from label_selector_errors(selector, "spec.selector")
    yield from selected_errors(selector, mapping(spec.get("template")), "spec.template")


def _generated_errors(job: JsonObject, *, prefixed: bool) -> Iterator[FieldError]:
    """Complaints about a selector that should be the server's own and is not."""
    spec, held = mapping(job.get("spec")), metadata_of(job)
    selector = spec.get("selector")
    if spec.get("manualSelector") is True or not isinstance(selector, dict):
        return
    name, uid = text(held.get("name")), text(held.get("uid"))
    if not uid:
        yield required("metadata.uid")
    wanted = {"controller-uid": uid, "job-name": name}
    if prefixed:
        wanted |= {f"{_PREFIX}controller-uid": uid, f"{_PREFIX}job-name": name}
    labels = mapping(mapping(mapping(spec.get("template")).get("metadata")).get("labels"))
    for key, value in wanted.items():
        field = f"spec.template.metadata.labels[{key}]"
        if key not in labels:
            yield required(field, f"must be '{value}'")
        elif labels[key] != value:
            yield invalid(field, {each: labels[each] for each in sorted(labels)}, f"must be '{value}'")
    if selected(selector, wanted) is False:
        yield invalid("spec.selector", selector_form(selector), "`selector` not auto-generated")


@collected
def _job_update(job: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    spec, before = mapping(job.get("spec")), mapping(old.get("spec"))
    yield from _job_errors(job, before)
    yield from meta_update(job, old)
    if spec == before:
        return
    yield from _spec_errors(spec, before)
    yield from _completion_errors(spec, before)
    yield from same_selector_errors(spec.get("selector"), before.get("selector"), "spec.selector")
    yield from _template_errors(spec, old)
    for name, kind in (
        ("completionMode", "*s"),
        ("podFailurePolicy", "*PodFailurePolicy"),
        ("backoffLimitPerIndex", "*i"),
        ("managedBy", "*s"),
        ("successPolicy", "*SuccessPolicy"),
    ):
        if spec.get(name) != before.get(name):
            shown = go_form(spec.get(name), kind)
            yield invalid(f"spec.{name}", Word(shown) if isinstance(shown, str) else shown, IMMUTABLE)


def _completion_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    completions, field = integer(spec.get("completions")), "spec.completions"
    if completions == integer(before.get("completions")):
        return
    if spec.get("completionMode") != "Indexed":
        yield invalid(field, completions, IMMUTABLE)
    elif completions is not None and completions != integer(spec.get("parallelism")):
        yield invalid(field, completions, "can only be modified in tandem with spec.parallelism")


def _template_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    template, before = mapping(spec.get("template")), mapping(mapping(old.get("spec")).get("template"))
    if template == before:
        return
    if _mutable(old):
        yield from _resource_errors(mapping(template.get("spec")), _redirected(before, template))
        return
    form = template_form(template)
    if not same_form(form, template_form(before)):
        yield invalid("spec.template", form, IMMUTABLE)


def _mutable(old: JsonObject) -> bool:
    """Whether a Job sleeps: then its pods may still be sent elsewhere and given other resources."""
    status = mapping(old.get("status"))
    conditions = mappings(status.get("conditions"))
    suspended = any(each.get("type") == "Suspended" and each.get("status") == "True" for each in conditions)
    waiting = status.get("startTime") is None or suspended
    return mapping(old.get("spec")).get("suspend") is True and waiting and not status.get("active")


def _redirected(before: JsonObject, template: JsonObject) -> JsonObject:
    """The spec there was, with everything that says where its pods go as it is now."""
    spec, now = mapping(before.get("spec")), mapping(template.get("spec"))
    others = {name: value for name, value in mapping(spec.get("affinity")).items() if name != "nodeAffinity"}
    node = mapping(now.get("affinity")).get("nodeAffinity")
    affinity: Json = {**others, **({} if node is None else {"nodeAffinity": node})}
    kept = bool(affinity) or now.get("affinity") is not None
    return {**spec, **{name: now.get(name) for name in _SCHEDULING}, "affinity": affinity if kept else None}


def _resource_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    munged = dict(before)
    for kind in ("containers", "initContainers"):
        now, then = mappings(spec.get(kind)), mappings(before.get(kind))
        if len(now) == len(then) and now:
            pairs = zip(now, then, strict=True)
            munged[kind] = [_resourced(one, other) for one, other in pairs]
    form = spec_form(spec)
    if not same_form(form, spec_form(munged)):
        yield invalid("spec.template.spec", form, IMMUTABLE)


def _resourced(now: JsonObject, then: JsonObject) -> JsonObject:
    return {**then, "resources": now.get("resources")} if now.get("name") == then.get("name") else then


@collected
def _cron_create(cron: JsonObject) -> Iterator[FieldError]:
    name = text(metadata_of(cron).get("name"))
    yield from meta(cron, namespaced=True)
    yield from _cron_errors(mapping(cron.get("spec")), None)
    if byte_count(name) > _CRON_NAME_BYTES:
        yield invalid("metadata.name", name, f"must be no more than {_CRON_NAME_BYTES} characters")


@collected
def _cron_update(cron: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    yield from meta_update(cron, old)
    yield from _cron_errors(mapping(cron.get("spec")), mapping(old.get("spec")))


def _cron_errors(spec: JsonObject, before: JsonObject | None) -> Iterator[FieldError]:
    schedule, zone = text(spec.get("schedule")), spec.get("timeZone")
    if not schedule:
        yield required("spec.schedule")
    else:
        kept = before is not None and "TZ" in text(before.get("schedule"))
        yield from schedule_errors(schedule, zone, "spec.schedule", zone_kept=kept)
    yield from negative_errors(spec, ("startingDeadlineSeconds",), "spec")
    if before is None or before.get("timeZone") != zone:
        yield from zone_errors(zone, "spec.timeZone")
    yield from chosen_errors(spec.get("concurrencyPolicy"), "spec.concurrencyPolicy", _CONCURRENCY)
    job, former = (mapping(mapping(each.get("jobTemplate")).get("spec")) for each in (spec, before or {}))
    yield from job_spec_errors(job, "spec.jobTemplate.spec", former.get("template"))
    if job.get("selector") is not None:
        shown = selector_form(job["selector"])
        yield invalid("spec.jobTemplate.spec.selector", shown, "`selector` will be auto-generated")
    if job.get("manualSelector") is True:
        yield not_supported("spec.jobTemplate.spec.manualSelector", True, ("nil", "false"))
    yield from negative_errors(spec, ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"), "spec")


def _nothing(new: JsonObject, old: JsonObject) -> list[FieldError]:  # noqa: ARG001 - an UpdateRule
    return []


CREATE = {"CronJob": _cron_create, "Job": _job_create}
UPDATE = {"CronJob": _cron_update, "Job": _job_update}
STATUS_UPDATE = {"CronJob": _nothing, "Job": job_status_errors}
