"""Where the files of one run are, and how they come there."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.errors import InvalidInput, NotFound, StorageFailed
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import Tree, followed, joined, written
from plumbline.terraform.work import Argument, Workplace

LOCK: Final = ".terraform.lock.hcl"
ERRORED: Final = "errored.tfstate"


class Places(NamedTuple):
    root: Path

    @property
    def source(self) -> Path:
        return self.root / "source"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def tmp(self) -> Path:
        return self.root / "tmp"

    @property
    def data(self) -> Path:
        """What init makes: the only thing that outlives a run."""
        return self.root / "data"

    @property
    def staging(self) -> Path:
        """The same of an init that fetches providers for everybody."""
        return self.root / "staging"

    @property
    def own(self) -> Path:
        """What we tell the tool, which it cannot change."""
        return self.root / "own"

    @property
    def plan(self) -> Path:
        return self.tmp / "plan"

    @property
    def backend(self) -> Path:
        return self.own / "backend.tfbackend"

    def module(self, path: str) -> Path:
        return self.source / joined("", path)


def joined_source(places: Places, path: str) -> Path:
    return places.source / joined("", path)


def check(tree: Tree, workplace: Workplace) -> None:
    """Refuse a module or a file of variables that is not there, or not inside of the source."""
    _, entry = followed(tree, workplace.path)
    if entry is None or entry.kind != "folder":
        raise NotFound(f"Cannot find the module {workplace.path or '.'}", why="there is no such folder in the source")
    for path in workplace.var_files:
        _, entry = followed(tree, path)
        if entry is None or entry.kind != "file":
            raise InvalidInput(f"Cannot use {path} for variables", why="there is no such file in the source")
    for placed in workplace.files:
        if not joined("", placed.path):
            raise InvalidInput(f"Cannot write the file {placed.path!r}", why="it has no name")
    if workplace.command_line_config:
        named = joined("", workplace.command_line_config)
        if not any(each.place == "home" and joined("", each.path) == named for each in workplace.files):
            raise InvalidInput(f"Cannot use {named} to configure the tool", why="there is no such file in its home")


def lay_out(tree: Tree, workplace: Workplace, places: Places, paths: tuple[str, ...]) -> None:
    """Write *paths* of the tree and everything that is not in Git. No file of it is a link."""
    with _storing():
        for folder in (places.source, places.home, places.tmp, places.data, places.own):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    written(tree, places.source, paths)
    with _storing():
        for placed in workplace.files:
            below = places.module(workplace.path) if placed.place == "module" else places.home
            write_private(below / joined("", placed.path), placed.content.reveal())
        write_private(places.backend, _settings(workplace.backend))


def settle(places: Places, module: Path) -> None:
    """Forget states that could not be saved: one of them was, by now."""
    for folder in (places.root, module):
        (folder / ERRORED).unlink(missing_ok=True)


def clear(places: Places) -> None:
    """Remove everything of a run but what init made, and the state that it could not save and nobody took."""
    for errored in places.source.rglob(ERRORED):
        with contextlib.suppress(OSError):
            write_private(places.root / ERRORED, errored.read_bytes())
    for folder in (places.source, places.home, places.tmp, places.own, places.staging):
        remove(folder)


def remove(folder: Path) -> None:
    """Remove *folder* with all that is in it, whatever a module did to its permissions."""
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError:
        for inside, names, _ in os.walk(folder):
            Path(inside).chmod(0o700)
            for name in names:
                if not (below := Path(inside, name)).is_symlink():
                    below.chmod(0o700)
        shutil.rmtree(folder, ignore_errors=True)


def write_private(path: Path, content: bytes) -> None:
    """A file for nobody but us, in folders likewise."""
    for folder in reversed([each for each in path.parents if not each.exists()]):
        folder.mkdir(mode=0o700)
    if path.is_dir():
        raise InvalidInput(f"Cannot write the file {path.name}", why="the source has a folder of that name")
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(content)


def leftover(module: Path) -> Plaintext | None:
    """The state that an apply could not save where it belongs."""
    try:
        return Plaintext((module / ERRORED).read_bytes())
    except OSError:
        return None


def quoted(text: str) -> str:
    """*text* as a literal of HCL: nothing in it is an expression."""
    escaped = "".join(_escaped(char) for char in text)
    return f'"{escaped.replace("${", "$${").replace("%{", "%%{")}"'


def _escaped(char: str) -> str:
    if char in {'"', "\\"}:
        return f"\\{char}"
    return char if char.isprintable() else f"\\U{ord(char):08x}"


def _settings(arguments: tuple[Argument, ...]) -> bytes:
    """In a file and not as arguments: those can be read by everybody on the machine."""
    lines = [f"{each.name} = {quoted(each.value.reveal().decode(errors='replace'))}\n" for each in arguments]
    for each in arguments:
        if not each.name.isidentifier():
            raise InvalidInput(f"Cannot configure the backend with {each.name!r}", why="that is no name of a setting")
    return "".join(lines).encode()


@contextlib.contextmanager
def _storing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageFailed("Cannot write the files of the run", why=error.strerror or str(error)) from None
