"""Through the control plane: manifests as upstream's users write them, and the vendor's cloud on the other side."""

import asyncio
import base64

import pytest
from tests.managed import town
from tests.providers.gcp.vendor.serving import InProcess

from plumbline.base.errors import NotFound, UnknownKind
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import run_virtually
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.managed.kinds import Catalogue
from plumbline.providers.azure import Connections, kinds
from plumbline.providers.azure.provider import GROUP

from .vendor.cloud import Cloud
from .yard import CONFIG, KEY, PASSWORD, SERVER, group_kind

POSTGRESQL = f"dbforpostgresql.{GROUP}"
RESOURCES = {
    "Secret": GroupVersionResource("", "v1", "secrets"),
    "Namespace": GroupVersionResource("", "v1", "namespaces"),
    "ProviderConfig": GroupVersionResource(GROUP, "v1beta1", "providerconfigs"),
    "ResourceGroup": GroupVersionResource(GROUP, "v1beta1", "resourcegroups"),
    "FlexibleServer": GroupVersionResource(POSTGRESQL, "v1beta1", "flexibleservers"),
    "FlexibleServerDatabase": GroupVersionResource(POSTGRESQL, "v1beta1", "flexibleserverdatabases"),
    "FlexibleServerConfiguration": GroupVersionResource(POSTGRESQL, "v1beta1", "flexibleserverconfigurations"),
}
SERVER_WANTED = {
    "location": "West Europe",
    "resourceGroupNameRef": {"name": "shop"},
    "version": "15",
    "skuName": "GP_Standard_D2s_v3",
    "storageMb": 32768,
    "administratorLogin": "boss",
    "administratorPasswordSecretRef": {"name": "admin", "namespace": "system", "key": "password"},
    "highAvailability": [{"mode": "SameZone"}],
}
OF_SERVER = {"serverIdSelector": {"matchLabels": {"app": "shop"}}}
WANTED = {
    "ResourceGroup": ("shop", {"location": "West Europe"}),
    "FlexibleServer": ("pg", SERVER_WANTED),
    "FlexibleServerDatabase": ("orders", {"serverIdRef": {"name": "pg"}}),
    "FlexibleServerConfiguration": ("memory", {**OF_SERVER, "name": "work_mem", "value": "8192"}),
}


@pytest.fixture
def cloud(monkeypatch):
    cloud = Cloud(takes_s=60.0)
    cloud.now = lambda: cloud.clock.monotonic()  # noqa: PLW0108 - the clock is there when the town is

    def connect(_base, credentials):
        return InProcess(cloud, credentials)

    monkeypatch.setattr(town, "catalogue", lambda here: Catalogue(kinds(Connections(here.clock, connect=connect))))
    return cloud


class Desk:
    def __init__(self, place):
        self.place = place

    async def create(self, kind, name, namespace="", **fields):
        resource = RESOURCES[kind]
        metadata = {"name": name, **({"namespace": namespace} if namespace else {}), "labels": {"app": "shop"}}
        made = {"apiVersion": resource.api_version, "kind": kind, "metadata": metadata, **fields}
        for _ in range(100):
            try:
                return await self.place.client.create(Target(resource, namespace), encode(made), town.BY_HAND)
            except (NotFound, UnknownKind):
                await asyncio.sleep(0.1)
        raise AssertionError(f"{kind} is not served")

    async def get(self, kind, name, namespace=""):
        return decode(await self.place.client.get(Target(RESOURCES[kind], namespace, name)))

    async def ready(self, kind, name):
        async def so():
            conditions = town.conditions(await self.get(kind, name))
            return all((conditions.get(type_) or {}).get("status") == "True" for type_ in ("Ready", "Synced"))

        try:
            await self.place.until(so, within_s=1800)
        except TimeoutError:
            seen = [(one.method, one.status) for one in self.place.cloud.calls[-6:]]
            raise AssertionError(f"{kind}: {town.conditions(await self.get(kind, name))} {seen}") from None

    async def gone(self, kind, name):
        async def so():
            try:
                await self.get(kind, name)
            except NotFound:
                return True
            return False

        await self.place.until(so, within_s=3600)


async def begun(place, **server):
    """Everything asked for at once, the last one first: references are waited for."""
    desk = Desk(place)
    await desk.create("Namespace", "system")
    for kind in WANTED:
        assert await place.managed.activation.ensure(
            group_kind(kind if kind == "ResourceGroup" else f"dbforpostgresql/{kind}")
        )
    await desk.create("Secret", "azure", "system", data={"credentials": _encoded(encode(KEY))})
    await desk.create("ProviderConfig", "default", spec=CONFIG)
    for kind, (name, wanted) in reversed(WANTED.items()):
        spec = {"forProvider": wanted}
        if kind == "FlexibleServer":
            target = {"name": "conn", "namespace": "system"}
            spec = {"forProvider": {**wanted, **server}, "writeConnectionSecretToRef": target}
        await desk.create(kind, name, spec=spec)
    return desk


def _encoded(raw):
    return base64.b64encode(raw).decode()


def test_a_server_with_all_that_belongs_to_it_is_made_and_left_alone(cloud):
    async def main():
        async with town.town(bare=True, cloud=cloud) as place:
            desk = await begun(place)
            await desk.create("Secret", "admin", "system", data={"password": _encoded(PASSWORD.encode())})
            for kind, (name, _) in WANTED.items():
                await desk.ready(kind, name)
            await _whole(desk, cloud)
            for kind, name in (("ResourceGroup", "shop"), ("FlexibleServerConfiguration", "memory")):
                await place.client.delete(Target(RESOURCES[kind], "", name))
            await desk.gone("FlexibleServerConfiguration", "memory")
            await asyncio.sleep(600)
            group = town.conditions(await desk.get("ResourceGroup", "shop"))
            assert "there is something in it still: pg" in group["Synced"]["message"]
            assert cloud.count("DELETE groups") == 0

    run_virtually(main)


def test_a_generated_password_is_one_that_azure_takes(cloud):
    async def main():
        async with town.town(bare=True, cloud=cloud) as place:
            desk = await begun(place, autoGeneratePassword=True)
            await desk.ready("FlexibleServer", "pg")

    run_virtually(main)


async def _whole(desk, cloud):
    server = await desk.get("FlexibleServer", "pg")
    assert server["status"]["atProvider"]["id"] == SERVER
    assert server["spec"]["forProvider"]["resourceGroupName"] == "shop"
    assert isinstance(server["status"]["atProvider"]["highAvailability"], list)
    secret = (await desk.get("Secret", "conn", "system"))["data"]
    assert base64.b64decode(secret["username"]) == b"boss@pg"
    assert base64.b64decode(secret["password"]).decode() == cloud.secrets[SERVER.lower()] == PASSWORD
    setting = await desk.get("FlexibleServerConfiguration", "memory")
    assert setting["metadata"]["annotations"]["crossplane.io/external-name"] == f"{SERVER}/configurations/work_mem"
    assert cloud.count("PUT servers") == cloud.count("PUT groups") == cloud.count("PUT databases") == 1
    writes = len(cloud.writes)
    await asyncio.sleep(3600)
    assert len(cloud.writes) == writes, "what is as it should be is left alone"
