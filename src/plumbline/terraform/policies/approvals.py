"""Who has agreed to a plan, and whether that is enough."""

from collections.abc import Iterable
from typing import Final, NamedTuple

import msgspec

from plumbline.kinds.terraform import PlanApprovalSpec
from plumbline.terraform.policies.policy import Policy

IN_GIT: Final = "spec.approvePlan"
"""How the one is called who wrote the plan's name into the object."""
SOMEBODY: Final = "somebody"
"""How those are called of whom nobody has checked who they are."""


class Given(NamedTuple):
    """What people have said about one plan."""

    approvals: tuple[PlanApprovalSpec, ...] = ()
    """Those that name nobody are of people whom nobody has checked, whatever else they say."""
    doubt: str = ""
    """Why that is so."""
    written: bool = False
    """The object itself names the plan."""


class Standing(NamedTuple):
    by: tuple[str, ...]
    """Those who approve, and count."""
    rejected_by: tuple[str, ...]
    missing: int
    """How many more have to."""
    uncounted: tuple[str, ...] = ()
    """Those who approve, and may not."""
    doubt: str = ""
    """Why some of them cannot be told from the others."""

    @property
    def approved(self) -> bool:
        return self.missing == 0 and not self.rejected_by


def standing(policy: Policy, digest: str, given: Given) -> Standing:
    """Who has no name may be any of the others, and so is one more only where there are none."""
    about = [each for each in given.approvals if each.plan == digest]
    entitled = [each for each in about if policy.may_approve(each.by, each.groups)]
    approving = [each for each in entitled if each.decision == "Approve"]
    by = _names(each for each in approving if each.by)
    unnamed = _names(each for each in approving if not each.by)
    if given.written and not policy.approvers:
        # Whoever merged it is not known here; where policy names people, their own word is needed.
        unnamed = (*unnamed, IN_GIT)
    return Standing(
        by=(*by, *unnamed),
        rejected_by=_names(each for each in entitled if each.decision == "Reject"),
        missing=max(0, policy.approvals - (len(by) or min(len(unnamed), 1))),
        uncounted=_names(each for each in about if each.decision == "Approve" and each not in entitled),
        doubt=given.doubt if any(not each.by for each in about) else "",
    )


def anonymous(spec: PlanApprovalSpec) -> PlanApprovalSpec:
    """What is left of an approval that nobody checked: that somebody made it."""
    return msgspec.structs.replace(spec, by="", groups=())


def _names(approvals: Iterable[PlanApprovalSpec]) -> tuple[str, ...]:
    return tuple(sorted({each.by or SOMEBODY for each in approvals}))
