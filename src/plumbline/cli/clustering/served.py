"""Clusters of a server. What we come to them with goes there and never comes back."""

from collections.abc import Mapping
from typing import Final

from plumbline.base.errors import AlreadyExists, InvalidInput
from plumbline.base.json import JsonObject
from plumbline.cli.clustering.roster import Listed, meant
from plumbline.cli.server.api import Api
from plumbline.delivery.joining.edits import Edit
from plumbline.delivery.joining.reaching import State
from plumbline.delivery.joining.secrets import Described
from plumbline.delivery.settings.clusters import Cluster

_DIFFERENT: Final = "use upsert flag"


class Served:
    def __init__(self, api: Api) -> None:
        self._api = api

    async def listed(self, text: str = "", *, states: bool = True) -> list[Listed]:
        del states  # they come along
        said = await self._api.get("clusters")
        found = {each.cluster.server: each for each in map(_listed, said.get("items") or ())}
        clusters = sorted((each.cluster for each in found.values()), key=lambda each: (not each.local, each.server))
        return [found[each.server] for each in meant(clusters, text)]

    async def add(self, cluster: Described, *, upsert: bool) -> None:
        body: JsonObject = {
            "name": cluster.name,
            "server": cluster.server,
            "config": cluster.config,
            "namespaces": list(cluster.namespaces),
            "clusterResources": cluster.cluster_resources,
            "project": cluster.project,
            "shard": cluster.shard,
            "labels": dict(cluster.labels),
            "annotations": dict(cluster.annotations),
        }
        try:
            await self._api.ask("POST", ("clusters",), body, {"upsert": "true" if upsert else ""})
        except InvalidInput as refused:
            if _DIFFERENT not in refused.why:
                raise
            why, hint = "it is described otherwise", "Use --upsert to replace it."
            raise AlreadyExists(f"{cluster.server} is there already", why=why, hint=hint) from None

    async def change(self, cluster: Cluster, edit: Edit) -> None:
        said: JsonObject = {
            "name": edit.name,
            "namespaces": None if edit.namespaces is None else list(edit.namespaces),
            "labels": _plain(edit.labels),
            "annotations": _plain(edit.annotations),
        }
        changed = {key: value for key, value in said.items() if value is not None}
        await self._api.ask("PUT", ("clusters", cluster.server), changed, {"updatedFields": list(changed)})

    async def remove(self, cluster: Cluster) -> None:
        await self._api.ask("DELETE", ("clusters", cluster.server))

    async def rotate(self, cluster: Cluster) -> None:
        await self._api.ask("POST", ("clusters", cluster.server, "rotate-auth"), {})


def _plain(said: Mapping[str, str] | None) -> dict[str, str] | None:
    return None if said is None else dict(said)


def _listed(said: JsonObject) -> Listed:
    cluster = Cluster(
        name=str(said.get("name") or ""),
        server=str(said.get("server") or ""),
        namespaces=tuple(map(str, said.get("namespaces") or ())),
        cluster_resources=bool(said.get("clusterResources")),
        project=str(said.get("project") or ""),
        shard=said.get("shard"),
        labels=said.get("labels") or {},
        annotations=said.get("annotations") or {},
    )
    info = said.get("info") or {}
    state = info.get("connectionState") or {}
    told = State(
        str(state.get("status") or "Unknown"), str(state.get("message") or ""), str(info.get("serverVersion") or "")
    )
    return Listed(cluster, told)
