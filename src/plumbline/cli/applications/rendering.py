"""Rendering for `diff` and `manifests`: from what was typed to what is shown."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import click

from plumbline.base.json import JsonObject
from plumbline.cli.applications.drawing import sources_of
from plumbline.cli.applications.folders import folder_at
from plumbline.cli.applications.reaching import applications
from plumbline.cli.applications.seams import Sought
from plumbline.cli.applications.store import Applications
from plumbline.cli.compat import called_argocd
from plumbline.cli.connecting import Where
from plumbline.delivery.asking.operations import revisions_for
from plumbline.kube.names import Ref

_SECRET: Final = ("", "Secret")


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
    server_side: bool | None = None
    whole: bool = False
    """Whether what is at hand is all of a repository."""


async def compared(where: Where, asked: Asked, data: Path) -> list[tuple[Ref, str]]:
    async with applications(where) as apps:
        told = await apps.behind.git.differences(await _sought(apps, asked, data))
    if asked.local is None or asked.whole or not called_argocd():
        return told
    # What argocd does: those at hand are often no more than stand for the real ones.
    for ref, _ in told:
        if ref[:2] == _SECRET:
            click.echo(f"Warning: {ref} is not compared with the one at hand", err=True)
    return [(ref, text) for ref, text in told if ref[:2] != _SECRET]


async def printed(where: Where, asked: Asked, data: Path, *, live: bool) -> list[JsonObject]:
    async with applications(where) as apps:
        sought = await _sought(apps, asked._replace(server_side=False), data)  # nobody wants to know how they differ
        return await apps.behind.git.manifests(sought, live=live)


async def _sought(apps: Applications, asked: Asked, data: Path) -> Sought:
    app = await apps.get(apps.named(asked.name, asked.app_namespace))
    positions = asked.positions(sources_of(app))
    revisions = revisions_for(app, asked.revision, asked.revisions, positions)
    folder = folder_at(asked.local, asked.local_root, whole=asked.whole) if asked.local is not None else None
    return Sought(app, revisions, folder, asked.fresh, data, asked.server_side)
