"""Whether an Application may be written as somebody wants it: its types, its project, its destination, and their rights."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.delivery.asking.operations import project_of
from plumbline.delivery.projects.validation import INVALID_SPEC, invalid_conditions
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.read import read
from plumbline.web.api.answers import denied
from plumbline.web.api.applications.finding import Finder, Named
from plumbline.web.api.applications.linking import MANAGED_BY
from plumbline.web.api.desk import Desk
from plumbline.web.api.links import is_page
from plumbline.web.api.rights import APPLICATIONS, Asker

Try: TypeAlias = Callable[[JsonObject], Awaitable[str]]
"""Why nothing comes of an application; empty where something does, or where nobody can tell."""

_RENDERED: Final = ("project", "source", "sources", "sourceHydrator")
_PATIENCE_S: Final = 20.0
_SAID: Final = ("name", "namespace", "labels", "annotations", "finalizers", "ownerReferences")
"""What people say about an object. The rest is the server's: bodies often come from a GET."""


def said(app: JsonObject, named: Named) -> JsonObject:
    """What is meant by a body: never an operation, which is asked for in another way and by other rights."""
    metadata = app.get("metadata")
    spec = app.get("spec")
    if not isinstance(metadata, dict) or not isinstance(spec, dict):
        raise InvalidInput("the application is not read", why="it has no metadata or no spec")
    kept = {part: metadata[part] for part in _SAID if metadata.get(part)}
    return {
        "apiVersion": APPLICATION.gvk.api_version,
        "kind": APPLICATION.kind,
        "metadata": {**kept, "name": named.name, "namespace": named.namespace},
        "spec": {"destination": {}, **spec, "project": spec.get("project") or "default"},
    }


async def untried(_: JsonObject) -> str:
    """Where nothing is delivered, nobody can tell."""
    return ""


class Checker:
    def __init__(self, desk: Desk, finder: Finder, tries: Try) -> None:
        self._desk = desk
        self._finder = finder
        self._tries = tries

    def check(self, asker: Asker, app: JsonObject, named: Named, current: JsonObject | None) -> None:
        """Raise what is wrong with *app* in the place of *current*. Moving it to another project takes rights in both."""
        rights, project = self._desk.rights, project_of(app)
        called = self._finder.called(project, named.namespace, named.name)
        if current is not None and project_of(current) != project:
            rights.demand(asker, APPLICATIONS, "create", called)
            before = self._finder.called(project_of(current), named.namespace, named.name)
            if not rights.may(asker, APPLICATIONS, "update", before):
                raise denied()
        found = read(APPLICATION, app)
        names = [source.name for source in found.spec.sources if source.name]
        if len(names) != len(set(names)):
            raise InvalidInput(f"application {named.name} has duplicate source names")
        managing = str((app["metadata"].get("annotations") or {}).get(MANAGED_BY) or "")
        if managing and not is_page(managing):
            why = "InvalidSpecError: invalid managed-by URL: URL must include http or https protocol"
            raise InvalidInput(f"application spec for {named.name} is invalid: {why}")
        permitted = self._finder.project(project, named.namespace)
        faults = invalid_conditions(found.spec, permitted, self._desk.installation.clusters)
        if faults:
            why = ";".join(f"{fault.type}: {fault.message}" for fault in faults)
            raise InvalidInput(f"application spec for {named.name} is invalid: {why}")

    async def try_out(self, app: JsonObject, current: JsonObject | None = None) -> None:
        """Raise what keeps *app* from being rendered, unless it was rendered from the same before."""
        if current is not None and _rendered_from(current) == _rendered_from(app):
            return
        fault = ""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                fault = await self._tries(app)
        if fault:
            raise InvalidInput(
                f"application spec for {app['metadata']['name']} is invalid: {INVALID_SPEC}: {fault}",
                hint="Correct it, or write it all the same, with --no-validate.",
            )


def _rendered_from(app: JsonObject) -> list[Json]:
    return [app["spec"].get(part) for part in _RENDERED]
