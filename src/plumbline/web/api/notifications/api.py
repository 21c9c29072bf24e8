"""Names of services, triggers and templates, for whoever is logged in, as with Argo CD. What is in them is told to nobody."""

from collections.abc import Callable, Iterable
from typing import Final

from plumbline.delivery.notifications.configuration import CONFIG_MAP, Configuration, read_configuration
from plumbline.web.api.answers import Captured, Serve, answered
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint
from plumbline.web.operations import Operation
from plumbline.web.requests import Request, Response

_PATH: Final = "/api/v1/notifications"


class Notifications:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._read: tuple[str, Configuration] = "", Configuration()
        self.endpoints = (
            self._named("services", "Services that can be sent to", lambda found: found.services),
            self._named("triggers", "Triggers that can be subscribed to", lambda found: found.triggers),
            self._named("templates", "Templates that triggers can send", lambda found: found.templates),
        )

    def _named(self, what: str, summary: str, names: Callable[[Configuration], Iterable[str]]) -> Endpoint:
        async def serve(request: Request, _: Captured) -> Response:
            await self._desk.rights.asker(request)
            items = [{"name": name} for name in sorted(names(self._configured()))]
            return answered({"items": items} if items else {})

        path = f"{_PATH}/{what}"
        listed: Serve = serve
        return Endpoint(Operation(method="GET", path=path, summary=summary, tag="notifications"), listed)

    def _configured(self) -> Configuration:
        """As the ConfigMap is now, read once for each version of it."""
        config_map = self._desk.installation.config_map(CONFIG_MAP)
        version = str(((config_map or {}).get("metadata") or {}).get("resourceVersion") or "")
        if version != self._read[0]:
            self._read = version, read_configuration(config_map, None)
        return self._read[1]
