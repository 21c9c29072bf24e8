"""What is run, under which bounds, and what came of it: values only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from plumbline.base.plaintext import Plaintext

KIB = 1 << 10
MIB = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds that the kernel holds for each process of a tool. None leaves the one that is set for us.

    `processes` is counted per user by the kernel: in a user namespace of its own that is the tool and two keepers,
    without one it is everything of that user, and for uid 0 it is not enforced at all.
    `memory_bytes` bounds addresses, not use: Go programs reserve about 1 GiB before they start.
    """

    cpu_s: int | None = None
    memory_bytes: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None
    processes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What a tool may reach, and it keeps no capability of the kernel's kind.

    Beside the paths named here it may read and execute itself and what any program needs (`landlock.RUNTIME`). What it
    may write it may read, but execute only if that is said as well.
    Without `network` it can make no socket of any kind; `unix_sockets` allows those of the local kind, which lead to
    every daemon that listens on a path this user may write to. With `network` all kinds are allowed.
    """

    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    executable: tuple[Path, ...] = ()
    """May be read and executed, as plugins are."""
    network: bool = False
    unix_sockets: bool = False
    policy: Literal["required", "best-effort"] = "required"
    """When the kernel cannot enforce all of it: refuse to run, or run and name it in `Finished.unenforced`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A tool to run. Its environment holds what is named here and nothing else."""

    argv: tuple[str, ...]
    """The first is a name to be found on our PATH, or an absolute path. No shell ever sees it."""
    cwd: Path = Path("/")
    stdin: bytes | Plaintext = field(default=b"", repr=False)
    inherit: tuple[str, ...] = ()
    """Names of variables to take from our own environment, if they are set there."""
    environment: Mapping[str, str | Plaintext] = field(default_factory=dict)
    secrets: tuple[Plaintext, ...] = ()
    """Further values to mask in what is captured; those in `environment` and `stdin` are masked anyway."""
    deadline_s: float = 60.0
    grace_s: float = 2.0
    """Between asking it to end and killing it."""
    stdout_limit_bytes: int = 32 * MIB
    stderr_limit_bytes: int = 256 * KIB
    beyond: Literal["kill", "discard"] = "kill"
    """Past a limit: end the tool with LimitExceeded, or keep the head of stdout and the tail of stderr."""
    mask_stdout: bool = True
    """False where stdout is the answer and may rightly hold a secret, as that of a credential plugin."""
    accept: frozenset[int] | None = frozenset({0})
    """Exit codes that are no failure; None for all, and for ends by signal."""
    limits: Limits = Limits()
    confinement: Confinement | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    exit_code: int
    """Negative for the signal that ended it."""
    stdout: bytes = field(repr=False)
    stderr: bytes = field(repr=False)
    discarded_bytes: int
    elapsed_s: float
    cpu_s: float
    peak_bytes: int
    unenforced: tuple[str, ...]
    """What its confinement asked for and this kernel could not enforce."""
