"""SealedSecrets on a control plane in this process and in virtual time."""

import asyncio
import base64
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import cache

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.base.errors import NotFound
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
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
from plumbline.secrets.sealed.desk import Desk
from plumbline.secrets.sealed.keys import Habits
from plumbline.secrets.sealed.room import Parts, SealedSecrets
from plumbline.secrets.sealing import certificate_of, key_secret, made_key, sealed_secret

NAMESPACES = GroupVersionResource("", "v1", "namespaces")
SECRETS = GroupVersionResource("", "v1", "secrets")
EVENTS = GroupVersionResource("", "v1", "events")
SEALED = GroupVersionResource("bitnami.com", "v1alpha1", "sealedsecrets")
BY_HAND = Writing(field_manager="kubectl", force=True)
HOME, KEYS = "shop", "kube-system"
HABITS = Habits(size=2048)
DAY_S = 86400.0
BORN = datetime(2026, 1, 1, tzinfo=UTC)


@cache
def key(number=0):
    """Always the same for a number, in one run of tests; each a day younger than the one before."""
    return made_key(BORN + timedelta(days=number), size=2048)


def sealed(name="db", values=None, *, by=0, namespace=HOME, scope="strict", template=None, **secret):
    """A SealedSecret that key *by* made."""
    metadata = {"name": name, "namespace": namespace, **secret.pop("metadata", {})}
    plain = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, **secret}
    plain["stringData"] = {"password": "s3cret"} if values is None else values
    made = sealed_secret(plain, certificate_of(key(by).certificate_pem), scope)
    if template is not None:
        made["spec"]["template"] = {**made["spec"]["template"], **template}
    return made


class Scene:
    def __init__(self, client, world, journal):
        self.client, self.world, self.journal = client, world, journal
        self.room = None

    async def apply(self, obj, resource=SEALED):
        metadata = obj["metadata"]
        target = Target(resource, metadata.get("namespace", ""), metadata["name"])
        return decode(await self.client.apply(target, encode(obj), BY_HAND))

    async def get(self, name="db", resource=SECRETS, namespace=HOME):
        try:
            return decode(await self.client.get(Target(resource, namespace, name)))
        except NotFound:
            return None

    async def patch(self, change, name="db", resource=SECRETS, namespace=HOME):
        target = Target(resource, namespace, name)
        return decode(await self.client.patch(target, encode(change), "merge", BY_HAND))

    async def delete(self, name="db", resource=SECRETS, namespace=HOME):
        await self.client.delete(Target(resource, namespace, name))

    async def values(self, name="db", namespace=HOME):
        found = await self.get(name, namespace=namespace)
        return opened(found) if found else None

    async def synced(self, name="db", namespace=HOME):
        return synced(await self.get(name, SEALED, namespace))

    async def told(self, status, text="", name="db"):
        """Wait until the condition says so."""

        async def says():
            said = await self.synced(name)
            return said.get("status") == status and text in said.get("message", "") and said

        return await self.until(says)

    async def until(self, true, *, within_s=3600.0):
        async with asyncio.timeout(within_s):
            while not (found := await true()):  # noqa: ASYNC110 - time is virtual, and anything may make it true
                await asyncio.sleep(1)
        return found

    async def keys(self):
        page = await self.client.list(Target(SECRETS, KEYS))
        return [decode(bytes(each)) for each in page.items]

    async def versions(self):
        """Of everything that a look could write."""
        pages = [await self.client.list(Target(resource)) for resource in (SECRETS, SEALED, EVENTS)]
        return [decode(bytes(each))["metadata"]["resourceVersion"] for page in pages for each in page.items]

    async def events(self, namespace=HOME):
        page = await self.client.list(Target(EVENTS, namespace))
        return [(each["reason"], each["message"]) for each in (decode(bytes(item)) for item in page.items)]


def opened(secret):
    return {name: base64.b64decode(value).decode() for name, value in (secret.get("data") or {}).items()}


def synced(obj):
    conditions = ((obj or {}).get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == "Synced"), {})


async def at_once(work):
    """Virtual time knows no threads."""
    return work()


@cache
def stored(keys=1):
    """A plane that knows the kind and has so many keys, as it is stored: set up once, loaded for every test."""

    async def main():
        clock, ids = LoopClock(), Ids(1)
        plane = Plane(clock, ids, workloads=True)
        async with plane.running():
            client = Client(plane.transport(), clock=clock, ids=ids)
            await founded(client, clock)
            for namespace in (HOME, "other"):
                body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
                await client.create(Target(NAMESPACES), encode(body))
            for number in range(keys):
                body = key_secret(key(number), KEYS, name=f"sealed-secrets-key{number}")
                await client.create(Target(SECRETS, KEYS), encode(body))
            await asyncio.sleep(60)
            store = plane.store
            return Stored(store.revision, [each for name in store.collections for each in store.shelf(name).entries()])

    return run_virtually(main)


def assembled(client, world, journal, *, mandate=None, habits=HABITS):
    gate = Gate(
        Powers(lambda: mandate or MandateSpec(mode="Enforce"), Ledger(), lambda: None), Live(journal), world.clock
    )
    collections = Collections(client, world.metrics)
    records = GatedRecords(gate, client, world.clock, "sealed-secrets", cluster="in-cluster")
    room = SealedSecrets(Parts(client, world, gate, records, collections, habits=habits, aside=at_once))
    return room, collections


@asynccontextmanager
async def running(scene, client=None, **how):
    room, collections = assembled(client or scene.client, scene.world, scene.journal, **how)
    scene.room, scene.desk = room, Desk(room.keys, at_once)
    tasks = [asyncio.create_task(collections.run()), asyncio.create_task(room.run())]

    async def ends():
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    scene.room_ends = ends
    try:
        yield scene
    finally:
        await ends()


@asynccontextmanager
async def scene(*, keys=1, **how):
    clock, ids = LoopClock(), Ids(7)
    plane = Plane(clock, ids, stored=stored(keys), workloads=True)
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        client = Client(plane.transport(), clock=clock, ids=ids)
        place = Scene(client, World(clock, ids, Metrics()), journal)
        place.plane = plane
        async with running(place, **how):
            await asyncio.sleep(1)
            yield place


def story(told, **how):
    """Run *told* in a scene of its own."""
    stored(how.get("keys", 1))  # before there is a loop

    async def main():
        async with scene(**how) as place:
            return await told(place)

    return run_virtually(main)
