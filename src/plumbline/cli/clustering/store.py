"""Clusters of one installation, read and written through the Kubernetes API."""

import asyncio
from typing import Final

from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput
from plumbline.base.json import JsonObject, decode, encode
from plumbline.cli.clustering.roster import Listed, meant
from plumbline.delivery.joining.authority import AS_PERSON, SECRETS
from plumbline.delivery.joining.edits import Edit, edited
from plumbline.delivery.joining.reaching import State, reached, way_from
from plumbline.delivery.joining.rotating import rotate
from plumbline.delivery.joining.secrets import Described, secret_of, secret_of_this
from plumbline.delivery.settings.clusters import THIS, TYPE_LABEL, Cluster, read_cluster
from plumbline.kube.client import Client, Selection, Target

_WITHIN_S: Final = 5.0
_ROTATED_WITHIN_S: Final = 60.0
_ATTEMPTS: Final = 5


class Store:
    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    async def listed(self, text: str = "", *, states: bool = True) -> list[Listed]:
        """This one first, whether or not a Secret describes it."""
        found = meant(await self._clusters(), text)
        if not states:
            return [Listed(each, State()) for each in found]
        way = way_from(self._client, _WITHIN_S)
        asked = await asyncio.gather(*(reached(each, way) for each in found))
        return [Listed(*pair) for pair in zip(found, asked, strict=True)]

    async def add(self, cluster: Described, *, upsert: bool) -> None:
        secret = secret_of(cluster, self._namespace)
        known = next((each for each in await self._clusters() if each.secret and each.server == cluster.server), None)
        if known is not None:
            secret["metadata"]["name"] = known.secret
        target = self._target(str(secret["metadata"]["name"]))
        try:
            await self._client.create(target.collection, encode(secret), AS_PERSON)
        except AlreadyExists as there:
            live = decode(await self._client.get(target))
            if live.get("data") == secret["data"]:
                return
            if not upsert:
                raise AlreadyExists(
                    f"{cluster.server} is there already",
                    why="it is described otherwise",
                    hint="Use --upsert to replace it.",
                ) from there
            metadata = {**live["metadata"], "labels": secret["metadata"]["labels"], "annotations": secret["metadata"]["annotations"]}  # fmt: skip
            await self._client.update(target, encode({**live, "metadata": metadata, "data": secret["data"]}), AS_PERSON)

    async def change(self, cluster: Cluster, edit: Edit) -> None:
        if not cluster.secret:  # only the one at hand can do without
            first = edited(secret_of_this(self._namespace), edit)
            await self._client.create(self._target("").collection, encode(first), AS_PERSON)
            return
        for _ in range(_ATTEMPTS):
            secret = await self._secret(cluster)
            try:
                await self._client.update(self._target(cluster.secret), encode(edited(secret, edit)), AS_PERSON)
            except Conflict:
                continue
            return
        raise Conflict(f"{cluster.name} is not changed", why="somebody else keeps writing it")

    async def remove(self, cluster: Cluster) -> None:
        await self._secret(cluster)
        await self._client.delete(self._target(cluster.secret))

    async def rotate(self, cluster: Cluster) -> None:
        secret = await self._secret(cluster)
        async with way_from(self._client, _ROTATED_WITHIN_S)(cluster) as there:
            await rotate(there, secret, lambda edit: self.change(cluster, edit))

    async def _secret(self, cluster: Cluster) -> JsonObject:
        if not cluster.secret:
            why = "it is the one that the installation runs on, and no Secret describes it"
            raise InvalidInput(f"{cluster.name} cannot be changed", why=why)
        found: JsonObject = decode(await self._client.get(self._target(cluster.secret)))
        return found

    def _target(self, name: str) -> Target:
        return Target(SECRETS, self._namespace, name)

    async def _clusters(self) -> list[Cluster]:
        page = await self._client.list(Target(SECRETS, self._namespace), Selection(labels=f"{TYPE_LABEL}=cluster"))
        found = [read_cluster(decode(bytes(item))) for item in page.items]
        here = [each for each in found if each.local] or [THIS]
        return [*here, *sorted((each for each in found if not each.local), key=lambda each: each.server)]
