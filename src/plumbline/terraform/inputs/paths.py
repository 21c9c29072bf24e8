"""Paths that a Terraform object names: below the folder that they are meant for, or refused. Pure."""

import posixpath
from typing import Final

from plumbline.base.errors import InvalidInput

_LONGEST: Final = 1024


def below(path: str, what: str) -> str:
    """*path* in its plain form, relative; empty for the folder itself. A leading slash is that folder, as upstream has it.

    Raises InvalidInput for what leads out of the folder and for what no file can be called.
    """
    if len(path) > _LONGEST or "\0" in path or "\n" in path or "\\" in path:
        raise InvalidInput(f"{what} cannot be used", why="it is no path")
    plain = posixpath.normpath(path.lstrip("/") or ".")
    if plain == ".." or plain.startswith("../"):
        raise InvalidInput(f"{what} cannot be used", why=f"{path[:200]!r} leads out of its folder")
    return "" if plain == "." else plain


def file_below(path: str, what: str) -> str:
    found = below(path, what)
    if not found or path.endswith("/"):
        raise InvalidInput(f"{what} cannot be used", why="it names no file")
    return found
