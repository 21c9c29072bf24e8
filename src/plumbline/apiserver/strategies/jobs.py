"""Jobs and what starts them."""

from collections.abc import Sequence
from typing import Final

from plumbline.apiserver.strategies.parts import (
    chain,
    chain_update,
    counting,
    fresh_status,
    generation_of,
    generation_one,
    keep_status,
    only_status,
)
from plumbline.apiserver.strategies.podfields import enabled_template
from plumbline.apiserver.strategies.strategy import Strategy
from plumbline.apiserver.strategies.warnings.names import label_warnings
from plumbline.apiserver.strategies.warnings.pods import template_warnings
from plumbline.apiserver.strategies.writing import Writing
from plumbline.apiserver.validation.shapes import mapping, number, text
from plumbline.base.json import Json, JsonObject
from plumbline.kube.names import GroupVersionKind

_JOB: Final = GroupVersionKind("batch", "v1", "Job")
_CRON_JOB: Final = GroupVersionKind("batch", "v1", "CronJob")
_UID: Final = "batch.kubernetes.io/controller-uid"
_NAME_LABELS: Final = ("job-name", "batch.kubernetes.io/job-name")
_UID_LABELS: Final = ("controller-uid", _UID)
_MANY_COMPLETIONS: Final = 100_000
_MANY_AT_ONCE: Final = 10_000
_UNTRACKED: Final = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes "
    "might not be able to track completedIndexes when a big number of indexes fail"
)
_ZONE_IN_SCHEDULE: Final = (
    "cannot use TZ or CRON_TZ in {field}, use timeZone instead, see "
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


def _with_selector(job: JsonObject, _: Writing) -> JsonObject:
    """A job selects the pods with its own uid, unless it says that it knows better."""
    spec, metadata = mapping(job.get("spec")), mapping(job.get("metadata"))
    if spec.get("manualSelector"):
        return job
    name, uid = text(metadata.get("name")), text(metadata.get("uid"))
    template = mapping(spec.get("template"))
    described = mapping(template.get("metadata"))
    own = {**dict.fromkeys(_NAME_LABELS, name), **dict.fromkeys(_UID_LABELS, uid)}
    labels = {**own, **mapping(described.get("labels"))}
    selector = mapping(spec.get("selector"))
    selected = {_UID: uid, **mapping(selector.get("matchLabels"))}
    made = {
        "template": {**template, "metadata": {**described, "labels": labels}},
        "selector": {**selector, "matchLabels": selected},
    }
    # Where the job has the labels of its pods because nobody gave it others, the server holds both in one map.
    if not metadata.get("labels") or metadata["labels"] is described.get("labels"):
        metadata = {**metadata, "labels": labels}
    return {**job, "metadata": metadata, "spec": {**spec, **made}}


def _enabled(new: JsonObject, old: JsonObject) -> JsonObject:
    spec = mapping(new.get("spec"))
    template = spec.get("template")
    kept = enabled_template(template, mapping(old.get("spec")).get("template"))
    return new if kept is template else {**new, "spec": {**spec, "template": kept}}


def _spec_warnings(at: str, spec: Json) -> list[str]:
    found = mapping(spec)
    warnings = template_warnings(f"{at}.template", found.get("template"))
    if (
        found.get("completionMode") == "Indexed"
        and number(found.get("completions")) > _MANY_COMPLETIONS
        and number(found.get("parallelism")) > _MANY_AT_ONCE
    ):
        warnings.insert(0, f"{at}: {_UNTRACKED}")
    return warnings


def _job_warnings(job: JsonObject) -> list[str]:
    return _spec_warnings("spec", job.get("spec"))


JOB: Final = Strategy(
    orphans_by_default=True,
    prepare_create=chain(_with_selector, fresh_status(_JOB), generation_one, lambda obj, _: _enabled(obj, {})),
    prepare_update=chain_update(keep_status, lambda new, old, _: _enabled(new, old), counting("spec")),
    prepare_subresource={"status": only_status()},
    create_warnings=lambda job: [*label_warnings(job), *_job_warnings(job)],
    update_warnings=lambda new, old: _job_warnings(new) if generation_of(new) != generation_of(old) else (),
)


def _cron_warnings(cron: JsonObject) -> list[str]:
    template = mapping(mapping(cron.get("spec")).get("jobTemplate"))
    return _spec_warnings("spec.jobTemplate.spec", template.get("spec"))


def _cron_update_warnings(new: JsonObject, old: JsonObject) -> Sequence[str]:
    warnings = _cron_warnings(new) if generation_of(new) != generation_of(old) else []
    if "TZ" in text(mapping(new.get("spec")).get("schedule")):
        # The server names a field that does not exist.
        warnings.append(_ZONE_IN_SCHEDULE.format(field="spec.spec.schedule"))
    return warnings


def _enabled_cron(new: JsonObject, old: JsonObject) -> JsonObject:
    spec = mapping(new.get("spec"))
    outer = mapping(spec.get("jobTemplate"))
    inner = _enabled(outer, mapping(mapping(old.get("spec")).get("jobTemplate")))
    return new if inner is outer else {**new, "spec": {**spec, "jobTemplate": inner}}


CRON_JOB: Final = Strategy(
    prepare_create=chain(fresh_status(_CRON_JOB), generation_one, lambda obj, _: _enabled_cron(obj, {})),
    prepare_update=chain_update(keep_status, lambda new, old, _: _enabled_cron(new, old), counting("spec")),
    prepare_subresource={"status": only_status()},
    create_warnings=lambda cron: [*label_warnings(cron), *_cron_warnings(cron)],
    update_warnings=_cron_update_warnings,
)
