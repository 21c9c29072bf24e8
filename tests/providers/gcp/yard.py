"""A yard to try kinds in: the vendor's cloud in process, Secrets in a dict, and a reconciler of ten lines."""

from typing import NamedTuple

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import NotFound, Transient
from plumbline.base.plaintext import Plaintext
from plumbline.kube.names import GroupKind, Ref
from plumbline.managed.external import Config, Managed
from plumbline.managed.kinds import Catalogue
from plumbline.providers.gcp.accounts import Connections
from plumbline.providers.gcp.provider import GROUP, kinds

from .vendor.cloud import Cloud
from .vendor.serving import InProcess

PROJECT = "shop"
CONFIG = {
    "projectID": PROJECT,
    "credentials": {"source": "AccessToken", "secretRef": {"namespace": "system", "name": "gcp", "key": "token"}},
}


class Secrets:
    def __init__(self, **values):
        self.values = {("system", "gcp", "token"): "vendor-token", **values}

    async def read(self, key):
        try:
            return Plaintext(self.values[key.namespace, key.name, key.key])
        except KeyError:
            raise NotFound(f"Secret {key.namespace}/{key.name} has no key {key.key}") from None

    def publish(self, namespace, name, connection):
        self.values |= {(namespace, name, key): value.reveal().decode() for key, value in connection.items()}

    def published(self, namespace, name):
        return {key: value for (space, of, key), value in self.values.items() if (space, of) == (namespace, name)}


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
        service, _, short = kind.partition("/")
        object_ = {
            "apiVersion": f"{service}.{GROUP}/v1beta2",
            "kind": short,
            "metadata": {"name": name, "uid": f"uid-{kind}-{name}"},
            "spec": {"forProvider": for_provider, **spec},
        }
        return Thing(kind, object_)

    def managed(self, thing):
        service, _, short = thing.kind.partition("/")
        metadata = thing.object["metadata"]
        return Managed(
            ref=Ref(f"{service}.{GROUP}", short, "", thing.name),
            uid=metadata["uid"],
            external_name=metadata.get("annotations", {}).get("crossplane.io/external-name", thing.name),
            wanted=thing.object["spec"]["forProvider"],
            initial=thing.object["spec"].get("initProvider", {}),
            config="default",
            secrets=self.secrets,
            object=thing.object,
        )

    async def external(self, thing):
        service, _, short = thing.kind.partition("/")
        kind = self.catalogue.get(GroupKind(f"{service}.{GROUP}", short))
        config = Config(Ref(GROUP, "ProviderConfig", "", "default"), self.config, self.secrets)
        return await kind.connector.connect(self.managed(thing), config)

    async def observe(self, thing):
        return await (await self.external(thing)).observe(self.managed(thing))

    async def reconcile(self, thing):
        """Once: observe, then create or update if need be. Answers with what was observed."""
        external, managed = await self.external(thing), self.managed(thing)
        observed = await external.observe(managed)
        if not observed.exists:
            self._publish(thing, (await external.create(managed)).connection)
            return observed
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
            await external.delete(managed, observed)
            await self.wait()
        raise AssertionError(f"{thing.name} is still there after {rounds} rounds")

    async def wait(self):
        await self.clock.advance(self.cloud.takes_s)

    def _publish(self, thing, connection):
        target = thing.object["spec"].get("writeConnectionSecretToRef")
        if target:
            self.secrets.publish(target["namespace"], target["name"], connection)


async def with_instance(yard, name="pg"):
    """An instance that databases and users can be in."""
    instance = yard.thing(
        "sql/DatabaseInstance", name, {"databaseVersion": "POSTGRES_15", "settings": {"tier": "db-f1-micro"}}
    )
    await yard.straighten(instance)
    return instance
