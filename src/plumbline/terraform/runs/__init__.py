"""Runs: what is asked of the tool for one object, where it is carried out, and what came of it."""

from plumbline.terraform.runs.values import Failure, Going, Order, Report, Runs, Stage

__all__ = ["Failure", "Going", "Order", "Report", "Runs", "Stage"]
