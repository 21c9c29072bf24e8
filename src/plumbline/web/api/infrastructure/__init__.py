"""`/api/v1/claims` and `/api/v1/definitions`: what a platform offers, and what people have asked of it, down to the cloud."""

from plumbline.web.api.infrastructure.api import InfrastructureApi

__all__ = ["InfrastructureApi"]
