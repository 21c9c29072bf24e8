"""Planning what a change concerns: each root module by itself, so that one that fails hides none of the others."""

import asyncio
from collections.abc import Callable, Iterable
from typing import NamedTuple

import msgspec

from plumbline.base.clock import Clock, rfc3339
from plumbline.base.errors import NotFound, PlumblineError
from plumbline.base.tasks import task_group
from plumbline.terraform.changed.affected import Affected
from plumbline.terraform.changed.checkout import Between
from plumbline.terraform.changed.inputs import inputs_digest
from plumbline.terraform.changed.marks import Mark, mark_of_plan
from plumbline.terraform.changed.rooms import Tool
from plumbline.terraform.changed.roots import RootModule, RootModules
from plumbline.terraform.changed.sealing import Header
from plumbline.terraform.changed.trails import trail, within
from plumbline.terraform.plans import Danger, Summary, dangers, digest, summarised
from plumbline.terraform.work import Argument, Placed, Planned, Planning, Workplace


class Wanted(NamedTuple):
    var_files: tuple[str, ...] = ()
    """From the root of the repository."""
    environment: tuple[Argument, ...] = ()
    files: tuple[Placed, ...] = ()
    command_line_config: str = ""
    parallel: int = 2


class Made(NamedTuple):
    """A plan, what it comes to, and what it was made for."""

    planned: Planned
    summary: Summary
    dangers: tuple[Danger, ...]
    header: Header


class Tried(NamedTuple):
    affected: Affected
    made: Made | None = None
    error: PlumblineError | None = None
    notes: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        return self.made is not None and self.made.planned.changes


class Planner:
    def __init__(self, tool: Tool, between: Between, roots: RootModules, wanted: Wanted, clock: Clock) -> None:
        self._tool, self._between, self._roots, self._wanted, self._clock = tool, between, roots, wanted, clock

    async def planned(self, affected: Iterable[Affected], told: Callable[[Tried], None]) -> list[Tried]:
        """All of them, in the order given; *told* of each as it is done. Root modules that are gone are not planned."""
        places = asyncio.Semaphore(max(1, self._wanted.parallel))

        async def one(each: Affected) -> Tried:
            async with places:
                tried = await self._tried(each)
            told(tried)
            return tried

        async with task_group() as group:
            tasks = [group.create_task(one(each)) for each in affected if each.change != "gone"]
        return [task.result() for task in tasks]

    async def _tried(self, affected: Affected) -> Tried:
        notes = tuple(_doubts(self._roots, affected.root))
        try:
            return Tried(affected, await self._made(affected.root), None, notes)
        except PlumblineError as error:
            return Tried(affected, None, error, notes)

    async def _made(self, root: RootModule) -> Made:
        var_files = (*self._roots.var_files(root), *_existing(self._between, self._wanted.var_files))
        inputs = inputs_digest(self._roots, root, var_files)
        place = workplace(root, var_files, self._wanted)
        async with self._tool.opened(self._between.after, place) as session:
            # Without a lock: nothing is written, and a state that moves meanwhile makes the plan void by its serial.
            planned = await session.plan(Planning(lock=False))
            if not planned.json:
                json, text = await session.shown(planned.plan)
                planned = msgspec.structs.replace(planned, json=json, text=text)
        summary = summarised(planned.json)
        found = tuple(dangers(summary))
        return Made(planned, summary, found, self._header(place, inputs, planned, len(found)))

    def _header(self, place: Workplace, inputs: str, planned: Planned, found: int) -> Header:
        mark = mark_of_plan(planned.plan) or Mark()
        made = digest(planned.plan, serial=mark.serial, lineage=mark.lineage, revision=inputs, json=planned.json)
        return Header(
            digest=made.content,
            folder=place.path,
            workspace=place.workspace,
            var_files=place.var_files,
            inputs=inputs,
            commit=self._between.head if self._between.clean else "",
            tool=self._tool.name,
            version=self._tool.version,
            lineage=mark.lineage,
            serial=mark.serial,
            created=rfc3339(self._clock.now()),
            changes=planned.changes,
            dangers=found,
        )


def workplace(root: RootModule, var_files: tuple[str, ...], wanted: Wanted) -> Workplace:
    """As the module says, without a backend of ours; versions of providers are those of its lock file."""
    return Workplace(
        path=root.folder,
        workspace=root.workspace,
        var_files=var_files,
        environment=wanted.environment,
        files=wanted.files,
        command_line_config=wanted.command_line_config,
        upgrade=False,
        stateless=True,
    )


def lasting(roots: RootModules, root: RootModule) -> bool:
    """Whether its state outlives the folder that it is planned in."""
    module = roots.modules.module(root.folder)
    return module is not None and module.skim.backend not in {"", "local"}


def _doubts(roots: RootModules, root: RootModule) -> Iterable[str]:
    if not lasting(roots, root):
        yield "It names no backend that outlives a CI job, so that everything is new to it and it will not be applied"


def _existing(between: Between, var_files: tuple[str, ...]) -> tuple[str, ...]:
    for path in var_files:
        place = within("", path)
        way = trail(between.after, place) if place is not None else None
        if way is None or way.entry is None or way.entry.kind != "file":
            raise NotFound(f"there is no variable file {path}", hint="Name it from the root of the repository.")
    return var_files
