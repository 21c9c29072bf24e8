"""`POST` of a review to the path of a question: an API server asks whether something may be done."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Final, TypeAlias

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject, decode
from plumbline.web.bounds import Held
from plumbline.web.requests import Request, Response, json
from plumbline.web.routes import Route

MOST_BYTES: Final = 8 << 20
"""More than twice of what an API server stores of one object."""
_HELD_BYTES: Final = 8 * MOST_BYTES
_AT_ONCE: Final = 256
_BODY_S: Final = 10.0
"""As long as an API server waits for the answer."""

Validate: TypeAlias = Callable[[Json], Awaitable[JsonObject]]
"""From review to review; raises InvalidInput for what is none."""


class Admission:
    """A part of a port. *questions* are by their paths; what is held of all of them together is bounded."""

    def __init__(self, questions: Mapping[str, Validate]) -> None:
        self._held = Held(_HELD_BYTES, _AT_ONCE)
        self.routes = tuple(
            Route(path, frozenset({"POST"}), partial(self._serve, validate)) for path, validate in questions.items()
        )

    async def run(self) -> None:
        """Nothing to do but answer."""

    async def _serve(self, validate: Validate, request: Request) -> Response:
        if request.header("content-type").partition(";")[0].strip().lower() != "application/json":
            raise InvalidInput("The review is not read", why="its content type is not application/json")
        with self._held.share() as share:
            body = bytearray()
            async with asyncio.timeout(_BODY_S):
                async for piece in request.pieces(MOST_BYTES):
                    share.add(len(piece))
                    body += piece
            try:
                review = decode(bytes(body))
            except (msgspec.DecodeError, RecursionError, ValueError):
                raise InvalidInput("The review is not read", why="it is not JSON") from None
            return json(200, await validate(review))
