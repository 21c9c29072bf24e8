"""The folder of plugins: definitions that are read once, and sockets that come and go with their sidecars."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

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
    taken for somebody else's.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._plugins: dict[str, Plugin] = {}
        for file in _definitions(folder):
            definition = _read(file)
            if definition is None:
                continue
            if definition.name in self._plugins:
                raise InvalidInput(f"{file} cannot be used", why=f"there is another plugin {definition.name}")
            self._plugins[definition.name] = LocalPlugin(definition, file.parent)

    def named(self, name: str) -> Plugin | None:
        known = self._plugins.get(name)
        if known is None and "/" not in name and "\0" not in name:
            socket = self._folder / f"{name}{_SOCKET}"
            if _is_socket(socket):
                known = self._plugins[name] = SidecarPlugin(name, socket)
        return known

    def all(self) -> Iterator[Plugin]:
        """In the order of their names, as upstream goes through them."""
        for socket in self._folder.glob(f"*{_SOCKET}"):
            self.named(socket.name.removesuffix(_SOCKET))
        yield from [self._plugins[name] for name in sorted(self._plugins)]


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
