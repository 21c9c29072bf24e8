"""`/api/v1/clusters`: where applications may be deployed to. How one gets there is never told.

What is told of a cluster is a list of fields, here; what its Secret holds besides stays there.
"""

from collections.abc import Iterable
from urllib.parse import unquote_plus

from plumbline.access.policy.requests import scoped_name
from plumbline.base.json import JsonObject
from plumbline.delivery.settings.clusters import Cluster
from plumbline.web.api.answers import Captured, answered, denied
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint
from plumbline.web.api.parameters import text
from plumbline.web.api.rights import CLUSTERS
from plumbline.web.operations import Operation, Parameter
from plumbline.web.requests import Request, Response

_PATH = "/api/v1/clusters"
_ID_TYPE = Parameter("id.type", "What the path names it by: `name`, `name_escaped`, or its address")


class Clusters:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        listed = Operation(
            method="GET",
            path=_PATH,
            summary="Clusters that you may see",
            parameters=(Parameter("name"), Parameter("server"), Parameter("id.value"), _ID_TYPE),
        )
        one = Operation(method="GET", path=f"{_PATH}/{{id}}", summary="One cluster", parameters=(_ID_TYPE,))
        self.endpoints = (Endpoint(listed, self._list), Endpoint(one, self._get))

    async def _list(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        name, server = text(request, "name"), text(request, "server")
        found: Iterable[Cluster] = self._desk.installation.clusters.all()
        if text(request, "id.value"):
            found = _identified(found, text(request, "id.value"), text(request, "id.type"))
        sees = self._desk.rights.sees(asker, CLUSTERS)
        items = [
            self._shaped(each)
            for each in found
            if (not name or each.name == name) and (not server or each.server == server) and sees(_called(each))
        ]
        return answered({"metadata": {}, "items": items})

    async def _get(self, request: Request, captured: Captured) -> Response:
        """One that is not there and one that somebody may not see are the same to them."""
        asker = await self._desk.rights.asker(request)
        server, name = text(request, "server"), text(request, "name")
        found = _identified(self._desk.installation.clusters.all(), captured["id"], text(request, "id.type"))
        for each in found:
            fits = (not server or each.server == server) and (not name or each.name == name)
            if fits and self._desk.rights.may(asker, CLUSTERS, "get", _called(each)):
                return answered(self._shaped(each))
        raise denied()

    def _shaped(self, cluster: Cluster) -> JsonObject:
        applications = self._desk.board.count(lambda row: cluster.server in (row.server, self._server(row.cluster)))
        state: JsonObject = {
            "status": "Failed" if cluster.refusal else "Unknown",
            "message": cluster.refusal,
            "attemptedAt": None,
        }
        return {
            **linked(cluster),
            "config": {"tlsClientConfig": {"insecure": False}},
            "connectionState": state,
            "clusterResources": cluster.cluster_resources,
            "info": {"connectionState": state, "cacheInfo": {}, "applicationsCount": applications},
        }

    def _server(self, name: str) -> str:
        named = self._desk.installation.clusters.by_name.get(name, ())
        return named[0].server if len(named) == 1 else ""


def linked(cluster: Cluster) -> JsonObject:
    """What templates of links, and everybody else, may see of it."""
    said: JsonObject = {
        "namespaces": list(cluster.namespaces),
        "shard": cluster.shard,
        "project": cluster.project,
        "labels": dict(cluster.labels),
        "annotations": dict(cluster.annotations),
    }
    return {"server": cluster.server, "name": cluster.name, **{key: value for key, value in said.items() if value}}


def _called(cluster: Cluster) -> str:
    return scoped_name(cluster.project, cluster.server)


def _identified(clusters: Iterable[Cluster], value: str, type_: str) -> list[Cluster]:
    match type_:
        case "name":
            return [each for each in clusters if each.name == value]
        case "name_escaped":
            return [each for each in clusters if each.name == unquote_plus(value)]
        case _:
            return [each for each in clusters if each.server == value.rstrip("/")]
