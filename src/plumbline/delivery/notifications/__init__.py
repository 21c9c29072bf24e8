"""Argo CD's notifications, from its annotations and its ConfigMap.

    notifier = Notifier(around, Desk(client, "argocd", world), Counting(registry))
    await notifier.run()

Services are Slack and webhooks. What upstream has told is not told again: the notes on Applications are the same.
"""

from plumbline.delivery.notifications.counting import Counting
from plumbline.delivery.notifications.desk import Desk
from plumbline.delivery.notifications.notifier import Around, Notifier

__all__ = ["Around", "Counting", "Desk", "Notifier"]
