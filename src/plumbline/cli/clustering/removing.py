"""A cluster forgotten, and the account that was made for us taken away."""

from plumbline.base.errors import BadKubeconfig, PlumblineError
from plumbline.cli.clustering.opening import roster_at
from plumbline.cli.clustering.roster import one
from plumbline.cli.connecting import Where
from plumbline.delivery.joining.authority import ACCOUNT, Authority
from plumbline.delivery.joining.rotating import HOME
from plumbline.delivery.settings.clusters import Cluster
from plumbline.kube.client import Client, Connection


async def removed(where: Where, text: str) -> str:
    """What is left to do, for whoever wants to."""
    async with roster_at(where) as roster:
        cluster = (await one(roster, text)).cluster
        await roster.remove(cluster)
    return await _left(where, cluster)


async def _left(where: Where, cluster: Cluster) -> str:
    try:
        connection = Connection.load(where.kubeconfig, context=cluster.name)
    except BadKubeconfig:
        return f"The account {ACCOUNT} on it stays: the kubeconfig has no context {cluster.name}."
    if not cluster.local and connection.server != cluster.server:  # what is at hand has an address of its own inside
        return f"The account {ACCOUNT} on it stays: the context {cluster.name} is of another cluster."
    try:
        async with Client.connect(connection) as client:
            await Authority(client, HOME).uninstall()
    except PlumblineError as failed:
        return f"The account {ACCOUNT} on it stays: {failed}"
    return ""
