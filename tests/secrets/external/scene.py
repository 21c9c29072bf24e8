"""ExternalSecrets on a control plane in this process and in virtual time, with a store that is a dict and counts."""

import asyncio
import base64
from collections import Counter
from contextlib import asynccontextmanager
from functools import cache

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.errors import NotFound, Unauthenticated, Unreachable
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.collections import Collections
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger
from plumbline.secrets.foundation import founded
from plumbline.secrets.stored import ExternalSecrets, Parts
from plumbline.secrets.stores.pushing import Effect, foreign

NAMESPACES = GroupVersionResource("", "v1", "namespaces")
SECRETS = GroupVersionResource("", "v1", "secrets")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
EVENTS = GroupVersionResource("", "v1", "events")
EXTERNALS = GroupVersionResource("external-secrets.io", "v1", "externalsecrets")
STORES = GroupVersionResource("external-secrets.io", "v1", "secretstores")
CLUSTER_STORES = GroupVersionResource("external-secrets.io", "v1", "clustersecretstores")
GENERATORS = {
    kind: GroupVersionResource("generators.external-secrets.io", "v1alpha1", plural)
    for kind, plural in (
        ("Password", "passwords"),
        ("UUID", "uuids"),
        ("SSHKey", "sshkeys"),
        ("Fake", "fakes"),
        ("ClusterGenerator", "clustergenerators"),
    )
}
CLUSTER_EXTERNALS = GroupVersionResource("external-secrets.io", "v1", "clusterexternalsecrets")
PUSHES = GroupVersionResource("external-secrets.io", "v1alpha1", "pushsecrets")
BY_HAND = Writing(field_manager="kubectl", force=True)
HOME, AWAY = "team", "elsewhere"
HOUR = 3600.0


class Vault:
    """What is kept elsewhere, and every question about it."""

    def __init__(self, **kept):
        self.kept = {"db": {"user": "ann", "password": "s3cret"}, **kept}
        self.asked, self.opened = Counter(), Counter()
        self.failing = self.refusing = None
        """Raised by questions; and when it is opened or checked."""
        self.sure = True
        self.takes_s = 0.0
        self.busy = self.busiest = 0
        self.password = "letmein"
        self.forgotten = []
        self.marked, self.pushes = set(), Counter()
        self.dying = None
        self.hanging = set()
        """Namespaces whose stores do not answer when they are opened."""

    async def forget(self, *store):
        self.forgotten.append(store)
        if self.failing:
            raise self.failing

    @property
    def questions(self):
        return self.asked.total() - self.asked["check"]


class DictSink:
    """As `pushing.Sink`, over a `Vault`; marks what it writes."""

    def __init__(self, vault):
        self._vault = vault

    async def exists(self, remote):
        held = self._vault.kept.get(remote.key)
        return held is not None and (not remote.property or remote.property in held)

    async def pushing(self, piece):
        key, vault = piece.remote.key, self._vault
        if vault.failing is not None:
            raise vault.failing
        before = vault.kept.get(key)
        value = piece.value.reveal().decode()
        after = {**(before or {}), piece.remote.property: value} if piece.remote.property else value
        if before == after and key in vault.marked:
            return None
        if before is not None and key not in vault.marked and not (piece.ours and before == after):
            raise foreign(key)
        return Effect("create" if before is None else "update", lambda: self._put(key, after))

    async def withdrawing(self, remote):
        held, vault = self._vault.kept.get(remote.key), self._vault
        if held is None or remote.key not in vault.marked:
            return None
        left = {name: value for name, value in held.items() if name != remote.property} if remote.property else None
        return Effect("delete", lambda: self._put(remote.key, left or None))

    async def _put(self, key, value):
        vault = self._vault
        vault.pushes[key] += 1
        await asyncio.sleep(0)
        if vault.failing is not None:
            raise vault.failing
        if value is None:
            del vault.kept[key]
            vault.marked.discard(key)
            return
        vault.kept[key] = value
        if vault.dying:
            vault.dying()
        vault.marked.add(key)


class DictStore:
    """As `stores.Store`, over a `Vault`."""

    def __init__(self, vault):
        self._vault = vault
        self.closed = False

    async def value(self, remote):
        found = await self._found("value", remote.key)
        if not remote.property:
            return Plaintext(encode(found) if isinstance(found, dict) else found)
        if remote.property not in found:
            raise NotFound(f"{remote.key} has no {remote.property}")
        return Plaintext(found[remote.property])

    async def entries(self, remote):
        found = await self._found("entries", remote.key)
        return {name: Plaintext(value) for name, value in found.items()}

    async def search(self, search):
        await self._asked("search")
        fits = {name: value for name, value in self._vault.kept.items() if name.startswith(search.path)}
        return {name: Plaintext(encode(value)) for name, value in fits.items()}

    async def check(self):
        await self._asked("check")
        return self._vault.sure

    async def close(self):
        self.closed = True

    def sink(self):
        return DictSink(self._vault)

    async def _found(self, how, key):
        await self._asked(how)
        if key not in self._vault.kept:
            raise NotFound(f"There is no {key}")
        return self._vault.kept[key]

    async def _asked(self, how):
        vault = self._vault
        assert not self.closed
        vault.asked[how] += 1
        vault.busy += 1
        vault.busiest = max(vault.busy, vault.busiest)
        try:
            await asyncio.sleep(vault.takes_s)
        finally:
            vault.busy -= 1
        if vault.failing is not None:
            raise vault.failing


def opener(client, vault):
    """Signs in with the Secret that the store names, if it names one."""

    async def opened(store, namespace):
        vault.opened[str(store)] += 1
        if namespace in vault.hanging:
            await asyncio.sleep(10**6)
        if vault.refusing is not None:
            raise vault.refusing
        ref = (((store.object["spec"]["provider"].get("vault") or {}).get("auth") or {}).get("tokenSecretRef")) or {}
        if ref:
            held = decode(await client.get(Target(SECRETS, store.namespace or namespace, ref["name"])))
            if base64.b64decode(held["data"][ref["key"]]).decode() != vault.password:
                raise Unauthenticated("The token is not accepted")
        return DictStore(vault)

    return opened


def external(name="app", **spec):
    """Everything of `db`, every hour, unless *spec* says otherwise."""
    data = {} if "data" in spec or "dataFrom" in spec else {"dataFrom": [{"extract": {"key": "db"}}]}
    return {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {"name": name, "namespace": spec.pop("namespace", HOME)},
        "spec": {"secretStoreRef": {"name": "vault"}, **data, **spec},
    }


def item(key, remote, property_=""):
    return {"secretKey": key, "remoteRef": {"key": remote, **({"property": property_} if property_ else {})}}


def store(name="vault", *, cluster=False, namespace=HOME, token="", **spec):
    """A store; with *token*, one that signs in with that Secret."""
    provider = {
        "vault": {"server": "https://vault.example", "auth": {"tokenSecretRef": {"name": token, "key": "token"}}}
    }
    return {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ClusterSecretStore" if cluster else "SecretStore",
        "metadata": {"name": name, **({} if cluster else {"namespace": namespace})},
        "spec": {"provider": provider if token else {"fake": {"data": []}}, **spec},
    }


def secret(name="app", *, namespace=HOME, labels=None, **values):
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace, "labels": labels or {}},
        "data": {key: base64.b64encode(value.encode()).decode() for key, value in values.items()},
    }


def generator(kind, name="gen", /, **spec):
    metadata = {"name": name, **({} if kind == "ClusterGenerator" else {"namespace": HOME})}
    return {"apiVersion": "generators.external-secrets.io/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


def generated(kind, name="gen", **more):
    """An entry of `dataFrom` that runs a generator."""
    return {"sourceRef": {"generatorRef": {"kind": kind, "name": name}}, **more}


def push(name="push", source="app", *places, **spec):
    """Every place (`secretKey`, `remoteKey`, property) of the Secret *source*."""
    data = [
        {"match": {"secretKey": key, "remoteRef": {"remoteKey": remote, **({"property": part[0]} if part else {})}}}
        for key, remote, *part in places
    ]
    return {
        "apiVersion": "external-secrets.io/v1alpha1",
        "kind": "PushSecret",
        "metadata": {"name": name, "namespace": spec.pop("namespace", HOME)},
        "spec": {
            "secretStoreRefs": [{"name": "vault"}],
            "selector": {"secret": {"name": source}},
            "data": data,
            **spec,
        },
    }


RESOURCES = {
    "ExternalSecret": EXTERNALS,
    "SecretStore": STORES,
    "ClusterSecretStore": CLUSTER_STORES,
    "Secret": SECRETS,
    "ConfigMap": CONFIG_MAPS,
    "Namespace": NAMESPACES,
    "ClusterExternalSecret": CLUSTER_EXTERNALS,
    "PushSecret": PUSHES,
    **GENERATORS,
}


COUNTED = ("externalsecrets", "secretstores", "secrets", "events")


class Wire:
    def __init__(self, transport):
        self._transport, self.cut = transport, False
        self.writes = Counter()

    async def send(self, request):
        if self.cut:
            raise Unreachable("the wire is cut")
        if request.method != "GET":
            self.writes[next((each for each in COUNTED if f"/{each}" in request.path), "other")] += 1
        return await self._transport.send(request)

    async def close(self): ...


class Place:
    def __init__(self, plane, client, world, journal, vault):
        self.plane, self.client, self.world, self.journal, self.vault = plane, client, world, journal, vault
        self.room = self.wire = None
        self.tasks = []

    async def apply(self, *objects):
        for obj in objects:
            metadata = obj["metadata"]
            target = Target(RESOURCES[obj["kind"]], metadata.get("namespace", ""), metadata["name"])
            await self.client.apply(target, encode(obj), BY_HAND)

    async def get(self, name="app", resource=EXTERNALS, namespace=HOME):
        try:
            return decode(await self.client.get(Target(resource, namespace, name)))
        except NotFound:
            return None

    async def values(self, name="app", namespace=HOME):
        """What is in a Secret; None where there is none."""
        found = await self.get(name, SECRETS, namespace)
        return found and {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}

    async def patch(self, change, name="app", resource=EXTERNALS, namespace=HOME):
        await self.client.patch(Target(resource, namespace, name), encode(change), "merge", BY_HAND)

    async def delete(self, name="app", resource=EXTERNALS, namespace=HOME):
        await self.client.delete(Target(resource, namespace, name))

    async def until(self, true, *, within_s=600.0, every_s=1.0):
        async with asyncio.timeout(within_s):
            while not (found := await true()):  # noqa: ASYNC110 - time is virtual, and anything may make it true
                await asyncio.sleep(every_s)
        return found

    async def ready(self, status="True", text="", name="app", resource=EXTERNALS, namespace=HOME):
        """Wait until the object says so; returns it."""

        async def says():
            found = await self.get(name, resource, namespace)
            said = condition(found)
            return said.get("status") == status and text in said.get("reason", "") + said.get("message", "") and found

        return await self.until(says)

    async def events(self, namespace=HOME):
        page = await self.client.list(Target(EVENTS, namespace))
        return Counter((each["reason"], each["message"]) for each in (decode(bytes(item)) for item in page.items))

    async def quietly(self, seconds):
        """Let time pass; returns how many writes and questions there were."""
        writes, questions = self.wire.writes.total(), self.vault.questions
        await asyncio.sleep(seconds)
        return self.wire.writes.total() - writes, self.vault.questions - questions

    def metric(self, name, /, **labels):
        return self.world.metrics.registry.get_sample_value(name, labels)


def condition(obj):
    conditions = ((obj or {}).get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == "Ready"), {})


@cache
def stored():
    """A plane that knows the kinds, as it is stored: set up once, loaded for every test."""

    async def main():
        clock, ids = LoopClock(), Ids(1)
        plane = Plane(clock, ids, authority_pem="the authority")
        async with plane.running():
            client = Client(plane.transport(), clock=clock, ids=ids)
            await founded(client, clock)
            for namespace in (HOME, AWAY):
                body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
                await client.create(Target(NAMESPACES), encode(body))
            await asyncio.sleep(60)
            held = plane.store
            return Stored(held.revision, [each for name in held.collections for each in held.shelf(name).entries()])

    return run_virtually(main)


async def _at_once(work):
    """Virtual time knows no threads."""
    return work()


def assembled(client, world, journal, vault, *, reader=None, mandate=None):
    """The room as a controller has it, and the collections that it follows."""
    allowed = mandate or MandateSpec(mode="Enforce")
    gate = Gate(Powers(lambda: allowed, Ledger(), lambda: None), Live(journal), world.clock)
    collections = Collections(client, world.metrics)
    parts = Parts(
        client=client,
        world=world,
        gate=gate,
        records=lambda component: GatedRecords(gate, client, world.clock, component, cluster="in-cluster"),
        collections=collections,
        open=opener(reader or client, vault),
        forget=vault.forget,
        aside=_at_once,
    )
    return ExternalSecrets(parts), collections


@asynccontextmanager
async def running(place, mandate=None):
    """A controller at work in *place*."""
    world = place.world
    place.wire = Wire(place.plane.transport())
    client = Client(place.wire, clock=world.clock, ids=world.ids)
    place.room, collections = assembled(client, world, place.journal, place.vault, mandate=mandate)
    place.tasks = tasks = [asyncio.create_task(collections.run()), asyncio.create_task(place.room.run())]
    try:
        yield place
    finally:
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if not isinstance(outcome, asyncio.CancelledError):
                raise outcome


@asynccontextmanager
async def scene(mandate=None, **kept):
    clock, ids = LoopClock(), Ids(7)
    plane = Plane(clock, ids, stored=stored(), authority_pem="the authority")
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        world = World(clock, ids, Metrics())
        place = Place(plane, Client(plane.transport(), clock=clock, ids=ids), world, journal, Vault(**kept))
        async with running(place, mandate):
            yield place


def story(test=None, **arguments):
    """Run an async test with a `Place` as its argument, in virtual time."""
    if test is None:
        return lambda test: story(test, **arguments)

    def told():
        stored()

        async def within():
            async with scene(**arguments) as place:
                await test(place)

        run_virtually(within)

    told.__name__ = test.__name__
    return told
