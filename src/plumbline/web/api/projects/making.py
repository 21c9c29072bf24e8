"""Projects made, changed and deleted. What would break applications, or give away what somebody does not have, is refused."""

from typing import Final

from plumbline.base.errors import AlreadyExists, Conflict, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.delivery.projects.permits import permits_destination, permits_source
from plumbline.delivery.projects.project import Project
from plumbline.kinds.appproject import APP_PROJECT, ApplicationDestination
from plumbline.kinds.read import read
from plumbline.kube.client import Target
from plumbline.kube.names import Ref
from plumbline.web.api.answers import Captured, answered, object_of
from plumbline.web.api.desk import Desk
from plumbline.web.api.projects.shapes import checked, said, with_tokens
from plumbline.web.api.rights import CLUSTERS, PROJECTS, REPOSITORIES, Asker
from plumbline.web.api.telling import CREATED, DELETED, UPDATED, Deed
from plumbline.web.api.writing import Errand
from plumbline.web.board import Row
from plumbline.web.requests import Request, Response

_DEFAULT: Final = "default"
_LISTS: Final = (
    "cluster_resource_whitelist",
    "cluster_resource_blacklist",
    "namespace_resource_whitelist",
    "namespace_resource_blacklist",
)

_DEEDS: Final = {
    "Create": Deed(CREATED, "created project"),
    "Change": Deed(UPDATED, "updated project"),
    "Delete": Deed(DELETED, "deleted project"),
}


class Making:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def create(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        body = await object_of(request)
        project = said(body, self._desk.namespace)
        name = project["metadata"]["name"]
        self._desk.rights.demand(asker, PROJECTS, "create", name)
        checked(project)
        project["metadata"].pop("resourceVersion", None)
        try:
            raw = await self._desk.pen.create(self._target(name), project, self._errand(asker, name, "Create"))
        except AlreadyExists:
            return await self._brought(asker, project, upsert=bool(body.get("upsert")))
        return answered({"status": {}, **decode(raw)})

    async def _brought(self, asker: Asker, project: JsonObject, *, upsert: bool) -> Response:
        name = project["metadata"]["name"]
        live = decode(await self._desk.client.get(self._target(name)))
        if live.get("spec") == project["spec"]:
            return answered(live)
        if not upsert:
            raise InvalidInput("existing project spec is different; use upsert flag to force update")
        self._desk.rights.demand(asker, PROJECTS, "update", name)
        await self._check_change(asker, live, project)
        changed = {**live, "spec": project["spec"]}
        return answered(decode(await self._updated(asker, name, changed)))

    async def update(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        name = captured["name"]
        self._desk.rights.demand(asker, PROJECTS, "update", name)
        project = said(await object_of(request), self._desk.namespace, name)
        live = await self._present(name)
        await self._check_change(asker, live, project)
        metadata = {**live["metadata"], **project["metadata"]}
        # Tokens are made and removed by other requests, with checks of their own.
        whole = with_tokens({**project, "metadata": metadata, "status": live.get("status") or {}})
        return answered(decode(await self._updated(asker, name, whole)))

    async def delete(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        name = captured["name"]
        if name == _DEFAULT:
            raise InvalidInput(f"name '{name}' is reserved and cannot be deleted")
        self._desk.rights.demand(asker, PROJECTS, "delete", name)
        live = await self._present(name)
        used = [row for row in await self._desk.board.rows() if row.project == name]
        if used:
            raise InvalidInput(f"project is referenced by {len(used)} applications")
        await self._desk.pen.delete(self._target(name), live["metadata"]["uid"], self._errand(asker, name, "Delete"))
        return answered({})

    async def _check_change(self, asker: Asker, live: JsonObject, project: JsonObject) -> None:
        """Whoever lets a project use a cluster or a repository has to have rights on that."""
        before, after = Project.of(read(APP_PROJECT, live)), checked(project)
        rights = self._desk.rights
        servers = {each.server for each in after.spec.destinations if each.server}
        if all(getattr(before.spec, name) == getattr(after.spec, name) for name in _LISTS):
            servers -= {each.server for each in before.spec.destinations}
        for server in sorted(servers):
            rights.demand(asker, CLUSTERS, "update", server)
        for url in sorted(set(after.spec.source_repos) - set(before.spec.source_repos)):
            rights.demand(asker, REPOSITORIES, "update", url)
        rows = [row for row in await self._desk.board.rows() if row.project == after.name]
        sources = sum(self._loses_source(row, before, after) for row in rows)
        destinations = sum(self._loses_destination(row, before, after) for row in rows)
        lost = [f"{count} applications {what} became invalid" for count, what in ((sources, "source"), (destinations, "destination")) if count]  # fmt: skip
        if lost:
            raise InvalidInput(f"as a result of project update {' and '.join(lost)}")

    def _loses_source(self, row: Row, before: Project, after: Project) -> bool:
        return any(
            permits_source(before, source.repo) and not permits_source(after, source.repo) for source in row.sources
        )

    def _loses_destination(self, row: Row, before: Project, after: Project) -> bool:
        clusters = self._desk.installation.clusters
        try:
            cluster = clusters.resolve(ApplicationDestination(server=row.server, namespace=row.into, name=row.cluster))
        except (InvalidInput, NotFound):
            return False
        return permits_destination(before, cluster, row.into, clusters.scoped) and not permits_destination(
            after, cluster, row.into, clusters.scoped
        )

    async def _present(self, name: str) -> JsonObject:
        try:
            found: JsonObject = decode(await self._desk.client.get(self._target(name)))
        except NotFound:
            raise NotFound(f'appprojects.argoproj.io "{name}" not found') from None
        return found

    async def _updated(self, asker: Asker, name: str, project: JsonObject) -> bytes:
        try:
            return await self._desk.pen.update(self._target(name), project, self._errand(asker, name, "Change"))
        except Conflict:
            raise Conflict(f"the project {name} is not changed", why="somebody else wrote it first") from None

    def _target(self, name: str) -> Target:
        return Target(APP_PROJECT.resource, self._desk.namespace, name)

    def _errand(self, asker: Asker, name: str, verb: str) -> Errand:
        ref = Ref(APP_PROJECT.group_kind.group, APP_PROJECT.kind, self._desk.namespace, name)
        return Errand(asker=asker, ref=ref, why=f"{verb} the project {name}", project=name, deed=_DEEDS[verb])
