"""Plans as values: what one comes to, what it would destroy, what it is called, how it is kept, how it reads.

Pure. A plan's JSON is full of secrets; nothing that leaves here holds one, but for what goes into its Secrets.
"""

from plumbline.terraform.plans.dangers import Share, brief, dangers
from plumbline.terraform.plans.digest import Approval, PlanDigest, approval_of, approves, digest, plan_id, replans
from plumbline.terraform.plans.guards import guarded
from plumbline.terraform.plans.summary import summarised
from plumbline.terraform.plans.texts import headline, human, readable, tabled
from plumbline.terraform.plans.values import Change, Danger, Summary

__all__ = [
    "Approval",
    "Change",
    "Danger",
    "PlanDigest",
    "Share",
    "Summary",
    "approval_of",
    "approves",
    "brief",
    "dangers",
    "digest",
    "guarded",
    "headline",
    "human",
    "plan_id",
    "readable",
    "replans",
    "summarised",
    "tabled",
]
