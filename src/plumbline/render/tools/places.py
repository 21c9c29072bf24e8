"""Where programs lie: looking only, nothing is run."""

import os
from collections.abc import Iterator
from pathlib import Path

from plumbline.base.environment import environment, home


def default_cache() -> Path:
    """Where what we build is kept; `PLUMBLINE_TOOLS` names another folder."""
    named = environment().get("PLUMBLINE_TOOLS", "")
    return Path(named) if named.startswith("/") else home() / ".cache" / "plumbline" / "tools"


def on_path(name: str) -> Iterator[Path]:
    """Every program of that *name* on PATH, in its order. Relative folders do not count: a repository may be one."""
    for folder in environment().get("PATH", "").split(":"):
        if folder.startswith("/") and runnable(place := Path(folder, name)):
            yield place


def runnable(place: Path) -> bool:
    return place.is_file() and os.access(place, os.X_OK)


def fingerprint(place: Path) -> str:
    """Another program at the same *place* has another one."""
    try:
        seen = place.stat()
    except OSError:
        return f"{place} gone"
    return f"{place} {seen.st_size} {seen.st_mtime_ns}"
