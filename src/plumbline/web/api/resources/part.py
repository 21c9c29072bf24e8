"""The endpoints below one Application, put together."""

from collections.abc import Iterator
from typing import Final

from plumbline.web.api.answers import Serve
from plumbline.web.api.endpoints import Endpoint, Endpoints
from plumbline.web.api.resources.actions import Actions
from plumbline.web.api.resources.asking import Reception
from plumbline.web.api.resources.groves import Groves
from plumbline.web.api.resources.history import History
from plumbline.web.api.resources.logs import Logs
from plumbline.web.api.resources.managed import Managed
from plumbline.web.api.resources.news import Nests, TreeFeed
from plumbline.web.api.resources.objects import Objects
from plumbline.web.api.resources.revisions import Revisions
from plumbline.web.api.resources.seams import Parts
from plumbline.web.api.resources.serverside import ServerSide
from plumbline.web.api.resources.trees import Trees
from plumbline.web.operations import Operation, Parameter
from plumbline.web.routes import Route

_BASE: Final = "/api/v1/applications/{name}"
_TAG: Final = "applications"
_WHERE: Final = (
    Parameter("appNamespace", "Where the Application is, if not with the installation"),
    Parameter("project", "The project that it is in: with it, 404 is told from 403"),
)
_OBJECT: Final = (
    Parameter("group"),
    Parameter("kind", required=True),
    Parameter("version"),
    Parameter("namespace"),
    Parameter("resourceName", required=True),
)
_FILTER: Final = tuple(Parameter(name) for name in ("group", "kind", "namespace", "name"))
_REVISION: Final = (
    Parameter("revision", "Instead of the one in the spec"),
    Parameter("revisions", "One for each of sourcePositions", many=True),
    Parameter("sourcePositions", "Counted from 1", kind=int, many=True),
    Parameter("noCache", "Ask the repository now", kind=bool),
)
_JUDGED: Final = Parameter("serverSideDiff", "Ask the cluster by dry runs; else as the application says", kind=bool)
_COMMITTED: Final = Parameter("fromGit", "Also where it was last synced to manifests at hand", kind=bool)
_AT: Final = Parameter("path", "Where the manifests are in it; as the application says, if not given")
_LOGS: Final = (
    Parameter("container"),
    Parameter("follow", kind=bool),
    Parameter("previous", kind=bool),
    Parameter("tailLines", kind=int),
    Parameter("sinceSeconds", kind=int),
    Parameter("sinceTime"),
    Parameter("untilTime"),
    Parameter("filter", "Only lines with this text; with ! in front, those without"),
    Parameter("matchCase", kind=bool),
    *(Parameter(name) for name in ("group", "kind", "namespace", "resourceName")),
)


class ResourcesApi:
    """`endpoints` is for whoever puts several families together; `routes` is these alone."""

    def __init__(self, parts: Parts) -> None:
        reception = Reception(parts)
        self._groves = Groves(parts)
        self._nests = Nests()
        self.feed = TreeFeed(parts.desk, parts.destinations, self._groves, self._nests)
        self._trees = Trees(reception, self._groves)
        self._managed = Managed(reception)
        self._objects = Objects(reception)
        self._actions = Actions(reception, self._objects)
        self._serverside = ServerSide(reception, self._objects)
        self._logs = Logs(reception, self._groves)
        self._revisions = Revisions(reception)
        self._history = History(reception)
        self.endpoints: tuple[Endpoint, ...] = (*self._reads(), *self._about_objects(), *self._ours())

    @property
    def routes(self) -> tuple[Route, ...]:
        return Endpoints(self.endpoints).routes

    async def run(self) -> None:
        await self._nests.run()

    def _reads(self) -> Iterator[Endpoint]:
        behind = Parameter("infrastructure", "With what is behind claims, Terraform and sealed secrets", kind=bool)
        yield _get("resource-tree", "Its objects, and those that these own", self._trees.tree, (behind,))
        yield _get(
            "managed-resources",
            "What Git asks for beside what is there",
            self._managed.resources,
            (*_FILTER, *_REVISION, _JUDGED, _COMMITTED),
        )
        yield _get("manifests", "What Git asks for", self._managed.manifests, (*_REVISION, _COMMITTED))
        events = tuple(Parameter(name) for name in ("resourceName", "resourceNamespace", "resourceUID"))
        yield _get("events", "What happened to it, or to one of its objects", self._trees.events, events)
        yield _get("logs", "What its pods print, merged", self._logs.streamed, _LOGS)
        yield _get("pods/{podName}/logs", "What one of its pods prints", self._logs.streamed, _LOGS)
        of = (Parameter("sourceIndex", kind=int), Parameter("versionId", kind=int))
        yield _get("revisions/{revision}/metadata", "What a commit is", self._revisions.metadata, of)
        yield _get("revisions/{revision}/chartdetails", "What a chart is", self._revisions.chart, of)
        sent = (Parameter("targetManifests", "JSON, one each", many=True),)
        yield _get("server-side-diff", "How the server would merge manifests", self._serverside.diff, sent)
        yield _post("server-side-diff", "The same, for manifests that no query holds", self._serverside.diff)

    def _about_objects(self) -> Iterator[Endpoint]:
        yield _get("resource", "One of its objects as it is", self._objects.shown, _OBJECT)
        patch = (*_OBJECT, Parameter("patchType", required=True))
        yield _post("resource", "Patch one of its objects; the body is the patch as text", self._objects.patched, patch)
        ways = (*_OBJECT, Parameter("force", kind=bool), Parameter("orphan", kind=bool))
        yield _endpoint("DELETE", "resource", "Delete one of its objects", self._objects.deleted, ways)
        yield _get("resource/links", "Links beside an object", self._objects.linked, _OBJECT)
        yield _get("resource/actions", "What can be done with an object", self._actions.listed, _OBJECT)
        yield _post("resource/actions", "Do it; the body is its name", self._actions.run, _OBJECT)
        yield _post("resource/actions/v2", "Do it, with parameters", self._actions.run_with_parameters)

    def _ours(self) -> Iterator[Endpoint]:
        everything = Parameter("all", "Also objects that do not differ", kind=bool)
        differing = (*_FILTER, *_REVISION, _JUDGED, everything)
        yield _get(
            "diff", "How its objects differ, line by line, and whose each line is", self._managed.diff, differing
        )
        sent = "A packed folder (tar, gzip) instead of Git: "
        yield _post(
            "managed-resources", f"{sent}beside what is there", self._managed.resources, (_AT, *_FILTER, _JUDGED)
        )
        yield _post("manifests", f"{sent}what it asks for", self._managed.manifests, (_AT,))
        yield _post(
            "local-manifests", f"{sent}what it asks for, to be handed over for a sync", self._managed.local, (_AT,)
        )
        asked = (*_REVISION, _JUDGED, Parameter("prune", kind=bool), Parameter("syncOptions", many=True))
        yield _get("plan", "What a sync would do, by waves", self._managed.plan, asked)
        shown = (Parameter("limit", kind=int), Parameter("images", "Render each to tell its images", kind=bool))
        yield _get("history", "What it was synced to, by whom, and how that ended", self._history.listed, shown)


def _endpoint(method: str, tail: str, summary: str, serve: Serve, parameters: tuple[Parameter, ...] = ()) -> Endpoint:
    said = Operation(
        method=method, path=f"{_BASE}/{tail}", summary=summary, tag=_TAG, parameters=(*parameters, *_WHERE)
    )
    return Endpoint(said, serve)


def _get(tail: str, summary: str, serve: Serve, parameters: tuple[Parameter, ...] = ()) -> Endpoint:
    return _endpoint("GET", tail, summary, serve, parameters)


def _post(tail: str, summary: str, serve: Serve, parameters: tuple[Parameter, ...] = ()) -> Endpoint:
    return _endpoint("POST", tail, summary, serve, parameters)
