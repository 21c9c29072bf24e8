"""Clusters of one installation, read and written through the Kubernetes API."""

import asyncio
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput, NotFound, PlumblineError
from plumbline.base.json import JsonObject, decode, encode
from plumbline.cli.clustering.secrets import Described, secret_of
from plumbline.delivery.settings.clusters import IN_CLUSTER_SERVER, THIS, TYPE_LABEL, Cluster, read_cluster
from plumbline.kube.client import Client, Request, Selection, Target, Writing
from plumbline.kube.names import GroupVersionResource

SECRETS: Final = GroupVersionResource("", "v1", "secrets")
AS_PERSON: Final = Writing(field_manager="plumb")
_WITHIN_S: Final = 5.0
_ATTEMPTS: Final = 5
_url = re.compile(r"https?://").match


class State(NamedTuple):
    status: str
    message: str = ""
    version: str = ""


class Store:
    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    async def listed(self) -> list[Cluster]:
        """This one first, whether or not a Secret describes it."""
        found = [read_cluster(secret) for secret in await self._secrets()]
        here = [each for each in found if each.local] or [THIS]
        return [*here, *sorted((each for each in found if not each.local), key=lambda each: each.server)]

    async def found(self, text: str) -> Cluster:
        """By address or by name. Raises NotFound, InvalidInput where several have the name."""
        fitting = [each for each in await self.listed() if _meant(each, text)]
        if not fitting:
            raise NotFound(f"there is no cluster {text}", hint="See which there are with: plumb cluster list.")
        if len(fitting) > 1:
            raise InvalidInput(f"{len(fitting)} clusters are called {text}", hint="Name its address.")
        return fitting[0]

    async def state(self, cluster: Cluster) -> State:
        """Whether it can be reached now, as we would."""
        if cluster.refusal:
            return State("Failed", cluster.refusal)
        try:
            if cluster.connection is None:
                return State("Successful", "", await _version(self._client))
            async with Client.connect(cluster.connection) as client:
                return State("Successful", "", await _version(client.within(_WITHIN_S)))
        except PlumblineError as failed:
            return State("Failed", str(failed))

    async def states(self, clusters: list[Cluster]) -> list[State]:
        return list(await asyncio.gather(*map(self.state, clusters)))

    async def add(self, cluster: Described, *, upsert: bool) -> None:
        secret = secret_of(cluster, self._namespace)
        known = next((each for each in await self.listed() if each.secret and each.server == cluster.server), None)
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

    async def change(self, cluster: Cluster, edit: Callable[[JsonObject], JsonObject]) -> None:
        """Have its Secret be what *edit* makes of it."""
        for _ in range(_ATTEMPTS):
            secret = await self.secret(cluster)
            try:
                await self._client.update(self._target(cluster.secret), encode(edit(secret)), AS_PERSON)
            except Conflict:
                continue
            return
        raise Conflict(f"{cluster.name} is not changed", why="somebody else keeps writing it")

    async def secret(self, cluster: Cluster) -> JsonObject:
        if not cluster.secret:
            why = "it is the one that the installation runs on, and no Secret describes it"
            raise InvalidInput(f"{cluster.name} cannot be changed", why=why)
        found: JsonObject = decode(await self._client.get(self._target(cluster.secret)))
        return found

    async def remove(self, cluster: Cluster) -> None:
        await self.secret(cluster)
        await self._client.delete(self._target(cluster.secret))

    def _target(self, name: str) -> Target:
        return Target(SECRETS, self._namespace, name)

    async def _secrets(self) -> list[JsonObject]:
        page = await self._client.list(Target(SECRETS, self._namespace), Selection(labels=f"{TYPE_LABEL}=cluster"))
        return [decode(bytes(item)) for item in page.items]


def _meant(cluster: Cluster, text: str) -> bool:
    return cluster.server == text.rstrip("/") if _url(text) else cluster.name == text


async def _version(client: Client) -> str:
    said = decode((await client.send(Request("GET", "/version"))).body)
    return f"{said.get('major', '')}.{said.get('minor', '')}".strip(".").rstrip("+")


def in_cluster(cluster: Cluster) -> bool:
    return cluster.server == IN_CLUSTER_SERVER
