"""What is on a cluster, as far as applications are concerned: objects that they deliver, kept true by watches."""

from plumbline.delivery.live.cluster import Event, Extent, LiveChanged, LiveCluster
from plumbline.kernel.kinds import Kinds

__all__ = ["Event", "Extent", "Kinds", "LiveChanged", "LiveCluster"]
