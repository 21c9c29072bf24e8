"""Kinds that become Secrets: sealed ones, those kept elsewhere, and where that is."""

from typing import Any, Final

from plumbline.kinds.externalsecrets import EXTERNAL_SECRETS_KINDS
from plumbline.kinds.kind import Kind
from plumbline.kinds.sealedsecret import SEALED_SECRET

SECRETS_KINDS: Final[tuple[Kind[Any, Any], ...]] = (SEALED_SECRET, *EXTERNAL_SECRETS_KINDS)
