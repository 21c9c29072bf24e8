"""What has to be on a cluster before secrets can be looked after: the kinds of Sealed Secrets and of External Secrets."""

from plumbline.base.clock import Clock
from plumbline.kernel.installing import installed
from plumbline.kinds.externalsecrets import EXTERNAL_SECRETS_KINDS
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.client import Client


async def founded(client: Client, clock: Clock) -> None:
    """Make what is missing. What is there stays as it is, whoever made it."""
    await installed(client, (SEALED_SECRET, *EXTERNAL_SECRETS_KINDS), clock)
