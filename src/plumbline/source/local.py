"""Repositories on this disk: those below a folder that whoever started us has named, and no others."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import unquote, urlsplit

Local: TypeAlias = Callable[[str], Path | None]
"""Where the repository of an address is on this disk, if it may be read."""

_LOCAL: Final = "file:///"


def nowhere(url: str) -> Path | None:
    """Nothing on this disk may be read."""
    del url
    return None


class LocalRepositories:
    """*folder* is what may be read, and *own* what may not, though it lie in there: mirrors hold what others' logins have fetched."""

    def __init__(self, folder: Path, own: Path) -> None:
        self._folder = folder.resolve()
        self._own = own.resolve()

    def at(self, url: str) -> Path | None:
        """Where the repository of a `file://` address is, links followed; None for all that is not to be read."""
        if not url.startswith(_LOCAL):
            return None
        try:
            path = Path(unquote(urlsplit(url).path)).resolve()
        except (OSError, RuntimeError, ValueError):  # no path at all, or links that lead back to themselves
            return None
        return path if path.is_relative_to(self._folder) and not path.is_relative_to(self._own) else None
