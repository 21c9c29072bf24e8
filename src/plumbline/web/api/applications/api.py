"""The part of the web port that answers for Applications, and for what else is asked about an installation."""

from collections.abc import Iterable
from typing import Final

from plumbline.web.api.answers import Serve
from plumbline.web.api.applications.checking import Try, untried
from plumbline.web.api.applications.finding import Finder
from plumbline.web.api.applications.linking import Linking
from plumbline.web.api.applications.listing import Listing
from plumbline.web.api.applications.making import Making, Patch
from plumbline.web.api.applications.reading import Reading
from plumbline.web.api.applications.streaming import Streaming
from plumbline.web.api.applications.syncing import Rollback, Sync, Syncing
from plumbline.web.api.applications.windows import Windows
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint, Endpoints
from plumbline.web.api.links import Links
from plumbline.web.operations import Operation, Parameter
from plumbline.web.routes import Route

_PATH: Final = "/api/v1/applications"
_ONE: Final = f"{_PATH}/{{name}}"
_STREAM: Final = "/api/v1/stream/applications"
_NAMESPACE: Final = Parameter("appNamespace", "Where it is; the installation's own namespace where none is said")
_PROJECT: Final = Parameter("project", "Its project: with it, what is not there is 404 and not 403")
_VALIDATE: Final = Parameter("validate", "Whether it has to be rendered first; true where nothing is said", kind=bool)
_CHOICE: Final = (
    Parameter("name"),
    Parameter("projects", many=True),
    Parameter("selector", "Labels, as Kubernetes selects by them"),
    Parameter("repo"),
    Parameter("appNamespace"),
    Parameter("fields", "Only these fields, such as items.metadata.name; all others with `-` before them"),
)
_OURS: Final = (
    Parameter("q", "What to look for: `health:degraded -project:shop label:team=a name-part`"),
    Parameter("sort", "name, namespace, project, cluster, health, sync, created, synced, since; `-` turns one round"),
    Parameter("limit", kind=int),
    Parameter("offset", kind=int),
    Parameter("counts", "How many there are of each health, sync, project and cluster", kind=bool),
)


class ApplicationsApi:
    """A part of the web port. *more* are endpoints of other families, which share paths with these."""

    def __init__(self, desk: Desk, links: Links, more: Iterable[Endpoint] = (), tries: Try = untried) -> None:
        """*tries* says of an application that is not written yet whether anything comes of it."""
        self._desk = desk
        finder = Finder(desk)
        making, syncing = Making(desk, finder, tries), Syncing(desk, finder)
        own = (
            _said("GET", _PATH, Listing(desk).serve, "Applications that you may see", *_CHOICE, *_OURS),
            _said("POST", _PATH, making.create, "Create one", Parameter("upsert", kind=bool), _VALIDATE, takes=dict),
            _one("GET", "", Reading(desk, finder).get, "One application", Parameter("refresh", "normal or hard")),
            _one("PUT", "", making.update, "Replace what people say about it", _VALIDATE, takes=dict),
            _one("PATCH", "", making.patch, "Change it by a patch", takes=Patch),
            _one(
                "DELETE",
                "",
                making.delete,
                "Delete it",
                Parameter("cascade", kind=bool),
                Parameter("propagationPolicy", "foreground or background"),
            ),
            _one("PUT", "/spec", making.update_spec, "Replace its spec", _VALIDATE, takes=dict),
            _one("POST", "/sync", syncing.sync, "Begin a sync", takes=Sync),
            _one("POST", "/rollback", syncing.rollback, "Go back to an earlier sync", takes=Rollback),
            _one("DELETE", "/operation", syncing.terminate, "End the operation that is under way"),
            _one("GET", "/syncwindows", Windows(desk, finder).get, "When it may be synced"),
            _one("GET", "/links", Linking(desk, finder, links).get, "Links beside it"),
            _said("GET", _STREAM, Streaming(desk).serve, "Applications as they change", *_CHOICE),
        )
        self.finder = finder
        self.routes: tuple[Route, ...] = Endpoints((*own, *more)).routes

    async def run(self) -> None:
        await self._desk.board.run()


def _said(
    method: str, path: str, serve: Serve, summary: str, *parameters: Parameter, takes: type | None = None
) -> Endpoint:
    said = Operation(method=method, path=path, summary=summary, tag="applications", parameters=parameters, takes=takes)
    return Endpoint(said, serve)


def _one(
    method: str, below: str, serve: Serve, summary: str, *parameters: Parameter, takes: type | None = None
) -> Endpoint:
    return _said(method, _ONE + below, serve, summary, _NAMESPACE, _PROJECT, *parameters, takes=takes)
