"""From files in a folder to a folder that the tool has initialised: offline from the store, and online only if it must be."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.errors import Forbidden, PlumblineError, ToolFailed
from plumbline.base.tree import joined
from plumbline.terraform.tool import diagnostics, lockfile
from plumbline.terraform.tool.commands import Commands
from plumbline.terraform.tool.facts import Facts, gathered, refuse_unwanted
from plumbline.terraform.tool.lockfile import Chosen
from plumbline.terraform.tool.places import LOCK, Places, quoted, remove, write_private
from plumbline.terraform.tool.store import Store
from plumbline.terraform.work import Workplace

Permitted = Callable[[str], bool]
Judge = Callable[[Facts], None]
_DEFAULT: Final = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    commands: Commands
    places: Places
    workplace: Workplace
    store: Store
    clock: Clock
    permitted: Permitted | None
    judge: Judge | None
    fetching: bool
    """Whether what the store lacks may be fetched: from *mirrors*, which are folders, and from *registries*."""
    mirrors: tuple[Path, ...]
    registries: str
    fresh_s: float
    """How long the newest versions that were found count as the newest."""

    async def prepare(self) -> Facts:
        """Initialise. Nothing of a provider has run when this returns, or raises Forbidden because of one."""
        known = await self._facts(self.places.data)
        refuse_unwanted(known, self.permitted)
        if self.judge is not None:
            self.judge(known)
        if self.workplace.command_line_config:
            self._refuse_overrides()
            if told := await self._attempt():
                raise self._error(told)
        else:
            await self._from_store()
        if self.workplace.workspace != _DEFAULT:
            await self.commands.run("workspace", "select", "-no-color", "-or-create", self.workplace.workspace)
        facts = (await self._facts(self.places.data)).with_chosen(self._chosen())
        refuse_unwanted(facts, self.permitted)
        return facts

    async def _from_store(self) -> None:
        await asyncio.to_thread(self._complete_lock)
        told = await self._attempt()
        if told and not self.fetching:
            raise self._error(told)
        if not told and not self._outdated(self._chosen()):
            return
        async with self.store.installing(self.commands.tenant, self.commands.left_s("init")) as waited:
            if waited and told:
                # Whoever was first may have installed the same.
                await asyncio.to_thread(self._complete_lock)
                told = await self._attempt()
                if not told:
                    return
            await self._install()
        if told := await self._attempt():
            raise self._error(told)

    async def _attempt(self) -> "list[diagnostics.Diagnostic]":
        """Init from the store; what it says where all that it lacks are providers."""
        try:
            await self._init(self.commands)
        except _Lacking as error:
            return error.told
        return []

    async def _init(self, commands: Commands, *extra: str) -> None:
        upgrade = ("-upgrade",) if self.workplace.upgrade else ()
        backend = (f"-backend-config={self.places.backend}",) if self.workplace.backend and not extra else ()
        finished = await commands.run(
            "init", "-input=false", "-no-color", "-lock=false", *upgrade, *backend, *extra, accept=frozenset(range(256))
        )
        if finished.exit_code == 0:
            return
        told = list(diagnostics.from_text(finished.stderr.decode(errors="replace")))
        if diagnostics.about_providers(told):
            raise _Lacking(told)
        raise commands.failure("init", told, finished)

    async def _install(self) -> None:
        """Fetch what is asked for into a folder of its own, have it checked, and put it into the store."""
        places = self.places
        config = places.own / "fetching.tfrc"
        await asyncio.to_thread(write_private, config, installation(self.mirrors, self.registries))
        await asyncio.to_thread(places.staging.mkdir, mode=0o700, exist_ok=True)
        environment = {
            **self.commands.environment,
            "TF_CLI_CONFIG_FILE": str(config),
            "TF_DATA_DIR": str(places.staging),
        }
        confinement = self.commands.confinement
        confinement = replace(
            confinement,
            readable=(*confinement.readable, *self.mirrors),
            writable=(*confinement.writable, places.staging),
        )
        try:
            await self._init(replace(self.commands, environment=environment, confinement=confinement), "-backend=false")
        except _Lacking as error:
            raise self._error(error.told) from None
        chosen = self._chosen()
        facts = (await self._facts(places.staging)).with_chosen(chosen)
        refuse_unwanted(facts, self.permitted)
        await asyncio.to_thread(self.store.admit, chosen, places.staging / "providers", self.commands.tool.platform)
        await asyncio.to_thread(self.store.note_asked, chosen, self.clock.now())
        await asyncio.to_thread(remove, places.staging)

    def _refuse_overrides(self) -> None:
        """Where only some providers are permitted, none may come from a path that no lock file speaks of."""
        config = self.places.home / joined("", self.workplace.command_line_config)
        if self.permitted is not None and b"dev_overrides" in config.read_bytes():
            raise Forbidden(
                "The configuration of the tool may not be used",
                why="it has dev_overrides, which would run providers that nobody has checked",
            )

    def _outdated(self, chosen: tuple[Chosen, ...]) -> bool:
        if not (chosen and self.fetching and self.workplace.upgrade):
            return False
        asked = self.store.asked(chosen)
        return asked is None or (self.clock.now() - asked).total_seconds() > self.fresh_s

    def _complete_lock(self) -> None:
        chosen = self._chosen()
        completed = self.store.completed(chosen, self.commands.tool.platform)
        if completed != chosen:
            write_private(self._lock, lockfile.spelled(completed))

    @property
    def _lock(self) -> Path:
        return self.commands.module / LOCK

    def _chosen(self) -> tuple[Chosen, ...]:
        try:
            return lockfile.read(self._lock.read_bytes())
        except OSError:
            return ()

    async def _facts(self, data: Path) -> Facts:
        return await asyncio.to_thread(gathered, self.commands.module, self.places.source, data, self.commands.tool)

    def _error(self, told: "list[diagnostics.Diagnostic]") -> PlumblineError:
        return self.commands.failure("init", told, ToolFailed(""))


def installation(mirrors: Iterable[Path], registries: str = "") -> bytes:
    """A configuration of the tool that has providers come from there alone."""
    blocks = (f"  filesystem_mirror {{\n    path = {quoted(str(each))}\n  }}\n" for each in mirrors)
    return f"provider_installation {{\n{''.join(blocks)}  {registries}\n}}\n".encode()


class _Lacking(Exception):
    """An init that found everything but providers."""

    def __init__(self, told: "list[diagnostics.Diagnostic]") -> None:
        super().__init__()
        self.told = told
