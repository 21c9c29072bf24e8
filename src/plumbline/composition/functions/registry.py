"""Which function a composition means by a name."""

import asyncio
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.clock import Clock
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.base.tasks import task_group
from plumbline.composition.functions.auto_ready import AutoReady
from plumbline.composition.functions.configuration import Configured, Started
from plumbline.composition.functions.environment_configs import EnvironmentConfigs
from plumbline.composition.functions.extra_resources import ExtraResources
from plumbline.composition.functions.gotemplating import GoTemplating
from plumbline.composition.functions.grpc import Certificates, Program, Remote, from_command, from_python
from plumbline.composition.functions.sequencer import Sequencer
from plumbline.composition.functions.values import Function
from plumbline.gotemplate import Surroundings

Packages: TypeAlias = Callable[[str], str | None]
"""The package that a Function object of that name installs; None where there is no such object."""

_PLACES: Final = ("{name}.py", "{name}/fn.py", "{name}/function/fn.py")


class _Meant(NamedTuple):
    """What does the work of a function here."""

    name: str
    module: Path | None
    built_in: bool = False


class Registry:
    """Keeps each function once it was asked for. `serve` runs the programs among them."""

    def __init__(self, configured: Configured, packages: Packages, clock: Clock, ids: Ids) -> None:
        self._configured = configured
        self._packages = packages
        self._clock = clock
        self._known: dict[_Meant, Function] = {}
        self._programs: asyncio.Queue[Program] = asyncio.Queue()
        surroundings = Surroundings(clock.now, ids)
        self._built_in: Mapping[str, Callable[[], Function]] = {
            "function-auto-ready": AutoReady,
            "function-environment-configs": EnvironmentConfigs,
            "function-extra-resources": ExtraResources,
            "function-go-templating": lambda: GoTemplating(surroundings, configured.templates),
            "function-patch-and-transform": _patch_and_transform,
            "function-sequencer": Sequencer,
        }

    def function(self, name: str) -> Function:
        """Raises NotFound with the way out."""
        package = self._packages(name)
        found = self._meant(name, package)
        if found not in self._known:
            self._known[found] = self._made(found)
        return self._known[found]

    async def serve(self) -> None:
        """Run the programs that functions need, each from the first call on, until cancelled."""
        async with task_group() as group:
            while True:
                program = await self._programs.get()
                group.create_task(program.serve())

    async def close(self) -> None:
        for function in self._known.values():
            if isinstance(function, Remote):
                await function.close()

    def stands_in_for(self, package: str) -> str | None:
        """What does here as the function in *package* does, by name; the package's last part is what is looked for."""
        last = _last_part(package)
        if self._configured.functions.get(last) or self._module(last):
            return last
        return self._well_known(package)

    def _meant(self, name: str, package: str | None) -> "_Meant":
        """What a name stands for now. Packages come and go; what does their work here is one and the same."""
        for called in (name, _last_part(package or name)):
            if called in self._configured.functions:
                return _Meant(called, None)
            if (module := self._module(called)) is not None:
                return _Meant(called, module)
        known = self._well_known(package or name)
        if known is None:
            raise _unknown(name, package)
        return _Meant(known, None, built_in=True)

    def _made(self, meant: "_Meant") -> Function:
        if meant.built_in:
            return self._built_in[meant.name]()
        if meant.module is not None:
            return self._begun(from_python(meant.name, meant.module, self._clock, network=self._configured.network))
        setting = self._configured.functions[meant.name]
        if isinstance(setting, Started):
            return self._begun(from_command(meant.name, setting.argv, self._clock))
        return Remote(setting.address, Certificates(setting.certificates) if setting.certificates else None)

    def _well_known(self, reference: str) -> str | None:
        """Names that Crossplane makes put the organisation before it."""
        last = _last_part(reference)
        return next((name for name in self._built_in if last == name or last.endswith(f"-{name}")), None)

    def _begun(self, program: Program) -> Program:
        self._programs.put_nowait(program)
        return program

    def _module(self, name: str) -> Path | None:
        folder = self._configured.folder
        if folder is None or "/" in name or name.startswith("."):
            return None
        places = (folder / place.format(name=name) for place in _PLACES)
        return next((place.resolve() for place in places if place.is_file()), None)


def _last_part(reference: str) -> str:
    """Of a package's name, without its tag and digest."""
    return reference.partition("@")[0].rpartition("/")[2].partition(":")[0]


def _unknown(name: str, package: str | None) -> NotFound:
    what = f'there is no function "{name}"'
    why = f"{package} does not come with us" if package else "no Function of that name is installed or comes with us"
    hint = (
        "Start it somewhere and configure its address, configure the command that starts it,"
        f" or put its Python code into the folder of functions as {name}.py."
    )
    return NotFound(what, why=f"{why}, and nothing is configured for it", hint=hint)


def _patch_and_transform() -> Function:
    # By its name, since that room stands on the values of this one.
    made: Function = import_module("plumbline.composition.patching.function").PatchAndTransform()
    return made
