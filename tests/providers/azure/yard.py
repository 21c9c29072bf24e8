"""A yard with Azure's cloud in it."""

from functools import partial

from tests.providers import yards
from tests.providers.gcp.vendor.serving import InProcess

from plumbline.base.json import encode
from plumbline.kube.names import GroupKind
from plumbline.providers.azure.accounts import Connections
from plumbline.providers.azure.provider import GROUP, kinds

from .vendor.cloud import Cloud
from .vendor.identity import CLIENT, SECRET, SUBSCRIPTION, TENANT

KEY = {"clientId": CLIENT, "clientSecret": SECRET, "tenantId": TENANT, "subscriptionId": SUBSCRIPTION}
REFERENCE = {"namespace": "system", "name": "azure", "key": "credentials"}
CONFIG = {"credentials": {"source": "Secret", "secretRef": REFERENCE}}
RESOURCE_GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/shop"
SERVER = f"{RESOURCE_GROUP}/providers/Microsoft.DBforPostgreSQL/flexibleServers/pg"
PASSWORD = "Correct-Horse-9"


class Secrets(yards.Secrets):
    def __init__(self):
        super().__init__({("system", "azure", "credentials"): encode(KEY).decode(), ("prod", "admin", "pw"): PASSWORD})


class Yard(yards.Yard):
    def __init__(self, *, takes_s=60.0, config=CONFIG):
        super().__init__(GROUP, partial(Cloud, takes_s=takes_s), Secrets(), config)

    def connected(self):
        self.accounts = Connections(self.clock, connect=lambda base, credentials: InProcess(self.cloud, credentials))
        return kinds(self.accounts)


def group_kind(kind):
    service, _, short = kind.rpartition("/")
    return GroupKind(f"{service}.{GROUP}" if service else GROUP, short)


async def with_group(yard):
    await yard.straighten(yard.thing("ResourceGroup", "shop", {"location": "West Europe"}))


def server(yard, for_provider=None, name="pg", **spec):
    wanted = {
        "location": "West Europe",
        "resourceGroupName": "shop",
        "version": "15",
        "skuName": "GP_Standard_D2s_v3",
        "administratorLogin": "boss",
        "administratorPasswordSecretRef": {"name": "admin", "namespace": "prod", "key": "pw"},
        **(for_provider or {}),
    }
    return yard.thing("dbforpostgresql/FlexibleServer", name, wanted, **spec)


async def with_server(yard):
    await with_group(yard)
    made = server(yard)
    await yard.straighten(made)
    return made
