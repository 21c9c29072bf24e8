"""What the journal comes to over time: how long commits take to run, and what drifts. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, date
from typing import Final

from plumbline.base.clock import rfc3339
from plumbline.base.json import JsonObject
from plumbline.journal import Entry
from plumbline.journal.folds import Drift, LeadTime, drift_timeline, lead_times
from plumbline.web.api.changes.shapes import subject

_MOST: Final = 500
_TOP: Final = 20
_PERCENTS: Final = (50, 90)


def lead(entries: Iterable[Entry]) -> JsonObject:
    """With its own definition, so that nobody compares it with another."""
    found = list(lead_times(entries))
    by_day: dict[date, list[float]] = {}
    by_application: dict[str, list[LeadTime]] = {}
    for each in found:
        by_day.setdefault(each.healthy.astimezone(UTC).date(), []).append(each.lead_s)
        by_application.setdefault(str(each.application), []).append(each)
    slowest = sorted(
        by_application.values(), key=lambda one: _percentile([each.lead_s for each in one], 50), reverse=True
    )
    return {
        "definition": "From the time of a commit, or when it was first seen if that was earlier, until its application was first healthy with it",
        "count": len(found),
        **_summed([each.lead_s for each in found]),
        "days": [{"day": day.isoformat(), "count": len(took), **_summed(took)} for day, took in sorted(by_day.items())],
        "applications": [
            {"application": subject(one[0].application), "count": len(one), **_summed([each.lead_s for each in one])}
            for one in slowest[:_TOP]
        ],
        "deliveries": [_delivery(each) for each in found[::-1][:_MOST]],
    }


def drift(entries: Iterable[Entry]) -> JsonObject:
    found = drift_timeline(entries)
    drifters = Counter(str(each.subject) for each in found)
    managers = Counter(each.manager or "unknown" for each in found)
    subjects = {str(each.subject): each.subject for each in found}
    healed = [each for each in found if each.healed is not None]
    return {
        "definition": "From when a field was seen to differ from what it should be until it was right again",
        "count": len(found),
        "open": len(found) - len(healed),
        **_summed([_lasted(each) for each in healed]),
        "managers": dict(managers.most_common(_TOP)),
        "drifters": [{"subject": subject(subjects[key]), "count": count} for key, count in drifters.most_common(_TOP)],
        "days": [
            {"day": day.isoformat(), "count": count}
            for day, count in sorted(Counter(each.detected.astimezone(UTC).date() for each in found).items())
        ],
        "timeline": [_drift(each) for each in found[::-1][:_MOST]],
    }


def _delivery(each: LeadTime) -> JsonObject:
    return {
        "application": subject(each.application),
        "commit": each.commit.sha,
        "repo": each.commit.repo,
        "beganAt": rfc3339(each.began),
        "healthyAt": rfc3339(each.healthy),
        "leadSeconds": round(each.lead_s, 3),
        "deliveredBy": each.delivered_by.sha,
    }


def _drift(each: Drift) -> JsonObject:
    known: JsonObject = {
        "subject": subject(each.subject),
        "path": each.path,
        "manager": each.manager,
        "detectedAt": rfc3339(each.detected),
        "healedAt": rfc3339(each.healed) if each.healed is not None else "",
        "healedBy": str(each.healed_by or ""),
    }
    return {name: value for name, value in known.items() if value != ""}


def _lasted(each: Drift) -> float:
    return max((each.healed - each.detected).total_seconds(), 0.0) if each.healed is not None else 0.0


def _summed(took_s: Sequence[float]) -> JsonObject:
    return {f"p{percent}Seconds": round(_percentile(took_s, percent), 3) for percent in _PERCENTS} if took_s else {}


def _percentile(took_s: Sequence[float], percent: int) -> float:
    """The smallest that so many percent of all are not above."""
    ordered = sorted(took_s)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
