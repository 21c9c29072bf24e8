"""One Application for somebody: there and allowed, or one and the same answer."""

from typing import NamedTuple

from plumbline.access.policy.requests import application_name
from plumbline.base.errors import Forbidden, InvalidInput, NotFound
from plumbline.base.json import JsonObject, decode
from plumbline.delivery.asking.operations import project_of
from plumbline.delivery.projects import permits_application_namespace
from plumbline.delivery.projects.project import Project
from plumbline.kinds.application import APPLICATION
from plumbline.kube.client import Target
from plumbline.kube.names import Ref
from plumbline.web.api.answers import Captured, denied
from plumbline.web.api.desk import Desk
from plumbline.web.api.parameters import texts
from plumbline.web.api.rights import APPLICATIONS, Asker
from plumbline.web.requests import Request


class Named(NamedTuple):
    """Which one is asked for; *project* is where somebody says that it is."""

    namespace: str
    name: str
    project: str = ""

    @property
    def target(self) -> Target:
        return Target(APPLICATION.resource, self.namespace, self.name)

    @property
    def ref(self) -> Ref:
        return Ref(APPLICATION.group_kind.group, APPLICATION.kind, self.namespace, self.name)


class Found(NamedTuple):
    asker: Asker
    named: Named
    app: JsonObject
    project: Project
    called: str
    """What policies call it."""

    @property
    def project_name(self) -> str:
        return project_of(self.app)


class Finder:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def named(self, request: Request, captured: Captured, body: JsonObject | None = None) -> Named:
        """By the path and the parameters, and by what the body says besides."""
        said = body or {}
        projects = texts(request, "project", "projects") or tuple(filter(None, (said.get("project"),)))
        if len(projects) > 1:
            raise InvalidInput("multiple projects specified - the get endpoint accepts either zero or one project")
        namespace = request.query.get("appNamespace") or said.get("appNamespace") or self._desk.namespace
        return Named(str(namespace), captured["name"], str(projects[0]) if projects else "")

    def called(self, project: str, namespace: str, name: str) -> str:
        return application_name(project, namespace, name, self._desk.namespace)

    async def found(self, asker: Asker, named: Named, action: str) -> Found:
        """The Application, for which *asker* may do *action*.

        Whoever does not say in which project it is learns nothing about what there is, and whoever does learns about
        that project and no other. In either case there is a look at the cluster, so that time tells nothing either.
        """
        rights = self._desk.rights
        app = await self.present(named)
        given = named.project
        if given and not rights.may(asker, APPLICATIONS, action, self.called(given, named.namespace, named.name)):
            raise denied()
        absent: Forbidden | NotFound = denied()
        if given:
            absent = NotFound(f'applications.argoproj.io "{named.name}" not found', hint="See: plumb app list.")
        if app is None:
            raise absent
        project = project_of(app)
        called = self.called(project, named.namespace, named.name)
        if not rights.may(asker, APPLICATIONS, action, called) or (given and given != project):
            raise absent
        return Found(asker, named, app, self.project(project, named.namespace), called)

    def project(self, name: str, namespace: str) -> Project:
        """One that Applications in *namespace* may use. Whether there is another of that name is not told."""
        project = self._desk.installation.projects.get(name)
        if project is None or not permits_application_namespace(project, namespace, self._desk.namespace):
            raise InvalidInput(f'app is not allowed in project "{name}", or the project does not exist')
        return project

    async def present(self, named: Named) -> JsonObject | None:
        """As it is in the cluster, whoever asks; None where there is none, or it is nobody's here to look at."""
        if not self._desk.installation.settings.applications_in(named.namespace):
            return None
        try:
            found: JsonObject = decode(await self._desk.client.get(named.target))
        except (NotFound, InvalidInput):
            return None
        return found
