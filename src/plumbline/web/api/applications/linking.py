"""Links beside one application."""

from typing import Final

from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.read import read
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.applications.finding import Finder, Found
from plumbline.web.api.clusters import linked
from plumbline.web.api.desk import Desk
from plumbline.web.api.links import Links, is_page
from plumbline.web.requests import Request, Response

MANAGED_BY: Final = "argocd.argoproj.io/managed-by-url"
"""Where the installation is that looks after it, if that is another one."""


class Linking:
    def __init__(self, desk: Desk, finder: Finder, links: Links) -> None:
        self._desk = desk
        self._finder = finder
        self._links = links

    async def get(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        found = await self._finder.found(asker, self._finder.named(request, captured), "get")
        display = self._desk.installation.settings.display
        return answered(self._links.of(display.links.application, variables(self._desk, found)))


def variables(desk: Desk, found: Found) -> JsonObject:
    """What templates of links know about an application."""
    managing = str((found.app["metadata"].get("annotations") or {}).get(MANAGED_BY) or "")
    return {
        "application": found.app,
        "app": found.app,
        "cluster": _cluster(desk, found),
        "managedByURL": managing if is_page(managing) else desk.installation.settings.display.url,
    }


def _cluster(desk: Desk, found: Found) -> JsonObject:
    try:
        return linked(desk.installation.clusters.resolve(read(APPLICATION, found.app).spec.destination))
    except (InvalidInput, NotFound):
        return {}
