"""Objects of this and other clusters, as managed resources.

clusters = Clusters(client)
catalogue = Catalogue(kinds(client, clusters=clusters))
"""

from plumbline.providers.kubernetes.clusters import Clusters
from plumbline.providers.kubernetes.kinds import kinds
from plumbline.providers.kubernetes.readiness import ReadyQuery

__all__ = ["Clusters", "ReadyQuery", "kinds"]
