"""Terraform objects on a control plane in this process and in virtual time, with a tool that keeps a cloud in a dict."""

import asyncio
import base64
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from typing import NamedTuple

from plumbline.apiserver.plane import Plane
from plumbline.apiserver.storage.ledger import Stored
from plumbline.apiserver.webhooks.answers import Reply
from plumbline.base.errors import AlreadyExists, NotFound, PlanStale, Unreachable, Unresolved
from plumbline.base.ids import Ids
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.base.tree import MemoryTree
from plumbline.base.virtualtime import LoopClock, run_virtually
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.gate.webhooks import Reached
from plumbline.journal import sqlite
from plumbline.kernel.collections import Collections
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target, Writing
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger
from plumbline.terraform import checks
from plumbline.terraform.approvals.validating import Approvals
from plumbline.terraform.foundation import founded
from plumbline.terraform.inputs import Terms
from plumbline.terraform.pending import pending_of
from plumbline.terraform.runs.carrying import Workshop
from plumbline.terraform.runs.local import LocalRuns
from plumbline.terraform.sources.values import Sourced
from plumbline.terraform.state import Locks, Place, read
from plumbline.terraform.state.packing import packed
from plumbline.terraform.state.writing import Writer
from plumbline.terraform.terraform import Parts, Terraforms
from plumbline.terraform.tool import Facts
from plumbline.terraform.work import Applied, Output, Planned, Step
from plumbline.web.admission.certificates import made

NAMESPACES = GroupVersionResource("", "v1", "namespaces")
SECRETS = GroupVersionResource("", "v1", "secrets")
TERRAFORMS = GroupVersionResource("infra.contrib.fluxcd.io", "v1alpha2", "terraforms")
POLICIES = GroupVersionResource("plumbline.dev", "v1alpha1", "terraformpolicies")
APPROVALS = GroupVersionResource("plumbline.dev", "v1alpha1", "planapprovals")
BY_HAND = Writing(field_manager="kubectl", force=True)
FIRST = "main@sha1:" + "1" * 40
SECOND = "main@sha1:" + "2" * 40
HOME = "infra"
REACHED = Reached("https://127.0.0.1:8444", made(("127.0.0.1",), datetime(2026, 1, 1, tzinfo=UTC)).authority_pem)


def terraform(name="network", **spec):
    return {
        "apiVersion": "infra.contrib.fluxcd.io/v1alpha2",
        "kind": "Terraform",
        "metadata": {"name": name, "namespace": HOME},
        "spec": {
            "path": "./module",
            "interval": "10m",
            "retryInterval": "30s",
            "sourceRef": {"kind": "GitRepository", "name": "infrastructure"},
            "approvePlan": "auto",
            **spec,
        },
    }


class Sources:
    """A repository whose files and revision are what the test says."""

    def __init__(self):
        self.revision, self.files, self.missing = FIRST, {"module/resources.json": b'{"a": "1"}'}, False

    def push(self, revision, **resources):
        self.revision = revision
        self.files = {**self.files, "module/resources.json": encode(resources)}

    async def tree(self, ref, namespace):
        if self.missing:
            raise NotFound(f"GitRepository {namespace}/{ref.name} is not there")
        if not self.revision:
            raise Unresolved("no artifact yet", sought=("", "GitRepository", namespace, ref.name))
        return Sourced(MemoryTree(self.files), self.revision, "sha256:0", {})


class Repositories:
    def __init__(self, sources):
        self.sources = sources
        self.told = []
        self.informer = self

    def subscribe(self, listener):
        self.told.append(listener)

    async def run(self): ...


class Cloud:
    """What exists, and what was done to it."""

    def __init__(self):
        self.resources, self.log, self.outputs = {}, [], {}
        self.before_apply = self.within_apply = self.after_apply = None
        self.failing = self.before_failing = None
        self.ran = []


class Session:
    """As `tool.Session`: plans what `resources.json` says against the state in its Secret."""

    def __init__(self, cloud, client, place, tree, facts):
        self._cloud, self._client, self._place, self._tree, self.facts = cloud, client, place, tree, facts
        self.leftover = None

    async def plan(self, planning):
        self._cloud.ran.append("plan")
        if failing := self._cloud.failing:
            if self._cloud.before_failing:
                await self._cloud.before_failing()
            raise failing
        known = await self._known()
        wanted = {} if planning.destroy else decode(self._tree.read("module/resources.json"))
        changes = _changes(known["resources"], wanted, self._cloud.resources)
        body = {"serial": known["serial"], "changes": changes}
        json = Plaintext(encode(_json(changes)))
        return Planned(plan=Plaintext(encode(body)), json=json, text=Plaintext(b"a plan"), changes=bool(changes))

    async def apply(self, applying, progress):
        self._cloud.ran.append("apply")
        plan, known = decode(applying.plan.reveal()), await self._known()
        if plan["serial"] != known["serial"]:
            raise PlanStale("Saved plan is stale")
        if self._cloud.before_apply:
            await self._cloud.before_apply()
        for name, action, value in plan["changes"]:
            progress(Step(address=f"terraform_data.{name}", action=action, stage="started"))
            self._cloud.log.append((action, name))
            if action in {"delete", "replace"}:
                self._cloud.resources.pop(name, None)
            if action != "delete":
                self._cloud.resources[name] = value
            if self._cloud.within_apply:
                await self._cloud.within_apply()
            progress(Step(address=f"terraform_data.{name}", action=action, stage="completed"))
        await self.write({"serial": known["serial"] + 1, "resources": dict(self._cloud.resources)})
        if self._cloud.after_apply:
            await self._cloud.after_apply()
        return Applied(steps=())

    async def shown(self, plan):
        changes = decode(plan.reveal())["changes"]
        return Plaintext(encode(_json(changes))), Plaintext(b"a plan")

    async def outputs(self):
        return {
            name: Output(type='"string"', value=Plaintext(encode(value)), sensitive=name.startswith("secret"))
            for name, value in self._cloud.outputs.items()
        }

    async def state(self):
        return (await read(self._client, self._place)).text

    async def initialised(self):
        if await read(self._client, self._place) is None:
            await self.write({"serial": 0, "resources": {}})

    async def _known(self):
        state = await read(self._client, self._place)
        text = decode(state.text.reveal())
        return {"serial": text["serial"], "resources": {each["name"]: _value(each) for each in text["resources"]}}

    async def write(self, state):
        text = {
            "version": 4,
            "terraform_version": "1.11.4",
            "serial": state["serial"],
            "lineage": "lineage",
            "outputs": {},
            "resources": [
                {
                    "mode": "managed",
                    "type": "terraform_data",
                    "name": name,
                    "provider": 'provider["terraform.io/builtin/terraform"]',
                    "instances": [{"schema_version": 0, "attributes": {"id": name, "input": value}}],
                }
                for name, value in state["resources"].items()
            ],
        }
        body = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": self._place.name,
                "namespace": self._place.namespace,
                "labels": self._place.labels,
                "annotations": {"encoding": "gzip"},
            },
            "data": {"tfstate": base64.b64encode(packed(encode(text))).decode()},
        }
        try:
            await self._client.create(self._place.secret.collection, encode(body))
        except AlreadyExists:
            await self._client.apply(self._place.secret, encode(body), BY_HAND)


def _json(changes):
    return {
        "format_version": "1.2",
        "terraform_version": "1.11.4",
        "resource_changes": [_change(*each) for each in changes],
        "applyable": True,
        "complete": True,
    }


def _value(resource):
    return resource["instances"][0]["attributes"]["input"]


def _changes(known, wanted, real):
    found = [[name, "create", value] for name, value in wanted.items() if name not in known]
    for name, value in wanted.items():
        if name in known and (known[name] != value or real.get(name) != value):
            found.append([name, "replace" if str(value).startswith("new-") else "update", value])
    return found + [[name, "delete", None] for name in known if name not in wanted]


def _change(name, action, value):
    actions = ["delete", "create"] if action == "replace" else [action]
    before = None if action == "create" else {"input": "before"}
    after = None if action == "delete" else {"input": value}
    return {
        "address": f"terraform_data.{name}",
        "mode": "managed",
        "type": "terraform_data",
        "name": name,
        "provider_name": "terraform.io/builtin/terraform",
        "change": {"actions": actions, "before": before, "after": after, "after_unknown": {}},
    }


class Toolroom:
    def __init__(self, cloud, client):
        self.cloud, self.client, self.facts = cloud, client, Facts()

    def session(self, place, tree=None):
        return Session(self.cloud, self.client, place, tree, self.facts)

    @asynccontextmanager
    async def opened(self, tree, workplace, *, key="", deadline_s=0.0, permitted=None, judge=None):
        del deadline_s, permitted, judge
        namespace, name = key.split("/")
        session = self.session(Place(namespace, workplace.workspace, name), tree)
        await session.initialised()
        yield session


class Identities:
    async def kubeconfig(self, namespace, account, for_s):
        return Plaintext(f"{namespace}/{account}")


class Copies:
    def __init__(self):
        self.kept = []

    async def offer(self, place):
        return f"There are {len(self.kept)} copies of {place}."

    async def keep(self, place, text, *, revision="", plan=""):
        self.kept.append((str(place), revision, plan, text))


class Wire:
    """To the plane, until it is cut."""

    def __init__(self, transport):
        self._transport, self.cut = transport, False

    async def send(self, request):
        if self.cut:
            raise Unreachable("the wire is cut")
        return await self._transport.send(request)

    async def close(self): ...


class Asking:
    """In place of the connections of the API server: it asks at once, and hears the answer."""

    def __init__(self, client):
        self.approvals, self.down = Approvals(client, "argocd"), False

    async def post(self, where, tls, body):
        if self.down:
            return Reply(503, "text/plain", b"not here", None)
        return Reply(200, "application/json", encode(await self.approvals.validate(decode(body))), None)

    async def close(self): ...


class Works:
    def __init__(self, plane, client, world, journal):
        self.plane, self.client, self.world, self.journal = plane, client, world, journal
        self.cloud, self.sources, self.copies = Cloud(), Sources(), Copies()
        self.room = self.tools = None
        self.tasks = []

    async def apply(self, obj, resource=TERRAFORMS):
        metadata = obj["metadata"]
        target = Target(resource, metadata.get("namespace", ""), metadata["name"])
        return decode(await self.client.apply(target, encode(obj), BY_HAND))

    async def approve(self, user, digest, *, groups=(), **says):
        """As that person, who is in *groups* and says so, unless they say something else."""
        claimed = says.pop("claims", list(groups))
        said = {"terraform": "network", "plan": digest, "by": user, "groups": claimed, **says}
        body = {
            "apiVersion": "plumbline.dev/v1alpha1",
            "kind": "PlanApproval",
            "metadata": {"generateName": "approval-", "namespace": HOME},
            "spec": {name: value for name, value in said.items() if value},
        }
        person = self.client.impersonating(user, groups=("system:masters", *groups))
        return decode(await person.create(Target(APPROVALS, HOME), encode(body), Writing(field_manager="plumb")))

    async def get(self, name="network", resource=TERRAFORMS):
        try:
            return decode(await self.client.get(Target(resource, HOME, name)))
        except NotFound:
            return None

    async def patch(self, change, name="network"):
        return decode(await self.client.patch(Target(TERRAFORMS, HOME, name), encode(change), "merge", BY_HAND))

    async def annotate(self, name="network", **annotations):
        named = {key.replace("__", "/").replace("_", "."): value for key, value in annotations.items()}
        return await self.patch({"metadata": {"annotations": named}}, name)

    async def delete(self, name="network"):
        await self.client.delete(Target(TERRAFORMS, HOME, name))

    async def until(self, true, *, within_s=3600.0, every_s=1.0):
        async with asyncio.timeout(within_s):
            while not (found := await true()):  # noqa: ASYNC110 - time is virtual, and anything may make it true
                await asyncio.sleep(every_s)
        return found

    async def told(self, type_, status, text="", name="network"):
        """Wait until a condition of the object says so; returns the object."""

        async def says():
            found = await self.get(name)
            said = condition(found, type_)
            return said.get("status") == status and text in said.get("reason", "") + said.get("message", "") and found

        return await self.until(says)

    async def pushed(self, revision, **resources):
        """A commit arrives, and the source's object says so."""
        self.sources.push(revision, **resources)
        self.look()

    async def pending(self, name="network"):
        return pending_of(await self.get(f"tfplan-default-{name}", SECRETS))

    async def lease(self, name):
        return decode(await self.client.get(Place(HOME, "default", name).lease))

    async def lock(self, name, lock_id):
        """As another terraform does it."""
        info = {"ID": lock_id, "Operation": "OperationTypeApply", "Who": "ann@laptop", "Version": "1.11.4"}
        change = {
            "metadata": {"annotations": {"app.terraform.io/lock-info": encode(info).decode()}},
            "spec": {"holderIdentity": lock_id},
        }
        await self.client.patch(Place(HOME, "default", name).lease, encode(change), "merge", BY_HAND)

    async def crash(self):
        """The controller is gone, and all that it ran, in the middle of whatever it did."""
        self.wire.cut = True
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def look(self, name="network"):
        self.room.controller.wake((HOME, name))

    async def events(self, name=""):
        """Of the object of that name, or of all."""
        page = await self.client.list(Target(GroupVersionResource("", "v1", "events"), HOME))
        found = [decode(bytes(item)) for item in page.items]
        return [(each["reason"], each["message"]) for each in found if name in ("", each["involvedObject"]["name"])]


async def _at_once(function):
    """Virtual time knows no threads."""
    return function()


def condition(obj, type_):
    conditions = ((obj or {}).get("status") or {}).get("conditions") or ()
    return next((each for each in conditions if each["type"] == type_), {})


def pending(obj):
    return (((obj or {}).get("status") or {}).get("plan") or {}).get("pending", "")


@cache
def stored():
    """A plane that knows the kinds, as it is stored: set up once, loaded for every test."""

    async def main():
        clock, ids = LoopClock(), Ids(1)
        plane = Plane(clock, ids, authority_pem="the authority", workloads=True)
        async with plane.running():
            client = Client(plane.transport(), clock=clock, ids=ids)
            await founded(client, clock)
            for namespace in (HOME, "argocd"):
                body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
                await client.create(Target(NAMESPACES), encode(body))
            await asyncio.sleep(60)
            store = plane.store
            return Stored(store.revision, [each for name in store.collections for each in store.shelf(name).entries()])

    return run_virtually(main)


@asynccontextmanager
async def works(mandate=None, *, reached=REACHED):
    clock, ids = LoopClock(), Ids(7)
    plane = Plane(clock, ids, stored=stored(), authority_pem="the authority", workloads=True)
    async with plane.running(), sqlite.in_memory(clock=clock, ids=ids) as journal:
        world = World(clock, ids, Metrics())
        client = Client(plane.transport(), clock=clock, ids=ids)
        place = Works(plane, client, world, journal)
        plane._hooks._poster = place.asking = Asking(client)
        async with running(place, mandate, reached=reached):
            await asyncio.sleep(5)  # approvals count once the check is older than they are
            yield place


class Scene(NamedTuple):
    """What outlives a controller."""

    cloud: Cloud
    sources: Sources
    copies: Copies
    journal: object
    outside: Client
    """Of the tool, which is no part of the controller."""


def assembled(client, world, scene, *, mandate=None, host="here", reached=None):
    """The room as a controller has it, the collections that it follows, and its tools."""
    allowed = mandate or MandateSpec(mode="Enforce")
    gate = Gate(Powers(lambda: allowed, Ledger(), lambda: None), Live(scene.journal), world.clock)
    collections = Collections(client, world.metrics)
    locks = Locks(client, Writer(gate, client), world.clock, host=host)
    tools = Toolroom(scene.cloud, scene.outside)
    parts = Parts(
        client=client,
        world=world,
        gate=gate,
        records=lambda component: GatedRecords(gate, client, world.clock, component, cluster="in-cluster"),
        collections=collections,
        repositories=Repositories(scene.sources),
        runs=LocalRuns(Workshop(tools, client, locks, Identities())),
        locks=locks,
        copies=scene.copies,
        terms=Terms(key=Plaintext("key")),
        namespace="argocd",
        wire=checks.Wire(),
        aside=_at_once,
        reached=reached,
    )
    return Terraforms(parts), collections, tools


@asynccontextmanager
async def running(place, mandate=None, host="here", *, reached=REACHED):
    """A controller at work in *place*."""
    world = place.world
    place.wire = Wire(place.plane.transport())
    client = Client(place.wire, clock=world.clock, ids=world.ids)
    scene = Scene(place.cloud, place.sources, place.copies, place.journal, client)
    room, collections, place.tools = assembled(client, world, scene, mandate=mandate, host=host, reached=reached)
    place.room = room
    place.tasks = tasks = [asyncio.create_task(collections.run()), asyncio.create_task(room.run())]
    try:
        yield place
    finally:
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if not isinstance(outcome, asyncio.CancelledError):
                raise outcome


def story(test=None, **arguments):
    """Run an async test with *works* as its argument, in virtual time."""
    if test is None:
        return lambda test: story(test, **arguments)

    def told():
        stored()

        async def within():
            async with works(**arguments) as place:
                await test(place)

        run_virtually(within)

    told.__name__ = test.__name__
    return told
