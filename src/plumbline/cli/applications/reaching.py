"""The way to applications: by the server that somebody is logged in to, or by the cluster of the kubeconfig."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from plumbline.cli.applications.store import Applications
from plumbline.cli.connecting import NAMESPACE, Where

if TYPE_CHECKING:
    from plumbline.cli.server.api import Api


@asynccontextmanager
async def applications(where: Where) -> AsyncIterator[Applications]:
    login = where.login()
    if login is None:
        from plumbline.cli.applications.behind import cluster  # noqa: PLC0415 - who asks a server needs none of it

        async with where.connected() as client:
            yield Applications(client, where.namespace, cluster.behind)
        return
    from plumbline.cli.applications.behind import served  # noqa: PLC0415 - only who has logged in waits for it
    from plumbline.cli.server.api import opened  # noqa: PLC0415 - same
    from plumbline.cli.server.bridge import Bridge  # noqa: PLC0415 - same
    from plumbline.kube.client import Client  # noqa: PLC0415 - same

    async with opened(login, where.asked) as api:
        yield Applications(Client(Bridge(api)), await _namespace(where, api), lambda _: served.behind(api))


async def _namespace(where: Where, api: "Api") -> str:
    """The installation's: a server knows its own, so that who logs in need not."""
    if where.namespace != NAMESPACE:
        return where.namespace
    return str((await api.get("settings")).get("controllerNamespace") or NAMESPACE)
