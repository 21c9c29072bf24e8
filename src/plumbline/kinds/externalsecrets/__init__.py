"""Kinds of External Secrets: values that are kept elsewhere, and the stores that keep them."""

from typing import Any, Final

from plumbline.kinds.externalsecrets.externalsecret import EXTERNAL_SECRET
from plumbline.kinds.externalsecrets.secretstore import CLUSTER_SECRET_STORE, SECRET_STORE
from plumbline.kinds.kind import Kind

EXTERNAL_SECRETS_KINDS: Final[tuple[Kind[Any, Any], ...]] = (EXTERNAL_SECRET, SECRET_STORE, CLUSTER_SECRET_STORE)

__all__ = ["CLUSTER_SECRET_STORE", "EXTERNAL_SECRET", "EXTERNAL_SECRETS_KINDS", "SECRET_STORE"]
