"""What a run of the tool is asked for, and what it answers: values, the same wherever it runs."""

from typing import Literal, TypeAlias

import msgspec

from plumbline.base.plaintext import Plaintext

Operation: TypeAlias = Literal["plan", "apply", "drift"]


class Placed(msgspec.Struct, frozen=True):
    """A file that is not in Git."""

    place: Literal["module", "home"]
    path: str
    """Below its place; whoever writes it refuses a path that leads out."""
    content: Plaintext


class Argument(msgspec.Struct, frozen=True):
    name: str
    value: Plaintext


class Workplace(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that must be in place before the tool starts, besides the files of the source."""

    path: str = ""
    """Of the root module, below the source's root; empty for the root."""
    workspace: str = "default"
    files: tuple[Placed, ...] = ()
    """`backend_override.tf` and `generated.auto.tfvars.json` are among them."""
    var_files: tuple[str, ...] = ()
    """Below the source's root."""
    environment: tuple[Argument, ...] = ()
    backend: tuple[Argument, ...] = ()
    """Each becomes `-backend-config=name=value`."""
    command_line_config: str = ""
    """Path below home of the tool's own configuration file; empty for ours."""
    upgrade: bool = True
    stateless: bool = False
    """There is no state of ours to lock: a `cloud` block, or a backend that is disabled."""


class Planning(msgspec.Struct, frozen=True, kw_only=True):
    destroy: bool = False
    targets: tuple[str, ...] = ()
    lock: bool = False
    """Whether the tool takes the lock itself: only where we have not taken it for the run."""
    lock_timeout_s: float = 0.0


class Applying(msgspec.Struct, frozen=True, kw_only=True):
    plan: Plaintext
    parallelism: int = 0
    refresh: bool = False
    lock: bool = False


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """A plan as the tool wrote it. All of it may hold secrets."""

    plan: Plaintext
    """The bytes that can be applied."""
    json: Plaintext
    text: Plaintext
    changes: bool


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """What the tool said about one resource while it was at work."""

    address: str
    action: str
    """create, read, update, delete."""
    stage: Literal["started", "completed", "failed"]
    id_key: str = ""
    id_value: str = ""


class Applied(msgspec.Struct, frozen=True, kw_only=True):
    steps: tuple[Step, ...]


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """An output of the root module."""

    type: str
    """JSON of the type, as the tool gives it."""
    value: Plaintext
    """JSON of the value."""
    sensitive: bool = False
