"""One sync, from what was typed to how it ended."""

from pathlib import Path
from typing import NamedTuple

import click

from plumbline.base.clock import SystemClock
from plumbline.base.errors import InvalidInput, NotFound
from plumbline.base.json import JsonObject
from plumbline.cli.applications.awaiting import Awaiting
from plumbline.cli.applications.drawing import sources_of
from plumbline.cli.applications.editing.fields import labels
from plumbline.cli.applications.folders import Folder, folder_at
from plumbline.cli.applications.names import AppName
from plumbline.cli.applications.options import sourced
from plumbline.cli.applications.picking import picked, resources_of
from plumbline.cli.applications.seams import Sought
from plumbline.cli.applications.store import Applications
from plumbline.cli.applications.waiting import Wanted
from plumbline.cli.applications.windows import refuse_shut
from plumbline.cli.compat import called_argocd
from plumbline.cli.exits import Exit
from plumbline.delivery.asking.operations import Asked, automated, phase_of, revisions_for, sync
from plumbline.delivery.status import REFRESH
from plumbline.kube.names import Ref

_SKIPPED = "PruneSkipped"


class Choice(NamedTuple):
    """Which objects, from where, and what happens around it."""

    resources: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    source_positions: tuple[tuple[int, ...], ...] = ()
    source_names: tuple[str, ...] = ()
    local: Path | None = None
    local_repo_root: Path | None = None
    output: str = "wide"
    timeout: float = 0
    """In seconds; zero for none."""
    preview: bool = False
    sure: bool = False
    wait: bool = True
    data: Path = Path()
    """Where this user's installation keeps what it keeps."""

    @property
    def folder(self) -> Folder | None:
        return folder_at(self.local, self.local_repo_root) if self.local is not None else None


class Syncing:
    def __init__(self, apps: Applications, asked: Asked, choice: Choice, username: str) -> None:
        self._apps = apps
        self._asked = asked
        self._choice = choice
        self._username = username

    async def synced(self, name: AppName) -> Exit:
        """Ask for the sync of one application and, unless told otherwise, wait for its end."""
        choice = self._choice
        app = await self._apps.get(name)
        await refuse_shut(self._apps, app, SystemClock())
        asked = await self._for(app)
        if choice.preview and not await self._wanted(app, asked):
            return Exit.DONE
        # What was pushed a moment ago is meant as well, whether or not anybody has heard of it yet.
        await self._apps.operate(name, sync(app, asked, self._username), {REFRESH: "normal"})
        if not choice.wait:
            return Exit.DONE
        rules = picked(choice.resources)
        awaiting = Awaiting(self._apps, Wanted(operation=True), choice.output, choice.timeout, rules)
        ended, code = await awaiting.ended(name)
        return code or _verdict(ended, asked)

    async def _for(self, app: JsonObject) -> Asked:
        """What was asked for, with what depends on the application filled in."""
        choice, asked = self._choice, self._asked
        if (app.get("spec") or {}).get("sources") and (asked.revision or choice.local):
            flag = "--revision" if asked.revision else "--local"
            raise InvalidInput(
                f"{flag} does not say which source is meant",
                why="the application has several",
                hint="Use --revisions with --source-positions.",
            )
        if choice.local is not None and automated(app) and not asked.dry_run:
            raise InvalidInput(
                "Cannot use local sync",
                why="Automatic Sync Policy is enabled: the next automatic sync would undo it",
                hint="Use --dry-run, or switch automated syncs off first.",
            )
        if choice.local is not None:
            asked = asked._replace(
                manifests=await self._apps.behind.git.bodies(Sought(app, folder=choice.folder, data=choice.data))
            )
        if asked.revisions:
            positions = sourced(sources_of(app), choice.source_positions, choice.source_names, asked.revisions)
            asked = asked._replace(revisions=revisions_for(app, "", asked.revisions, positions))
        return asked._replace(resources=await self._resources(app, asked))

    async def _resources(self, app: JsonObject, asked: Asked) -> list[JsonObject]:
        wanted = (*self._choice.resources, *(await self._labelled(app, asked) if self._choice.labels else ()))
        if not wanted:
            if self._choice.labels:
                raise NotFound(f"nothing of {AppName.of(app)} has the labels {', '.join(self._choice.labels)}")
            return []
        found = resources_of(app, picked(wanted))
        if not found:
            raise NotFound(f"nothing of {AppName.of(app)} matches {', '.join(wanted)}")
        return found

    async def _labelled(self, app: JsonObject, asked: Asked) -> list[str]:
        wanted = labels(self._choice.labels)
        found: list[str] = []
        for each in await self._apps.behind.git.manifests(self._sought(app, asked), live=False):
            has, ref = (each["metadata"].get("labels") or {}).items(), Ref.of(each)
            if any(pair in has for pair in wanted.items()):
                found.append(f"{ref.group}:{ref.kind}:{ref.name}")
        return found

    async def _wanted(self, app: JsonObject, asked: Asked) -> bool:
        """Show what would change, and ask whether it may."""
        name = AppName.of(app)
        told = await self._apps.behind.git.differences(self._sought(app, asked)._replace(folder=self._choice.folder))
        click.echo(f"====== Previewing differences between live and desired state of application {name} ======")
        if not told:
            click.echo("====== No Differences found ======")
            return False
        for _, text in told:
            click.echo(text)
        question = f"Please review changes to application {name} shown above. Do you want to continue the sync process?"
        return self._choice.sure or click.confirm(question, err=True)

    def _sought(self, app: JsonObject, asked: Asked) -> Sought:
        revisions = (asked.revision,) if asked.revision else asked.revisions
        return Sought(app, revisions, data=self._choice.data, committed=True)


def _verdict(app: JsonObject, asked: Asked) -> Exit:
    """Whether it did what it was asked to do."""
    if not app or (asked.dry_run and called_argocd()):
        return Exit.DONE
    phase = phase_of(app)
    if phase != "Succeeded":
        click.echo(f"Operation has completed with phase: {phase}", err=True)
        return Exit.FAILED
    status = app.get("status") or {}
    synced = (status.get("sync") or {}).get("status") == "Synced"
    results = ((status.get("operationState") or {}).get("syncResult") or {}).get("resources") or []
    left = sum(1 for each in results if each.get("status") == _SKIPPED)
    if not asked.dry_run and not asked.resources and not synced and left:
        click.echo(f"{left} resources require pruning", err=True)
        return Exit.FAILED
    return Exit.DONE
