"""Cron schedules as CronJobs and sync windows have them: read once, asked for the next time as often as needed."""

from plumbline.kube.cron.grammar import duration_fault, known_zone, schedule_fault
from plumbline.kube.cron.schedule import Schedule, parse

__all__ = ["Schedule", "duration_fault", "known_zone", "parse", "schedule_fault"]
