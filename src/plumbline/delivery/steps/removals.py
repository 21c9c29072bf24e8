"""Whether Git says by name that something is to go: a file that had its manifest has it no longer."""

from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from plumbline.base.documents import load_documents
from plumbline.base.errors import PlumblineError
from plumbline.base.tree import Tree, read_text
from plumbline.delivery.steps.state import Target
from plumbline.delivery.targets import Commits
from plumbline.kinds.application import ApplicationSource, RevisionHistory

Named: TypeAlias = tuple[str, str]
"""Kind and name."""
_MANIFESTS: Final = (".yaml", ".yml", ".json")
_MOST_FILES: Final = 500


class Removals:
    def __init__(self, commits: Commits) -> None:
        self._commits = commits

    async def since(self, history: tuple[RevisionHistory, ...], target: Target, project: str) -> frozenset[Named]:
        """What was taken out of manifests since the last sync; nothing where somebody has pointed the application elsewhere."""
        if not history:
            return frozenset()
        before = history[-1]
        sources = before.sources or ((before.source,) if before.source is not None else ())
        revisions = before.revisions or (before.revision,)
        if len(sources) != len(target.sources):
            return frozenset()
        found: set[Named] = set()
        for was, old, now, new in zip(sources, revisions, target.sources, target.revisions, strict=False):
            if not now.chart and _place(was) == _place(now) and old and old != new:
                found |= await self._between(now.repo_url, old, new, project)
        return frozenset(found)

    async def _between(self, url: str, old: str, new: str, project: str) -> set[Named]:
        try:
            touched = await self._commits.touched(url, old, new)
            if touched is None or len(touched) > _MOST_FILES:
                return set()
            paths = [path for path in touched if path.endswith(_MANIFESTS)]
            before = await self._commits.tree(url, old, project=project)
            after = await self._commits.tree(url, new, project=project)
        except PlumblineError:
            return set()  # not known is not said
        return _named(before, paths) - _named(after, paths)


def _place(source: ApplicationSource) -> tuple[str, str]:
    return source.repo_url, source.path


def _named(tree: Tree, paths: Iterable[str]) -> set[Named]:
    found: set[Named] = set()
    for path in paths:
        if tree.entry(path) is None:
            continue
        try:
            documents = [each.value for each in load_documents(read_text(tree, path), source=path)]
        except PlumblineError:
            continue
        for each in documents:
            metadata = each.get("metadata") if isinstance(each, Mapping) else None
            if isinstance(metadata, Mapping):
                found.add((str(each.get("kind")), str(metadata.get("name"))))
    return found
