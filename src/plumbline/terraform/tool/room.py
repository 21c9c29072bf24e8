"""The room in which the tool works: so many at once, each in a folder of its own that holds what it needs and no more."""

import asyncio
import contextlib
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from plumbline.base.clock import Clock, SystemClock
from plumbline.base.process import Confinement
from plumbline.base.tree import Tree, joined
from plumbline.terraform.tool import stages
from plumbline.terraform.tool.commands import Bounds, Commands, Desk, worth_masking
from plumbline.terraform.tool.environment import refuse_foreign, trusts_others, variables
from plumbline.terraform.tool.facts import Facts, refuse_unwanted
from plumbline.terraform.tool.finding import Tool, found
from plumbline.terraform.tool.need import needed
from plumbline.terraform.tool.places import Places, check, lay_out, write_private
from plumbline.terraform.tool.preparing import Judge, Permitted, Preparation, installation
from plumbline.terraform.tool.session import Session
from plumbline.terraform.tool.sockets import FOLDER_VARIABLE, sockets
from plumbline.terraform.tool.stages import Prepared, Stages
from plumbline.terraform.tool.store import Store
from plumbline.terraform.work import Workplace


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """On which terms the tool works here."""

    network: bool = True
    """Without it there are neither clouds nor remote state, and providers only from the store."""
    mirrors: tuple[Path, ...] = ()
    """Folders of packages that providers come from which the store lacks, packed or unpacked."""
    registries: str = "direct {}"
    """Where else they are fetched from, in the words of `provider_installation`; empty for nowhere."""
    fresh_s: float = 24 * 3600.0
    """How long an init that asks for the newest versions holds."""
    grace_s: float = 120.0
    """For an apply, between being asked to end and being killed."""
    kept: int = 500
    """Folders that are kept initialised."""
    readable: tuple[Path, ...] = ()
    """Beside its own folder: where the identity of a pod is, for instance."""
    bounds: Bounds = field(default_factory=Bounds)


class Toolroom:
    def __init__(
        self,
        folder: Path,
        tool: Callable[[], Awaitable[Tool]] = found,
        *,
        parallel: int = 2,
        share: int | None = None,
        terms: Terms | None = None,
        clock: Clock | None = None,
    ) -> None:
        """*share* is how many commands of one namespace run at once; without it nobody is told from anybody else."""
        self._tool = tool
        self._shared = share is not None
        self._terms = terms or Terms()
        self._clock = clock or SystemClock()
        self._desk = Desk(parallel, share)
        self._folder = folder
        self._stages = Stages(folder / "runs", self._terms.kept)
        self._store = Store(folder / "providers")

    @property
    def ran(self) -> Counter[str]:
        """How often each command of the tool was run."""
        return self._desk.ran

    @contextlib.asynccontextmanager
    async def opened(
        self,
        tree: Tree,
        workplace: Workplace,
        *,
        key: str = "",
        deadline_s: float = 3600.0,
        permitted: Permitted | None = None,
        judge: Judge | None = None,
    ) -> AsyncIterator[Session]:
        """A folder with the files of *tree* and *workplace*, initialised, for as long as the block lasts.

        *key* names the object, as namespace/name: its folder is kept, and init is left out while nothing changes that it depends on.
        *permitted* is asked for each provider; Forbidden is raised before any of them runs. *judge* is told what the
        repository itself would run, and raises before anything is fetched. *deadline_s* is for all of it.
        """
        visit = self._visit(key, workplace, asyncio.get_running_loop().time() + deadline_s)
        tool = await self._tool()
        refuse_foreign(each.name for each in workplace.environment)
        check(tree, workplace)
        need = await asyncio.to_thread(needed, tree, workplace)
        async with self._stages.entered(key, deadline_s) as places:
            await asyncio.to_thread(lay_out, tree, workplace, places, need.paths)
            with sockets(places.tmp) as listening:
                commands = await self._commands(tool, workplace, places, listening, visit)
                preparation = self._preparation(
                    commands, visit.store, workplace, places, permitted=permitted, judge=judge
                )
                inputs = stages.inputs(tool, workplace, f"{need.digest}{visit.apart}")
                yield await self._session(preparation, inputs, permitted)

    def _visit(self, key: str, workplace: Workplace, until_s: float) -> "_Visit":
        tenant = key.partition("/")[0] if self._shared else ""
        if not tenant or not trusts_others(workplace):
            return _Visit(tenant, self._store, until_s)
        apart = hashlib.sha256(tenant.encode()).hexdigest()[:24]
        return _Visit(tenant, Store(self._folder / "providers-of" / apart), until_s, apart)

    async def tidy(self) -> None:
        """Remove what runs have left that were killed together with us. To be called once, at the start."""
        await asyncio.to_thread(self._stages.tidy)

    async def forget(self, key: str) -> None:
        """Remove all that is kept for the object *key*."""
        await self._stages.forget(key)

    async def _session(self, preparation: Preparation, inputs: str, permitted: Permitted | None) -> Session:
        commands, places, workplace = preparation.commands, preparation.places, preparation.workplace

        async def prepare() -> Facts:
            await asyncio.to_thread(stages.forget, places)
            facts = await preparation.prepare()
            prepared = Prepared(inputs, self._clock.now(), facts)
            await asyncio.to_thread(stages.remember, places, commands.module, prepared)
            return facts

        prepared = await asyncio.to_thread(stages.recall, places, inputs)
        if prepared is None or self._outdated(prepared, workplace):
            return Session(commands, places, workplace, await prepare())
        refuse_unwanted(prepared.facts, permitted)
        await asyncio.to_thread(stages.reuse, prepared, commands.module)
        return Session(commands, places, workplace, prepared.facts, prepare)

    def _outdated(self, prepared: Prepared, workplace: Workplace) -> bool:
        age_s = (self._clock.now() - prepared.at).total_seconds()
        return workplace.upgrade and self._terms.network and not 0 <= age_s <= self._terms.fresh_s

    async def _commands(
        self, tool: Tool, workplace: Workplace, places: Places, listening: Path, visit: "_Visit"
    ) -> Commands:
        own = places.own / "installed.tfrc"
        await asyncio.to_thread(visit.store.prepare)
        await asyncio.to_thread(write_private, own, installation([visit.store.mirror]))
        named = joined("", workplace.command_line_config)
        config = places.home / named if named else own
        return Commands(
            desk=self._desk,
            tool=tool,
            module=places.module(workplace.path),
            environment=variables(places, str(config), workplace.environment) | {FOLDER_VARIABLE: str(listening)},
            tenant=visit.tenant,
            confinement=Confinement(
                readable=(places.own, *self._terms.readable),
                writable=(places.source, places.home, places.tmp, places.data, listening),
                # Scripts of a module are in its source; who may not have them run is told by the facts.
                executable=(visit.store.mirror, places.source, places.data),
                network=self._terms.network,
                unix_sockets=True,
            ),
            until_s=visit.until_s,
            grace_s=self._terms.grace_s,
            bounds=self._terms.bounds,
            secrets=worth_masking(workplace),
            names=_names(places, workplace),
        )

    def _preparation(
        self,
        commands: Commands,
        store: Store,
        workplace: Workplace,
        places: Places,
        *,
        permitted: Permitted | None,
        judge: Judge | None,
    ) -> Preparation:
        terms = self._terms
        return Preparation(
            commands=commands,
            places=places,
            workplace=workplace,
            store=store,
            clock=self._clock,
            permitted=permitted,
            judge=judge,
            fetching=terms.network or (bool(terms.mirrors) and not terms.registries),
            mirrors=terms.mirrors,
            registries=terms.registries,
            fresh_s=terms.fresh_s,
        )


class _Visit(NamedTuple):
    """Whose run it is, and what it may use."""

    tenant: str
    store: Store
    until_s: float
    """On the clock of the event loop."""
    apart: str = ""
    """Names the store, where it is one of the tenant alone."""


def _names(places: Places, workplace: Workplace) -> tuple[tuple[str, str], ...]:
    """Longest first."""
    return (
        (f"{places.module(workplace.path)}/", ""),
        (f"{places.source}/", ""),
        (str(places.home), "~"),
        (str(places.root), "."),
    )
