"""Pages that listen, in virtual time: what they are sent is read as a browser reads it."""

import asyncio
from contextlib import asynccontextmanager
from functools import wraps

from plumbline.base.errors import Unauthenticated
from plumbline.base.ids import Ids
from plumbline.base.json import decode
from plumbline.base.tasks import task_group
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.web.live import Change, Kind, Live, LiveSettings, Topics, Viewer
from plumbline.web.requests import Request


def virtually(test):
    @wraps(test)
    def run(*args, **kwargs):
        return run_virtually(lambda: test(*args, **kwargs))

    return run


class Source:
    """A feed that tells whatever a test makes it tell."""

    def __init__(self):
        self.open = {}
        self.opened = []
        self.failing = 0
        self.slow_s = 0.0
        self.closing_s = 0.0

    @asynccontextmanager
    async def following(self, topic, tell):
        self.opened.append(topic)
        if self.slow_s:
            await asyncio.sleep(self.slow_s)
        if self.failing:
            self.failing -= 1
            raise RuntimeError("no")
        broken = asyncio.Event()
        assert topic not in self.open
        self.open[topic] = (tell, broken)
        try:
            async with task_group() as tasks:
                watching = tasks.create_task(_raises(broken))
                yield
                watching.cancel()
        finally:
            if self.closing_s:
                await asyncio.sleep(self.closing_s)
            del self.open[topic]

    def tell(self, topic, key, payload=None, kind=Kind.MODIFIED, **scopes):
        self.open[topic][0](Change(key, kind, payload, **scopes))

    def break_down(self, topic):
        self.open[topic][1].set()


async def _raises(broken):
    await broken.wait()
    raise RuntimeError("the feed broke")


class Town:
    """Everybody sees everything, until a test says otherwise. Whoever comes says their name, and in which session."""

    version = 0

    def __init__(self):
        self.blind = set()
        self.decisions = 0
        self.revoked = set()
        self.trouble = None

    async def admit(self, request):
        name, _, session = request.header("who").partition("@")
        if not name:
            raise Unauthenticated("Who is there")
        return Viewer(session or name, name, name, name)

    async def holds(self, viewer):
        if self.trouble is not None:
            await self.trouble()
        return viewer.session not in self.revoked

    def sees(self, asker, topic, scope):
        self.decisions += 1
        return (asker, scope) not in self.blind


class Page:
    def __init__(self, stream):
        self._stream = stream
        self.events = []
        self.writes = 0
        self.beats = 0
        self.cursor = ""
        self.retry_ms = 0
        self.ended = False
        self.greeted = asyncio.Event()
        self.taking = asyncio.Event()
        self.taking.set()

    async def read(self):
        async for piece in self._stream:
            self.writes += 1
            assert piece.endswith(b"\n\n")
            for block in piece.decode().removesuffix("\n\n").split("\n\n"):
                self._dispatch(block)
            await self.taking.wait()
        self.ended = True

    def _dispatch(self, block):
        name, said = "", None
        for line in block.split("\n"):
            field, _, value = line.partition(": ")
            match field:
                case "":
                    self.beats += 1
                case "id":
                    self.cursor = value
                case "retry":
                    self.retry_ms = int(value)
                case "event":
                    name = value
                case "data":
                    said = decode(value)
        if said is not None:
            self.events.append((name, said))
            self.greeted.set()

    def of(self, name):
        return [said for event, said in self.events if event == name]

    @property
    def changes(self):
        return [(said["key"], said["kind"], said.get("object")) for said in self.of("change")]


class World:
    """A part that runs, and pages on it."""

    def __init__(self, tasks, **settings):
        self.source = Source()
        self.town = Town()
        self.clock = LoopClock()
        self.topics = Topics()
        for name in ("applications", "application:", "changes"):
            self.topics.add(name, self.source)
        known = LiveSettings(**settings)
        self.live = Live(self.topics, self.town, self.town, clock=self.clock, ids=Ids(7), settings=known)
        self.tasks = tasks
        self.running = tasks.create_task(self.live.run())
        self.reading = []

    async def ask(self, topics="applications", who="ada", since="", last=""):
        headers = [(b"who", who.encode()), (b"last-event-id", last.encode())]
        query = f"topics={topics}&since={since}".encode()
        scope = {"method": "GET", "path": "/api/v1/live", "headers": headers, "query_string": query}
        return await self.live.routes[0].serve(Request(scope, None))

    async def visit(self, topics="applications", who="ada", since="", last=""):
        """A page, once it was told that it listens."""
        page = Page((await self.ask(topics, who, since, last)).stream)
        page.task = self.tasks.create_task(page.read())
        self.reading.append(page.task)
        await page.greeted.wait()
        return page

    async def close(self, page):
        page.task.cancel()
        await asyncio.gather(page.task, return_exceptions=True)
        await page._stream.aclose()


@asynccontextmanager
async def world(**settings):
    async with task_group() as tasks:
        made = World(tasks, **settings)
        await asyncio.sleep(0)
        try:
            yield made
        finally:
            for task in (*made.reading, made.running):
                task.cancel()
