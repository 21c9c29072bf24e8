"""When an application may be synced: the windows of its project that are about it."""

from collections.abc import Iterable

from plumbline.base.json import JsonObject
from plumbline.delivery.projects.windows import allowed, is_open, matching
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import SyncWindow
from plumbline.kinds.read import read
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.applications.finding import Finder
from plumbline.web.api.desk import Desk
from plumbline.web.requests import Request, Response


class Windows:
    def __init__(self, desk: Desk, finder: Finder) -> None:
        self._desk = desk
        self._finder = finder

    async def get(self, request: Request, captured: Captured) -> Response:
        asker = await self._desk.rights.asker(request)
        found = await self._finder.found(asker, self._finder.named(request, captured), "get")
        destination = read(APPLICATION, found.app).spec.destination
        windows = matching(found.project.spec.sync_windows, found.named.name, destination)
        now = self._desk.clock.now()
        told: JsonObject = {
            "activeWindows": _shaped(window for window in windows if is_open(window, now, now)),
            "assignedWindows": _shaped(windows),
        }
        said = {name: value for name, value in told.items() if value}
        return answered({**said, "canSync": allowed(windows, manual=True, now=now)})


def _shaped(windows: Iterable[SyncWindow]) -> list[JsonObject]:
    return [
        {
            "kind": window.kind,
            "schedule": window.schedule,
            "duration": window.duration,
            "manualSync": window.manual_sync,
        }
        for window in windows
    ]
