"""What a kustomization names: the files, folders and charts that its build can look at. Pure.

What cannot be told from the file itself widens the circle: to everything in its folder, or to the whole tree. Too wide
costs a render too many; too narrow would be a change that nobody sees.
"""

from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from plumbline.base.errors import InvalidInput
from plumbline.base.json import Json, JsonObject
from plumbline.render.kustomize.kustomization import FIELDS, respelled

Role: TypeAlias = Literal["resource", "component", "file", "perhaps", "config"]
"""A resource is a file or a kustomization, a component a kustomization; `perhaps` is a file unless it is the text itself;
a config is a file that may name others."""
Bound: TypeAlias = Literal["listed", "folder", "tree"]

_CHART: Final = ("name", "version", "repo", "valuesFile", "additionalValuesFiles")
_CHARTS: Final = "charts"


class Chart(NamedTuple):
    folder: str
    repo: str


class References(NamedTuple):
    named: tuple[tuple[Role, str], ...] = ()
    charts: tuple[Chart, ...] = ()
    bound: Bound = "listed"


EVERYTHING: Final = References(bound="tree")


class _Vague(Exception):
    """The file does not say what Kustomize wants to hear; what that would look at is not known."""


def references(kustomization: JsonObject) -> References:
    """Everything that *kustomization* names, its fields spelled as usual."""
    if not kustomization.keys() <= FIELDS or kustomization.get("helmChartInflationGenerator"):
        return EVERYTHING
    try:
        named = [pair for field, reader in _READERS.items() for pair in reader(kustomization.get(field))]
        charts = list(_charts(kustomization))
        named += [("file", path) for each, _ in charts for path in each]
        configs = [text for role, text in named if role == "config"]
    except (_Vague, InvalidInput):
        return EVERYTHING
    if any(".." in text for text in configs):
        return EVERYTHING
    bound: Bound = "folder" if configs else "listed"
    named = [(role, text) for role, text in named if role not in {"perhaps", "config"} or not _inline(text)]
    return References(tuple(dict.fromkeys(named)), tuple(chart for _, chart in charts), bound)


def _inline(text: str) -> bool:
    return "\n" in text or text.lstrip().startswith(("{", "["))


def _texts(value: Json) -> list[str]:
    items = [] if value is None else value
    if not isinstance(items, list) or not all(isinstance(each, str) for each in items):
        raise _Vague
    return items


def _objects(value: Json, names: tuple[str, ...]) -> Iterator[JsonObject]:
    items = [] if value is None else value
    if not isinstance(items, list):
        raise _Vague
    for each in items:
        if not isinstance(each, dict):
            raise _Vague
        yield respelled(each, names, "a kustomization")


def _text(value: Json) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _Vague
    return value


def _listed(role: Role) -> Callable[[Json], list[tuple[Role, str]]]:
    return lambda value: [(role, text) for text in _texts(value)]


def _with_path(value: Json) -> list[tuple[Role, str]]:
    return [("file", path) for each in _objects(value, ("path",)) if (path := _text(each.get("path")))]


def _generated(value: Json) -> list[tuple[Role, str]]:
    found: list[tuple[Role, str]] = []
    for each in _objects(value, ("files", "envs", "env")):
        # A file may come with the key that it is kept under.
        found += [("file", text.partition("=")[2] or text) for text in _texts(each.get("files"))]
        found += [("file", text) for text in _texts(each.get("envs"))]
        found += [("file", text)] if (text := _text(each.get("env"))) else []
    return found


def _schema(value: Json) -> list[tuple[Role, str]]:
    if value is None:
        return []
    if not isinstance(value, dict):
        raise _Vague
    path = _text(respelled(value, ("path",), "a kustomization").get("path"))
    return [("file", path)] if path else []


def _charts(kustomization: JsonObject) -> Iterator[tuple[list[str], Chart]]:
    """Each chart, and the files of values that come from elsewhere."""
    settings = kustomization.get("helmGlobals") or {}
    if not isinstance(settings, dict):
        raise _Vague
    home = _text(respelled(settings, ("chartHome",), "helmGlobals").get("chartHome")) or _CHARTS
    for each in _objects(kustomization.get("helmCharts"), _CHART):
        name, version, repo = _text(each.get("name")), _text(each.get("version")), _text(each.get("repo"))
        folder = f"{home}/{name}-{version}/{name}" if version and repo else f"{home}/{name}"
        own = _text(each.get("valuesFile"))
        yield [*_texts(each.get("additionalValuesFiles")), *([own] if own else [])], Chart(folder, repo)


_READERS: Final[dict[str, Callable[[Json], list[tuple[Role, str]]]]] = {
    "resources": _listed("resource"),
    "bases": _listed("resource"),
    "components": _listed("component"),
    "crds": _listed("file"),
    "configurations": _listed("file"),
    "openapi": _schema,
    "patches": _with_path,
    "patchesJson6902": _with_path,
    "patchesStrategicMerge": _listed("perhaps"),
    "replacements": _with_path,
    "configMapGenerator": _generated,
    "secretGenerator": _generated,
    "generators": _listed("config"),
    "transformers": _listed("config"),
    "validators": _listed("config"),
}
