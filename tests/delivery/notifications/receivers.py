"""Others' services, on loopback."""

from contextlib import asynccontextmanager

from aiohttp import web


class Received:
    """What came in, and what to answer: each answer once, the last one for ever."""

    def __init__(self, *answers):
        self.answers = list(answers) or [(200, b"", {})]
        self.requests = []
        self.url = ""

    async def take(self, request):
        body = await request.read()
        self.requests.append((request.method, request.path, dict(request.headers), body.decode()))
        status, said, headers = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return web.Response(status=status, body=said, headers=headers)


@asynccontextmanager
async def receiving(*answers):
    received = Received(*answers)
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", received.take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    received.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield received
    finally:
        await runner.cleanup()
