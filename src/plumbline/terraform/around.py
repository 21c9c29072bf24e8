"""What looks at Terraform objects need of the rest of the world."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from plumbline.base.aside import Aside
from plumbline.base.json import JsonObject
from plumbline.gate.hands import Hands
from plumbline.kernel.cache import Key
from plumbline.kernel.world import World
from plumbline.kube.client import Client
from plumbline.terraform.checks import WebhookPoster, Wire
from plumbline.terraform.inputs import Reader, Terms
from plumbline.terraform.policies import Given, Policy
from plumbline.terraform.runs import Runs
from plumbline.terraform.sources.sources import Sources
from plumbline.terraform.state import Copies, Locks


class Around(NamedTuple):
    client: Client
    world: World
    hands: Hands
    sources: Sources
    reader: Reader
    terms: Terms
    """What every run is bound to, whatever its object says."""
    runs: Runs
    locks: Locks
    copies: Copies
    policy: Callable[[Key], Policy]
    """What the policies about an object come to."""
    approvals: Callable[[Key], Awaitable[Given]]
    """What people have said about an object's plans."""
    terraform: Callable[[Key], JsonObject | None]
    """Another Terraform object, as last seen."""
    wire: Wire
    aside: Aside
    """Runs what blocks where it holds nobody up."""
    poster: WebhookPoster
    own_kubeconfig: bool = True
    """Runs are outside of the cluster: they are given a kubeconfig for the state."""
    across_namespaces: bool = False
    """Whether objects may use sources of other namespaces."""
