"""A web port on loopback, and the shortest way to talk to it."""

import asyncio
from contextlib import asynccontextmanager

from tests.base.http.talking import Talk

from plumbline.web import Settings, Web


class Port:
    def __init__(self, web):
        self.web = web
        self.talks = []

    async def connect(self):
        talk = Talk(*await asyncio.open_connection("127.0.0.1", self.web.port, limit=1 << 24))
        self.talks.append(talk)
        return talk

    async def ask(self, method, target, body=None, **headers):
        talk = await self.connect()
        try:
            return await talk.ask(method, target, body, **headers)
        finally:
            talk.close()


@asynccontextmanager
async def opened(*parts, **settings):
    web = Web(Settings(port=0, **settings), parts)
    async with web.running():
        port = Port(web)
        try:
            yield port
        finally:
            for talk in port.talks:
                talk.vanish()


async def until(condition, tries=500):
    """Wait for what comes about by itself; the number of looks bounds it, not the time."""
    for _ in range(tries):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not come about")
