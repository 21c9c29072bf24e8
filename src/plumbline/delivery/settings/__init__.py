"""argocd-cm and its companions as frozen values.

    reader = SettingsReader("argocd")
    settings = reader.read(Sources(control_plane=config_map, parameters=params))

Reading never fails: what cannot be read is at its default, and `problems` says so.
"""

from plumbline.delivery.settings.clusters import Cluster, Clusters, read_clusters
from plumbline.delivery.settings.problems import Problem
from plumbline.delivery.settings.reading import SettingsReader, Sources, read_settings
from plumbline.delivery.settings.values import Settings

__all__ = [
    "Cluster",
    "Clusters",
    "Problem",
    "Settings",
    "SettingsReader",
    "Sources",
    "read_clusters",
    "read_settings",
]
