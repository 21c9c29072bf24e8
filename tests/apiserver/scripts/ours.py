"""The embedded control plane as a server that scripts are sent to: in this process, on time that costs nothing."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import TypeVar
from urllib.parse import unquote

from tests.apiserver.scripts.steps import Reply

from plumbline.access.identity import AUTHENTICATED, CREDENTIAL_ID, MASTERS, Identity
from plumbline.apiserver.bootstrap import bootstrap
from plumbline.apiserver.calls import Call, impersonation
from plumbline.apiserver.plane import Plane
from plumbline.base.ids import Ids
from plumbline.base.virtualtime import LoopClock, VirtualLoop

T = TypeVar("T")

ADMINISTRATOR = Identity("admin", groups=(MASTERS, AUTHENTICATED), extra={CREDENTIAL_ID: (f"X509SHA256={'0' * 64}",)})
"""Whoever asks the real server."""


def bare_plane() -> Plane:
    """Without controllers: what is there is what somebody wrote. Nobody makes accounts, so pods need none, as there."""
    return Plane(LoopClock(), Ids(), controllers=False, disabled_plugins=("ServiceAccount", "Unenforced"))


class OurServer:
    """Waiting for the end of a watch takes no time. Close it."""

    def __init__(self, make: Callable[[], Plane] = bare_plane) -> None:
        self._runner = asyncio.Runner(loop_factory=VirtualLoop)
        self.plane = self.run(_made(make))

    def run(self, coroutine: Coroutine[None, None, T]) -> T:
        return self._runner.run(coroutine)

    def close(self) -> None:
        self._runner.close()

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        return self.run(self._ask(method, target, headers, body))

    async def _ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        path, _, query = target.partition("?")
        named = {name.lower(): value for name, value in headers.items()}
        others = impersonation(named.items())
        call = Call(method, unquote(path), query, named, body, identity=ADMINISTRATOR, repeated_headers=others)
        answer = await self.plane.answer(call)
        pieces = [piece async for piece in answer.stream] if answer.stream is not None else [answer.body]
        found: dict[str, tuple[str, ...]] = {"content-type": (answer.content_type,)} if answer.content_type else {}
        for name, value in answer.headers:
            found[name.lower()] = (*found.get(name.lower(), ()), value)
        return Reply(answer.status, found, b"" if method == "HEAD" else b"".join(pieces))


async def _made(make: Callable[[], Plane]) -> Plane:
    plane = make()
    await bootstrap(plane.store, plane.cluster)
    return plane
