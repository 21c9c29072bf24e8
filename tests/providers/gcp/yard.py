"""A yard with Google's cloud in it."""

from functools import partial

from tests.providers import yards

from plumbline.providers.gcp.accounts import Connections
from plumbline.providers.gcp.provider import GROUP, kinds

from .vendor.cloud import Cloud
from .vendor.serving import InProcess

PROJECT = "shop"
CONFIG = {
    "projectID": PROJECT,
    "credentials": {"source": "AccessToken", "secretRef": {"namespace": "system", "name": "gcp", "key": "token"}},
}


class Secrets(yards.Secrets):
    def __init__(self):
        super().__init__({("system", "gcp", "token"): "vendor-token"})


class Yard(yards.Yard):
    def __init__(self, *, takes_s=60.0, config=CONFIG):
        super().__init__(GROUP, partial(Cloud, takes_s=takes_s), Secrets(), config)

    def connected(self):
        self.accounts = Connections(self.clock, connect=lambda base, credentials: InProcess(self.cloud, credentials))
        return kinds(self.accounts)


async def with_instance(yard, name="pg"):
    """An instance that databases and users can be in."""
    instance = yard.thing(
        "sql/DatabaseInstance", name, {"databaseVersion": "POSTGRES_15", "settings": {"tier": "db-f1-micro"}}
    )
    await yard.straighten(instance)
    return instance
