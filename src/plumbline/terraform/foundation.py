"""What has to be on a cluster before Terraform objects can be looked after: Flux's kinds, and ours."""

import base64
import secrets
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import NotFound
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.kernel.installing import installed, made
from plumbline.kinds.flux import FLUX_KINDS
from plumbline.kinds.terraform import TERRAFORM_KINDS
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

KEY_SECRET: Final = "plumbline-terraform"  # noqa: S105 - a name
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_KEY_BYTES: Final = 32


async def founded(client: Client, clock: Clock) -> None:
    """Make what is missing. What is there stays as it is, whoever made it."""
    await installed(client, (*FLUX_KINDS, *TERRAFORM_KINDS), clock)


async def digest_key(client: Client, namespace: str) -> Plaintext:
    """What makes digests of inputs tell nothing. All replicas have the same, or plans would be void when another leads."""
    target = Target(_SECRETS, namespace, KEY_SECRET)
    try:
        found = decode(await client.get(target))
    except NotFound:
        body = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": KEY_SECRET, "namespace": namespace},
            "data": {"digest-key": base64.b64encode(secrets.token_bytes(_KEY_BYTES)).decode()},
        }
        await made(client, target.collection, body)
        found = decode(await client.get(target))
    return Plaintext(base64.b64decode(found["data"]["digest-key"]))
