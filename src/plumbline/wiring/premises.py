"""What the product stands on, on every replica."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from plumbline.base.evaluator import Evaluator
from plumbline.delivery.delivery import Delivery
from plumbline.delivery.settings.connections import FROM_A_SECRET
from plumbline.gate.gate import Gate
from plumbline.journal.journal import Journal
from plumbline.kernel.world import World
from plumbline.kube.client import Client, Trust
from plumbline.source.charts import ChartSources
from plumbline.source.git import GitSources
from plumbline.source.local import Local, nowhere
from plumbline.source.repository import Repository


class Premises(NamedTuple):
    client: Client
    world: World
    gate: Gate
    """Without a fence: people are served by whichever replica they come to."""
    journal: Journal
    namespace: str
    enforcing: Callable[[], bool]
    """Whether this installation may make what people need to log in."""
    delivery: Callable[[], Delivery | None]
    """Where this replica leads."""
    commits: GitSources
    charts: ChartSources
    placed: Callable[[Repository], Repository]
    """A repository with where it stands, if it is served here."""
    evaluator: Evaluator
    key_namespace: str
    trusted: tuple[str, ...]
    """Networks of proxies whose word is taken for whom they ask."""
    certificate: Callable[[], Awaitable[bytes | None]]
    """What others seal with; None where nothing is sealed here."""
    trust: Trust = FROM_A_SECRET
    local: Local = nowhere
    """What cluster Secrets may ask for."""
