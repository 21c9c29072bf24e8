"""Paths with names in them, and who answers each: `/api/v1/applications/{name}/sync`."""

from collections.abc import Iterable
from typing import Final, NamedTuple
from urllib.parse import unquote

from plumbline.web.api.answers import Captured, Serve, explained
from plumbline.web.operations import Operation
from plumbline.web.refusals import problem
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Route

_METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})


class Endpoint(NamedTuple):
    operation: Operation
    serve: Serve


class _Node:
    __slots__ = ("below", "named", "serves")

    def __init__(self) -> None:
        self.below: dict[str, _Node] = {}
        self.named: tuple[str, _Node] | None = None
        self.serves: dict[str, Serve] = {}


class Endpoints:
    """The routes of all *endpoints*, whichever family of them they are of. Names may hold slashes, written as %2F."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._root = _Node()
        found: dict[str, list[Operation]] = {}
        for each in endpoints:
            self._add(each)
            found.setdefault(_mount(each.operation.path), []).append(each.operation)
        self.routes = tuple(Route(path, _METHODS, self._serve, tuple(said)) for path, said in found.items())

    def _add(self, endpoint: Endpoint) -> None:
        node = self._root
        for part in _parts(endpoint.operation.path):
            if not part.startswith("{"):
                node = node.below.setdefault(part, _Node())
                continue
            if node.named is None:
                node.named = part[1:-1], _Node()
            name, node = node.named
            if name != part[1:-1]:
                raise ValueError(f"{endpoint.operation.path} has another name for {{{name}}}")
        if endpoint.operation.method in node.serves:
            raise ValueError(f"two answer {endpoint.operation.method} {endpoint.operation.path}")
        node.serves[endpoint.operation.method] = explained(endpoint.serve)

    async def _serve(self, request: Request) -> Response:
        captured: Captured = {}
        node: _Node | None = self._root
        for part in _parts(request.raw_path):
            text = unquote(part)
            below = node.below.get(text) if node is not None else None
            if below is None and node is not None and node.named is not None and text:
                name, below = node.named
                captured[name] = text
            node = below
        if node is None or not node.serves:
            return problem(404, "Not Found")
        serve = node.serves.get(request.method)
        if serve is None:
            return problem(405, "Method Not Allowed", (("Allow", ", ".join(sorted(node.serves))),))
        return await serve(request, captured)


def _mount(path: str) -> str:
    """The path itself, or the part of it that is before its first name."""
    return path.partition("{")[0]


def _parts(path: str) -> list[str]:
    return path.lstrip("/").split("/")
