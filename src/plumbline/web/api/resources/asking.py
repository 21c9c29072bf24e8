"""Who asks about which application, whether they may, and where its objects are. Every endpoint begins here."""

from collections.abc import Callable
from typing import Final, NamedTuple

from plumbline.base.errors import Forbidden, NotFound, Transient
from plumbline.base.json import JsonObject
from plumbline.delivery.destinations import Destination
from plumbline.delivery.facts import AppFacts
from plumbline.delivery.projects.accounts import service_account_for
from plumbline.delivery.projects.permits import permits_destination, permits_object
from plumbline.kinds.application import APPLICATION, ApplicationSpec
from plumbline.kinds.read import read
from plumbline.kube.client import Client
from plumbline.kube.names import Ref
from plumbline.web.api.answers import Captured, denied
from plumbline.web.api.applications.finding import Finder, Found
from plumbline.web.api.resources.seams import Origins, Parts, Rendering
from plumbline.web.requests import Request

LOGS: Final = "logs"
_SETTINGS: Final = "argocd-cm"
_INHERITANCE: Final = "server.rbac.disableApplicationFineGrainedRBACInheritance"


class Asked(NamedTuple):
    request: Request
    captured: Captured
    found: Found

    @property
    def app(self) -> JsonObject:
        return self.found.app

    @property
    def query(self) -> dict[str, str]:
        return dict(self.request.query)


class Place(NamedTuple):
    """The cluster that the objects of an application are in, as the application may see it."""

    facts: AppFacts
    spec: ApplicationSpec
    destination: Destination
    client: Client
    permitted: Callable[[Ref], bool]
    """Whether the project lets its applications see an object at all."""


class Reception:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self._finder = Finder(parts.desk)

    async def asked(
        self, request: Request, captured: Captured, action: str = "get", body: JsonObject | None = None
    ) -> Asked:
        """The application, for which whoever asks may do *action*; one answer for all who may not.

        *body* may say in which namespace and project it is, where the query does not.
        """
        asker = await self.parts.desk.rights.asker(request)
        named = self._finder.named(request, captured, body)
        return Asked(request, captured, await self._finder.found(asker, named, action))

    async def greet(self, request: Request) -> None:
        """Raises Unauthenticated: a stranger is not told what is wrong with a request."""
        await self.parts.desk.rights.asker(request)

    async def asked_finely(self, request: Request, captured: Captured, verb: str, ref: Ref) -> Asked:
        """The same for *verb* on one of its objects, which the right to do it to the application does not imply.

        Unless the installation says that it does, as it was before Argo CD 3.
        """
        fine = f"{verb}/{ref.group}/{ref.kind}/{ref.namespace}/{ref.name}"
        try:
            return await self.asked(request, captured, fine)
        except (Forbidden, NotFound):
            if not self._inherited():
                raise
            return await self.asked(request, captured, verb)

    def demand_logs(self, asked: Asked) -> None:
        self.parts.desk.rights.demand(asked.found.asker, LOGS, "get", asked.found.called)

    async def place(self, asked: Asked) -> Place:
        """Raises Forbidden where the project does not let the application be where it says that it is."""
        parts, project = self.parts, asked.found.project
        spec = read(APPLICATION, asked.app).spec
        destination = await parts.destinations.find(spec.destination)
        cluster, namespace = destination.cluster, spec.destination.namespace
        if not permits_destination(project, cluster, namespace, parts.scoped):
            raise denied()
        named = asked.found.named
        facts = AppFacts(named.namespace, named.name, parts.desk.namespace)
        client = destination.live.client
        said = parts.desk.installation.settings.impersonation
        if said.enabled:
            user = service_account_for(
                project, cluster.server, namespace, application_namespace=facts.namespace, enforced=said.enforced
            )
            client = client if user is None else client.impersonating(user)

        def permitted(ref: Ref) -> bool:
            return permits_object(project, ref, cluster, parts.scoped)

        return Place(facts, spec, destination, client, permitted)

    def rendering(self) -> Rendering:
        found = self.parts.rendering()
        if found is None:
            raise _elsewhere("What Git asks for cannot be shown here")
        return found

    def origins(self) -> Origins:
        found = self.parts.origins()
        if found is None:
            raise _elsewhere("Revisions cannot be described here")
        return found

    def _inherited(self) -> bool:
        config = self.parts.desk.installation.config_map(_SETTINGS) or {}
        return str((config.get("data") or {}).get(_INHERITANCE) or "").lower() == "false"


def _elsewhere(what: str) -> Transient:
    return Transient(
        what,
        why="this replica does not deliver applications, another one does",
        hint="Ask again: the next answer may come from the one that does.",
    )
