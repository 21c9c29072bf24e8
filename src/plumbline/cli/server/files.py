"""Where logins are kept: our own file, which nobody else may read, and beside it Argo CD's, which is only read."""

import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from plumbline.base.documents import dump_yaml, load_documents
from plumbline.base.environment import environment, home
from plumbline.base.errors import Forbidden, InvalidInput, StorageFailed
from plumbline.base.limits import SETTINGS
from plumbline.cli.server.contexts import EMPTY, Contexts, read, written

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


class Files:
    """*own* is the file that is written; *argocds* one that is read where it exists."""

    def __init__(self, own: Path, argocds: Path | None = None) -> None:
        self.own = own
        self.argocds = argocds

    @classmethod
    def found(cls, config: str = "", variables: Mapping[str, str] | None = None) -> "Files":
        """*config* is a file that was named; else those in the home folder."""
        if config:
            return cls(Path(config))
        said = environment() if variables is None else variables
        base = Path(said["XDG_CONFIG_HOME"]) if said.get("XDG_CONFIG_HOME") else home() / ".config"
        legacy = home() / ".argocd"
        argocds = Path(said["ARGOCD_CONFIG_DIR"]) if said.get("ARGOCD_CONFIG_DIR") else base / "argocd"
        if not said.get("ARGOCD_CONFIG_DIR") and legacy.is_dir():
            argocds = legacy
        return cls(base / "plumb" / "config", argocds / "config")

    def contexts(self) -> Contexts:
        """All of them, ours first."""
        return self.ours().after(_read(self.argocds) if self.argocds is not None else EMPTY)

    def ours(self) -> Contexts:
        return _read(self.own)

    def change(self, edit: Callable[[Contexts], Contexts]) -> None:
        """Write what *edit* makes of ours, in one step and for nobody else to read."""
        after = edit(self.ours())
        try:
            self.own.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _replace(self.own, dump_yaml(written(after)).encode())
        except OSError as failed:
            raise StorageFailed(f"{self.own} is not written", why=failed.strerror or str(failed)) from failed


def _read(path: Path) -> Contexts:
    try:
        if not path.exists():
            return EMPTY
        mode = path.stat().st_mode
        text = path.read_bytes()[: SETTINGS.size_bytes + 1]
    except OSError as failed:
        raise InvalidInput(f"{path} cannot be read", why=failed.strerror or str(failed)) from failed
    if mode & _OTHERS:
        why = f"it holds tokens, and its mode {stat.S_IMODE(mode):o} lets others read or write it"
        raise Forbidden(f"{path} is not used", why=why, hint=f"Close it with: chmod 600 {path}.")
    documents = load_documents(text, limits=SETTINGS, source=str(path))
    return read(documents[0].value if documents else {}, str(path))


def _replace(path: Path, content: bytes) -> None:
    descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # made with mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
