"""An order, its report, and whoever carries orders out."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, Protocol, TypeAlias

from plumbline.base.errors import PlumblineError
from plumbline.base.json import JsonObject
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import Tree
from plumbline.kernel.cache import Key
from plumbline.terraform.policies import Policy
from plumbline.terraform.state import Mark, Place
from plumbline.terraform.work import Operation, Output, Planned, Planning, Step, Workplace

Stage: TypeAlias = Literal["init", "lock", "plan", "apply", "output"]
"""Where a run was when it failed: people look for different things."""


class Order(NamedTuple):
    id: str
    """Also the id of the lock that the run holds."""
    key: Key
    operation: Operation
    tree: Tree
    revision: str
    inputs: str
    workplace: Workplace
    policy: Policy
    generation: int = 0
    """Of the object, when it was ordered."""
    asked: str = ""
    """The request that it answers, as whoever made it wrote it."""
    planning: Planning = Planning()
    outputs: bool = True
    """Whether outputs are wanted though nothing changes."""
    plan: Plaintext | None = None
    """The bytes to apply."""
    digest: str = ""
    """Of the plan to apply."""
    parallelism: int = 0
    refresh: bool = False
    place: Place | None = None
    """Where the state is, if it is in Secrets: then it is ours to lock."""
    expected: Mark | None = None
    """The state that the plan was made for."""
    unlock: str = ""
    """The lock of somebody else that is to be opened first; `auto` for whichever there is."""
    account: str = ""
    deadline_s: float = 3600.0
    artifact: JsonObject | None = None
    """Where the files of *tree* are fetched from by whoever does not have them."""
    object: JsonObject | None = None
    """The Terraform object itself, where a run is made of more of it than is said above."""


class Failure(NamedTuple):
    stage: Stage
    error: PlumblineError


class Report(NamedTuple):
    """What came of an order. The plan, the outputs and the state are there as far as it came."""

    order: Order
    planned: Planned | None = None
    mark: Mark | None = None
    """The state that was planned for, or that an apply left behind."""
    outputs: Mapping[str, Output] | None = None
    steps: tuple[Step, ...] = ()
    state: Plaintext | None = None
    """After an apply, whole."""
    failure: Failure | None = None
    guards: frozenset[str] | None = None
    """Blocks that the source guards; None where that is still to be looked up in its tree."""


class Going(NamedTuple):
    """A run that is under way."""

    id: str
    operation: Operation
    where: str
    """For people: what shows its log."""


class Runs(Protocol):
    """Carries out one order for an object at a time. Whoever placed it is woken when it is over."""

    async def of(self, key: Key) -> Going | Report | None:
        """What is known of an object's run: under way, over and not yet taken in, or none."""

    async def begin(self, order: Order) -> Going: ...

    async def settled(self, key: Key) -> None:
        """Its report was taken in, and is no longer needed."""

    async def stop(self, key: Key) -> None:
        """Nobody wants its result any more: end it in good order."""

    async def verdict(self, namespace: str, run: str) -> str:
        """What proves that the run of that id, of an object in that namespace, is dead; empty where nothing does."""
