"""Kustomize behind the two questions that every tool answers."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from plumbline.base.errors import InvalidInput, ToolFailed, ToolMissing
from plumbline.base.json import encode_sorted
from plumbline.base.process import Confinement, Finished, scratch
from plumbline.render.kustomize.building import Build, build, edited
from plumbline.render.kustomize.closure import Closure
from plumbline.render.kustomize.fetching import fetching
from plumbline.render.kustomize.kustomization import NAMES
from plumbline.render.kustomize.outside import without_outside
from plumbline.render.kustomize.overrides import changes
from plumbline.render.kustomize.workspace import laid_out
from plumbline.render.requests import Origin, Request
from plumbline.render.tool import Output
from plumbline.render.tools.pins import HELM, KUSTOMIZE
from plumbline.render.tools.printed import objects
from plumbline.render.tools.running import ran
from plumbline.render.tools.toolbox import Program, Toolbox
from plumbline.render.values import version_of

_MANY: Final = 64
_WARNING: Final = "# Warning: "
_LITERALS: Final = "expected key=value"


class Kustomize:
    """Renders kustomizations. What was fetched for one is not looked at again before there is another commit."""

    heavy = True

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox

    def inputs(self, request: Request) -> tuple[str, ...]:
        made = build(request)
        charts = made.sees.charts
        return (
            self._toolbox.identity(KUSTOMIZE),
            f"{_asked(request)} {request.settings.kustomize_programs.get(_asked(request), '')}",
            self._toolbox.identity(HELM) if charts else "",
            *made.options.argv,
            *(made.charts if charts else ()),
            encode_sorted(made.wanted).decode() if changes(made.wanted) else "",
            request.place,
            made.sees.digest,
            *filter(None, (version_of(request.values),)),
            *(("fetched", request.app.revision) if made.sees.remotes and request.settings.kustomize_remote else ()),
        )

    async def render(self, request: Request) -> Output:
        made = build(request)
        if not request.settings.kustomize_remote:
            _refuse_remote(made.sees)
        program = await self._program(request)
        async with scratch() as folder:
            await _lay_out(request, made, folder / "tree")
            try:
                finished = await self._ran(request, made, program, folder)
            except ToolFailed as error:
                raise _discreet(error) from None
        began = Origin(_kustomization(request))
        found, warnings = await objects(
            finished.stdout, "kustomize build", lambda _: began, inline_bytes=request.settings.inline_bytes
        )
        return Output(without_outside(found), (*_warnings(finished.stderr), *warnings))

    async def _ran(self, request: Request, made: Build, program: Program, folder: Path) -> Finished:
        tree = folder / "tree"
        argv = (str(tree / request.place), *made.options.argv)
        if not made.sees.charts and not made.sees.remotes:
            return await ran(program, argv, tree, Confinement(readable=(tree,)))
        helm = await self._toolbox.helm() if made.options.helm else None
        confinement, variables = fetching(folder, helm, network=bool(made.sees.remotes))
        told = ("--helm-command", str(helm.path), *made.charts) if helm else ()
        return await ran(program, (*argv, *told), tree, confinement, variables)

    async def _program(self, request: Request) -> Program:
        asked = _asked(request)
        if path := request.settings.kustomize_programs.get(asked):
            return Program(KUSTOMIZE.name, Path(path), (path, *KUSTOMIZE.rendering), asked, "PATH")
        program = await self._toolbox.kustomize()
        if asked and asked.removeprefix("v") != program.version:
            raise ToolMissing(
                "Cannot build the kustomization",
                why=f"kustomize version {asked} is not registered",
                hint=f"Ask for {program.version}, which is here, or leave kustomize.version out.",
            )
        return program


def _refuse_remote(sees: Closure) -> None:
    if sees.remotes:
        place, address = sees.remotes[0]
        raise InvalidInput(
            f"Cannot build {place or 'the kustomization'}",
            why=f"it names {address}, which is not in the source, and nothing is fetched while rendering",
            hint="Copy it into the repository, or set kustomize.remote.enable in argocd-cm if you trust what it becomes.",
        )


async def _lay_out(request: Request, made: Build, tree: Path) -> None:
    changed = edited(request, made.wanted)
    if made.sees.whole or len(made.sees.entries) > _MANY:
        await asyncio.to_thread(_written, request, made, tree, changed)
    else:
        _written(request, made, tree, changed)


def _written(request: Request, made: Build, tree: Path, changed: Mapping[str, bytes]) -> None:
    (tree / request.place).mkdir(parents=True)
    laid_out(request.tree, made.sees, tree, changed)


def _asked(request: Request) -> str:
    return request.source.kustomize.version if request.source.kustomize else ""


def _kustomization(request: Request) -> str:
    paths = [f"{request.place}/{name}" if request.place else name for name in NAMES]
    return next((path for path in paths if request.tree.entry(path) is not None), paths[0])


def _warnings(said: bytes) -> tuple[str, ...]:
    """What Kustomize finds old-fashioned, once each."""
    lines = said.decode("utf-8", "replace").splitlines()
    return tuple(dict.fromkeys(line.removeprefix(_WARNING) for line in lines if line.startswith(_WARNING)))


def _discreet(error: ToolFailed) -> ToolFailed:
    """Of one wrong literal Kustomize says all that stand beside it, and those of a secretGenerator are secrets."""
    if _LITERALS not in error.why:
        return error
    return ToolFailed(
        error.what, exit_code=error.exit_code, why="a literal of a generator is not of the form key=value"
    )
