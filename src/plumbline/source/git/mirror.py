"""A bare repository on our disk that follows one elsewhere. `git fetch` writes it, all or nothing; everything else reads.

A program may be killed at any moment. What a killed git leaves in its mirror (locks, half a pack) is nobody's at the next
start, since a mirror has one process that writes to it; it is removed then. A damaged mirror stays in use while another
is fetched beside it, and is replaced by that.
"""

import contextlib
import hashlib
import re
import shutil
from pathlib import Path
from typing import Final

from plumbline.source.git.folders import Folders
from plumbline.source.git.library import library
from plumbline.source.git.objects import Objects

_REBUILT: Final = ".rebuilt"
_BROKEN: Final = ".broken"
_LEFT_BEHIND: Final = (
    "*.lock",
    "refs/**/*.lock",
    "objects/info/*.lock",
    "objects/pack/*.lock",
    "objects/pack/tmp_*",
    "objects/pack/.tmp-*",
    "objects/??/tmp_obj_*",
)
_NAME: Final = 60


class Mirror:
    """`open` comes first, and blocks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.objects = Objects(path)
        self.folders = Folders(self.objects)

    def open(self) -> None:
        """Make it usable as it is: made where there is none, swept where something was left, begun anew where useless."""
        beside = self._beside(_REBUILT)
        if beside.exists() and not self.path.exists():
            # Killed in the middle of `replace`: the old one was out of the way already.
            beside.rename(self.path)
        for left in (beside, self._beside(_BROKEN)):
            shutil.rmtree(left, ignore_errors=True)
        self.sweep()
        if not _usable(self.path):
            shutil.rmtree(self.path, ignore_errors=True)
            created(self.path)
        self.objects.reopen()

    def sweep(self) -> None:
        """Remove what a killed git left. Only while none runs."""
        for pattern in _LEFT_BEHIND:
            for path in self.path.glob(pattern):
                path.unlink(missing_ok=True)

    def begin_another(self) -> Path:
        """An empty repository beside this one, to be fetched and to `replace` it."""
        beside = self._beside(_REBUILT)
        shutil.rmtree(beside, ignore_errors=True)
        created(beside)
        return beside

    def replace(self) -> None:
        """Take the one beside for this one."""
        broken = self._beside(_BROKEN)
        shutil.rmtree(broken, ignore_errors=True)
        with contextlib.suppress(FileNotFoundError):
            self.path.rename(broken)
        self._beside(_REBUILT).rename(self.path)
        self.objects.reopen()
        shutil.rmtree(broken, ignore_errors=True)

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _beside(self, suffix: str) -> Path:
        return self.path.with_name(self.path.name + suffix)


def mirror_path(folder: Path, key: str) -> Path:
    """A name that people recognise, and a hash of what really tells repositories apart."""
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", key.rpartition("://")[2]).strip("-.")[-_NAME:].strip("-.")
    return folder / f"{readable}-{hashlib.sha256(key.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}.git"


def depth_options(path: Path, wanted: int) -> tuple[str, ...]:
    """What to tell git about how much history to bring. Once no depth is wanted any more, all of it."""
    if wanted > 0:
        return (f"--depth={wanted}",)
    return ("--unshallow",) if (path / "shallow").exists() else ()


def created(path: Path) -> None:
    """A bare repository without hooks or anything else that a template might bring."""
    library().init_repository(str(path), bare=True, initial_head="plumbline/none")


def _usable(path: Path) -> bool:
    pygit2 = library()
    try:
        return bool(pygit2.Repository(str(path)).is_bare)
    except (OSError, KeyError, ValueError, pygit2.GitError):
        return False
