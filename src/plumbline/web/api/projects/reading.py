"""Projects as they are, with what is registered for them."""

from collections.abc import Iterable
from typing import Final

from plumbline.base.errors import NotFound
from plumbline.base.json import Json, JsonObject, decode
from plumbline.delivery.projects.project import global_projects_of
from plumbline.delivery.projects.windows import is_open
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.values import written
from plumbline.kube.client import Selection, Target
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.applications.shapes import narrowed
from plumbline.web.api.clusters import linked
from plumbline.web.api.desk import EVENTS, Desk
from plumbline.web.api.links import Links
from plumbline.web.api.parameters import text
from plumbline.web.api.projects.shapes import with_tokens
from plumbline.web.api.repositories.shapes import repository_shape
from plumbline.web.api.rights import PROJECTS
from plumbline.web.requests import Request, Response

_EVENT_FIELDS: Final = ("metadata", "involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp", "count", "type", "eventTime", "reportingComponent", "reportingInstance")  # fmt: skip


class Reading:
    def __init__(self, desk: Desk, links: Links) -> None:
        self._desk = desk
        self._links = links

    async def list(self, request: Request, _: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        sees = self._desk.rights.sees(asker, PROJECTS)
        objects = self._desk.installation.project_objects
        newest = max((int(each["metadata"]["resourceVersion"]) for each in objects.values()), default=0)
        items = [{"status": {}, **objects[name]} for name in sorted(objects) if sees(name)]
        found: Json = {"metadata": {"resourceVersion": str(newest)}, "items": items}
        fields = text(request, "fields")
        return answered(narrowed(found, fields) if fields else found)

    async def get(self, request: Request, captured: Captured) -> Response:
        return answered(with_tokens(await self._allowed(request, captured)))

    async def detailed(self, request: Request, captured: Captured) -> Response:
        """With the repositories and clusters that are for it alone: their addresses, and nothing that opens them."""
        project = await self._allowed(request, captured)
        installation, name = self._desk.installation, captured["name"]
        repositories = [
            repository_shape(each) for each in installation.repositories.entries if _of(each.project, each.kind, name)
        ]
        told: JsonObject = {
            "globalProjects": self._globals(name),
            "project": with_tokens(project),
            "repositories": repositories,
            "clusters": [linked(each) for each in installation.clusters.scoped(name)],
        }
        return answered({part: value for part, value in told.items() if value})

    async def globals(self, request: Request, captured: Captured) -> Response:
        await self._allowed(request, captured)
        return answered({"items": self._globals(captured["name"])})

    async def windows(self, request: Request, captured: Captured) -> Response:
        await self._allowed(request, captured)
        project = self._desk.installation.projects.get(captured["name"])
        now = self._desk.clock.now()
        windows = project.spec.sync_windows if project is not None else ()
        return answered({"windows": [written(each) for each in windows if is_open(each, now, now)]})

    async def links(self, request: Request, captured: Captured) -> Response:
        project = await self._allowed(request, captured)
        known = {part: value for part, value in project.items() if part != "status"}
        return answered(self._links.of(self._desk.installation.settings.display.links.project, {"project": known}))

    async def events(self, request: Request, captured: Captured) -> Response:
        project = await self._allowed(request, captured)
        metadata = project["metadata"]
        about = {"name": metadata["name"], "uid": metadata["uid"], "namespace": metadata["namespace"]}
        selected = ",".join(f"involvedObject.{key}={value}" for key, value in about.items())
        page = await self._desk.client.list(Target(EVENTS, self._desk.namespace), Selection(fields=selected))
        items = [_event(decode(raw)) for raw in page.items]
        return answered({"metadata": {"resourceVersion": page.resource_version}, "items": items})

    async def _allowed(self, request: Request, captured: Captured) -> JsonObject:
        asker = await self._desk.rights.asker(request)
        self._desk.rights.demand(asker, PROJECTS, "get", captured["name"])
        try:
            raw = await self._desk.client.get(Target(APP_PROJECT.resource, self._desk.namespace, captured["name"]))
        except NotFound:
            raise NotFound(f'appprojects.argoproj.io "{captured["name"]}" not found') from None
        found: JsonObject = decode(raw)
        return found

    def _globals(self, name: str) -> Iterable[JsonObject]:
        installation = self._desk.installation
        project = installation.projects.get(name)
        if project is None:
            return []
        rules = installation.settings.global_projects
        chosen = global_projects_of(project, rules, installation.projects)
        return [installation.project_objects[each.name] for each in chosen]


def _of(project: str, kind: str, name: str) -> bool:
    return project == name and kind == "repository"


def _event(event: JsonObject) -> JsonObject:
    return {part: event[part] for part in _EVENT_FIELDS if event.get(part) is not None}
