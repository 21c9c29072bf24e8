"""Whether a Helm repository or a registry answers, asked as settings say that nobody has saved yet. Nothing of it is kept."""

import asyncio
from typing import Final
from urllib.parse import urlsplit

from plumbline.base.errors import InvalidInput, LimitExceeded, Unauthenticated
from plumbline.source.charts import index
from plumbline.source.charts.helm import index_url
from plumbline.source.charts.identity import challenged, presented
from plumbline.source.charts.lines import Lines
from plumbline.source.charts.registry import server
from plumbline.source.charts.wire import Ask, Line
from plumbline.source.repository import Repository
from plumbline.source.urls import checked, redacted, without_credentials

_GREETING_BYTES: Final = 1 << 20
_UNAUTHORIZED: Final = 401


async def reach(lines: Lines, repository: Repository, *, registry: bool) -> None:
    """Raises why it does not answer."""
    what = f"Cannot reach {redacted(repository.url)}"
    if registry:
        url = f"{server(repository.url, plain_http=repository.plain_http)}/v2/"
    else:
        url = index_url(without_credentials(checked(repository.url)).url)
        if urlsplit(url).scheme.lower() not in {"http", "https"}:
            raise InvalidInput(what, why="it is not the address of a Helm repository")
    async with lines.line(repository, url, what) as line:
        await (_greeted(line, url) if registry else _indexed(line, url))


async def _indexed(line: Line, url: str) -> None:
    known = presented(line.repository.credentials, line.repository.url)
    reply = await line.ask(Ask(url, index.INDEX_BYTES, authorization=known, compressed=True))
    try:
        await asyncio.to_thread(index.read, reply.body)
    except (InvalidInput, LimitExceeded) as unread:
        raise type(unread)(line.what, why=f"its index cannot be read: {unread}", hint=unread.hint) from unread


async def _greeted(line: Line, url: str) -> None:
    """What every registry answers first. A registry that lets anybody look may let us come as nobody, too."""
    ask = Ask(url, _GREETING_BYTES, fine=frozenset({200, _UNAUTHORIZED}))
    credentials = line.repository.credentials
    if credentials.bearer_token:
        ask = ask._replace(authorization=presented(credentials, line.repository.url))
    reply = await line.ask(ask)
    if reply.status != _UNAUTHORIZED:
        return
    given = await challenged(line, reply.headers.get("www-authenticate", ""), "", line.repository.url)
    if given is None or (await line.ask(ask._replace(authorization=given.header))).status == _UNAUTHORIZED:
        hint = "Check the credentials of this repository."
        raise Unauthenticated(line.what, why="the registry does not accept our credentials", hint=hint)
