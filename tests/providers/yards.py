"""A yard to try kinds of a vendor in: its cloud in process, Secrets in a dict, and a reconciler of ten lines."""

from typing import NamedTuple

from plumbline.base.clock import VirtualClock
from plumbline.base.errors import NotFound, Transient
from plumbline.base.plaintext import Plaintext
from plumbline.kube.names import GroupKind, Ref
from plumbline.managed.external import Config, Managed
from plumbline.managed.kinds import Catalogue

_NAME = "crossplane.io/external-name"


class Secrets:
    """By namespace, name and key."""

    def __init__(self, values=None):
        self.values = dict(values or {})

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
    """A vendor has a *group*, a *cloud* and *secrets* to begin with, and says what its *connected* kinds are."""

    def __init__(self, group, cloud, secrets, config):
        self.group = group
        self.clock = VirtualClock()
        self.cloud = cloud(self.clock.monotonic)
        self.secrets = secrets
        self.config = config
        self.restart()

    def connected(self):
        raise NotImplementedError

    def restart(self):
        """As a new process: what was only remembered is gone."""
        self.catalogue = Catalogue(self.connected())

    def group_kind(self, kind):
        """Of a name such as `sql/User`, or `ResourceGroup`."""
        service, _, short = kind.rpartition("/")
        return GroupKind(f"{service}.{self.group}" if service else self.group, short)

    def thing(self, kind, name, for_provider, **spec):
        group, short = self.group_kind(kind)
        object_ = {
            "apiVersion": f"{group}/v1beta2",
            "kind": short,
            "metadata": {"name": name, "uid": f"uid-{kind}-{name}"},
            "spec": {"forProvider": for_provider, **spec},
        }
        return Thing(kind, object_)

    def managed(self, thing):
        metadata = thing.object["metadata"]
        kind = self.catalogue.get(self.group_kind(thing.kind))
        default = "" if kind.external_name == "assigned" else thing.name
        return Managed(
            ref=Ref(*self.group_kind(thing.kind), metadata.get("namespace", ""), thing.name),
            uid=metadata["uid"],
            external_name=metadata.get("annotations", {}).get(_NAME, default),
            wanted=thing.object["spec"]["forProvider"],
            initial=thing.object["spec"].get("initProvider", {}),
            config="default",
            secrets=self.secrets,
            object=thing.object,
        )

    async def external(self, thing):
        kind = self.catalogue.get(self.group_kind(thing.kind))
        config = Config(Ref(self.group, "ProviderConfig", "", "default"), self.config, self.secrets)
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
                settled = observed.exists and observed.state == "Available" and not observed.after_s
                if settled and not observed.differences:
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
            thing.object["metadata"].setdefault("annotations", {})[_NAME] = name

    def _publish(self, thing, connection):
        target = thing.object["spec"].get("writeConnectionSecretToRef")
        if target:
            self.secrets.publish(target["namespace"], target["name"], connection)
