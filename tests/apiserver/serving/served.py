"""A plane behind a real socket, in this process, and the shortest way to talk to it byte by byte."""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from plumbline.apiserver.authentication.pki import Pki
from plumbline.apiserver.plane import ADMIN, Plane
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.serving.application import Application, Serve
from plumbline.apiserver.serving.server import Server, listening
from plumbline.base.clock import SystemClock
from plumbline.base.ids import Ids
from plumbline.base.json import Json, JsonObject, decode, encode

CM = "/api/v1/namespaces/default/configmaps"
MAPS = Collection("", "configmaps")


@dataclass
class Reply:
    status: int
    headers: Mapping[str, str]
    body: bytes
    version: str = "HTTP/1.1"

    @property
    def json(self) -> Json:
        return decode(self.body)


@dataclass
class Talk:
    """One connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def ask(self, method: str, target: str, body: Json = None, **headers: str) -> Reply:
        await self.send(request(method, target, body, **headers))
        return await self.reply(method)

    async def head(self) -> Reply:
        """A status line and headers."""
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        version, status, *_ = lines[0].split(" ")
        headers = dict(line.split(": ", 1) for line in lines[1:] if line)
        return Reply(int(status), {name.lower(): value for name, value in headers.items()}, b"", version)

    async def reply(self, method: str = "GET") -> Reply:
        found = await self.head()
        if method == "HEAD" or found.status == 100:
            return found
        if found.headers.get("transfer-encoding") == "chunked":
            found.body = b"".join([piece async for piece in self.pieces()])
        elif "content-length" in found.headers:
            found.body = await self.reader.readexactly(int(found.headers["content-length"]))
        else:
            found.body = await self.reader.read()
        if found.headers.get("content-encoding") == "gzip":
            found.body = gzip.decompress(found.body)
        return found

    async def pieces(self) -> AsyncIterator[bytes]:
        while size := int(await self.reader.readline(), 16):
            yield await self.reader.readexactly(size)
            await self.reader.readexactly(2)
        await self.reader.readexactly(2)

    async def ended(self) -> bool:
        """Whether the other side has closed; waits for that."""
        try:
            return not await self.reader.read()
        except (ConnectionError, ssl.SSLError):
            return True

    def close(self) -> None:
        self.writer.close()

    def vanish(self) -> None:
        """Without a word."""
        self.writer.transport.abort()


def request(method: str, target: str, body: Json = None, **headers: str) -> bytes:
    payload = b"" if body is None else body if isinstance(body, bytes) else encode(body)
    named = {"Host": "localhost", **{name.replace("_", "-"): value for name, value in headers.items()}}
    if payload:
        named = {"Content-Type": "application/json", "Content-Length": str(len(payload)), **named}
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in named.items()), "", ""]
    return "\r\n".join(lines).encode() + payload


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
        async with plane.running(), asyncio.TaskGroup() as tasks:
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
