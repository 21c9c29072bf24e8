"""Which sender a webhook is from, told by its headers."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from plumbline.base.errors import BadDocument
from plumbline.forge.webhooks import azure, bitbucket, generic, github, gitlab, gogs, harbor
from plumbline.forge.webhooks.push import Delivery, Ignored, Push
from plumbline.forge.webhooks.signatures import Secrets

_Read: TypeAlias = Callable[[Delivery, Secrets], tuple[Push, ...] | Ignored]


def read(headers: Mapping[str, str], body: bytes | bytearray, secrets: Secrets) -> tuple[Push, ...] | Ignored:
    """What a webhook says; one push per ref that moved. Names of *headers* are in lower case.

    Raises Unauthenticated where a secret is configured that the sender does not know, BadDocument or LimitExceeded for
    what no such sender would send. Nothing else, whatever the bytes are.
    """
    delivery = Delivery(headers, body)
    reader = _reader(delivery, secrets)
    if not body and delivery.header(bitbucket.EVENT) != "diagnostics:ping":
        raise BadDocument("Webhook processing failed", why="the payload is empty")
    return reader(delivery, secrets)


def _reader(delivery: Delivery, secrets: Secrets) -> _Read:
    """In this order: Gogs and Gitea send headers of GitHub too, and the cloud of Bitbucket those of its server."""
    headers = delivery.headers
    if headers.get(azure.ACTIVITY):
        return azure.read_azure
    if any(headers.get(name) for name in gogs.EVENTS):
        return gogs.read_gogs
    if headers.get(github.EVENT):
        return github.read_github
    if headers.get(gitlab.EVENT):
        return gitlab.read_gitlab
    if headers.get(bitbucket.HOOK):
        return bitbucket.read_cloud
    if headers.get(bitbucket.EVENT):
        return bitbucket.read_server
    return harbor.read_harbor if harbor.from_harbor(delivery, secrets) else generic.read_generic
