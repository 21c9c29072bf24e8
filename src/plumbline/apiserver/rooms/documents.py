"""Discovery and OpenAPI, of what is served right now."""

from plumbline.access.identity import Identity
from plumbline.apiserver import discovery, openapi, statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.models.registry import Registry
from plumbline.apiserver.requests.routes import Route
from plumbline.base.clock import Clock


class DocumentsRoom:
    """Made anew when CRDs come and go; group-versions that stay keep their pages."""

    def __init__(self, registry: Registry, clock: Clock, address: str = "") -> None:
        self._registry = registry
        self._address = address
        self._clock = clock
        self._generation = -1
        self._discovery: discovery.Documents | None = None
        self._openapi: openapi.Documents | None = None

    async def answer(self, route: Route, call: Call, _: Identity) -> Answer | None:
        if route.is_resource:
            return None
        found = self._find(call)
        if found is None:
            return None
        if call.method != "GET" and not _takes_all_methods(call.path):
            raise statuses.method_not_allowed()
        return Answer(found.status, found.body, content_type=found.content_type, headers=found.headers)

    def _find(self, call: Call) -> discovery.DiscoveryReply | None:
        groups, schemas = self._current()
        accept, etag = call.headers.get("accept", ""), call.headers.get("if-none-match", "")
        if call.path.startswith("/openapi/"):
            wanted = call.parameter("hash")
            return schemas.answer(call.path, wanted_hash=wanted, accept=accept, if_none_match=etag)
        return groups.answer(call.path, accept, etag)

    def _current(self) -> tuple[discovery.Documents, openapi.Documents]:
        if self._discovery is None or self._openapi is None or self._generation != self._registry.generation:
            models = list(self._registry.models)
            resources = [model.resource for model in models]
            self._discovery = discovery.Documents(resources, address=self._address, previous=self._discovery)
            published = [model.published for model in models]
            self._openapi = openapi.Documents(published, clock=self._clock, previous=self._openapi)
            self._generation = self._registry.generation
        return self._discovery, self._openapi


def _takes_all_methods(path: str) -> bool:
    """The list of paths, those of groups and the schemas do not look at the method; a version's resources do."""
    match path.strip("/").split("/"):
        case [""] | ["openapi", *_] | ["apis"] | ["apis", _]:
            return True
    return False
