"""How git is run on repositories of our own: with settings that nobody but us has written, and without hooks."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from plumbline.base.process import Command, Confinement
from plumbline.base.process.command import Limits

_ENVIRONMENT: Final = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
}
_SETTINGS: Final = (
    # What runs programs of somebody's choice.
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    # What outlives the request that caused it; the forge tidies up by itself.
    ("receive.autogc", "false"),
    ("gc.auto", "2000"),
    ("gc.autoDetach", "false"),
    # Names and objects that are made to deceive whoever checks them out, but not the slips of old programs.
    ("transfer.fsckObjects", "true"),
    ("receive.fsck.badTimezone", "ignore"),
    ("receive.fsck.missingSpaceBeforeDate", "ignore"),
    ("receive.fsck.zeroPaddedFilemode", "ignore"),
    # Any commit may be asked for by its name, and no more than is needed.
    ("uploadpack.allowAnySHA1InWant", "true"),
    ("uploadpack.allowFilter", "true"),
)


class RefUpdate(NamedTuple):
    """One ref that was moved by a push; zeros for a commit that there is none of."""

    ref: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Of one run of git."""

    deadline_s: float = 60.0
    stdout_bytes: int = 64 << 20
    file_bytes: int | None = None


def git(
    *arguments: str,
    at: Path,
    writes: bool = False,
    settings: Mapping[str, str] | None = None,
    protocol: str = "",
    bounds: Bounds | None = None,
    stdin: bytes = b"",
) -> Command:
    """Reaches nothing but the repository *at* that place, and no network. *protocol* is what the client asks for."""
    bounds = bounds or Bounds()
    chosen = (*_SETTINGS, *(settings or {}).items())
    environment = {**_ENVIRONMENT, **({"GIT_PROTOCOL": protocol} if protocol else {})}
    return Command(
        argv=("git", *(word for name, value in chosen for word in ("-c", f"{name}={value}")), *arguments),
        cwd=at,
        inherit=("PATH",),
        environment=environment,
        stdin=stdin,
        deadline_s=bounds.deadline_s,
        stdout_limit_bytes=bounds.stdout_bytes,
        beyond="kill",
        mask_stdout=False,
        limits=Limits(file_bytes=bounds.file_bytes),
        confinement=Confinement(
            readable=() if writes else (at,), writable=(at,) if writes else (), policy="best-effort"
        ),
    )
