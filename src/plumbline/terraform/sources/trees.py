"""Trees of GitRepositories, made once for each commit and each way to choose among its files."""

from collections import OrderedDict
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.aside import Aside, in_a_thread
from plumbline.base.tree import Tree
from plumbline.kernel.cache import Key
from plumbline.terraform.sources.accounts import project_of
from plumbline.terraform.sources.fetching import Commits
from plumbline.terraform.sources.gathered import Content, gathered

_KEPT: Final = 64
_Name: TypeAlias = tuple[object, ...]


class Wanted(NamedTuple):
    """Files of one object at one commit."""

    key: Key
    url: str
    commit: str
    content: Content
    submodules: bool = False

    @property
    def name(self) -> _Name:
        mounted = tuple((mount.from_path, mount.to_path, mount.tree.digest) for mount in self.content.mounts)
        return (*self._replace(content=Content())[:3], self.submodules, *self.content[:2], mounted)


class Trees:
    def __init__(self, commits: Commits, aside: Aside = in_a_thread) -> None:
        self._commits = commits
        self._aside = aside
        self._made: OrderedDict[_Name, Tree] = OrderedDict()

    def known(self, wanted: Wanted) -> Tree | None:
        """The tree, where somebody asked for it lately."""
        return self._made.get(wanted.name)

    async def tree(self, wanted: Wanted) -> Tree:
        """As the object's account lets us in: that is put down before."""
        name = wanted.name
        found = self._made.get(name)
        if found is None:
            whole = await self._commits.tree(wanted.url, wanted.commit, project=project_of(wanted.key))
            found = await self._aside(lambda: gathered(whole, wanted.content))
            self._made[name] = found
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
        self._made.move_to_end(name)
        return found
