"""`/api/v1/terraforms`: Terraform objects, their plans, and what people say about those."""

from plumbline.web.api.terraform.api import TerraformApi

__all__ = ["TerraformApi"]
