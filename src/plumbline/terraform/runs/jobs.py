"""Runs in Jobs of the cluster, under the account of their object: they outlive the controller that ordered them.

A run is begun by its order, a Secret, and then by its Job; both are named by the run's id. Whoever leads finds it by its
labels, whichever controller began it, and begins no other while it is there. Nothing is remembered here that would be
missed after a crash: a report that was not taken in for good is taken in again.
"""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final, NamedTuple, Protocol

from plumbline.base.clock import Clock
from plumbline.base.errors import AlreadyExists, Conflict, Corrupted, NotFound, PlumblineError, ToolFailed
from plumbline.base.json import JsonObject, decode
from plumbline.base.log import logger
from plumbline.base.tree import MemoryTree
from plumbline.gate.hands import Behalf, Hands
from plumbline.gate.intents import Destruction, Loss
from plumbline.kernel.cache import Cache, Cached, Key
from plumbline.kernel.collections import Collections
from plumbline.kernel.informer import Informer
from plumbline.kernel.tending import Tended
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kinds.read import read
from plumbline.kube.client import Client, Selection, Target, Writing
from plumbline.kube.names import GroupVersionResource, Ref
from plumbline.ownership.values import Owner
from plumbline.terraform.plans.storage import label
from plumbline.terraform.policies import Policy
from plumbline.terraform.runs import ends
from plumbline.terraform.runs.manifests import (
    CLAIMED,
    DIGEST,
    JOBS,
    KEPT,
    OBJECT,
    OPERATION,
    PIECES,
    PODS,
    REVISION,
    RUN,
    SECRETS,
    TAKEN_IN,
    Run,
    content_of,
    job,
    order_secret,
    run_of,
)
from plumbline.terraform.runs.values import Failure, Going, Order, Report
from plumbline.terraform.runs.wire import MOST_PIECES, Written, read_order, read_report
from plumbline.terraform.work import Operation, Workplace

_WRITING: Final = Writing(field_manager="tf-controller")
_INDEX: Final = "object"
_START_S: Final = 300.0
"""A pod that has not started by then will not: an image that is not there, or a node that is not."""
_LONGEST_SWEEP_S: Final = 60.0
_SWEEP_S: Final = 5.0
"""After a report was taken in, so that what came of it is in the object's status before the report goes."""
_OPERATIONS: Final[dict[str, Operation]] = {"plan": "plan", "apply": "apply", "drift": "drift"}

log = logger(__name__)


class Accounts(Protocol):
    async def settle(self, namespace: str, account: str) -> None: ...


class Parts(NamedTuple):
    """What runs in Jobs are made with."""

    client: Client
    hands: Hands
    collections: Collections
    """Kept running by whoever made them."""
    clock: Clock
    accounts: Accounts
    image: str
    """Has the command `plumb` and the tool; objects may name another."""


class JobRuns:
    """`run` follows the Jobs and wakes objects whose run is over."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._followed: Informer | None = None
        self._ready = asyncio.Event()
        self._tended = Tended()
        self._reported: dict[Key, Run] = {}
        """Whose report was last handed out."""
        self._settled: set[str] = set()
        """Runs whose reports were taken in, and which are to be swept."""
        self._died: set[str] = set()
        """Runs that left no report: their pods are what there is to look at, and prove that their locks are nobody's."""
        self._vanished: dict[Key, Run] = {}
        """Runs that a runner had begun on, and whose Job somebody has deleted."""
        self.woken: Callable[[Key], None] = lambda _: None
        """Told of each object whose run is over. It must not wait."""

    async def run(self) -> None:
        cache = Cache(indexes={_INDEX: lambda entry: ["/".join(_key(entry))]})
        self._followed, _ = await self._parts.collections.follow(JOBS, labels=RUN, cache=cache)
        self._followed.subscribe(self._changed)
        await self._followed.synced()
        self._ready.set()
        await self._tended.run()

    async def of(self, key: Key) -> Going | Report | None:
        await self._sweep_all(key)
        open_ = [each.object() for each in await self._cached(key) if not self._done_with(each)]
        for found in sorted(open_, key=ends.over):
            self._vanished.pop(key, None)
            return self._handed_out(await self._standing(found))
        lost = self._vanished.get(key)
        return self._handed_out(await self._report(lost, None)) if lost is not None else None

    async def begin(self, order: Order) -> Going:
        """Twice is once: where a run of the object is there, that one goes on and no other is begun."""
        going = await self._found(order.key)
        if going is not None:
            return going
        run, parts = run_of(order), self._parts
        assert order.object is not None  # noqa: S101 - whoever orders says for which object
        account = read(TERRAFORM, order.object).spec.service_account_name
        await parts.accounts.settle(order.key[0], account)
        await self._create(run.order, order_secret(order), order, f"Order a run: {order.operation}")
        reply = await self._create(run.job, job(order, parts.image), order, f"Begin a run: {order.operation}")
        if reply is not None:
            (await self._jobs()).learn(reply)
        return Going(order.id, order.operation, run.where)

    async def settled(self, key: Key) -> None:
        run = self._reported.pop(key, None)
        if run is None:
            return
        self._settled.add(run.id)
        await self._tended.ready()
        self._tended.begin(lambda: self._sweep_soon(run))

    async def stop(self, key: Key) -> None:
        """A pod is asked to end, and has the time that its object gives it; nobody waits for it here."""
        self._vanished.pop(key, None)
        for each in await self._listed(JOBS, key):
            self._settled.add(_run(each).id)
            await self._remove(each)
        for each in await self._listed(SECRETS, key):
            await self._delete(Target(SECRETS, key[0], each["metadata"]["name"]), each, key)

    async def verdict(self, namespace: str, run: str) -> str:
        page = await self._parts.client.list(Target(PODS, namespace), Selection(labels=f"{RUN}={run}"))
        return ends.proof([decode(bytes(each)) for each in page.items])

    def _changed(self, before: Cached | None, after: Cached | None) -> None:
        present = after or before
        if present is None or self._done_with(present):
            return
        if after is None:
            self._vanished[_key(present)] = _run(present.object())
        if after is None or ends.over(after.object()):
            self.woken(_key(present))

    def _handed_out(self, found: Going | Report) -> Going | Report:
        if isinstance(found, Report):
            self._reported[found.order.key] = run_of(found.order)
        return found

    async def _jobs(self) -> Informer:
        await self._ready.wait()
        assert self._followed is not None  # noqa: S101 - it is ready
        return self._followed

    async def _cached(self, key: Key) -> list[Cached]:
        found = (await self._jobs()).cache.indexed(_INDEX, "/".join(key))
        return [each for each in found if not each.meta.deletion_timestamp]

    def _done_with(self, entry: Cached) -> bool:
        return entry.meta.labels.get(RUN, "") in self._settled or TAKEN_IN in entry.meta.annotations

    async def _found(self, key: Key) -> Going | None:
        """The run that is there, past the copy, which may be behind. What is left of those before it goes."""
        jobs, done = await self._jobs(), set(self._settled)
        for each in await self._listed(JOBS, key):
            metadata, run = each["metadata"], _run(each)
            if metadata.get("deletionTimestamp"):
                continue
            if run.id in done or TAKEN_IN in (metadata.get("annotations") or {}):
                await self._mark(each, {TAKEN_IN: "true"})
                await self._remove(each)
                done.add(run.id)
                continue
            jobs.learn_of(await jobs.fetched((key[0], run.name)))
            if ends.over(each):
                raise _held(key, "the report of another is to be taken in first")
            return Going(run.id, _operation(each), run.where)
        for each in await self._listed(SECRETS, key):
            await self._drop(each, key, done)
        return None

    async def _drop(self, secret: JsonObject, key: Key, done: set[str]) -> None:
        """Nobody carries an order out that has no Job: it was never made, or was taken in, or somebody has deleted it."""
        metadata = secret["metadata"]
        run = Run(key, str(metadata["labels"].get(RUN, "")))
        claimed = CLAIMED in (metadata.get("annotations") or {})
        if claimed and run.id not in done and metadata["name"] == run.order.name:
            self._vanished[key] = run
            self.woken(key)
            raise _held(key, f"the Job of run {run.id} is gone, and was at work")
        await self._delete(Target(SECRETS, key[0], metadata["name"]), secret, key)

    async def _standing(self, found: JsonObject) -> Going | Report:
        run, operation = _run(found), _operation(found)
        if ends.over(found):
            return await self._report(run, found)
        pods = await self._pods(run)
        waiting = ends.waiting_for(pods)
        if waiting and not ends.started(pods) and self._age_s(found) > _START_S:
            error = ToolFailed(f"The runner of the {operation} did not start", why=waiting)
            return Report(await self._order(run, found), failure=Failure("init", error))
        return Going(run.id, operation, f"{run.where}: {waiting}" if waiting else run.where)

    def _age_s(self, found: JsonObject) -> float:
        made = datetime.fromisoformat(found["metadata"]["creationTimestamp"])
        return (self._parts.clock.now() - made).total_seconds()

    async def _report(self, run: Run, found: JsonObject | None) -> Report:
        """What its runner has written; and where it could not, what it died of."""
        order = await self._order(run, found)
        try:
            written = await self._written(run)
            if written is not None:
                return read_report(written, order)
            self._died.add(run.id)
            error: PlumblineError = ends.death(found or {}, await self._pods(run), order.operation)
        except Corrupted as damaged:
            error = damaged
        return Report(order, failure=Failure("apply" if order.operation == "apply" else "plan", error))

    async def _order(self, run: Run, found: JsonObject | None) -> Order:
        """As it was given; and where it was deleted, as much as its Job says."""
        try:
            return _own(read_order(content_of(decode(await self._parts.client.get(run.order)))), run)
        except (NotFound, Corrupted) as error:
            log.warning("order not read", run=run.id, code=error.code, error=str(error))
        annotations = ((found or {}).get("metadata") or {}).get("annotations") or {}
        revision, operation = str(annotations.get(REVISION, "")), _operation(found or {})
        return Order(run.id, run.key, operation, MemoryTree({}), revision, "", Workplace(), Policy())

    async def _written(self, run: Run) -> Written | None:
        try:
            first = decode(await self._parts.client.get(run.report()))
            said = first["metadata"].get("annotations") or {}
            count = str(said.get(PIECES, ""))
            if not count.isdecimal() or not 0 < int(count) <= MOST_PIECES:
                raise Corrupted("The result of the run cannot be read", why="it does not say how many pieces it has")
            rest = [decode(await self._parts.client.get(run.report(at))) for at in range(1, int(count))]
        except NotFound:
            return None
        return Written(tuple(content_of(each) for each in (first, *rest)), str(said.get(DIGEST, "")))

    async def _pods(self, run: Run) -> list[JsonObject]:
        selection = Selection(labels=f"{RUN}={run.id}")
        page = await self._parts.client.list(Target(PODS, run.key[0]), selection)
        return [decode(bytes(each)) for each in page.items]

    async def _listed(self, resource: GroupVersionResource, key: Key) -> list[JsonObject]:
        selection = Selection(labels=f"{RUN},{OBJECT}={label(key[1])}")
        page = await self._parts.client.list(Target(resource, key[0]), selection)
        return [each for item in page.items if _owner_name(each := decode(bytes(item))) == key[1]]

    async def _create(self, target: Target, body: JsonObject, order: Order, why: str) -> bytes | None:
        assert order.object is not None  # noqa: S101 - whoever orders says for which object
        behalf = Behalf.of("terraform", order.object)
        try:
            return await self._parts.hands.create(target.collection, body, _WRITING, behalf, why)
        except AlreadyExists:
            return await self._parts.client.get(target)  # the name is the run's: it was us

    async def _sweep_soon(self, run: Run) -> None:
        """And again, where it does not work: the next look at the object, which would do it too, may be far away."""
        wait_s = _SWEEP_S
        while True:
            await self._parts.clock.sleep(wait_s)
            try:
                return await self._swept(run)
            except PlumblineError as error:
                log.warning("run not swept", run=run.id, code=error.code, error=str(error))
                wait_s = min(2 * wait_s, _LONGEST_SWEEP_S)

    async def _swept(self, run: Run) -> None:
        if self._vanished.get(run.key) == run:
            await self._clear(run)
            if self._vanished.get(run.key) == run:
                del self._vanished[run.key]
        await self._sweep_all(run.key)

    async def _sweep_all(self, key: Key) -> None:
        """What is left of runs whose reports were taken in. Jobs stay where their object wants to have them looked at."""
        for each in await self._cached(key):
            kept = KEPT in each.meta.annotations or each.meta.labels[RUN] in self._died
            if not self._done_with(each) or (kept and TAKEN_IN in each.meta.annotations):
                continue
            found = each.object()
            await self._mark(found, {TAKEN_IN: "true", **({KEPT: "true"} if kept else {})})
            await self._clear(_run(found))
            if not kept:
                await self._remove(found)

    async def _mark(self, found: JsonObject, said: dict[str, str]) -> None:
        """Before anything of it goes: whoever comes after us must not take it for a run that is to be taken in."""
        run = _run(found)
        if TAKEN_IN in (found["metadata"].get("annotations") or {}):
            return
        change: JsonObject = {"metadata": {"annotations": said}}
        try:
            reply = await self._parts.hands.patch(run.job, _named(found, run.job), change, _WRITING, _behalf(run.key))
        except NotFound:
            return
        if reply is not None:
            (await self._jobs()).learn(reply, _nobody)

    async def _remove(self, found: JsonObject) -> None:
        run = _run(found)
        await self._delete(run.job, found, run.key)
        (await self._jobs()).learn_gone((run.key[0], run.name), found["metadata"]["uid"], _nobody)
        self._settled.discard(run.id)
        self._died.discard(run.id)

    async def _clear(self, run: Run) -> None:
        """The order first: what is left then is known to belong to nothing."""
        secrets = [each for each in await self._listed(SECRETS, run.key) if each["metadata"]["labels"][RUN] == run.id]
        for each in sorted(secrets, key=lambda each: each["metadata"]["name"] != run.order.name):
            await self._delete(Target(SECRETS, run.key[0], each["metadata"]["name"]), each, run.key)

    async def _delete(self, target: Target, obj: JsonObject, key: Key) -> None:
        destroys = Destruction("deletion", (Loss(str(Ref.of(_named(obj, target)))),), requested=True)
        try:
            await self._parts.hands.delete(target, _named(obj, target), _behalf(key), destroys, "Background")
        except NotFound:
            return


def _own(order: Order, run: Run) -> Order:
    """Raises Corrupted for one that was rewritten: it lies where the module can write, and says where states are."""
    own = order.place is None or order.place.namespace == run.key[0]
    if not own or (order.id, order.key) != (run.id, run.key):
        raise Corrupted("The order cannot be read", why="it is not the one that was given")
    return order


def _held(key: Key, why: str) -> Conflict:
    return Conflict(f"No run is begun for {'/'.join(key)}", why=why)


def _named(obj: JsonObject, target: Target) -> JsonObject:
    """Items of a list do not say what they are."""
    kind = {"jobs": "Job", "secrets": "Secret"}[target.resource.resource]
    return {**obj, "apiVersion": target.resource.api_version, "kind": kind}


def _behalf(key: Key) -> Behalf:
    ref = Ref(TERRAFORM.group, TERRAFORM.kind, *key)
    return Behalf(ref, Owner.of("terraform", ref))


def _key(entry: Cached) -> Key:
    owner = next((each.name for each in entry.meta.owner_references if each.kind == TERRAFORM.kind), "")
    return entry.meta.namespace, owner


def _owner_name(obj: JsonObject) -> str:
    owners: Iterable[JsonObject] = obj["metadata"].get("ownerReferences") or ()
    return next((str(each.get("name")) for each in owners if each.get("kind") == TERRAFORM.kind), "")


def _run(found: JsonObject) -> Run:
    metadata = found["metadata"]
    return Run((metadata["namespace"], _owner_name(found)), str(metadata["labels"].get(RUN, "")))


def _operation(found: JsonObject) -> Operation:
    annotations = (found.get("metadata") or {}).get("annotations") or {}
    return _OPERATIONS.get(str(annotations.get(OPERATION)), "plan")


def _nobody(before: Cached | None, after: Cached | None) -> None:
    del before, after
