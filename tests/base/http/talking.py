"""The shortest way to talk to an HTTP server byte by byte."""

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

from plumbline.base.json import Json, decode, encode


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
