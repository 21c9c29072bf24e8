"""Kinds of External Secrets: values that are kept elsewhere or made up, the stores that keep them, and values that go there."""

from typing import Any, Final

from plumbline.kinds.externalsecrets.clusterexternalsecret import CLUSTER_EXTERNAL_SECRET
from plumbline.kinds.externalsecrets.externalsecret import EXTERNAL_SECRET
from plumbline.kinds.externalsecrets.generators import CLUSTER_GENERATOR, FAKE, PASSWORD, SSH_KEY, UUID
from plumbline.kinds.externalsecrets.pushsecret import PUSH_SECRET
from plumbline.kinds.externalsecrets.secretstore import CLUSTER_SECRET_STORE, SECRET_STORE
from plumbline.kinds.kind import Kind

GENERATOR_KINDS: Final[tuple[Kind[Any, Any], ...]] = (PASSWORD, UUID, SSH_KEY, FAKE, CLUSTER_GENERATOR)
EXTERNAL_SECRETS_KINDS: Final[tuple[Kind[Any, Any], ...]] = (
    EXTERNAL_SECRET,
    SECRET_STORE,
    CLUSTER_SECRET_STORE,
    CLUSTER_EXTERNAL_SECRET,
    PUSH_SECRET,
    *GENERATOR_KINDS,
)

__all__ = [
    "CLUSTER_EXTERNAL_SECRET",
    "CLUSTER_SECRET_STORE",
    "EXTERNAL_SECRET",
    "EXTERNAL_SECRETS_KINDS",
    "GENERATOR_KINDS",
    "PUSH_SECRET",
    "SECRET_STORE",
]
