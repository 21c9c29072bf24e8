"""The cloud where others can reach it: over HTTP on loopback, or in process as a transport."""

import asyncio
from contextlib import asynccontextmanager

from aiohttp import web

from plumbline.base.errors import Unreachable
from plumbline.kube.client.transport import Response

from .cloud import Cloud


class InProcess:
    """A transport that never leaves the process, for tests in virtual time."""

    def __init__(self, cloud, credentials=None):
        self.cloud = cloud
        self.credentials = credentials
        self.closed = False

    async def send(self, request):
        if request.guard is not None:
            request.guard()
        identity = self.credentials and (self.credentials.ready() or await self._renewed(None))
        return await self._attempt(request, identity)

    async def _renewed(self, refused):
        return await self.credentials.renew(refused)

    async def _attempt(self, request, identity):
        await asyncio.sleep(0)
        headers = {name.lower(): value for name, value in (*request.headers, *(identity.headers if identity else ()))}
        reply = self.cloud.respond(request.method, request.path, request.query, headers, request.body)
        if reply.lost:
            raise Unreachable(f"{request.method} {request.path} broke off")
        if reply.status == 401 and identity is not None:
            fresh = await self._renewed(identity)
            if fresh is not None:
                return await self._attempt(request, fresh)
        return Response(reply.status, reply.headers, reply.body)

    async def close(self):
        self.closed = True


def application(cloud: Cloud) -> web.Application:
    async def answer(request: web.Request) -> web.StreamResponse:
        headers = {name.lower(): value for name, value in request.headers.items()}
        path = request.raw_path.partition("?")[0]
        reply = cloud.respond(request.method, path, request.query_string, headers, await request.read())
        if reply.lost:
            request.transport.abort()
        return web.Response(status=reply.status, headers=reply.headers, body=reply.body)

    app = web.Application(client_max_size=8 << 20)
    app.router.add_route("*", "/{path:.*}", answer)
    return app


@asynccontextmanager
async def served(cloud: Cloud, port: int = 0):
    """Its address, as long as the block runs."""
    runner = web.AppRunner(application(cloud), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
