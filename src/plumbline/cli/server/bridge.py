"""Applications and projects of a server, for code that knows the Kubernetes API.

Each request of it becomes one of the server's own, so that what people may do is decided there, and noted there under their name.

What a server has no words for is refused, and not asked of whichever cluster the kubeconfig names.
"""

import base64
import re
from collections.abc import AsyncIterator
from typing import Final, NamedTuple
from urllib.parse import parse_qs, unquote

from plumbline.base.errors import Forbidden, NotFound, PlumblineError, Refused
from plumbline.base.json import Json, JsonObject, decode, encode
from plumbline.cli.server.api import Api
from plumbline.cli.server.changes import Asked, Changes
from plumbline.kube.client.transport import ByteStream, Request, Response

_PATH: Final = re.compile(
    r"/apis/argoproj\.io/v1alpha1(?:/namespaces/([^/]+))?/(applications|appprojects)(?:/([^/]+))?"
)
_CONFIG: Final = re.compile(r"/api/v1/namespaces/[^/]+/configmaps/([^/]+)")
_SECRETS: Final = re.compile(r"/api/v1/namespaces/[^/]+/secrets")
_CLUSTERS: Final = "argocd.argoproj.io/secret-type=cluster"
_VERSION: Final = "argoproj.io/v1alpha1"
_KINDS: Final = {"applications": "Application", "appprojects": "AppProject"}
_REASONS: Final = {
    "not-found": (404, "NotFound"),
    "already-exists": (409, "AlreadyExists"),
    "conflict": (409, "Conflict"),
    "forbidden": (403, "Forbidden"),
    "unauthenticated": (401, "Unauthorized"),
    "timed-out": (504, "Timeout"),
}
_INVALID: Final = (422, "Invalid")
_EXPIRED: Final = (410, "Expired")
_EXISTING: Final = re.compile(r"existing (application|project) spec is different")
_HERE: Final = "Ask that, with --core."


class Place(NamedTuple):
    namespace: str
    plural: str
    name: str


class Bridge:
    """A transport of the Kubernetes client whose far end is a server."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._changes = Changes(api)

    async def send(self, request: Request) -> Response:
        found = _PATH.fullmatch(request.path)
        place = Place(*(unquote(part or "") for part in found.groups())) if found else None
        try:
            answered = await (self._objects(request, place) if place else self._other(request))
        except PlumblineError as refused:
            if not isinstance(refused, Refused) and refused.code not in _REASONS:
                raise
            return _refused(refused, place)
        if answered is None:
            why = f"{request.method} {request.path} is for the cluster itself"
            raise Forbidden("a server does not answer this", why=why, hint=_HERE)
        return answered

    async def close(self) -> None:
        """The transport below is closed by whoever opened it."""

    async def _objects(self, request: Request, place: Place) -> Response:
        query = {key: values[0] for key, values in parse_qs(request.query).items()}
        match request.method:
            case "GET" if place.name:
                return _answer(_typed(await self._api.get(*_at(place), **_where(place)), place))
            case "GET" if query.get("watch"):
                return await self._watched(request, place, query)
            case "GET":
                return _answer(await self._listed(place, query))
            case method:
                body: Json = decode(request.body) if request.body else {}
                kind = next((value for name, value in request.headers if name == "Content-Type"), "")
                checked = query.get("fieldValidation") != "Ignore"
                asked = Asked(method, place.plural, place.namespace, place.name, body, kind, checked)
                done = await self._changes.make(asked)
                return _answer(_typed(done, place))

    async def _listed(self, place: Place, query: dict[str, str]) -> JsonObject:
        said = await self._api.get(_plural(place), **_selected(place, query))
        items = [_typed(each, place) for each in said.get("items") or ()]
        # Of no particular version: what is heard of afterwards begins with the present state again.
        return {"apiVersion": _VERSION, "kind": f"{_KINDS[place.plural]}List", "metadata": {"resourceVersion": "0"}, "items": items}  # fmt: skip

    async def _watched(self, request: Request, place: Place, query: dict[str, str]) -> Response:
        if query.get("sendInitialEvents"):
            return _status(*_INVALID, "the state is listed, not streamed", place)
        asked = _selected(place, query)
        came = await self._api.send("GET", ("stream", "applications"), query=asked, stream_s=request.stream_s)
        if asked["name"] and came.stream is not None and not (await self._listed(place, query))["items"]:
            # It went after it was listed and before the stream began, which will never tell: whoever follows lists again.
            await came.stream.close()
            return _status(*_EXPIRED, "it is gone", place)
        return Response(200, {}, stream=_Events(came.stream, place) if came.stream else None)

    async def _other(self, request: Request) -> Response | None:
        config = _CONFIG.fullmatch(request.path) if request.method == "GET" else None
        if config is not None:
            name = config.group(1)
            content = await self._settings(name)
            return _answer({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": content})
        if request.method == "GET" and _SECRETS.fullmatch(request.path) and _CLUSTERS in parse_qs(request.query).get("labelSelector", ()):  # fmt: skip
            said = await self._api.get("clusters")
            items = [_cluster(each) for each in said.get("items") or ()]
            return _answer({"apiVersion": "v1", "kind": "SecretList", "metadata": {"resourceVersion": "0"}, "items": items})  # fmt: skip
        return None

    async def _settings(self, name: str) -> JsonObject:
        """What a server tells of a ConfigMap of its settings."""
        if name not in {"argocd-cm", "argocd-cmd-params-cm"}:
            raise NotFound("a server does not show its settings")
        said = await self._api.get("settings")
        if name == "argocd-cm":
            # Where it was found is where people find it, unless it says otherwise.
            return {"url": said.get("url") or self._api.url}
        # Which namespaces those are it decides itself, application by application.
        return {"application.namespaces": "*"} if said.get("appsInAnyNamespaceEnabled") else {}


class _Events:
    """The server's stream as a watch: a line for each change, with the object under another name."""

    def __init__(self, stream: ByteStream, place: Place) -> None:
        self._stream = stream
        self._place = place

    async def __aiter__(self) -> AsyncIterator[bytes]:
        rest = b""
        async for piece in self._stream:
            *lines, rest = (rest + piece).split(b"\n")
            for line in filter(None, lines):
                said = (decode(line).get("result") or {}) if line else {}
                if said.get("application"):
                    event = {"type": said.get("type"), "object": _typed(said["application"], self._place)}
                    yield encode(event) + b"\n"

    async def close(self) -> None:
        await self._stream.close()


def _cluster(said: JsonObject) -> JsonObject:
    """The Secret of a cluster, as far as a server tells of it: where it is, and not how one gets there."""
    values = {
        "server": str(said.get("server") or ""),
        "name": str(said.get("name") or ""),
        "project": str(said.get("project") or ""),
        "namespaces": ",".join(map(str, said.get("namespaces") or ())),
    }
    content = {key: base64.b64encode(value.encode()).decode() for key, value in values.items() if value}
    return {"metadata": {"name": values["server"]}, "data": content}


def _plural(place: Place) -> str:
    return "projects" if place.plural == "appprojects" else place.plural


def _at(place: Place) -> tuple[str, str]:
    return _plural(place), place.name


def _where(place: Place) -> dict[str, str]:
    return {"appNamespace": place.namespace} if place.plural == "applications" else {}


def _selected(place: Place, query: dict[str, str]) -> dict[str, str]:
    fields = dict(part.partition("=")[::2] for part in query.get("fieldSelector", "").split(",") if part)
    return {
        **_where(place),
        "selector": query.get("labelSelector", ""),
        "name": place.name or fields.get("metadata.name", ""),
    }


def _typed(obj: JsonObject, place: Place) -> JsonObject:
    """A server says objects without what they are."""
    return {**obj, "apiVersion": _VERSION, "kind": _KINDS[place.plural]}


def _answer(obj: JsonObject) -> Response:
    return Response(200, {}, encode(obj))


def _refused(error: PlumblineError, place: Place | None) -> Response:
    code, reason = _REASONS.get(error.code, _INVALID)
    if _EXISTING.search(error.why):
        code, reason = _REASONS["already-exists"]
    return _status(code, reason, error.why or error.what, place)


def _status(code: int, reason: str, message: str, place: Place | None) -> Response:
    details = {"name": place.name, "kind": place.plural} if place else {"kind": "configmaps"}
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message, "details": details}  # fmt: skip
    return Response(code, {}, encode(status))
