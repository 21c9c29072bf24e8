"""The folder of plugins: definitions that are read once, and sockets that come and go with their sidecars."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final
from weakref import finalize

from plumbline.base.errors import InvalidInput, LimitExceeded
from plumbline.render.plugins.definitions import Definition, defined, is_definition
from plumbline.render.plugins.local import LocalPlugin
from plumbline.render.plugins.plugin import Plugin
from plumbline.render.plugins.sidecar import SidecarPlugin

_LONGEST_BYTES: Final = 1 << 20
_PATTERNS: Final = ("*.yaml", "*.yml", "*/plugin.yaml")
_SOCKET: Final = ".sock"


class Plugins:
    """What is in *folder*: `NAME.yaml` or `NAME/plugin.yaml` for definitions, `NAME.sock` for sidecars.

    A sidecar that was there once stays known: while it restarts, what it renders cannot be rendered, and must not be
    taken for somebody else's. Those of a folder that was deleted and made anew are gone for good.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._place = _Place(folder)
        self._plugins: dict[str, Plugin] = {}
        for file in _definitions(folder):
            definition = _read(file)
            if definition is None:
                continue
            if definition.name in self._plugins:
                raise InvalidInput(f"{file} cannot be used", why=f"there is another plugin {definition.name}")
            self._plugins[definition.name] = LocalPlugin(definition, file.parent)

    def named(self, name: str) -> Plugin | None:
        self._look_anew()
        known = self._plugins.get(name)
        if known is None and "/" not in name and "\0" not in name:
            socket = self._folder / f"{name}{_SOCKET}"
            if _is_socket(socket):
                known = self._plugins[name] = SidecarPlugin(name, socket)
        return known

    def all(self) -> Iterator[Plugin]:
        """In the order of their names, as upstream goes through them."""
        self._look_anew()
        for socket in self._folder.glob(f"*{_SOCKET}"):
            self.named(socket.name.removesuffix(_SOCKET))
        yield from [self._plugins[name] for name in sorted(self._plugins)]

    def _look_anew(self) -> None:
        if self._place.another():
            self._plugins = {name: each for name, each in self._plugins.items() if not isinstance(each, SidecarPlugin)}


class _Place:
    """Which folder it is that a path leads to. It is held open, so that no other can have its number while it is known."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._close: Callable[[], object] | None = None
        self._known = self._held()

    def another(self) -> bool:
        """Whether there is another folder than at the last question; one that is missing is not."""
        try:
            found = self._path.stat()
        except OSError:
            return False
        if (found.st_dev, found.st_ino) == self._known:
            return False
        self._known = self._held()
        return True

    def _held(self) -> tuple[int, int] | None:
        if self._close is not None:
            self._close()
            self._close = None
        try:
            held = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            return None
        self._close = finalize(self, os.close, held)
        found = os.fstat(held)
        return found.st_dev, found.st_ino


def _is_socket(place: Path) -> bool:
    """Applications name it: what cannot be the name of a file is none."""
    try:
        return place.is_socket()
    except OSError:
        return False


def _definitions(folder: Path) -> list[Path]:
    return sorted({file for pattern in _PATTERNS for file in folder.glob(pattern) if file.is_file()})


def _read(file: Path) -> Definition | None:
    try:
        with file.open("rb") as opened:
            text = opened.read(_LONGEST_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"Cannot read {file}", why=error.strerror or "it cannot be opened") from error
    if len(text) > _LONGEST_BYTES:
        raise LimitExceeded(f"Cannot read {file}", why=f"it has more than {_LONGEST_BYTES:,} bytes")
    return defined(text, file) if is_definition(text) else None
