"""Which folders are root modules: those that are planned and applied by themselves."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from plumbline.base.errors import NotFound
from plumbline.base.tree import Tree
from plumbline.terraform.changed.atlantis import Project, Settings, settings
from plumbline.terraform.changed.modules import Modules, Watched
from plumbline.terraform.changed.patterns import Patterns
from plumbline.terraform.changed.skim import Skimmed
from plumbline.terraform.changed.trails import within

_LIBRARY: Final = "modules"
_ENV: Final = "env"
_ANY: Final = Patterns(())


class RootModule(NamedTuple):
    """A root module in one workspace."""

    folder: str
    workspace: str = "default"
    name: str = ""
    """What people call it, where they have said so."""
    order: int = 0
    """Those of lower order are applied first."""

    @property
    def label(self) -> str:
        place = self.name or self.folder or "."
        return place if self.workspace == "default" else f"{place} ({self.workspace})"


class RootModules:
    """The root modules of one tree, and what concerns each of them."""

    def __init__(self, modules: Modules, said: Settings, roots: Sequence[RootModule]) -> None:
        self.modules = modules
        self.roots = tuple(sorted(set(roots), key=lambda root: (root.order, root.folder, root.workspace)))
        self.notes = said.notes
        self._patterns = {(each.dir, each.workspace): each.when_modified for each in said.projects}
        self._listed = [_of(each) for each in said.projects]

    @classmethod
    def found(cls, tree: Tree, folders: Sequence[str] = (), skims: dict[str, Skimmed] | None = None) -> "RootModules":
        """Of *folders* alone where some are named, else those that atlantis.yaml lists, else all that look like one."""
        modules, said = Modules(tree, skims), settings(tree)
        if folders:
            return cls(modules, said, [root for folder in folders for root in _named(folder, modules, said)])
        listed = [_of(project) for project in said.projects if project.autoplan.enabled]
        known = {project.dir for project in said.projects}
        seen = [
            RootModule(folder)
            for folder in (modules.folders if said.discovers else ())
            if folder not in known and not said.ignored.verdict(folder or ".") and looks_like_a_root(modules, folder)
        ]
        return cls(modules, said, [root for root in listed if modules.module(root.folder)] + seen)

    @classmethod
    def of(cls, tree: Tree, roots: Sequence[RootModule]) -> "RootModules":
        """Of these and no others, whatever they look like; one that is no module any more is left out."""
        modules, said = Modules(tree), settings(tree)
        listed = {(each.dir, each.workspace): _of(each) for each in said.projects}
        known = [listed.get((root.folder, root.workspace), root) for root in roots]
        return cls(modules, said, [root for root in known if modules.module(root.folder) is not None])

    def patterns(self, root: RootModule) -> Patterns:
        return self._patterns.get((root.folder, root.workspace), _ANY)

    def var_files(self, root: RootModule) -> tuple[str, ...]:
        """`env/WORKSPACE.tfvars`, where there is one: it is given to the tool, as Atlantis does."""
        path = "/".join(part for part in (root.folder, _ENV, f"{root.workspace}.tfvars") if part)
        entry = self.modules.tree.entry(path)
        return (path,) if entry is not None and entry.kind != "folder" else ()

    def watched(self, root: RootModule) -> dict[tuple[str, ...], Watched]:
        """What concerns *root*, by the modules on the way."""
        found = {
            chain: self.modules.watched(root.folder, folder)
            for folder, chain in self.modules.reached(root.folder).items()
        }
        foreign = self._of_other_workspaces(root)
        return {chain: watched._replace(files=watched.files - foreign) for chain, watched in found.items()}

    def _of_other_workspaces(self, root: RootModule) -> frozenset[str]:
        others = [each for each in self._listed if each.folder == root.folder and each.workspace != root.workspace]
        return frozenset(path for each in others for path in self.var_files(each))


def looks_like_a_root(modules: Modules, folder: str) -> bool:
    """It says where its state is; or nobody calls it, and it is no part of a library of modules."""
    module = modules.module(folder)
    if module is None:
        return False
    if module.skim.backend:
        return True
    if folder in modules.called:
        return False
    return module.skim.configured or _LIBRARY not in folder.split("/")


def _named(folder: str, modules: Modules, said: Settings) -> list[RootModule]:
    place = within("", folder)
    if place is None or modules.module(place) is None:
        raise NotFound(f"{folder} is no root module", why="there are no .tf or .tofu files in it")
    return [_of(each) for each in said.projects if each.dir == place] or [RootModule(place)]


def _of(project: Project) -> RootModule:
    return RootModule(project.dir, project.workspace, project.name, project.execution_order_group)
