"""What may be done unasked, and who has agreed to the rest. Pure."""

from plumbline.terraform.policies.approvals import Given, Standing, anonymous, standing
from plumbline.terraform.policies.policy import Policy, combined

__all__ = ["Given", "Policy", "Standing", "anonymous", "combined", "standing"]
