"""`GET /metrics`: what is counted, for Prometheus."""

import asyncio
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from plumbline.web.requests import Request, Response
from plumbline.web.routes import Route

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

PATH: Final = "/metrics"
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

Collect: TypeAlias = Callable[[], bytes]
"""All that is counted, as text. Called in a thread."""


class Metrics:
    """A part of the web port. Those who ask at the same time wait for each other."""

    def __init__(self, collect: Collect) -> None:
        self._collect = collect
        self._turn = asyncio.Lock()
        self.routes = (Route(PATH, frozenset({"GET", "HEAD"}), self._serve),)

    async def run(self) -> None:
        """Nothing to do but answer."""

    async def _serve(self, _: Request) -> Response:
        async with self._turn:
            return Response(200, await asyncio.to_thread(self._collect), CONTENT_TYPE)


def exposed(registry: "CollectorRegistry") -> Collect:
    """What *registry* has counted, and under upstream's name which version this is."""

    def collect() -> bytes:
        from prometheus_client import generate_latest  # noqa: PLC0415 - whoever is never scraped need not load it

        return generate_latest(registry) + _release()

    return collect


@cache
def _release() -> bytes:
    """The version as `/api/version` has it, found out with the first scrape."""
    from importlib.metadata import version  # noqa: PLC0415 - see above

    from prometheus_client import CollectorRegistry, Gauge, generate_latest  # noqa: PLC0415 - see above

    registry = CollectorRegistry()
    Gauge("argocd_info", "The version", ("version",), registry=registry).labels(f"v{version('plumbline')}").set(1)
    return generate_latest(registry)
