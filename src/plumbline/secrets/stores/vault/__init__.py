"""Secrets in HashiCorp Vault and OpenBao: the key engine, version 1 and 2. Nothing is written there."""

from plumbline.secrets.stores.vault.opening import Vaults
from plumbline.secrets.stores.vault.referent import referent

__all__ = ["Vaults", "referent"]
