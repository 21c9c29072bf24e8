"""What one look at a PushSecret gathers, step by step. Values are in it while it lasts, and it never prints them."""

from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple, TypeAlias

from plumbline.base.aside import Aside
from plumbline.base.errors import PlumblineError, Throttled
from plumbline.gate.gate import Gate
from plumbline.kernel.cache import Key
from plumbline.kernel.informer import Informer
from plumbline.kernel.outcomes import Stuck, Wait
from plumbline.kernel.reconciler import Run
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kinds.externalsecrets.pushsecret import PushSecretSpec, PushSecretStatus
from plumbline.kube.client import Client
from plumbline.secrets.external.asking import StoreName
from plumbline.secrets.external.fetching import Fetching
from plumbline.secrets.external.known import KnownStore, KnownStores
from plumbline.secrets.external.memory import Memory
from plumbline.secrets.generators import Generators
from plumbline.secrets.push.pieces import Source

Look: TypeAlias = Run[PushSecretSpec, PushSecretStatus]

FINALIZER: Final = "pushsecret.externalsecrets.io/finalizer"
REASON: Final = "Errored"
FOREIGN: Final = Stuck("Foreign", "another controller looks after the stores that it names")
"""Nothing is said of such an object: that other one does."""

Versions: TypeAlias = tuple[tuple[str, str, str], ...]
"""Name, uid and version of every Secret that it takes values from."""


class Around(NamedTuple):
    """What looks at PushSecrets need of the rest of the world."""

    client: Client
    world: World
    gate: Gate
    records: Records
    stores: KnownStores
    fetching: Fetching
    generators: Generators
    secrets: Informer
    """Metadata of Secrets, and nothing else of them."""
    pushes: Informer
    memory: Memory
    pushed: dict[Key, Versions]
    """What each object was last pushed from, by this process."""
    aside: Aside
    ours: Callable[[str], bool]
    """Whether stores of that controller class are looked after here."""


class At(NamedTuple):
    """How far a look has come."""

    began: datetime
    versions: Versions = ()
    source: Source | None = None
    stores: tuple[tuple[StoreName, KnownStore], ...] = ()
    synced: dict[str, dict[str, object]] | None = None
    """What is in the stores at the end, once it is known."""

    def __repr__(self) -> str:
        """Without what it holds: values are among it."""
        return f"At(began={self.began!r})"


def key_of(run: Look) -> Key:
    metadata = run.object["metadata"]
    return metadata["namespace"], metadata["name"]


def failed(around: Around, run: Look, what: str, error: PlumblineError) -> Wait:
    """Tried again soon, and then later and later; a change of the object, its Secret or its stores begins anew."""
    hint = f". {error.hint}" if error.hint else ""
    at_least_s = error.after_s if isinstance(error, Throttled) else 0.0
    return Wait(REASON, f"{what}: {error}{hint}", around.memory.retry_s(key_of(run), at_least_s))
