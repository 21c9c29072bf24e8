"""What Terraform says it has: state, plans, and the types that mean objects in a cluster."""

from plumbline.ownership.terraform.plan import plan_claims
from plumbline.ownership.terraform.resources import terraform_resource
from plumbline.ownership.terraform.state import state_claims

__all__ = ["plan_claims", "state_claims", "terraform_resource"]
