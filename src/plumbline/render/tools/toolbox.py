"""Finding each program once per process."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.errors import PlumblineError, ToolMissing
from plumbline.base.process import Command, Confinement, run
from plumbline.render.tools.building import built
from plumbline.render.tools.pins import HELM, KUSTOMIZE, Pin, Version, spelled, version_in
from plumbline.render.tools.places import default_cache, fingerprint, on_path, runnable

Origin: TypeAlias = Literal["PATH", "cache", "built", "kubectl"]
Build: TypeAlias = Callable[[Pin, Path, Path], Awaitable[Path]]

_ASKING_S: Final = 20.0
_KUBECTL: Final = KUSTOMIZE._replace(asking=("version", "--client"), rendering=("kustomize",))
"""Kustomize, as kubectl has it."""


class Program(NamedTuple):
    """A program that may be run, and how it came to be chosen."""

    name: str
    path: Path
    argv: tuple[str, ...]
    """What every render begins with."""
    version: str
    origin: Origin


class Toolbox:
    """Helm and Kustomize of this machine. Nothing is looked for before it is needed."""

    def __init__(self, cache: Path | None = None, *, build: Build | None = built) -> None:
        self.cache = cache or default_cache()
        self._build = build
        self._programs: dict[str, Program] = {}
        self._identities: dict[str, str] = {}
        self._unbuildable: dict[str, ToolMissing] = {}
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def helm(self) -> Program:
        return await self.program(HELM)

    async def kustomize(self) -> Program:
        return await self.program(KUSTOMIZE)

    async def program(self, pin: Pin) -> Program:
        """The program to use for *pin*, or ToolMissing with a way to get one. Building it may take minutes, once."""
        if found := self._programs.get(pin.name):
            return found
        async with self._turns[pin.name]:
            if pin.name not in self._programs:
                self._programs[pin.name] = await self._sought(pin)
        return self._programs[pin.name]

    def identity(self, pin: Pin) -> str:
        """What decides which program `program` gives, known without running any: part of what a render depends on."""
        known = self._identities.get(pin.name)
        if known is None:
            places = [*on_path(pin.name), *(on_path("kubectl") if pin == KUSTOMIZE else ())]
            known = "; ".join([*map(fingerprint, places), f"{pin.name} {pin.version}"])
            if pin.name in self._programs:
                self._identities[pin.name] = known
        return known

    async def _sought(self, pin: Pin) -> Program:
        refusals: list[str] = []
        for place, origin, asked in self._candidates(pin):
            try:
                version = await _version(asked, place)
            except PlumblineError as error:
                refusals.append(f"{place} does not say its version: {error}")
                continue
            if version >= asked.oldest:
                return Program(pin.name, place, (str(place), *asked.rendering), spelled(version), origin)
            refusals.append(f"{place} is {spelled(version)}, and {asked.why}")
        try:
            if place_built := await self._built(pin):
                argv = (str(place_built), *pin.rendering)
                return Program(pin.name, place_built, argv, pin.version.removeprefix("v"), "built")
        except ToolMissing as error:
            if pin != KUSTOMIZE or not any(on_path("kubectl")):
                raise
            refusals.append(str(error))
        return await self._within_kubectl(pin, refusals)

    def _candidates(self, pin: Pin) -> Iterator[tuple[Path, Origin, Pin]]:
        for place in on_path(pin.name):
            yield place, "PATH", pin
        if runnable(kept := self.cache / pin.filename):
            yield kept, "cache", pin

    async def _built(self, pin: Pin) -> Path | None:
        if error := self._unbuildable.get(pin.name):
            raise error
        go = next(on_path("go"), None)
        if go is None or self._build is None:
            return None
        try:
            return await self._build(pin, go, self.cache)
        except ToolMissing as error:
            # Minutes of work that failed are not repeated for every application.
            self._unbuildable[pin.name] = error
            raise

    async def _within_kubectl(self, pin: Pin, refusals: list[str]) -> Program:
        for place in on_path("kubectl") if pin == KUSTOMIZE else ():
            version = await _version(_KUBECTL, place)
            if version >= _KUBECTL.oldest:
                return Program(pin.name, place, (str(place), *_KUBECTL.rendering), spelled(version), "kubectl")
            refusals.append(f"the Kustomize in {place} is {spelled(version)}, and {pin.why}")
        raise ToolMissing(
            f"{pin.name} cannot be run",
            why="; ".join(refusals)
            or f"it is neither on PATH nor in {self.cache}, and there is no Go to build it with",
            hint=f"Install {pin.name} {spelled(pin.oldest)} or newer, or Go, with which it is built once.",
        )


async def _version(pin: Pin, place: Path) -> Version:
    finished = await run(
        Command(
            argv=(str(place), *pin.asking),
            environment={"HOME": "/nonexistent"},
            deadline_s=_ASKING_S,
            confinement=Confinement(policy="best-effort"),
        )
    )
    version = version_in(finished.stdout.decode("utf-8", "replace"))
    if version is None:
        raise ToolMissing(f"{place} cannot be used", why="it does not say its version")
    return version
