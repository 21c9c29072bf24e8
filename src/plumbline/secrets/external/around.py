"""What looks at ExternalSecrets need of the rest of the world."""

from collections.abc import Callable
from typing import NamedTuple

from plumbline.base.aside import Aside
from plumbline.gate.hands import Hands
from plumbline.kernel.informer import Informer
from plumbline.kernel.world import World
from plumbline.kube.client import Client
from plumbline.secrets.external.fetching import Fetching
from plumbline.secrets.external.known import KnownStores
from plumbline.secrets.external.memory import Memory
from plumbline.secrets.external.metrics import ExternalMetrics
from plumbline.secrets.generators import Generators


class Around(NamedTuple):
    client: Client
    world: World
    hands: Hands
    stores: KnownStores
    fetching: Fetching
    generators: Generators
    secrets: Informer
    """Metadata of Secrets, and nothing else of them."""
    memory: Memory
    metrics: ExternalMetrics
    aside: Aside
    """Runs what takes long where it holds nobody up."""
    ours: Callable[[str], bool]
    """Whether stores of that controller class are looked after here."""
