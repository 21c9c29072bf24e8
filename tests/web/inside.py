"""A web port without a port: the same application, asked in process, for tests that ask much."""

import asyncio
from dataclasses import dataclass

from plumbline.base.json import decode
from plumbline.web.application import Application
from plumbline.web.cors import Cors
from plumbline.web.guard import LOOPBACK_NAMES
from plumbline.web.routes import Routes


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return decode(self.body)


class Inside:
    def __init__(self, *parts, origins=(), hosts=()):
        routes = Routes(route for part in parts for route in part.routes)
        self._application = Application(routes, LOOPBACK_NAMES | frozenset(hosts), Cors(origins))

    async def ask(self, method, target, body=b"", **headers):
        path, _, query = target.partition("?")
        named = {"host": "localhost", **{name.replace("_", "-").lower(): value for name, value in headers.items()}}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in named.items()],
            "client": ("127.0.0.1", 1),
        }
        said = []
        given = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive():
            message = next(given, None)
            return message if message is not None else await asyncio.Event().wait()

        async def send(message):
            said.append(message)

        await self._application(scope, receive, send)
        pairs = [(name.decode(), value.decode()) for name, value in said[0]["headers"]]
        return Answer(said[0]["status"], dict(pairs), b"".join(message["body"] for message in said[1:]))
