"""Which part of the web port a path belongs to: a table, and nothing that runs through it request by request."""

from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from plumbline.web.operations import Operation
from plumbline.web.requests import Request, Response

Serve: TypeAlias = Callable[[Request], Awaitable[Response]]


class Route(NamedTuple):
    path: str
    """One ending with a slash stands for all that is beneath it."""
    methods: frozenset[str]
    serve: Serve
    operations: tuple[Operation, ...] = ()
    """What can be asked for there, as far as it is to be described (`web.openapi`)."""


class Part(Protocol):
    """Something that the web port offers."""

    @property
    def routes(self) -> tuple[Route, ...]: ...

    async def run(self) -> None:
        """What it has to do beside answering, while the port is open. May return at once, and is cancelled at the end."""


@runtime_checkable
class Draining(Protocol):
    """A part that has something to say before the port closes."""

    async def drain(self) -> None:
        """Must not take longer than a moment."""


class Routes:
    def __init__(self, routes: Iterable[Route]) -> None:
        self._exact: dict[str, Route] = {}
        below: list[Route] = []
        for route in routes:
            if route.path in self._exact:
                raise ValueError(f"two parts answer {route.path}")
            self._exact[route.path] = route
            if route.path.endswith("/"):
                below.append(route)
        self._below = sorted(below, key=lambda route: len(route.path), reverse=True)

    def find(self, path: str) -> Route | None:
        exact = self._exact.get(path)
        return exact or next((route for route in self._below if path.startswith(route.path)), None)
