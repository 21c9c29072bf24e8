"""AWS: tables over botocore's own models, one engine, and the credentials of ProviderConfigs."""

from plumbline.providers.aws.catalogue import PROVIDER, kinds
from plumbline.providers.aws.clients import Clients

__all__ = ["PROVIDER", "Clients", "kinds"]
