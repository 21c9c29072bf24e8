"""Rendering for `diff` and `manifests`: from what was typed to what is shown."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from plumbline.base.json import JsonObject
from plumbline.cli.applications.drawing import sources_of
from plumbline.cli.applications.folders import folder_at
from plumbline.cli.applications.store import Applications
from plumbline.cli.applications.workshop import workshop
from plumbline.cli.connecting import Where
from plumbline.delivery.asking.operations import revisions_for
from plumbline.delivery.looks import Found, Wanted, differences, manifests
from plumbline.kube.client import Client
from plumbline.kube.names import Ref


class Asked(NamedTuple):
    name: str
    app_namespace: str
    revision: str
    revisions: tuple[str, ...]
    positions: Callable[[list[JsonObject]], tuple[int, ...]]
    """Which sources the revisions are for, of those that the application has."""
    local: Path | None
    local_root: Path | None
    fresh: bool = False


async def compared(where: Where, asked: Asked, data: Path) -> list[tuple[Ref, str]]:
    async with where.connected() as client:
        wanted = await _wanted(client, where, asked)
        async with workshop(client, where.namespace, data) as bench:
            return await differences(await bench.found(wanted))


async def printed(where: Where, asked: Asked, data: Path, *, live: bool) -> list[JsonObject]:
    async with where.connected() as client:
        wanted = await _wanted(client, where, asked)
        async with workshop(client, where.namespace, data) as bench:
            found: Found = await bench.found(wanted)
            return manifests(found, live=live)


async def _wanted(client: Client, where: Where, asked: Asked) -> Wanted:
    apps = Applications(client, where.namespace)
    app = await apps.get(apps.named(asked.name, asked.app_namespace))
    positions = asked.positions(sources_of(app))
    revisions = revisions_for(app, asked.revision, asked.revisions, positions)
    folder = folder_at(asked.local, asked.local_root) if asked.local is not None else None
    return Wanted(app, revisions, folder, asked.fresh)
