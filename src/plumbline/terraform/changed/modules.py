"""Modules of a tree and what each of them depends on: its own files, the modules that it calls, files that it reads."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from plumbline.base.errors import LimitExceeded
from plumbline.base.tree import Tree, read_text
from plumbline.terraform.changed.skim import UNCLEAR, Read, Skimmed, skimmed
from plumbline.terraform.changed.trails import trail, within

LOCK: Final = ".terraform.lock.hcl"
_CODE: Final = (".tf", ".tofu")
_CODE_JSON: Final = (".tf.json", ".tofu.json")
_VALUES: Final = (".tfvars", ".tfvars.json")
_NOT_SOURCES: Final = frozenset({".git", ".terraform", ".terragrunt-cache", "node_modules"})
_FILE_BYTES: Final = 4 << 20
_FOLDERS: Final = 200_000
_DEEPEST: Final = 32


class Watched(NamedTuple):
    """Paths whose change concerns a module: files, and folders with all that is below them."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def __or__(self, other: "Watched") -> "Watched":
        return Watched(self.files | other.files, self.folders | other.folders)

    def holds(self, path: str) -> bool:
        return path in self.files or any(_below(path, folder) for folder in self.folders)


class Module(NamedTuple):
    folder: str
    """As whoever calls it reaches it, which may be through a link."""
    place: str
    """Where its files are."""
    skim: Skimmed
    watched: Watched
    """Its own code, and links that lead to it."""
    calls: tuple[str, ...]


class Modules:
    """Every module of *tree*, read once; *skims* by content lets two trees share what they have in common."""

    def __init__(self, tree: Tree, skims: dict[str, Skimmed] | None = None) -> None:
        self.tree = tree
        self._skims = {} if skims is None else skims
        self._modules: dict[str, Module | None] = {}
        self.folders = tuple(sorted(_folders(tree)))
        self.called = frozenset(self._called())

    def module(self, folder: str) -> Module | None:
        if folder not in self._modules:
            self._modules[folder] = self._read(folder)
        return self._modules[folder]

    def reached(self, root: str) -> dict[str, tuple[str, ...]]:
        """Every module that *root* uses, itself included, with the modules on the way to it."""
        found: dict[str, tuple[str, ...]] = {}
        waiting: list[tuple[str, ...]] = [(root,)]
        while waiting:
            chain = waiting.pop(0)
            module = self.module(chain[-1])
            if module is None or module.folder in found or len(chain) > _DEEPEST:
                continue
            found[module.folder] = chain
            waiting += [(*chain, call) for call in module.calls]
        return found

    def watched(self, root: str, folder: str) -> Watched:
        """What *root* depends on because it uses the module *folder*."""
        module = self.module(folder)
        if module is None:
            return Watched()
        found = module.watched
        called = {source for source in module.skim.calls if self.module(within(folder, source) or "..") is not None}
        for read in module.skim.reads:
            if read.path in called:
                continue
            for base in {folder, root} if read.base == "either" else {folder if read.base == "module" else root}:
                found |= self._resolved(base, read)
        if folder == root:
            found |= Watched(frozenset(self._values(module.place)))
        return found

    def _called(self) -> Iterator[str]:
        for folder in self.folders:
            module = self.module(folder)
            for call in module.calls if module else ():
                target = self.module(call)
                if target is not None and target.place != folder:
                    yield target.place

    def _read(self, folder: str) -> Module | None:
        way = trail(self.tree, folder)
        if way is None or way.entry is None or way.entry.kind != "folder":
            return None
        skim, files = Skimmed(), set(way.links)
        for name, _ in self.tree.children(way.place):
            if not is_code(name):
                continue
            file = trail(self.tree, f"{way.place}/{name}" if way.place else name)
            if file is None or file.entry is None or file.entry.kind != "file":
                continue
            files |= {file.place, *file.links}
            skim |= self._skim(file.place, file.entry.digest, json=name.endswith(_CODE_JSON))
        if len(files) == len(way.links):
            return None
        calls = sorted(call for source in skim.calls if (call := within(folder, source)) is not None)
        return Module(folder, way.place, skim, Watched(frozenset(files)), tuple(calls))

    def _skim(self, path: str, digest: str, *, json: bool) -> Skimmed:
        key = f"{digest} {json}"
        found = self._skims.get(key)
        if found is None:
            found = self._skims[key] = skimmed(read_text(self.tree, path, _FILE_BYTES), json=json)
        return found

    def _resolved(self, base: str, read: Read) -> Watched:
        path = within(base, read.path)
        way = trail(self.tree, path) if path is not None else None
        if way is None or path is None:
            return Watched()
        if read == UNCLEAR or not read.path.strip("./"):
            # A module's own folder, as far as it holds no other modules: those have their own reasons to change.
            return Watched(frozenset({*way.links, *self._own(way.place)}))
        folders = {way.place} if way.entry is not None and way.entry.kind == "folder" else set()
        return Watched(frozenset({way.place, path, *way.links}) - folders, frozenset(folders))

    def _own(self, folder: str) -> Iterator[str]:
        for name, entry in self.tree.children(folder):
            path = f"{folder}/{name}" if folder else name
            if entry.kind == "folder":
                if name not in _NOT_SOURCES and not _holds_code(self.tree, path):
                    yield from self._own(path)
            else:
                yield path

    def _values(self, place: str) -> Iterator[str]:
        """Variable files, where people keep them, and the versions of providers."""
        for folder in (place, f"{place}/env" if place else "env"):
            for name, entry in self.tree.children(folder):
                path = f"{folder}/{name}" if folder else name
                if entry.kind != "folder" and (name.endswith(_VALUES) or (name == LOCK and folder == place)):
                    way = trail(self.tree, path)
                    yield from (path, *((way.place, *way.links) if way else ()))


def is_code(name: str) -> bool:
    return name.endswith((*_CODE, *_CODE_JSON)) and not name.startswith(".")


def _folders(tree: Tree) -> Iterator[str]:
    left = _FOLDERS
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        left -= 1
        if left < 0:
            raise LimitExceeded("the modules were not looked for", why=f"there are more than {_FOLDERS:,} folders")
        found = False
        for name, entry in tree.children(folder):
            if entry.kind == "folder":
                if name not in _NOT_SOURCES:
                    waiting.append(f"{folder}/{name}" if folder else name)
            else:
                found = found or is_code(name)
        if found:
            yield folder


def _holds_code(tree: Tree, folder: str) -> bool:
    return any(entry.kind != "folder" and is_code(name) for name, entry in tree.children(folder))


def _below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")
