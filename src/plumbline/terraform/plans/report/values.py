"""What a report is made of, and what it is."""

from typing import Final, NamedTuple

import msgspec

from plumbline.terraform.plans.values import Danger, Summary

FORGE_LIMITS: Final = {
    "github": 65_536,
    "gitea": 65_536,
    "gitlab": 1_000_000,
    "bitbucket-cloud": 32_768,
    "bitbucket-server": 32_768,
    "azure": 150_000,
}
"""Characters of one comment."""
LEAST_CHARS: Final = 2_000
_FAILED, _DANGEROUS, _CHANGED, _UNCHANGED = range(4)


class ModulePlan(msgspec.Struct, frozen=True, kw_only=True):
    """One root module: its plan, or why there is none."""

    path: str
    workspace: str = "default"
    summary: Summary | None = None
    dangers: tuple[Danger, ...] = ()
    waiting: tuple[Danger, ...] = ()
    """Those of the dangers that are not done unasked."""
    plan_id: str = ""
    digest: str = ""
    error: str = ""
    """Without secrets already."""

    @property
    def rank(self) -> tuple[int, int, str, str]:
        """What people must look at comes first."""
        worst = min((("high", "medium", "low").index(danger.severity) for danger in self.dangers), default=3)
        if self.error or self.summary is None:
            return _FAILED, 0, self.path, self.workspace
        if self.dangers:
            return _DANGEROUS, worst, self.path, self.workspace
        changed = bool(self.summary.acting or self.summary.outputs or self.summary.checks)
        return (_CHANGED if changed else _UNCHANGED), 0, self.path, self.workspace

    @property
    def is_urgent(self) -> bool:
        return self.rank[0] <= _DANGEROUS

    @property
    def is_unchanged(self) -> bool:
        return self.rank[0] == _UNCHANGED


class Report(NamedTuple):
    markdown: str
    json: bytes
