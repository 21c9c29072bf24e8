"""Jobs, and the kind that starts them by the clock."""

from typing import Final

from plumbline.apiserver.defaults.pods import POD_TEMPLATE
from plumbline.apiserver.defaults.rules import chain, each, for_objects, record
from plumbline.apiserver.defaults.workloads import labelled_like_template
from plumbline.base.json import JsonObject

_NO_LIMIT: Final = 2**31 - 1

_BELOW: Final = record(
    fields={
        "template": POD_TEMPLATE,
        "podFailurePolicy": record(
            fields={"rules": each(record(fields={"onPodConditions": each(record(zero={"status": "True"}))}))}
        ),
    }
)
_PLAIN: Final = record(absent={"completionMode": "NonIndexed", "suspend": False, "manualSelector": False})


@for_objects
def _counted(spec: JsonObject) -> JsonObject:
    changes: JsonObject = {}
    if spec.get("parallelism") is None:
        changes["parallelism"] = 1
        if spec.get("completions") is None:
            changes["completions"] = 1
    if spec.get("backoffLimit") is None:
        changes["backoffLimit"] = 6 if spec.get("backoffLimitPerIndex") is None else _NO_LIMIT
    if spec.get("podReplacementPolicy") is None:
        changes["podReplacementPolicy"] = "TerminatingOrFailed" if spec.get("podFailurePolicy") is None else "Failed"
    return {**spec, **changes} if changes else spec


JOB: Final = chain(record(fields={"spec": chain(_PLAIN, _counted, _BELOW)}), for_objects(labelled_like_template))

CRON_JOB: Final = record(
    fields={
        "spec": record(
            zero={"concurrencyPolicy": "Allow"},
            absent={"suspend": False, "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1},
            fields={"jobTemplate": record(fields={"spec": _BELOW})},
        )
    }
)
