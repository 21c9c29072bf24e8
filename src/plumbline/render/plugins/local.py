"""A plugin whose commands run here: on a copy of the files, confined, within bounds."""

import asyncio
import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from plumbline.base.environment import environment
from plumbline.base.errors import LimitExceeded, TimedOut, ToolFailed
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import Command, Confinement, Limits, run, scratch
from plumbline.base.tree import written
from plumbline.render.environment import plugin_environment
from plumbline.render.plugins.definitions import Definition
from plumbline.render.requests import Request
from plumbline.render.tools.globs import globbed, shallow

_MIB: Final = 1 << 20
_DEADLINE_S: Final = 90.0
"""As long as Argo CD waits for a command of a plugin."""
_LIMITS: Final = Limits(cpu_s=90, memory_bytes=8192 * _MIB, file_bytes=1024 * _MIB, open_files=1024)
_PATH: Final = "/usr/local/bin:/usr/bin:/bin"
_UNLESS_NAMED: Final = ("PATH", "HOME", "TMPDIR")


class LocalPlugin:
    """A plugin by its *definition*, which was read in *folder*: what lies beside it may be read and executed."""

    def __init__(self, definition: Definition, folder: Path) -> None:
        self.name = definition.name
        self._definition = definition
        self._folder = folder

    def identity(self) -> str:
        return self._definition.digest

    async def discovers(self) -> bool:
        return self._definition.discovers

    async def claims(self, request: Request) -> bool:
        definition = self._definition
        if definition.file_name:
            return bool(shallow(request.tree, _pattern(request, definition.file_name)))
        if definition.glob:
            return bool(globbed(request.tree, _pattern(request, definition.glob)))
        return bool((await self._printed(request, definition.find)).removesuffix(b"\n"))

    async def generated(self, request: Request) -> bytes:
        return await self._printed(request, self._definition.init, self._definition.generate)

    async def _printed(self, request: Request, *commands: tuple[str, ...]) -> bytes:
        """What the last of *commands* prints, each run on what the one before it left behind."""
        async with scratch() as folder:
            tree = folder / "tree"
            await asyncio.to_thread(written, request.tree, tree, modes=self._definition.keeps_modes)
            for name in ("home", "tmp"):
                (folder / name).mkdir()
            printed = b""
            for argv in filter(None, commands):
                printed = await self._ran(argv, tree / request.place, folder, plugin_environment(request))
            return printed

    async def _ran(self, argv: tuple[str, ...], cwd: Path, folder: Path, variables: Mapping[str, str]) -> bytes:
        command = Command(
            argv=(_program(argv[0], cwd), *argv[1:]),
            cwd=cwd,
            environment={**self._surroundings(folder), **variables},
            deadline_s=_DEADLINE_S,
            limits=_LIMITS,
            confinement=self._confinement(folder),
            mask_stdout=False,
        )
        try:
            return (await run(command)).stdout
        except ToolFailed as error:
            why = f"`{' '.join(argv)}` failed: {_without(folder, error.why)}"
            raise ToolFailed(f"plugin {self.name} failed", exit_code=error.exit_code, why=why) from None
        except (LimitExceeded, TimedOut) as error:
            # What runs that long runs as long the next time: this is not for trying again soon.
            raise LimitExceeded(f"plugin {self.name} was ended", why=error.why) from None

    def _surroundings(self, folder: Path) -> dict[str, str | Plaintext]:
        """As much of our environment as the definition asks for. It may hold secrets, so what is said is masked."""
        known = environment()
        ours = {name: Plaintext(known[name]) for name in self._definition.grants.environment if name in known}
        usual = (known.get("PATH", _PATH), str(folder / "home"), str(folder / "tmp"))
        return {**dict(zip(_UNLESS_NAMED, usual, strict=True)), **ours}

    def _confinement(self, folder: Path) -> Confinement:
        grants = self._definition.grants
        runnable = (self._folder, *grants.paths, *((folder / "tree",) if self._definition.keeps_modes else ()))
        return Confinement(writable=(folder,), executable=runnable, network=grants.network)


def _pattern(request: Request, pattern: str) -> str:
    return posixpath.normpath(posixpath.join(request.place, pattern.lstrip("/")))


def _program(name: str, cwd: Path) -> str:
    """A name is looked up on PATH, a path is seen from where the command runs."""
    return name if "/" not in name else str(cwd / name)


def _without(folder: Path, said: str) -> str:
    return said.replace(f"{folder}/tree/", "").replace(str(folder), ".")
