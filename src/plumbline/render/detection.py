"""Which tool a source is for: what it says, else what lies in its folder."""

from typing import Final

import msgspec

from plumbline.base.errors import InvalidInput
from plumbline.base.tree import followed
from plumbline.kinds.application import ApplicationSource
from plumbline.render.kept import Kept
from plumbline.render.overrides import overridden
from plumbline.render.requests import Request, SourceType

_CHART: Final = "Chart.yaml"
_detected: Final[Kept[tuple[str, frozenset[SourceType]], SourceType]] = Kept(16_384)
PATH_MISSING: Final = "app path does not exist"
KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def prepared(request: Request) -> tuple[Request, SourceType]:
    """The request as tools want it, and the tool: its path found, what lies beside its files merged in."""
    place = _place(request)
    request = msgspec.structs.replace(request, place=place, source=overridden(request, place))
    return request, _type(request)


def explicit_type(source: ApplicationSource) -> SourceType | None:
    """The tool that the source has options for, or InvalidInput where those are for several."""
    given: list[SourceType] = []
    if source.kustomize is not None:
        given.append("Kustomize")
    if source.helm is not None:
        given.append("Helm")
    if source.directory is not None:
        given.append("Directory")
    if source.plugin is not None:
        given.append("Plugin")
    if len(given) > 1:
        raise InvalidInput(
            "Cannot choose how to render the source",
            why=f"multiple application sources defined: {','.join(given)}",
            hint="Keep the options of one tool.",
        )
    return given[0] if given else None


def _place(request: Request) -> str:
    path = request.source.path if not request.source.chart else ""
    if path.startswith("/"):
        raise InvalidInput(
            f"Cannot render {path}", why="app path is absolute", hint="Write it from the root, without /."
        )
    place, entry = followed(request.tree, path)
    if entry is None:
        raise InvalidInput(f"Cannot render {path}", why=PATH_MISSING)
    if entry.kind != "folder":
        raise InvalidInput(f"Cannot render {path}", why="app path is not a directory")
    return place


def _type(request: Request) -> SourceType:
    explicit = explicit_type(request.source)
    if explicit is not None:
        return "Directory" if explicit in request.settings.disabled else explicit
    if request.claimed:
        return "Plugin"
    folder = request.tree.entry(request.place)
    memo = (folder.digest if folder else "", request.settings.disabled)
    detected = _detected.get(memo)
    if detected is None:
        detected = _looked_at(request)
        _detected.put(memo, detected)
    return detected


def _looked_at(request: Request) -> SourceType:
    """As upstream goes through the files in order: the last that says something is right."""
    disabled = request.settings.disabled
    detected: SourceType = "Directory"
    for name, entry in request.tree.children(request.place):
        if entry.kind in {"folder", "module"}:
            continue
        if name.endswith(_CHART) and "Helm" not in disabled:
            detected = "Helm"
        if name in KUSTOMIZATIONS and "Kustomize" not in disabled:
            detected = "Kustomize"
    return detected
