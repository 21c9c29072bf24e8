"""When CronJobs run: complaints about schedules and time zones."""

from collections.abc import Iterator

from plumbline.apiserver.fielderrors import FieldError, Word, invalid
from plumbline.base.json import Json
from plumbline.kube.cron import known_zone, schedule_fault


def schedule_errors(schedule: str, zone: Json, field: str, *, zone_kept: bool) -> Iterator[FieldError]:
    """Complaints about *schedule*; a zone in it may stay where it was *kept* from before."""
    if fault := schedule_fault(schedule):
        yield invalid(field, schedule, fault)
    if "TZ" not in schedule:
        return
    if not zone_kept:
        yield invalid(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
    elif zone is not None:
        yield invalid(field, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")


def zone_errors(zone: Json, field: str) -> Iterator[FieldError]:
    if not isinstance(zone, str):
        return
    if not zone:
        yield invalid(field, "", "timeZone must be nil or non-empty string")
        return
    if zone.lower() == "local":
        detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        yield invalid(field, Word(zone), detail)
    if zone != "Local" and not known_zone(zone):  # Go has that one, in just this spelling
        yield invalid(field, Word(zone), f"unknown time zone {zone}")
