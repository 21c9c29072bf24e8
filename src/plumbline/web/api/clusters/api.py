"""The endpoints of clusters. What is told of one is a list of fields; what its Secret holds besides stays there."""

from collections.abc import Iterable
from typing import Final
from urllib.parse import unquote_plus

from plumbline.access.policy.requests import scoped_name
from plumbline.base.clock import rfc3339
from plumbline.base.errors import AlreadyExists, Forbidden, InvalidInput, Transient
from plumbline.base.json import JsonObject, decode
from plumbline.delivery.joining.edits import Edit, edited, looked_at_anew
from plumbline.delivery.joining.reaching import Way
from plumbline.delivery.joining.rotating import rotate
from plumbline.delivery.joining.secrets import TOLD, Described, secret_of, secret_of_this
from plumbline.delivery.settings.clusters import Cluster
from plumbline.kube.client import Target
from plumbline.kube.names import Ref
from plumbline.web.api.answers import Captured, Serve, answered, asked, denied
from plumbline.web.api.clusters.shapes import Said, linked
from plumbline.web.api.clusters.states import Looked, States
from plumbline.web.api.desk import SECRETS, Desk
from plumbline.web.api.endpoints import Endpoint
from plumbline.web.api.parameters import switch, text, texts
from plumbline.web.api.rights import CLUSTERS, Asker
from plumbline.web.api.writing import Errand
from plumbline.web.operations import Operation, Parameter
from plumbline.web.requests import Request, Response

_PATH: Final = "/api/v1/clusters"
_ID_TYPE: Final = Parameter("id.type", "What the path names it by: `name`, `name_escaped`, or its address")


class Clusters:
    """*way* leads to each; without it nobody knows whether they can be reached."""

    def __init__(self, desk: Desk, way: Way | None = None) -> None:
        self._desk = desk
        self._way = way
        self._states = States(way, desk.clock)
        one, upsert = f"{_PATH}/{{id}}", Parameter("upsert", kind=bool)
        fields = Parameter("updatedFields", "Only these; all of them if none are named", many=True)
        narrowed = (Parameter("name"), Parameter("server"), Parameter("id.value"), _ID_TYPE)
        self.endpoints = (
            _said("GET", _PATH, self._list, "Clusters that you may see", *narrowed),
            _said("POST", _PATH, self._create, "Register one", upsert, takes=Said),
            _said("GET", one, self._get, "One cluster", _ID_TYPE),
            _said("PUT", one, self._update, "Change one", _ID_TYPE, fields, takes=Said),
            _said("DELETE", one, self._delete, "Forget one", _ID_TYPE),
            _said("POST", f"{one}/invalidate-cache", self._invalidate, "Read all of it anew", _ID_TYPE),
            _said("POST", f"{one}/rotate-auth", self._rotate, "Renew the token that we come with", _ID_TYPE),
        )

    async def _list(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        name, server = text(request, "name"), text(request, "server")
        found: Iterable[Cluster] = self._desk.installation.clusters.all()
        if text(request, "id.value"):
            found = _identified(found, text(request, "id.value"), text(request, "id.type"))
        sees = self._desk.rights.sees(asker, CLUSTERS)
        seen = [
            each
            for each in found
            if (not name or each.name == name) and (not server or each.server == server) and sees(_called(each))
        ]
        states = await self._states.of(seen)
        items = [self._shaped(each, looked) for each, looked in zip(seen, states, strict=True)]
        return answered({"metadata": {}, "items": items})

    async def _get(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        return await self._told(self._one(asker, request, captured, "get"))

    async def _create(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        wanted = (await asked(request, Said)).described
        self._desk.rights.demand(asker, CLUSTERS, "create", scoped_name(wanted.project, wanted.server))
        self._check_free(asker, wanted.project, wanted.server, wanted.name)
        secret = self._placed(secret_of(wanted, self._desk.namespace), wanted)
        await self._states.check(self._desk.installation.cluster(secret))
        await self._put(asker, secret, wanted, upsert=switch(request, "upsert", default=False))
        return await self._told(self._desk.installation.cluster(secret))

    async def _update(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        known = self._one(asker, request, captured, "update")
        said = await asked(request, Said)
        edit = said.edit(texts(request, "updatedFields"))
        if edit.project is not None and edit.project != known.project:
            self._desk.rights.demand(asker, CLUSTERS, "create", scoped_name(edit.project, known.server))
        if edit.name and edit.name != known.name:
            self._check_free(asker, known.project, "", edit.name)
        changed = edited(await self._described(known), edit)
        if edit.config is not None:
            await self._states.check(self._desk.installation.cluster(changed))
        await self._written(asker, changed, f"Change {known.server}")
        return await self._told(self._desk.installation.cluster(changed))

    async def _delete(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        known = self._one(asker, request, captured, "delete")
        live = await self._secret(known)
        errand = self._errand(asker, known.secret, f"Forget {known.server}")
        await self._desk.pen.delete(self._target(known.secret), live["metadata"]["uid"], errand)
        return answered({})

    async def _invalidate(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        known = self._one(asker, request, captured, "update")
        changed = looked_at_anew(await self._described(known), rfc3339(self._desk.clock.now()))
        await self._written(asker, changed, f"Read {known.server} anew")
        return await self._told(self._desk.installation.cluster(changed))

    async def _rotate(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        known = self._one(asker, request, captured, "update")
        secret = await self._secret(known)
        if self._way is None:
            raise Transient("the token is not renewed", why="this replica reaches no other cluster")

        async def write(edit: Edit) -> None:
            await self._written(asker, edited(secret, edit), f"Renew the token for {known.server}")

        async with self._way(known) as there:
            await rotate(there, secret, write)
        return answered({})

    def _one(self, asker: Asker, request: Request, captured: Captured, action: str) -> Cluster:
        """One that is not there and one that somebody may not see are the same to them."""
        server, name = text(request, "server"), text(request, "name")
        for each in _identified(self._desk.installation.clusters.all(), captured["id"], text(request, "id.type")):
            fits = (not server or each.server == server) and (not name or each.name == name)
            if fits and self._desk.rights.may(asker, CLUSTERS, action, _called(each)):
                return each
        raise denied()

    def _check_free(self, asker: Asker, project: str, server: str, name: str) -> None:
        """Raise where *project* would get what others have: a cluster is in its destinations, and a name means one cluster."""
        others = (each for each in self._desk.installation.clusters.all() if each.project != project)
        taken = (each for each in others if each.server == server or each.name == name)
        if project and not all(self._desk.rights.may(asker, CLUSTERS, "update", _called(each)) for each in taken):
            raise Forbidden(
                f"permission denied: {CLUSTERS}, create, {scoped_name(project, server or name)}, sub: {asker.name}",
                why="its address or its name is that of a cluster that is there for others",
                hint="Choose another name, or ask whoever looks after that cluster.",
            )

    async def _secret(self, known: Cluster) -> JsonObject:
        if not known.secret:
            why = "it is the one that the installation runs on, and no Secret describes it"
            raise InvalidInput(f"{known.name} cannot be changed", why=why)
        found: JsonObject = decode(await self._desk.client.get(self._target(known.secret)))
        return found

    async def _described(self, known: Cluster) -> JsonObject:
        """Its Secret, or the first one of the cluster at hand."""
        return await self._secret(known) if known.secret else secret_of_this(self._desk.namespace)

    def _placed(self, secret: JsonObject, wanted: Described) -> JsonObject:
        """Under the name of the Secret that has the same address, whoever named it."""
        known = self._desk.installation.clusters.by_server.get(wanted.server)
        if known is None or not known.secret:
            return secret
        return {**secret, "metadata": {**secret["metadata"], "name": known.secret}}

    async def _put(self, asker: Asker, secret: JsonObject, wanted: Described, *, upsert: bool) -> None:
        """Write it. One that is there with other values is replaced only with *upsert*, by who may change it."""
        target = self._target(secret["metadata"]["name"])
        try:
            await self._desk.pen.create(target, secret, self._errand(asker, target.name, f"Register {wanted.server}"))
        except AlreadyExists:
            live = decode(await self._desk.client.get(target))
            if live.get("data") == secret["data"]:
                return
            if not upsert:
                raise InvalidInput("existing cluster spec is different; use upsert flag to force update") from None
            self._desk.rights.demand(asker, CLUSTERS, "update", _called(self._desk.installation.cluster(live)))
            metadata = {**live["metadata"], **{part: secret["metadata"][part] for part in ("labels", "annotations")}}
            await self._written(asker, {**live, "metadata": metadata, "data": secret["data"]}, f"Change {wanted.server}")  # fmt: skip

    async def _written(self, asker: Asker, secret: JsonObject, why: str) -> None:
        name = secret["metadata"]["name"]
        errand = self._errand(asker, name, why)
        if "uid" in secret["metadata"]:
            await self._desk.pen.update(self._target(name), secret, errand)
        else:
            await self._desk.pen.create(self._target(name), secret, errand)

    def _target(self, name: str) -> Target:
        return Target(SECRETS, self._desk.namespace, name)

    def _errand(self, asker: Asker, name: str, why: str) -> Errand:
        return Errand(asker=asker, ref=Ref("", "Secret", self._desk.namespace, name), why=why)

    async def _told(self, cluster: Cluster) -> Response:
        (looked,) = await self._states.of((cluster,))
        return answered(self._shaped(cluster, looked))

    def _shaped(self, cluster: Cluster, looked: Looked) -> JsonObject:
        applications = self._desk.board.count(lambda row: cluster.server in (row.server, self._server(row.cluster)))
        state, version = looked.as_json(), looked.state.version
        told = {"connectionState": state, "cacheInfo": {}, "applicationsCount": applications}
        return {
            **linked(cluster),
            "config": TOLD,
            "connectionState": state,
            "clusterResources": cluster.cluster_resources,
            **({"serverVersion": version} if version else {}),
            "info": {**told, **({"serverVersion": version} if version else {})},
        }

    def _server(self, name: str) -> str:
        named = self._desk.installation.clusters.by_name.get(name, ())
        return named[0].server if len(named) == 1 else ""


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


def _said(
    method: str, path: str, serve: Serve, summary: str, *parameters: Parameter, takes: type | None = None
) -> Endpoint:
    said = Operation(method=method, path=path, summary=summary, tag="clusters", parameters=parameters, takes=takes)
    return Endpoint(said, serve)
