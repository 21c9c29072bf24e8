"""Packed files of sources, on disk: where status.artifact says that they are, and as it says they are.

An object has at most two: the one that its status names, and the one before, for whoever is still fetching that. All of
them can be made again, so nothing here is precious. Blocks; other processes keep away from the folder.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import IO, Final, NamedTuple

from plumbline.base.errors import StorageFailed
from plumbline.base.tree import Tree
from plumbline.kernel.cache import Key
from plumbline.terraform.sources.packing import Packed, packed

KIND: Final = "gitrepository"
_DRAFT: Final = "draft-"
_KEPT: Final = 2
_PATH: Final = re.compile(
    r"(?P<object>gitrepository/[a-z0-9](?:[a-z0-9-]{0,62})/[a-z0-9](?:[a-z0-9.-]{0,252}))/(?P<digest>[0-9a-f]{64})\.tar\.gz"
)


class Opened(NamedTuple):
    """A packed file to be sent; whoever has it closes it."""

    file: IO[bytes]
    size_bytes: int
    digest: str


class Artifacts:
    """*base_url* is where the folder is served, without a slash at its end."""

    def __init__(self, folder: Path, base_url: str) -> None:
        self.base_url = base_url
        self._folder = folder.absolute()

    def path(self, key: Key, digest: str) -> str:
        namespace, name = key
        return f"{KIND}/{namespace}/{name}/{digest.removeprefix('sha256:')}.tar.gz"

    def url(self, path: str) -> str:
        return f"{self.base_url}/{path}"

    def holds(self, key: Key, digest: str) -> bool:
        path = self.path(key, digest)
        return _PATH.fullmatch(path) is not None and (self._folder / path).is_file()

    def opened(self, path: str) -> Opened | None:
        """What is at *path*, as it stands in a URL behind the base; None for whatever is not one of ours."""
        match = _PATH.fullmatch(path)
        if match is None:
            return None
        try:
            file = (self._folder / path).open("rb")
        except OSError:
            return None
        return Opened(file, os.fstat(file.fileno()).st_size, f"sha256:{match['digest']}")

    def add(self, key: Key, tree: Tree) -> Packed:
        """Pack *tree* for the object *key*. It is there when this returns, and half of it never is."""
        folder = self._of(key)
        draft: Path | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor, name = tempfile.mkstemp(dir=folder, prefix=_DRAFT)
            draft = Path(name)
            with os.fdopen(descriptor, "wb") as file:
                made = packed(tree, file)
            draft.replace(self._folder / self.path(key, made.digest))
        except OSError as full:
            raise StorageFailed("Cannot keep the artifact", why=full.strerror or str(full)) from full
        finally:
            if draft is not None:
                draft.unlink(missing_ok=True)
        return made

    def collect(self, key: Key, current: str) -> None:
        """Remove what *key* does not need any more, now that its artifact is *current*."""
        kept = self.path(key, current).rpartition("/")[2]
        try:
            found = sorted(self._of(key).iterdir(), key=lambda path: path.stat().st_mtime_ns, reverse=True)
            old = [path for path in found if path.name != kept]
            for path in old[_KEPT - 1 :]:
                path.unlink(missing_ok=True)
        except OSError:
            return  # what is left is looked at again with the next artifact

    def remove(self, key: Key) -> None:
        shutil.rmtree(self._of(key), ignore_errors=True)

    def settle(self, keys: Collection[Key]) -> None:
        """Remove what a killed process left half written, and what objects had that are gone."""
        for folder in (self._folder / KIND).glob("*/*"):
            if (folder.parent.name, folder.name) not in keys:
                shutil.rmtree(folder, ignore_errors=True)
            for draft in folder.glob(f"{_DRAFT}*"):
                draft.unlink(missing_ok=True)

    def _of(self, key: Key) -> Path:
        namespace, name = key
        return self._folder / KIND / namespace / name
