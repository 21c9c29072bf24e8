"""Other programs that are asked before something is stored: admission webhooks, and those that convert custom objects."""

from plumbline.apiserver.webhooks.addresses import LocalAddresses, Place
from plumbline.apiserver.webhooks.admission import WebhookAdmission, hook_caller, webhook_admission
from plumbline.apiserver.webhooks.calling import HookCaller
from plumbline.apiserver.webhooks.conversion import convert, webhook_conversion

__all__ = [
    "HookCaller",
    "LocalAddresses",
    "Place",
    "WebhookAdmission",
    "convert",
    "hook_caller",
    "webhook_admission",
    "webhook_conversion",
]
