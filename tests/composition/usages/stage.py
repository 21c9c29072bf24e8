"""Usages on a control plane in this process and in virtual time, which asks them before it deletes what is in use."""

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import wraps

from tests.composition.faults.stage import founded
from tests.composition.works import BY_HAND, condition, gvr

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.webhooks.answers import Reply
from plumbline.base.errors import NotFound, PlumblineError
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.composition.usages import Admissions, Parts, Reached, Usages
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal import sqlite
from plumbline.kernel.collections import Collections
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target
from plumbline.ownership.ledger import Ledger
from plumbline.web.admission.certificates import made

USAGES = "protection.crossplane.io/v1beta1/usages"
CLUSTER_USAGES = "protection.crossplane.io/v1beta1/clusterusages"
LEGACY = "apiextensions.crossplane.io/v1beta1/usages"
MAPS = "v1/configmaps"
ROLES = "rbac.authorization.k8s.io/v1/clusterroles"
HOOKS = "admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
REACHED = Reached("https://127.0.0.1:8444", made(("127.0.0.1",), datetime(2026, 1, 1, tzinfo=UTC)).authority_pem)
ENFORCE = MandateSpec(mode="Enforce")


def config_map(name, **metadata):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "shop", **metadata}}


def role(name, **metadata):
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name, **metadata},
        "rules": [],
    }


def a_map(name=None, **selector):
    named = {"resourceRef": {"name": name}} if name else {"resourceSelector": selector}
    return {"apiVersion": "v1", "kind": "ConfigMap", **named}


def a_role(name=None, **selector):
    return {**a_map(name, **selector), "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}


def usage(name="keeps", where=USAGES, metadata=None, **spec):
    """A Usage of the kind that *where* says."""
    group, version, plural = where.split("/")
    kind = "ClusterUsage" if plural == "clusterusages" else "Usage"
    placed = {"namespace": "shop"} if where == USAGES else {}
    made = {"apiVersion": f"{group}/{version}", "kind": kind, "metadata": {"name": name, **placed, **(metadata or {})}}
    return made | {"spec": spec}


def denied(review):
    response = {"uid": review["request"]["uid"], "allowed": False, "status": {"code": 403, "message": "never"}}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}


class Asking:
    """In place of the connections of the API server: it asks at once, and hears the answer."""

    def __init__(self, usages):
        self.usages, self.reviews, self.down = usages, [], False

    async def post(self, where, tls, body):
        review = decode(body)
        self.reviews.append(review)
        if where.url.partition("?")[0].endswith("/deny"):
            return Reply(200, "application/json", encode(denied(review)), None)
        if self.down:
            return Reply(503, "text/plain", b"not here", None)
        return Reply(200, "application/json", encode(await self.usages.validate(review)), None)

    async def close(self): ...


class Stage:
    def __init__(self, plane, client, usages, asking, journal):
        self.plane, self.client, self.usages, self.asking, self.journal = plane, client, usages, asking, journal

    async def create(self, where, obj):
        namespace = obj["metadata"].get("namespace", "")
        return decode(await self.client.create(Target(gvr(where), namespace), encode(obj), BY_HAND))

    async def get(self, where, name, namespace="shop"):
        namespace = namespace if where in (USAGES, MAPS) else ""
        try:
            return decode(await self.client.get(Target(gvr(where), namespace, name)))
        except NotFound:
            return None

    async def patch(self, where, name, change, namespace="shop"):
        target = Target(gvr(where), namespace if where in (USAGES, MAPS) else "", name)
        return decode(await self.client.patch(target, encode(change), "merge", BY_HAND))

    async def delete(self, where, name, **options):
        await self.client.delete(Target(gvr(where), "shop" if where in (USAGES, MAPS) else "", name), **options)

    async def refused(self, where, name, **options):
        """Why a deletion is refused; empty where it is not."""
        try:
            await self.delete(where, name, **options)
        except PlumblineError as error:
            return str(error)
        return ""

    async def until(self, true, *, within_s=120.0):
        async with asyncio.timeout(within_s):
            while not (found := await true()):  # noqa: ASYNC110 - time is virtual, and anything may make it true
                await asyncio.sleep(0.25)
        return found

    async def ready(self, where, name, status="True", reason=None, **more):
        async def so():
            found = await self.get(where, name)
            told = condition(found, "Ready")
            return found if told.get("status") == status and reason in (None, told["reason"]) else None

        return await self.until(so, **more)

    async def gone(self, where, name, **more):
        async def absent():
            return await self.get(where, name) is None

        await self.until(absent, **more)

    async def events(self, name):
        page = await self.client.list(Target(gvr("v1/events")))
        found = [decode(each) for each in page.items]
        return [(each["reason"], each["type"]) for each in found if each["involvedObject"]["name"] == name]

    async def version(self):
        return (await self.client.list(Target(gvr("v1/namespaces")))).resource_version


def labelled(obj):
    return (obj["metadata"].get("labels") or {}).get("crossplane.io/in-use") == "true"


def parts(client, world, journal, mandate=ENFORCE, reached=REACHED):
    gate = Gate(Powers(lambda: mandate, Ledger(), lambda: None), Live(journal), world.clock)
    collections = Collections(client, world.metrics)

    def records(component):
        return GatedRecords(gate, client, world.clock, component, cluster="in-cluster")

    return Parts(client, world, gate, records, collections, Admissions(client, gate), reached)


@asynccontextmanager
async def stage(*, reached=REACHED, mandate=ENFORCE, runs=True):
    clock, ids = LoopClock(), Ids(7)
    plane = Plane(clock, ids, authority_pem="the authority", stored=founded())
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        client = Client(plane.transport(), clock=clock, ids=ids)
        given = parts(client, World(clock, ids, Metrics()), journal, mandate, reached)
        usages = Usages(given)
        plane._hooks._poster = asking = Asking(usages)
        tasks = [asyncio.create_task(given.collections.run()), asyncio.create_task(usages.run())] if runs else []
        if runs:
            await asyncio.sleep(1)
        try:
            yield Stage(plane, client, usages, asking, journal)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def told_to(work, **arguments):
    """What *work* returns, given a stage."""
    founded()

    async def main():
        async with stage(**arguments) as place:
            return await work(place)

    return run_virtually(main)


def story(function=None, **arguments):
    """Tells an async function a stage, in virtual time."""

    def told(function):
        @wraps(function)
        def test():
            told_to(function, **arguments)

        del test.__wrapped__  # pytest would take the parameters of the function for fixtures
        return test

    return told(function) if function is not None else told
