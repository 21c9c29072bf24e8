"""Names of objects and kinds for shells: from a small cache, else asked for within the blink of an eye, else none."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import click
import msgspec

from plumbline.base.clock import SystemClock
from plumbline.base.environment import environment, home
from plumbline.base.errors import PlumblineError
from plumbline.base.json import decode, encode
from plumbline.cli.connecting import NAMESPACE
from plumbline.kube.client import Client, Connection, Selection

WITHIN_S: Final = 0.3
_FRESH_S: Final = 20.0
_MOST: Final = 2000
_KINDS: Final = "*kinds"


class Kept(msgspec.Struct, frozen=True):
    at_s: float
    names: list[str]


def names(ctx: click.Context, kind: str, incomplete: str) -> list[str]:
    del incomplete
    place = str(ctx.params.get("namespace") or ctx.params.get("installation") or "")

    async def asked(client: Client, connection: Connection) -> list[str]:
        resource = await client.discovery.resource(kind)
        fallback = NAMESPACE if resource.group == "argoproj.io" else connection.namespace
        page = await client.list(resource.target(place or fallback), Selection(metadata_only=True, limit=_MOST))
        return [str(decode(bytes(each))["metadata"]["name"]) for each in page.items]

    return _offered(ctx, f"{place}:{kind}", asked)


def kinds(ctx: click.Context) -> list[str]:
    async def asked(client: Client, connection: Connection) -> list[str]:
        del connection
        catalog = await client.discovery.catalog()
        return sorted({each.singular or each.kind.lower() for each in catalog.resources if "list" in each.verbs})

    return _offered(ctx, _KINDS, asked)


def _offered(ctx: click.Context, what: str, ask: Callable[[Client, Connection], Awaitable[list[str]]]) -> list[str]:
    """Nothing that goes wrong here is worth a word: somebody is in the middle of typing."""
    kubeconfig, context = ctx.params.get("kubeconfig"), str(ctx.params.get("context") or "")
    try:
        connection = Connection.load(Path(kubeconfig) if kubeconfig else None, context=context)
    except PlumblineError:
        return []
    file = _file(f"{connection.server} {connection.source} {what}")
    kept, now_s = _read(file), SystemClock().now().timestamp()
    if kept is not None and 0 <= now_s - kept.at_s < _FRESH_S:
        return kept.names
    try:
        found = asyncio.run(_within(connection, ask))
    except (PlumblineError, TimeoutError, OSError, BaseExceptionGroup):
        return kept.names if kept is not None else []
    _write(file, Kept(now_s, found))
    return found


async def _within(connection: Connection, ask: Callable[[Client, Connection], Awaitable[list[str]]]) -> list[str]:
    async with asyncio.timeout(WITHIN_S), Client.connect(connection) as client:
        return await ask(client, connection)


def _file(key: str) -> Path:
    base = environment().get("XDG_CACHE_HOME")
    folder = (Path(base) if base else home() / ".cache") / "plumb" / "completion"
    return folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def _read(file: Path) -> Kept | None:
    try:
        return decode(file.read_bytes(), type=Kept)
    except (OSError, ValueError):
        return None


def _write(file: Path, kept: Kept) -> None:
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        beside = file.with_suffix(".new")
        beside.write_bytes(encode(kept))
        beside.replace(file)
    except OSError:
        return
