"""Logging in to a server and out of it."""

from collections.abc import Awaitable, Callable

import click
import msgspec

from plumbline.base.errors import GarbledReply, Unauthenticated, Unreachable
from plumbline.base.json import JsonObject
from plumbline.cli.server.api import Api, opened
from plumbline.cli.server.asked import Asked
from plumbline.cli.server.contexts import Context, Server, User
from plumbline.kube.client.proxies import is_loopback

Prove = Callable[[Api], Awaitable[str]]
"""Who comes, to whom: the token that the server is to know them by."""


async def spoken(server: Server, asked: Asked) -> Server:
    """The server as it can be reached: on this machine, one without TLS is found to be so."""
    try:
        await _greeted(server, asked)
    except (Unreachable, GarbledReply) as failed:
        plain = msgspec.structs.replace(server, plain_text=True)
        if server.plain_text:
            raise
        if not is_loopback(server.url):
            raise _untrusted(failed, server) from failed
        await _greeted(plain, asked)
        click.echo(f"{server.server} speaks no TLS; it is on this machine, so that is used.", err=True)
        return plain
    return server


async def _greeted(server: Server, asked: Asked) -> None:
    async with opened(Context(server.server, server, User()), asked) as api:
        await api.get("session", "userinfo")


def _untrusted(failed: Exception, server: Server) -> Unreachable:
    why = getattr(failed, "why", "") or str(failed)
    hint = "Name the authority of its certificate with --server-crt FILE; --insecure does not check it, --plaintext asks without TLS."
    return Unreachable(f"{server.server} cannot be asked", sent=False, why=why, hint=hint)


async def logged_in(server: Server, name: str, asked: Asked, prove: Prove) -> tuple[Context, str]:
    """The context of a login that works, and who it is."""
    async with opened(Context(name, server, User(name=name)), asked) as api:
        token = await prove(api)
    context = Context(name, server, User(name=name, auth_token=token))
    async with opened(context, asked) as api:
        said = await who(api)
    if not said.get("loggedIn"):
        raise Unauthenticated(
            f"{server.server} does not know this login", why="the token is not one of its own, or has ended"
        )
    return context, str(said.get("username") or "")


def with_password(username: str, password: str) -> Prove:
    async def prove(api: Api) -> str:
        said = await api.ask("POST", ("session",), {"username": username, "password": password})
        return str(said.get("token") or "")

    return prove


def with_token(token: str) -> Prove:
    async def prove(api: Api) -> str:
        del api
        return token

    return prove


async def who(api: Api) -> JsonObject:
    return await api.get("session", "userinfo")


async def ended(context: Context, asked: Asked) -> bool:
    """Have the server forget the login; whether it did."""
    try:
        async with opened(context, asked) as api:
            await api.ask("DELETE", ("session",))
    except (Unreachable, Unauthenticated, GarbledReply):
        return False
    return True
