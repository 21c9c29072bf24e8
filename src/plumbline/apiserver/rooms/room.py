from typing import Protocol

from plumbline.access.identity import Identity
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.requests.routes import Route


class Room(Protocol):
    async def answer(self, route: Route, call: Call, identity: Identity) -> Answer | None:
        """None leaves the request to the next room."""
