"""Charts within charts: which are missing, and who brings them.

Helm never fetches one. It would do so with whatever credentials lie around, and what it fetched would be known to nobody;
a dependency comes as a tree from whoever knows repositories, projects and credentials, or from the same source.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from plumbline.base.errors import InvalidInput, PlumblineError
from plumbline.base.json import Json
from plumbline.base.limits import SETTINGS
from plumbline.base.tree import Tree, followed, joined, read_text
from plumbline.render.kept import Kept
from plumbline.render.requests import Request
from plumbline.render.tools.content import content

_LOCAL: Final = "file://"
_ARCHIVE: Final = re.compile(r"(?P<name>.+?)-v?[0-9][^/]*\.tgz")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_missing: Final[Kept[tuple[str, ...], "tuple[Dependency, ...]"]] = Kept(4096)


class Dependency(NamedTuple):
    """A chart that another one wants beside itself."""

    name: str
    version: str
    """The one that Chart.lock fixes, else what Chart.yaml allows."""
    repository: str
    """An address, or `@name` or `alias:name` for a repository that is known by name."""


class Charts(Protocol):
    """Brings what a chart needs and its source has not. Asked with the request, which says for whom."""

    def permit(self, request: Request, wanted: Sequence[Dependency]) -> None:
        """Raise, before anything is fetched, which of them the source may not have."""

    async def dependency(self, request: Request, wanted: Dependency) -> Tree:
        """The chart, with Chart.yaml at the root."""

    async def values(self, request: Request, address: str) -> bytes:
        """A file of values that lies elsewhere."""


class NoCharts:
    """Brings nothing."""

    def permit(self, request: Request, wanted: Sequence[Dependency]) -> None:
        """What is not brought is refused when it is asked for."""

    async def dependency(self, request: Request, wanted: Dependency) -> Tree:
        raise InvalidInput(
            f"Cannot render {request.place or 'the chart'}",
            why=f"found in Chart.yaml, but missing in charts/ directory: {wanted.name}",
            hint="Run `helm dependency build` and commit what it puts into charts/.",
        )

    async def values(self, request: Request, address: str) -> bytes:
        raise InvalidInput(
            f"Cannot use the value file {address}",
            why="value files are not fetched from elsewhere",
            hint=f"Put it into the repository of {request.app.name}.",
        )


def missing(tree: Tree, chart: str) -> tuple[Dependency, ...]:
    """What the chart at *chart* wants and its `charts/` has not."""
    known = _missing.get(memo := content(tree, chart))
    if known is None:
        known = tuple(_absent(tree, chart))
        _missing.put(memo, known)
    return known


def local(dependency: Dependency, chart: str) -> str | None:
    """Where in the chart's own tree it is, if it is there; InvalidInput where that leads out of it."""
    if not dependency.repository.startswith(_LOCAL):
        return None
    path = dependency.repository.removeprefix(_LOCAL)
    if path.startswith("/"):
        raise InvalidInput(f"Cannot use the chart {dependency.name}", why=f"{path!r} leads out of the source")
    return joined(chart, path)


def _absent(tree: Tree, chart: str) -> list[Dependency]:
    wanted = _dependencies(tree, chart, "requirements.yaml") or _dependencies(tree, chart, "Chart.yaml")
    if not wanted:
        return []
    present = _present(tree, chart)
    locked = _dependencies(tree, chart, "requirements.lock") + _dependencies(tree, chart, "Chart.lock")
    return list(dict.fromkeys(each for each in _fixed(wanted, locked) if each.name not in present))


def _fixed(wanted: Iterable[Dependency], locked: Iterable[Dependency]) -> Iterator[Dependency]:
    """In the versions of the lock, where a chart that is wanted several times stands as often and in the same order."""
    versions: dict[tuple[str, str], list[str]] = {}
    for each in locked:
        versions.setdefault((each.name, each.repository), []).append(each.version)
    for each in wanted:
        left = versions.get((each.name, each.repository))
        yield each._replace(version=left.pop(0)) if left else each


def _dependencies(tree: Tree, chart: str, name: str) -> list[Dependency]:
    listed = _document(tree, joined(chart, name)).get("dependencies")
    found = []
    for each in listed if isinstance(listed, list) else ():
        if not isinstance(each, dict) or not _NAME.fullmatch(str(each.get("name", ""))):
            raise InvalidInput(f"Cannot use {joined(chart, name)}", why="a dependency has no name, or one that is none")
        found.append(Dependency(*(str(each.get(field) or "") for field in ("name", "version", "repository"))))
    return found


def _present(tree: Tree, chart: str) -> set[str]:
    place = followed(tree, joined(chart, "charts"))[0]
    names = set()
    for name, _ in tree.children(place):
        path, entry = followed(tree, f"{place}/{name}" if place else name)
        if name.startswith(("_", ".")) or entry is None:
            continue
        if entry.kind == "folder":
            names.add(str(_document(tree, joined(path, "Chart.yaml")).get("name", "")))
        elif archive := _ARCHIVE.fullmatch(name):
            names.add(archive["name"])
    return names


def _document(tree: Tree, path: str) -> dict[str, Json]:
    """What a file says, as far as it says something: Helm finds better words for one that is wrong."""
    from plumbline.base.documents import load_documents  # noqa: PLC0415 - loads YAML

    place, entry = followed(tree, path)
    if entry is None or entry.kind != "file":
        return {}
    try:
        documents = load_documents(read_text(tree, place), limits=SETTINGS, source=path, repeats="ignore")
    except PlumblineError:
        return {}
    return documents[0].value if documents and isinstance(documents[0].value, dict) else {}
