"""`/api/v1/notifications`: what applications may subscribe to, by name."""

from plumbline.web.api.notifications.api import Notifications

__all__ = ["Notifications"]
