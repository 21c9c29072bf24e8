"""What people use on the web port, loaded with the first request for it: an installation that nobody looks at does without."""

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple

from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.web.refusals import problem
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Draining, Route, Routes
from plumbline.wiring.premises import Premises

if TYPE_CHECKING:
    from plumbline.wiring.entrance import Entrance
    from plumbline.wiring.offering import Offering

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})


class _Inside(NamedTuple):
    entrance: "Entrance"
    offering: "Offering"
    routes: Routes


class Product:
    """A part of the web port: it answers everything that no other part does."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
        self._wanted = asyncio.Event()
        self._open: asyncio.Future[_Inside] = asyncio.get_running_loop().create_future()
        self.routes = (Route("/", _METHODS, self._serve),)

    async def run(self) -> None:
        await self._wanted.wait()
        from plumbline.wiring.entrance import Entrance  # noqa: PLC0415 - see the module
        from plumbline.wiring.offering import Offering  # noqa: PLC0415 - same

        entrance = Entrance(self._premises)
        offering = Offering(self._premises, entrance)
        routes = Routes(route for part in offering.parts for route in part.routes)
        async with task_group() as group:
            group.create_task(entrance.run())
            group.create_task(offering.run())
            await entrance.ready()
            self._open.set_result(_Inside(entrance, offering, routes))

    async def drain(self) -> None:
        if self._open.done():
            for part in self._open.result().offering.parts:
                if isinstance(part, Draining):
                    await part.drain()

    async def link(self) -> Plaintext:
        """What lets somebody in who is at this machine, once."""
        return (await self._inside()).entrance.sessions.link()

    async def _serve(self, request: Request) -> Response:
        route = (await self._inside()).routes.find(request.path)
        if route is None:
            return problem(404, "Not Found")
        if request.method not in route.methods:
            return problem(405, "Method Not Allowed", (("Allow", ", ".join(sorted(route.methods))),))
        return await route.serve(request)

    async def _inside(self) -> _Inside:
        self._wanted.set()
        return await asyncio.shield(self._open)
