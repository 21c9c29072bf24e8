"""What all endpoints share: the cluster, the installation as it is now, who asks, and how something is written for them."""

from dataclasses import dataclass
from typing import Final

from plumbline.base.clock import Clock
from plumbline.delivery.installation import Installation
from plumbline.kube.client import Client
from plumbline.kube.names import GroupVersionResource
from plumbline.web.api.rights import Rights
from plumbline.web.api.writing import Pen
from plumbline.web.board import Board, Sight

CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
SECRETS: Final = GroupVersionResource("", "v1", "secrets")
EVENTS: Final = GroupVersionResource("", "v1", "events")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    client: Client
    clock: Clock
    namespace: str
    """The installation's."""
    installation: Installation
    """Somebody else runs it."""
    rights: Rights
    pen: Pen
    board: Board
    sight: Sight
