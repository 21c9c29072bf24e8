"""The way to a cluster that has joined, and whether it leads there."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.errors import InvalidInput, PlumblineError
from plumbline.base.json import decode
from plumbline.delivery.settings.clusters import Cluster
from plumbline.kube.client import Client, Request

_NUMBERS: Final = re.compile(r"v?([0-9]+(?:\.[0-9]+)+)")

Way: TypeAlias = Callable[[Cluster], AbstractAsyncContextManager[Client]]


class State(NamedTuple):
    status: str = "Unknown"
    message: str = ""
    version: str = ""


def way_from(here: Client, within_s: float) -> Way:
    """To any cluster from *here*, which is the one that the installation is on."""

    @asynccontextmanager
    async def way(cluster: Cluster) -> AsyncIterator[Client]:
        if cluster.refusal:
            raise InvalidInput(f"{cluster.name or cluster.server} is not connected to", why=cluster.refusal)
        if cluster.connection is None:
            yield here
            return
        async with Client.connect(cluster.connection) as client:
            yield client.within(within_s)

    return way


async def reached(cluster: Cluster, way: Way) -> State:
    """Whether it can be reached now, as we would."""
    if cluster.refusal:
        return State("Failed", cluster.refusal)
    try:
        async with way(cluster) as client:
            said = decode((await client.send(Request("GET", "/version"))).body)
    except PlumblineError as failed:
        return State("Failed", str(failed))
    return State("Successful", "", _version(str(said.get("gitVersion") or "")))


def _version(said: str) -> str:
    """As Argo CD tells it, without what a vendor adds: `v1.36.3` of `v1.36.3-eks-1234`. What is no version is told as it is."""
    found = _NUMBERS.match(said)
    return f"v{found[1]}" if found else said
