"""`/api/v1/clusters`: where applications may be deployed to. How one gets there is never told."""

from plumbline.web.api.clusters.api import Clusters
from plumbline.web.api.clusters.shapes import linked

__all__ = ["Clusters", "linked"]
