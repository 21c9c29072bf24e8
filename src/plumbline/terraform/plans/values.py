"""What a plan comes to, without any secret: safe to print, to store in an object, to post to a pull request."""

from typing import Literal, TypeAlias

import msgspec

Action: TypeAlias = Literal[
    "create", "read", "update", "delete", "replace", "forget", "import", "move", "no-op", "unknown"
]
Order: TypeAlias = Literal["", "delete-first", "create-first", "old-is-forgotten"]
DangerKind: TypeAlias = Literal[
    "destroy", "replace", "forget", "unprotect", "opens", "output-removed", "share", "deposed", "unknown"
]
Consent: TypeAlias = Literal["destroy", "replace", "forget", "unprotect"]
Severity: TypeAlias = Literal["high", "medium", "low"]


class Field(msgspec.Struct, frozen=True, omit_defaults=True):
    """One attribute that becomes another; None where there is none on that side."""

    path: str
    before: str | None = None
    after: str | None = None
    replaces: bool = False
    """Whether it is a reason for a replacement."""


class Weakened(msgspec.Struct, frozen=True):
    """An attribute that keeps something from harm, and no longer does."""

    path: str
    kind: Literal["unprotect", "opens"]
    means: str
    """What that comes to, as the end of a sentence."""


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    address: str
    action: Action
    actions: tuple[str, ...] = ()
    """As the tool wrote them."""
    order: Order = ""
    previous_address: str = ""
    module: str = ""
    mode: str = "managed"
    type: str = ""
    name: str = ""
    provider: str = ""
    action_reason: str = ""
    replace_paths: tuple[str, ...] = ()
    importing: str = ""
    deposed: str = ""
    fields: tuple[Field, ...] = ()
    fields_left_out: int = 0
    weakened: tuple[Weakened, ...] = ()


class OutputChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    name: str
    action: Action
    before: str | None = None
    after: str | None = None
    sensitive: bool = False


class FailedCheck(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    address: str
    kind: str = ""
    status: str = ""
    messages: tuple[str, ...] = ()


class Deferred(msgspec.Struct, frozen=True, kw_only=True):
    address: str
    action: Action
    reason: str


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """A replacement counts once; an import or a move that also changes something counts as both."""

    create: int = 0
    update: int = 0
    delete: int = 0
    replace: int = 0
    forget: int = 0
    import_: int = msgspec.field(default=0, name="import")
    move: int = 0
    read: int = 0


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    terraform_version: str
    changes: tuple[Change, ...]
    """All that the plan lists, those without a change included, in its order."""
    drift: tuple[Change, ...]
    outputs: tuple[OutputChange, ...]
    checks: tuple[FailedCheck, ...]
    deferred: tuple[Deferred, ...]
    invocations: tuple[str, ...]
    """Actions that run besides the changes, by address."""
    counts: Counts
    managed: int
    """Resources in the state that the plan starts from."""
    blocks: frozenset[str]
    """The same as addresses of the blocks that they come from: without the keys of their instances."""
    providers: tuple[str, ...]
    has_external_data: bool
    has_provisioners: bool
    errored: bool
    applyable: bool
    complete: bool

    @property
    def acting(self) -> tuple[Change, ...]:
        """The changes that do something."""
        return tuple(change for change in self.changes if change.action != "no-op")

    @property
    def is_empty(self) -> bool:
        return not any(change.action != "read" for change in self.acting) and not self.outputs


class Danger(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    kind: DangerKind
    consent: Consent
    """The class under which a policy lets it pass."""
    severity: Severity
    address: str
    """Of the resource or the output; empty where it is about the plan as a whole."""
    type: str = ""
    lost: str = ""
    """What is lost besides the resource itself, such as a database; empty where it can be made again."""
    sentence: str

    @property
    def stateful(self) -> bool:
        return bool(self.lost)
