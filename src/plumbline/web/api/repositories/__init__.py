"""`/api/v1/repositories` and `/api/v1/repocreds`: where sources come from. What opens them goes in and never out."""

from plumbline.web.api.repositories.api import Repositories, Test

__all__ = ["Repositories", "Test"]
