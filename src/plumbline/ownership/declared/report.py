"""What a check found, as a value: for people, for pipelines, for a comment on a pull request."""

from typing import NamedTuple

from plumbline.base.json import JsonObject
from plumbline.ownership.boundaries import Violation
from plumbline.ownership.conflicts import Conflict, Possible
from plumbline.ownership.declared.files import Unread
from plumbline.ownership.values import Claim
from plumbline.ownership.wording import claim_json, way_out


class Report(NamedTuple):
    resources: int
    owners: int
    conflicts: tuple[Conflict, ...] = ()
    violations: tuple[Violation, ...] = ()
    repeats: tuple[Conflict, ...] = ()
    """One owner declares the same thing in several places: no fight, but one of them has no effect."""
    possible: tuple[Possible, ...] = ()
    undecided: tuple[Claim, ...] = ()
    """Claims whose ids cannot be read from the files, so that nobody can say whether they collide."""
    unread: tuple[Unread, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.conflicts and not self.violations and not any(each.blocking for each in self.unread)


def report_json(report: Report) -> JsonObject:
    return {
        "passed": report.passed,
        "resources": report.resources,
        "owners": report.owners,
        "conflicts": [_conflict(each) for each in report.conflicts],
        "violations": [_violation(each) for each in report.violations],
        "repeats": [_conflict(each) for each in report.repeats],
        "possible": [
            {"claim": claim_json(each.claim), "others": [claim_json(other) for other in each.others]}
            for each in report.possible
        ],
        "undecided": [claim_json(each) for each in report.undecided],
        "unread": [each._asdict() for each in report.unread],
    }


def _conflict(conflict: Conflict) -> JsonObject:
    return {
        "resource": str(conflict.resource),
        "claims": [claim_json(claim) for claim in conflict.claims],
        "fixes": list(dict.fromkeys(way_out(claim) for claim in conflict.claims)),
    }


def _violation(violation: Violation) -> JsonObject:
    rule = violation.rule
    return {
        "rule": rule.rule.name if rule else None,
        "reason": rule.rule.reason if rule else "",
        "place": rule.place if rule else "",
        "why": violation.why,
        "claim": claim_json(violation.claim),
    }
