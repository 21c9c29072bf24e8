"""A yard to try kinds in: the vendor's cloud in process, Secrets in a dict, and a reconciler of ten lines."""

from typing import NamedTuple

from tests.providers.gcp.vendor.serving import InProcess
from tests.providers.gcp.yard import Secrets as PlainSecrets

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import Transient
from plumbline.base.json import encode
from plumbline.kube.names import GroupKind, Ref
from plumbline.managed.external import Config, Managed
from plumbline.managed.kinds import Catalogue
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


class Secrets(PlainSecrets):
    def __init__(self, **values):
        super().__init__(**values)
        self.values["system", "azure", "credentials"] = encode(KEY).decode()
        self.values["prod", "admin", "pw"] = PASSWORD


class Thing(NamedTuple):
    kind: str
    object: dict

    @property
    def name(self):
        return self.object["metadata"]["name"]

    def wants(self, **changes):
        self.object["spec"]["forProvider"] |= changes


class Yard:
    def __init__(self, *, takes_s=60.0, config=CONFIG):
        self.clock = VirtualClock()
        self.cloud = Cloud(self.clock.monotonic, takes_s=takes_s)
        self.secrets = Secrets()
        self.config = config
        self.restart()

    def restart(self):
        """As a new process: what was only remembered is gone."""
        self.accounts = Connections(self.clock, connect=lambda base, credentials: InProcess(self.cloud, credentials))
        self.catalogue = Catalogue(kinds(self.accounts))

    def thing(self, kind, name, for_provider, **spec):
        metadata = {"name": name, "uid": f"uid-{kind}-{name}"}
        object_ = {
            "apiVersion": f"{group_kind(kind).group}/v1beta2",
            "kind": group_kind(kind).kind,
            "metadata": metadata,
            "spec": {"forProvider": for_provider, **spec},
        }
        return Thing(kind, object_)

    def managed(self, thing):
        metadata = thing.object["metadata"]
        assigned = self.catalogue.get(group_kind(thing.kind)).external_name == "assigned"
        default = "" if assigned else thing.name
        return Managed(
            ref=Ref(*group_kind(thing.kind), metadata.get("namespace", ""), thing.name),
            uid=metadata["uid"],
            external_name=metadata.get("annotations", {}).get("crossplane.io/external-name", default),
            wanted=thing.object["spec"]["forProvider"],
            initial=thing.object["spec"].get("initProvider", {}),
            config="default",
            secrets=self.secrets,
            object=thing.object,
        )

    async def external(self, thing):
        kind = self.catalogue.get(group_kind(thing.kind))
        config = Config(Ref(GROUP, "ProviderConfig", "", "default"), self.config, self.secrets)
        return await kind.connector.connect(self.managed(thing), config)

    async def observe(self, thing):
        return await (await self.external(thing)).observe(self.managed(thing))

    async def reconcile(self, thing):
        """Once: observe, then create or update if need be. Answers with what was observed."""
        external, managed = await self.external(thing), self.managed(thing)
        observed = await external.observe(managed)
        if not observed.exists:
            created = await external.create(managed)
            self._name(thing, created.external_name)
            self._publish(thing, created.connection)
            return observed
        self._name(thing, observed.external_name)
        thing.object["status"] = {"atProvider": observed.at_provider}
        self._publish(thing, observed.connection)
        if observed.differences:
            self._publish(thing, (await external.update(managed, observed)).connection)
        return observed

    async def straighten(self, thing, rounds=12):
        """Until it is there as wanted, with time going by."""
        for _ in range(rounds):
            try:
                observed = await self.reconcile(thing)
            except Transient:
                pass
            else:
                if (
                    observed.exists
                    and observed.state == "Available"
                    and not observed.differences
                    and not observed.after_s
                ):
                    return observed
            await self.wait()
        raise AssertionError(f"{thing.name} is not as wanted after {rounds} rounds")

    async def clear(self, thing, rounds=6):
        """Until it is gone."""
        thing.object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        for _ in range(rounds):
            external, managed = await self.external(thing), self.managed(thing)
            observed = await external.observe(managed)
            if not observed.exists:
                return
            if observed.state != "Deleting":
                await external.delete(managed, observed)
            await self.wait()
        raise AssertionError(f"{thing.name} is still there after {rounds} rounds")

    async def wait(self):
        await self.clock.advance(self.cloud.takes_s)

    def _name(self, thing, name):
        if name:
            thing.object["metadata"].setdefault("annotations", {})["crossplane.io/external-name"] = name

    def _publish(self, thing, connection):
        target = thing.object["spec"].get("writeConnectionSecretToRef")
        if target:
            self.secrets.publish(target["namespace"], target["name"], connection)


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
