"""The files of a Git work tree: which there are, which have changes that nobody committed, and a commit of some."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from plumbline.base.environment import environment
from plumbline.base.errors import NotFound, ToolFailed
from plumbline.base.process import Command, run

_READING: Final = ("-c", "core.fsmonitor=false")
"""Looking at a work tree runs nothing that its settings name."""
_DEADLINE_S: Final = 60.0
_COMMIT_S: Final = 600.0
"""Hooks may run, and a person may have to touch a key to sign."""


class Worktree:
    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    async def around(cls, path: Path) -> "Worktree":
        """The one that *path* is in. Raises NotFound."""
        try:
            found = await _git(_folder(path), *_READING, "rev-parse", "--show-toplevel")
        except ToolFailed as failed:
            hint = "Run it in a checkout: what it changes is to be looked at, and undone, with Git."
            raise NotFound(f"{path} is in no Git work tree", hint=hint) from failed
        return cls(Path(found.rstrip("\n")))

    async def files(self, paths: Sequence[Path]) -> list[Path]:
        """What is tracked or would be, within *paths*, without what is ignored and without links."""
        asked = [str(path.absolute()) for path in paths]
        listed = await _git(
            self.root, *_READING, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *asked
        )
        found = (self.root / name for name in dict.fromkeys(listed.split("\0")) if name)
        return [path for path in found if path.is_file() and not path.is_symlink()]

    async def changed(self, files: Collection[Path]) -> list[Path]:
        """Those of *files* that are not as they were committed, or never were."""
        if not files:
            return []
        said = await _git(
            self.root, *_READING, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"
        )
        names = {self.root / line[3:] for line in said.split("\0") if line}
        return [path for path in files if path in names]

    async def commit(self, files: Sequence[Path], message: str) -> str:
        """Commit these files and nothing else, with the hooks, the name and the signature of whoever runs it."""
        names = [str(path) for path in files]
        await _git(self.root, "commit", "--quiet", "--message", message, "--only", "--", *names, deadline_s=_COMMIT_S)
        return (await _git(self.root, "rev-parse", "HEAD")).strip()


def _folder(path: Path) -> Path:
    return (path if path.is_dir() else path.parent).absolute()


async def _git(folder: Path, *arguments: str, deadline_s: float = _DEADLINE_S) -> str:
    finished = await run(
        Command(
            argv=("git", *arguments),
            cwd=folder,
            # It is the user's own git, in the user's own checkout.
            inherit=tuple(environment()),
            environment={"LC_ALL": "C"},
            deadline_s=deadline_s,
            mask_stdout=False,
        )
    )
    return finished.stdout.decode("utf-8", "surrogateescape")
