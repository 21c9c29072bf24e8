"""What is on a cluster, as far as applications are concerned: objects that they deliver, kept true by watches."""

from plumbline.delivery.live.cluster import Event, LiveChanged, LiveCluster
from plumbline.kernel.kinds import Kinds

__all__ = ["Event", "Kinds", "LiveChanged", "LiveCluster"]
