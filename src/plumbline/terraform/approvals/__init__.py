"""Who approved is true: an API server asks here before it takes a PlanApproval, and it is known whether it does."""

from plumbline.terraform.approvals.checks import QUESTION, Checks
from plumbline.terraform.approvals.validating import Approvals

__all__ = ["QUESTION", "Approvals", "Checks"]
