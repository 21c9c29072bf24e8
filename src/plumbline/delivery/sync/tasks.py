"""What a sync is made of: one task for each object and phase, in the order in which they are done."""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from plumbline.delivery.values import Desired
from plumbline.kernel.cache import Cached
from plumbline.kinds.application import ResourceResult
from plumbline.kube.names import GroupVersionKind, Ref

Phase: TypeAlias = Literal["PreSync", "Sync", "PostSync", "SyncFail"]
Pruning: TypeAlias = Literal[
    "",  # not a prune
    "allowed",
    "unasked",  # the sync does not prune
    "forbidden",  # Prune=false
    "confirm",  # a person has to say yes, and has not
]
Verb: TypeAlias = Literal["apply", "create", "replace", "recreate", "update"]
Key: TypeAlias = tuple[Ref, str]
"""A task among all of a sync: its object and its phase."""

NAMESPACE: Final = "Namespace"
CRD_GROUP: Final = "apiextensions.k8s.io"
CRD_KIND: Final = "CustomResourceDefinition"


class Manner(msgspec.Struct, frozen=True):
    """How an object is written: what the resource says, else what the application says."""

    validate: bool = True
    replace: bool = False
    force: bool = False
    """Where it cannot be changed, it is deleted and made again."""
    server_side: bool | None = None
    """None where nobody chose between server-side and client-side apply."""
    migrate: bool = True
    """Whether fields that a client-side apply left behind are taken over."""
    dry: bool = False


class Task(msgspec.Struct, frozen=True):
    phase: Phase
    wave: int
    ref: Ref
    gvk: GroupVersionKind
    desired: Desired | None
    """As it is to be; None where the object is to go."""
    live: Cached | None = None
    """As it was when the plan was made."""
    hook: bool = False
    policies: frozenset[str] = frozenset()
    """When a hook is deleted."""
    manner: Manner = Manner()
    pruning: Pruning = ""
    timeout_s: float | None = None
    """How long its health or completion may be waited for; None for as long as the sync may take."""
    mark: str = ""
    """What a hook carries that was created for this very task."""
    foreign: bool = False
    """Made for the application without being its own: nobody watches it, so nobody waits for it."""
    alongside: tuple[Phase, int] | None = None
    """The step in which it is done, where that is not the one of its own phase and wave."""
    unserved: bool = False
    """Its kind is expected to be served once the tasks before it are done."""

    @property
    def key(self) -> Key:
        return self.ref, self.phase

    @property
    def step(self) -> tuple[Phase, int]:
        """Tasks of one step are done together; the next step waits until they are well."""
        return self.alongside or (self.phase, self.wave)


class Invalid(NamedTuple):
    """A sync that must not begin. It ends Failed with this message and these results."""

    message: str
    results: tuple[ResourceResult, ...] = ()


class Kind(NamedTuple):
    """What the destination knows about a kind of one version."""

    namespaced: bool = True
    served: bool = True
    installed: str = ""
    """Where this version is not served: one that is, be it of another group."""
    installed_group: str | None = None
    """Of which group; None for the same."""
    coming: bool = False
    """It is not served yet, but a definition in the same sync makes it."""


def _permitted(_gvk: GroupVersionKind, _ref: Ref, _namespaced: bool) -> str:  # noqa: FBT001 - the shape of a callback
    return ""


def _nobody(_task: Task) -> str:
    return ""


class Facts(msgspec.Struct, frozen=True):
    """What a plan has to know of the world besides the objects themselves."""

    kind: Callable[[GroupVersionKind], Kind]
    refused: Callable[[GroupVersionKind, Ref, bool], str] = _permitted
    """Why the project does not permit an object (the last argument: whether it lives in a namespace); empty if it does."""
    namespace: Cached | None = None
    """The destination's namespace as it is, tracked or not."""
    shared: str = ""
    """The application's SharedResourceWarning, if there is one."""
    foreign: Callable[[Task], str] = _nobody
    """Why an object is not the application's to write, asked before a sync that has hooks begins; empty if it is."""


def verb(task: Task, *, exists: bool) -> Verb:
    """How a task's object is written. A replacement that deletes would take along what is in a namespace or of a CRD."""
    if not task.manner.replace:
        return "apply"
    if not exists:
        return "create"
    if task.ref.kind == NAMESPACE or is_crd(task.ref):
        return "update"
    return "recreate" if task.manner.force else "replace"


def is_crd(ref: Ref) -> bool:
    return ref.kind == CRD_KIND and ref.group == CRD_GROUP


def is_namespace(ref: Ref) -> bool:
    return ref.kind == NAMESPACE and not ref.group
