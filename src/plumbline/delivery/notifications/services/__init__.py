"""Where messages go."""

from plumbline.delivery.notifications.services.service import Sender, Senders

__all__ = ["Sender", "Senders"]
