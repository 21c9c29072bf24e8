"""`/api/v1/secrets` and `/api/v1/sealing`: secrets that Git or a store brings, by their names and never their values."""

from plumbline.web.api.secrets.api import SecretsApi

__all__ = ["SecretsApi"]
