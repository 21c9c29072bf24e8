"""A company's platform, as its guide describes it: two repositories, named by the addresses of a forge that nobody reaches."""

import pytest

from .platform import Platform


@pytest.fixture(scope="session")
def platform(tmp_path_factory):
    place = Platform(tmp_path_factory.mktemp("platform"))
    place.start()
    yield place
    place.stop()


@pytest.fixture(scope="session")
def offered(platform):
    """Databases, buckets and queues can be asked for."""
    platform.kubectl_apply("argocd/projects/infrastructure.yaml")
    platform.kubectl_apply("argocd/applications/infrastructure.yaml")
    platform.synced("infrastructure", platform.manifests.head)
    return platform


@pytest.fixture
def production(platform):
    """The project, which the guide takes for granted."""
    platform.kubectl_apply("argocd/projects/production.yaml")
    return platform


@pytest.fixture
def order_service(production, offered):
    """The application of the guide, unchanged, delivered and well, as Git has it now."""
    platform = production
    platform.kubectl_apply("argocd/applications/order-service.yaml")
    platform.synced("order-service", platform.manifests.head)
    return platform
