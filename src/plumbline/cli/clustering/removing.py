"""A cluster forgotten, and the account that was made for us taken away."""

from plumbline.base.errors import BadKubeconfig, PlumblineError
from plumbline.cli.clustering.authority import ACCOUNT, Authority
from plumbline.cli.clustering.changing import with_token
from plumbline.cli.clustering.store import Store
from plumbline.cli.connecting import Where
from plumbline.delivery.settings.clusters import Cluster
from plumbline.delivery.settings.connections import read_config
from plumbline.delivery.settings.secretdata import secret_data
from plumbline.kube.client import Client, Connection

_SYSTEM = "kube-system"


async def removed(where: Where, text: str) -> str:
    """What is left to do, for whoever wants to."""
    async with where.connected() as client:
        store = Store(client, where.namespace)
        cluster = await store.found(text)
        await store.remove(cluster)
    return await _left(where, cluster)


async def _left(where: Where, cluster: Cluster) -> str:
    try:
        connection = Connection.load(where.kubeconfig, context=cluster.name)
    except BadKubeconfig:
        return f"The account {ACCOUNT} on it stays: the kubeconfig has no context {cluster.name}."
    if connection.server != cluster.server:
        return f"The account {ACCOUNT} on it stays: the context {cluster.name} is of another cluster."
    try:
        async with Client.connect(connection) as client:
            await Authority(client, _SYSTEM).uninstall()
    except PlumblineError as failed:
        return f"The account {ACCOUNT} on it stays: {failed}"
    return ""


async def rotated(where: Where, text: str) -> None:
    """Another token for the account that we come as; the old one ends."""
    async with where.connected() as client:
        store = Store(client, where.namespace)
        cluster = await store.found(text)
        secret = await store.secret(cluster)
        config = secret_data(secret, f"cluster Secret {cluster.secret}")["config"].reveal()
        token = read_config(config, cluster.secret).bearer_token
        connection = cluster.connection or Connection.load(where.kubeconfig, context=where.context)
        async with Client.connect(connection) as there:
            authority = Authority(there, _SYSTEM)
            fresh, old = await authority.renewed(token)
            await store.change(cluster, lambda live: with_token(live, config, fresh))
            await authority.forget(old)
