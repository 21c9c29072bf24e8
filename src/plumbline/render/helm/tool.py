"""Helm behind the two questions that every tool answers."""

import asyncio
import re
from typing import Final

from plumbline.base.errors import ToolFailed
from plumbline.base.plaintext import Plaintext
from plumbline.base.process import Confinement, Finished, scratch
from plumbline.base.tree import Tree, resolve
from plumbline.render.helm.dependencies import Charts, NoCharts, local
from plumbline.render.helm.origins import Origins
from plumbline.render.helm.release import Release, chart_content, release
from plumbline.render.helm.workspace import Brought, LaidOut, laid_out
from plumbline.render.requests import Request
from plumbline.render.tool import Output
from plumbline.render.tools.pins import HELM
from plumbline.render.tools.printed import objects
from plumbline.render.tools.running import ran
from plumbline.render.tools.toolbox import Toolbox

_ENVIRONMENT: Final = {"HELM_PLUGINS": "/nonexistent"}
_WARNING: Final = re.compile(r"^[a-z_]+\.go:\d+: warning: (.+)$", re.MULTILINE)


class Helm:
    """Renders charts. *charts* brings dependencies and values that are not in the source."""

    heavy = True

    def __init__(self, toolbox: Toolbox, charts: Charts | None = None) -> None:
        self._toolbox = toolbox
        self._charts = charts or NoCharts()

    def inputs(self, request: Request) -> tuple[str, ...]:
        """What comes from elsewhere counts with its address and version alone, values also with the commit, as in Argo CD.

        And with the project that it came for: another one may not have it, or has no credentials for it.
        """
        made = release(request)
        away = (request.app.revision,) if _addresses(made) else ()
        brought = any(local(each, request.place) is None for each in made.missing)
        lent = (request.app.project,) if brought or away else ()
        return (self._toolbox.identity(HELM), *made.inputs(), *chart_content(request, made), *away, *lent)

    async def render(self, request: Request) -> Output:
        made = release(request)
        program = await self._toolbox.helm()
        brought = await self._brought(request, made)
        async with scratch() as folder:
            run = await asyncio.to_thread(laid_out, request, made, brought, folder)
            confinement = Confinement(readable=(folder,))
            try:
                finished = await ran(program, run.argv, folder, confinement, _ENVIRONMENT, told=_given(made))
            except ToolFailed as error:
                raise ToolFailed(
                    error.what, exit_code=error.exit_code, why=_renamed(error.why, run, str(folder))
                ) from None
        return await _output(request, finished)

    async def _brought(self, request: Request, made: Release) -> Brought:
        charts: dict[str, tuple[Tree, str]] = {}
        places = {each: local(each, request.place) for each in made.missing}
        self._charts.permit(request, [each for each, place in places.items() if place is None])
        for each, place in places.items():
            # Several versions of one chart lie side by side: Helm finds the one for each by what is in them.
            folder = f"{each.name}@{len(charts)}" if each.name in charts else each.name
            if place is None:
                charts[folder] = await self._charts.dependency(request, each), ""
            else:
                charts[folder] = request.tree, resolve(request.tree, place)
        return Brought(charts, {each: await self._charts.values(request, each) for each in _addresses(made)})


def _addresses(made: Release) -> tuple[str, ...]:
    """Of files that lie elsewhere."""
    files = (*made.value_files, *(file for _, file in made.file_parameters))
    return tuple(dict.fromkeys(each.address for each in files if each.address))


def _given(made: Release) -> Plaintext | None:
    """What Helm reads from its standard input, so that it lies in no file: JSON, which is YAML."""
    return made.given.tree if made.given is not None else None


async def _output(request: Request, finished: Finished) -> Output:
    origins = Origins(finished.stdout, request.place)
    found, warnings = await objects(
        finished.stdout, "helm template", origins.of, inline_bytes=request.settings.inline_bytes
    )
    said = _WARNING.findall(finished.stderr.decode("utf-8", "replace"))
    return Output(found, (*dict.fromkeys(said), *warnings))


def _renamed(why: str, run: LaidOut, folder: str) -> str:
    """*why* with files called as people call them. The folder is gone from it already."""
    for path, called in run.names.items():
        why = why.replace(path.removeprefix(f"{folder}/"), called)
    return why
