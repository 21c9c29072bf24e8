"""A plane behind a real socket, in this process, and the shortest way to talk to it byte by byte."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.base.http.talking import Reply, Talk

from plumbline.apiserver.authentication.pki import Pki
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.serving.application import Application, Serve
from plumbline.base.clock import SystemClock
from plumbline.base.http.server import Server, listening
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject
from plumbline.base.tasks import task_group

CM = "/api/v1/namespaces/default/configmaps"
MAPS = Collection("", "configmaps")


@dataclass
class Served:
    plane: Plane
    server: Server
    port: int
    anonymous: ssl.SSLContext | None = None
    admin: ssl.SSLContext | None = None
    talks: list[Talk] = field(default_factory=list)

    async def connect(self, tls: ssl.SSLContext | None = None) -> Talk:
        name = "localhost" if tls else None
        talk = Talk(
            *await asyncio.open_connection("127.0.0.1", self.port, ssl=tls, server_hostname=name, limit=1 << 24)
        )
        self.talks.append(talk)
        return talk

    async def talk(self) -> Talk:
        """A connection of somebody who may do everything."""
        return await self.connect(self.admin)

    async def ask(self, method: str, target: str, body: Json = None, **headers: str) -> Reply:
        talk = await self.talk()
        try:
            return await talk.ask(method, target, body, **headers)
        finally:
            talk.close()

    @property
    def watchers(self) -> int:
        return len(self.plane.store._watchers[MAPS])

    @property
    def connections(self) -> int:
        return len(self.server._server.server_state.connections)

    async def until(self, wanted, *, tries: int = 500) -> None:
        """Wait for something that the other side of a socket brings about."""
        for _ in range(tries):
            if wanted():
                return
            await asyncio.sleep(0.01)
        raise AssertionError("it did not come about")


@asynccontextmanager
async def served(
    pki: Pki | None = None, folder: Path | None = None, serve: Serve | None = None
) -> AsyncIterator[Served]:
    """Over TLS with *pki*; without it everybody is an administrator."""
    plane = Plane(SystemClock(), Ids(1), key=pki.signing_key if pki else None, controllers=False)
    listener = listening("127.0.0.1", 0)
    server = Server(
        Application(serve or (plane.answer if pki else _trusting(plane))), listener, pki and pki.server_context()
    )
    there = Served(plane, server, listener.getsockname()[1])
    if pki and folder:
        there.anonymous = _client(pki, folder, certificate=False)
        there.admin = _client(pki, folder)
    with listener:
        async with plane.running(), task_group() as tasks:
            tasks.create_task(server.run())
            try:
                yield there
            finally:
                for talk in there.talks:
                    talk.vanish()
                server.stop()


def _trusting(plane: Plane) -> Serve:
    async def serve(call):
        call.identity = ADMIN
        return await plane.answer(call)

    return serve


def _client(pki: Pki, folder: Path, *, certificate: bool = True) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=pki.authority.certificate_pem.decode())
    if certificate:
        file = folder / "client.pem"
        file.write_bytes(pki.admin.pem)
        context.load_cert_chain(file)
    return context


def config(name: str, **data: str) -> JsonObject:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}
