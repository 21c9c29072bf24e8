"""What is asked of others around a run: dependencies before it, webhooks about its plan, health once it is applied."""

from plumbline.terraform.checks.addresses import LOOPBACK, Policy
from plumbline.terraform.checks.dependencies import Dependency, cycle, cycle_message, dependencies, unmet
from plumbline.terraform.checks.health import due, health
from plumbline.terraform.checks.posting import WebhookPoster
from plumbline.terraform.checks.webhooks import objection
from plumbline.terraform.checks.wire import Wire

__all__ = [
    "LOOPBACK",
    "Dependency",
    "Policy",
    "WebhookPoster",
    "Wire",
    "cycle",
    "cycle_message",
    "dependencies",
    "due",
    "health",
    "objection",
    "unmet",
]
