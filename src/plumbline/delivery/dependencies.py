"""What a chart needs and its source has not: only from where the project may take anything at all."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from plumbline.base.errors import Forbidden, InvalidInput
from plumbline.base.tree import Tree
from plumbline.delivery.projects.permits import permits_source
from plumbline.delivery.projects.project import Project
from plumbline.delivery.projects.refusals import charts_refusal, source_refusal
from plumbline.render.helm import Dependency, NoCharts
from plumbline.render.requests import Request
from plumbline.source.secrets import Repositories
from plumbline.source.urls import redacted


class Archives(Protocol):
    async def dependency(
        self, url: str, name: str, version: str, *, project: str = "", pass_credentials: bool = False
    ) -> Tree: ...

    async def file(self, address: str, *, beside: str, project: str = "") -> bytes: ...


class Dependencies(NoCharts):
    """A chart's author writes where its dependencies are, and need not be somebody who may decide that."""

    def __init__(
        self,
        archives: Archives,
        projects: Callable[[], Mapping[str, Project]],
        repositories: Callable[[], Repositories],
    ) -> None:
        self._archives = archives
        self._projects = projects
        self._repositories = repositories

    def permit(self, request: Request, wanted: Sequence[Dependency]) -> None:
        project = self._projects().get(request.app.project)
        addresses = dict.fromkeys(self._address(request, each) for each in wanted)
        refused = [url for url in addresses if project is not None and not permits_source(project, url)]
        if project is not None and refused:
            raise Forbidden(charts_refusal(project, refused))

    async def dependency(self, request: Request, wanted: Dependency) -> Tree:
        url = self._address(request, wanted)
        self._permit(request, url, f"The chart {wanted.name} is not used")
        helm = request.source.helm
        return await self._archives.dependency(
            url,
            wanted.name,
            wanted.version,
            project=request.app.project,
            pass_credentials=helm is not None and helm.pass_credentials,
        )

    async def values(self, request: Request, address: str) -> bytes:
        self._permit(request, address, f"The value file {redacted(address)} is not used")
        return await self._archives.file(address, beside=request.source.repo_url, project=request.app.project)

    def _permit(self, request: Request, url: str, what: str) -> None:
        project = self._projects().get(request.app.project)
        if project is None or not permits_source(project, url):
            told = source_refusal(project, url) if project is not None else "its project is not there"
            raise Forbidden(what, why=told)

    def _address(self, request: Request, wanted: Dependency) -> str:
        """Where the dependency is; `@name` and `alias:name` mean a repository that is configured under that name.

        One that the project may not use is as if it were not there: a name is nobody's way to an address.
        """
        name = wanted.repository.removeprefix("@").removeprefix("alias:")
        if name == wanted.repository:
            return wanted.repository
        project = self._projects().get(request.app.project)
        for entry in self._repositories().entries:
            ours = entry.project in {"", request.app.project} and entry.fields.legible("name") == name
            if ours and project is not None and permits_source(project, entry.url):
                return entry.url
        raise InvalidInput(
            f"The chart {wanted.name} cannot be found",
            why=f"no repository that project '{request.app.project}' may use is called {name}",
        )
