"""Job and CronJob."""

from collections.abc import Mapping

from plumbline.base.json import JsonObject
from plumbline.kube.health.builtin.versions import only
from plumbline.kube.health.reading import at, items, part, parts, text, word
from plumbline.kube.health.rules import Rule
from plumbline.kube.health.status import Health, Status


def job(obj: JsonObject) -> Health:
    """The conditions of a Job count by being there, whatever their status; only Suspended can be taken back."""
    found = {word(each, "type"): each for each in parts(part(obj, "status"), "conditions")}
    if "Failed" in found:
        return Health(Status.DEGRADED, word(found["Failed"], "message"))
    ended = [each for kind, each in found.items() if kind in {"Complete", "Suspended"}]
    if not ended:
        return Health(Status.PROGRESSING)
    if found.get("Suspended", {}).get("status") == "True":
        return Health(Status.SUSPENDED)
    return Health(Status.HEALTHY, word(ended[-1], "message"))


def cron_job(obj: JsonObject) -> Health:
    """Degraded only when the last run is known to have failed.

    A suspended CronJob is Healthy: it is as its author wants it, and Suspended would hold up sync waves.
    """
    if at(obj, "spec", "suspend") is True:
        return Health(Status.HEALTHY, "CronJob is Suspended")
    status = at(obj, "status")
    if status is None:
        return Health(Status.PROGRESSING, "Waiting for CronJob")
    scheduled, succeeded = text(status, "lastScheduleTime"), text(status, "lastSuccessfulTime")
    if not scheduled:
        return Health(Status.HEALTHY, "CronJob has not been scheduled yet")
    if not succeeded:
        return Health(Status.HEALTHY, "The CronJob never completed successfully. It may not be healthy")
    if items(status, "active"):
        return Health(Status.HEALTHY, "The job is running. Its last execution may not have been successful")
    if succeeded < scheduled:
        return Health(Status.DEGRADED, "CronJob has not completed its last execution successfully")
    return Health(Status.HEALTHY, "CronJob has completed its last execution successfully")


RULES: Mapping[str, Rule] = {
    "batch/Job": (only("batch/v1", called="Job", step=job),),
    "batch/CronJob": (cron_job,),
}
