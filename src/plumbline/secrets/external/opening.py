"""Stores of the cluster, opened with what this installation speaks."""

from plumbline.secrets.external.known import KnownStore, Opener
from plumbline.secrets.stores.cluster import Standing
from plumbline.secrets.stores.opening import Stores
from plumbline.secrets.stores.store import Store


def opener(stores: Stores) -> Opener:
    async def opened(store: KnownStore, namespace: str, /) -> Store:
        standing = Standing(store.kind, store.name, store.namespace or namespace)
        return await stores.opened(store.spec, standing, named=store.provider)

    return opened
