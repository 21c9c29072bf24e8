"""`GET /healthz`: whether somebody is there, and with `?full=true` whether all is well."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.web.requests import Request, Response, text
from plumbline.web.routes import Route

PATH: Final = "/healthz"
_CHECK_S: Final = 5.0

Check: TypeAlias = Callable[[], Awaitable[object]]
"""Raises if something is not as it should be."""

_log = logger("web.health")


class Health:
    """A part of the web port."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = checks
        self.routes = (Route(PATH, frozenset({"GET", "HEAD"}), self._serve),)

    async def run(self) -> None:
        """Nothing to do but answer."""

    async def _serve(self, request: Request) -> Response:
        if request.query.get("full") != "true":
            return text(200, "ok")
        async with task_group() as tasks:
            asked = {name: tasks.create_task(_well(name, check)) for name, check in self._checks.items()}
        ill = sorted(name for name, task in asked.items() if not task.result())
        return text(503, f"not ok: {', '.join(ill)}") if ill else text(200, "ok")


async def _well(name: str, check: Check) -> bool:
    """The reason goes to the log: whoever asks may be anybody."""
    try:
        async with asyncio.timeout(_CHECK_S):
            await check()
    except Exception as error:  # noqa: BLE001 - any failure is the answer
        _log.warning("check failed", check=name, error=str(error) or type(error).__name__)
        return False
    return True
