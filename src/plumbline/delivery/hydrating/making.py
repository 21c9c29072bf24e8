"""From the dry source to what is written: resolved once for a group, rendered for each of its applications."""

import asyncio
from typing import Final, NamedTuple

from plumbline.base.errors import PlumblineError
from plumbline.base.limits import KIB
from plumbline.delivery.hydrating.commands import commands
from plumbline.delivery.hydrating.files import Written, manifests
from plumbline.delivery.hydrating.members import Ruled
from plumbline.delivery.integrity import Integrity
from plumbline.delivery.settings.values import Settings
from plumbline.delivery.steps.targeting import app_of, render_settings
from plumbline.delivery.targets import Targets, Wanted
from plumbline.kernel.cache import Key
from plumbline.kinds.application import ApplicationSource
from plumbline.kinds.application.sources import DrySource
from plumbline.render.detection import prepared
from plumbline.render.requests import Rendered

_INLINE_BYTES: Final = 8 * KIB
"""More than so much is written outside of the loop."""


class Made(NamedTuple):
    dry_sha: str
    written: tuple[Written, ...]


class Unmade(NamedTuple):
    """What kept some of them from being rendered; *dry_sha* where at least that is known."""

    faults: dict[Key, str]
    dry_sha: str = ""


class Making:
    def __init__(self, targets: Targets, integrity: Integrity) -> None:
        self._targets = targets
        self._integrity = integrity

    async def made(self, members: list[Ruled], dry_sha: str) -> Made | Unmade:
        """What all of them say at *dry_sha*."""
        written: list[Written] = []
        faults: dict[Key, str] = {}
        for each in members:
            try:
                written.append(await self._written(each, dry_sha))
            except PlumblineError as error:
                told = f'failed to get repo objects for app "{each.member.name}": {error}'
                faults[each.member.key] = f"failed to get manifests: {told}"
        return Unmade(faults, dry_sha) if faults else Made(dry_sha, tuple(written))

    async def _written(self, ruled: Ruled, dry_sha: str) -> Written:
        run, at, settings = ruled.member.run, ruled.at, ruled.at.settings
        source = dry_source(ruled.member.hydrator.dry_source)
        capabilities = await at.destination.capabilities()
        # Nothing from outside of Git: what is rendered here is there for everybody to read.
        wanted = Wanted((source,), (dry_sha,), app_of(run, at), capabilities, render_settings(settings))
        sourced = await self._targets.sourced(wanted)
        await self._integrity.check(at.project, sourced.located)
        if ruled.member.asked.hard:
            self._targets.forget(sourced)
        (rendered,) = await self._targets.rendered(sourced)
        by_hand = commands(prepared(sourced.requests[0])[0], rendered.source_type)
        return Written(ruled.path, await _text(rendered, _label(settings)), by_hand)


async def _text(rendered: Rendered, label: str) -> bytes:
    if sum(len(each.body) for each in rendered.manifests) <= _INLINE_BYTES:
        return manifests(rendered.objects, label)
    return await asyncio.to_thread(lambda: manifests(rendered.objects, label))


def dry_source(dry: DrySource) -> ApplicationSource:
    return ApplicationSource(
        repo_url=dry.repo_url,
        path=dry.path,
        target_revision=dry.target_revision,
        helm=dry.helm,
        kustomize=dry.kustomize,
        directory=dry.directory,
        plugin=dry.plugin,
    )


def _label(settings: Settings) -> str:
    """The label that marks what an application delivers, where labels do."""
    return "" if settings.tracking.method == "annotation" else settings.tracking.label_key
