"""Another token for the account that we come as; the old one ends."""

from collections.abc import Awaitable, Callable
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.delivery.joining.authority import Authority
from plumbline.delivery.joining.edits import Edit, with_token
from plumbline.delivery.settings.connections import read_config
from plumbline.delivery.settings.secretdata import secret_data
from plumbline.kube.client import Client

HOME: Final = "kube-system"
"""The namespace of the account."""


async def rotate(there: Client, secret: JsonObject, write: Callable[[Edit], Awaitable[None]]) -> None:
    """*there* is the cluster; *write* keeps what becomes of its *secret*. Nothing ends before the new token is kept."""
    name = f"cluster Secret {secret['metadata']['name']}"
    config = secret_data(secret, name)["config"].reveal()
    authority = Authority(there, HOME)
    fresh, old = await authority.renewed(read_config(config, name).bearer_token)
    await write(with_token(config, fresh))
    await authority.forget(old)
