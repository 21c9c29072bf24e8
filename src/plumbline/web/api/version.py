"""`GET /api/version`: which version this is, and to those who are logged in what it was made of."""

import platform
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.web.api.answers import Captured, answered
from plumbline.web.api.desk import Desk
from plumbline.web.api.endpoints import Endpoint
from plumbline.web.operations import Operation
from plumbline.web.requests import Request, Response

_PATH: Final = "/api/version"


class Version:
    """*version* is this program's; *tools* are the versions of what it runs, by upstream's names."""

    def __init__(self, desk: Desk, version: str, tools: JsonObject | None = None) -> None:
        self._desk = desk
        self._version = f"v{version}"
        self._tools = tools or {}
        said = Operation(method="GET", path=_PATH, summary="The version", tag="version", anonymous=True)
        self.endpoints = (Endpoint(said, self._get),)

    async def _get(self, request: Request, _: Captured) -> Response:
        guest = await self._desk.rights.guest(request)
        told: JsonObject = {"Version": self._version}
        if guest is not None and guest.name:
            system = f"{platform.system().lower()}/{platform.machine()}"
            python = f"python{platform.python_version()}"
            told |= {
                "Platform": system,
                "Compiler": platform.python_implementation(),
                "GoVersion": python,
                **self._tools,
            }
        return answered(told)
