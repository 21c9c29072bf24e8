"""What the plans of a pull request come to, for the people who read it and for programs."""

from plumbline.terraform.plans.report.composing import marker, report
from plumbline.terraform.plans.report.values import FORGE_LIMITS, ModulePlan, Report

__all__ = ["FORGE_LIMITS", "ModulePlan", "Report", "marker", "report"]
