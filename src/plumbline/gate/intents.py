"""A write before it happens, as a value: who, which resource, what, why, caused by what, and what it would destroy."""

from collections.abc import Callable
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from plumbline.base.errors import FieldClaim
from plumbline.base.json import JsonObject
from plumbline.journal.causes import Cause
from plumbline.journal.parties import Actor, LiveObject, Subject
from plumbline.ownership.values import Claim

How: TypeAlias = Literal[
    "deletion",  # the resource itself
    "prune",  # no longer in Git
    "replacement",  # a field cannot change in place
    "drop",  # an XRD or Composition no longer has it
    "descent",  # goes down with its namespace or application
    "plan",  # a Terraform plan deletes it
]


class Loss(msgspec.Struct, frozen=True, order=True):
    """One thing that would be gone."""

    subject: str
    what: str = ""
    """What is in it, for people: `database, 100 GB`."""
    stateful: bool = False
    """What is in it cannot be made again."""
    named: bool = False
    """Somebody has taken its manifest out of Git, by name."""


class Destruction(msgspec.Struct, frozen=True):
    how: How
    losses: tuple[Loss, ...]
    out_of: int = 0
    """How many there are of which these would be gone; zero where that means nothing."""
    requested: bool = False
    """Somebody asked for exactly this: deleted it, or removed its manifest in a commit that names it."""


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    actor: Actor
    subject: Subject
    verb: str
    """What is done to it: create, apply, patch, delete, run."""
    why: str
    """One sentence for people."""
    cause: Cause | None = None
    change: str = ""
    """The change that it belongs to."""
    project: str = ""
    behalf: LiveObject | None = None
    """The object for which it is done, such as an Application: where that was handed over, so was this."""
    namespace_policy: Literal["enforce", "warn", "off"] = "enforce"
    """What the namespace says about destruction."""
    claim: Claim | None = None
    """Who would own the resource."""
    destroys: Destruction | None = None
    consents: frozenset[str] = frozenset()
    """What people have agreed to lose: tokens found where consent is given."""
    heals: tuple[FieldClaim, ...] = ()
    """Fields that it takes back, and from whom."""
    still_meant: Callable[[], None] | None = None
    """Asked together with the fence: raises Conflict where the plan that was approved is no longer the one at hand."""
    minor: bool = False
    """A record about the resource (status, event): too small for the journal."""
    details: JsonObject = {}
    """What the journal keeps of it; small, and never a secret."""


class Act(Protocol):
    """The write itself."""

    async def perform(self) -> bytes:
        """Do it. Raises Conflict where the resource is no longer the one that was looked at."""

    async def rehearse(self) -> bytes:
        """Let the other side say what doing it would do."""


OUR_GROUP: Final = "plumbline.dev"
