"""Projects, clusters and Applications for tests, as short as they can be said."""

from plumbline.delivery.projects import Project
from plumbline.delivery.settings import Cluster, Clusters
from plumbline.kinds.application import ApplicationSpec
from plumbline.kinds.appproject import AppProjectSpec
from plumbline.kinds.values import converted

ONE = Cluster(name="one", server="https://one", secret="one")
TWO = Cluster(name="two", server="https://two", secret="two", project="shop")
CLUSTERS = Clusters.of([ONE, TWO])


def project(name="shop", labels=None, **spec):
    return Project(name, converted(spec, AppProjectSpec), labels or {})


def application(**spec):
    destination = {"server": "https://one", "namespace": "shop"}
    source = {"repoURL": "https://github.com/acme/shop", "path": "."}
    return converted({"project": "shop", "destination": destination, "source": source} | spec, ApplicationSpec)


OPEN = {"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}]}
