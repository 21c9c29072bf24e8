"""What charts and plugins are told that a cluster serves."""

from plumbline.delivery.destinations import _api_versions
from plumbline.kube.client.catalog import Catalog, Resource

KEPT = frozenset({"create", "list", "watch"})


def test_it_is_what_there_can_be_objects_of():
    catalog = Catalog(
        [
            Resource(group="apps", version="v1", name="deployments", kind="Deployment", namespaced=True, verbs=KEPT),
            Resource(group="", version="v1", name="secrets", kind="Secret", namespaced=True, verbs=KEPT),
            Resource(
                group="authentication.k8s.io", version="v1", name="tokenreviews", kind="TokenReview", namespaced=False,
                verbs=frozenset({"create"}),
            ),
        ],
        {},
    )  # fmt: skip
    assert _api_versions(catalog) == ("apps/v1", "apps/v1/Deployment", "v1", "v1/Secret")
