"""`GET /artifacts/PATH`: packed files of sources, for runners and for other controllers that fetch them.

A path ends in the digest of what it leads to: who does not know the files cannot guess it, and nothing is listed.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import IO, Final, Protocol

from plumbline.web.refusals import problem
from plumbline.web.requests import Request, Response
from plumbline.web.routes import Route

PATH: Final = "/artifacts/"
_PIECE_BYTES: Final = 256 << 10


class Opened(Protocol):
    """A packed file; whoever has it closes it."""

    @property
    def file(self) -> IO[bytes]: ...

    @property
    def size_bytes(self) -> int: ...

    @property
    def digest(self) -> str: ...


class Artifacts:
    """A part of the web port. *opened* finds what is at a path, and nothing that is outside of its own; it may block."""

    def __init__(self, opened: Callable[[str], Opened | None]) -> None:
        self._opened = opened
        self.routes = (Route(PATH, frozenset({"GET"}), self._serve),)

    async def run(self) -> None:
        """Nothing to do but answer."""

    async def _serve(self, request: Request) -> Response:
        found = await asyncio.to_thread(self._opened, request.path.removeprefix(PATH))
        if found is None:
            return problem(404, "Not Found")
        headers = (("Content-Length", str(found.size_bytes)), ("ETag", f'"{found.digest}"'))
        return Response(200, b"", "application/gzip", headers, stream=_pieces(found.file))


async def _pieces(file: IO[bytes]) -> AsyncGenerator[bytes]:
    try:
        while piece := await asyncio.to_thread(file.read, _PIECE_BYTES):
            yield piece
    finally:
        file.close()
