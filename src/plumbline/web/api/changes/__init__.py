"""`/api/v1/changes`, `/ownership` and `/insights`: what happened, whose things are, and what that comes to over time."""

from plumbline.web.api.changes.api import ChangesApi

__all__ = ["ChangesApi"]
