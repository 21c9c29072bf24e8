"""Values into stores, and out of them again.

Everything is compared first, so that nothing is written where one part of it may not be. What is about to be pushed is then
put on record in the status, and only after that pushed: whoever dies in between finds it again, and nothing of ours is ever left
where nobody knows of it.
"""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from plumbline.base.errors import Conflict, PlumblineError
from plumbline.base.json import JsonObject
from plumbline.gate.gate import Performed
from plumbline.gate.hands import CLUSTER, consents
from plumbline.gate.intents import Destruction, Intent, Loss
from plumbline.journal.parties import ID_CHARS, Actor, ExternalResource, LiveObject, printable
from plumbline.kernel.outcomes import Done, Stop, Stuck
from plumbline.kinds.externalsecrets import PUSH_SECRET
from plumbline.kube.client import Target
from plumbline.kube.names import Ref
from plumbline.secrets.external.known import CLUSTER_KIND, KnownStore
from plumbline.secrets.push.looking import FINALIZER, REASON, Around, At, Look, failed, key_of
from plumbline.secrets.push.pieces import (
    noted,
    piece_of,
    place_of,
    remote_of,
    reread,
    store_key,
    store_of,
    synced_of,
)
from plumbline.secrets.stores.pushing import Effect, Sink, sink_of

_ACTOR: Final = Actor("controller", "external-secrets")
_UNSET: Final = "set secret failed"
_UNDELETED: Final = "Failed to Delete Secrets from Provider"
_OBSERVING: Final = Stuck(REASON, "this installation only observes it")

Synced = dict[str, dict[str, JsonObject]]


class _Planned(NamedTuple):
    store: KnownStore
    place: str
    effect: Effect


class _Act(NamedTuple):
    """As the gate wants it. Nobody can rehearse a write to a store."""

    effect: Effect

    async def perform(self) -> bytes:
        await self.effect.perform()
        return b""

    async def rehearse(self) -> bytes:
        return b""


class Delivering:
    def __init__(self, around: Around) -> None:
        self._around = around
        self._turns: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        """By namespace and key there: what is compared and then written is not compared by anybody else in between.

        In stores of one namespace. Several namespaces have a lock in common where their store is one of the cluster.
        """

    async def held(self, run: Look, at: At) -> At | Stop:
        """The finalizer is there before anything is pushed that has to be taken away again, and not otherwise."""
        metadata = run.object["metadata"]
        there = list(metadata.get("finalizers") or ())
        wanted = run.spec.deletion_policy == "Delete"
        if wanted == (FINALIZER in there):
            return at
        after = [*there, FINALIZER] if wanted else [each for each in there if each != FINALIZER]
        return at if await self._recorded(run, {"metadata": {"finalizers": after}}) else _OBSERVING

    async def pushed(self, run: Look, at: At) -> At | Stop:
        with run.waiting():
            return await self._pushed(run, at)

    async def _pushed(self, run: Look, at: At) -> At | Stop:
        before = synced_of(run.object.get("status"))
        async with AsyncExitStack() as stack:
            try:
                await self._alone(run, before, stack)
                plans, after = await self._compared(run, at, before, stack)
                going = await self._outdated(run, before, after, stack)
            except Conflict:
                raise
            except PlumblineError as error:
                return failed(self._around, run, _UNSET, error)
            announced = _both(after, before)
            new = bool(plans) and announced != before
            if new and not await self._recorded(run, {"status": {"syncedPushSecrets": announced}}, "status"):
                return _OBSERVING
            for plan, what in (*((each, _UNSET) for each in plans), *((each, _UNDELETED) for each in going)):
                if (stop := await self._performed(run, plan, what)) is not None:
                    return stop
        return at._replace(synced={key: dict(value) for key, value in after.items()}, source=None)

    async def settled(self, run: Look, at: At) -> Stop:
        key, interval_s = key_of(run), run.spec.refresh_interval.seconds
        self._around.memory.forgive(key)
        self._around.pushed[key] = at.versions
        return Done(interval_s if interval_s > 0 else None)

    async def withdrawn(self, run: Look, _: object) -> Stop:
        """The object is being deleted: what it pushed goes, if that is its policy."""
        if run.spec.deletion_policy != "Delete" or FINALIZER not in (run.object["metadata"].get("finalizers") or ()):
            return Done()
        with run.waiting():
            return await self._withdrawn(run)

    async def _withdrawn(self, run: Look) -> Stop:
        before = synced_of(run.object.get("status"))
        async with AsyncExitStack() as stack:
            try:
                await self._alone(run, before, stack)
                going = await self._outdated(run, before, {}, stack)
            except PlumblineError as error:
                return failed(self._around, run, _UNDELETED, error)
            for plan in going:
                if (stop := await self._performed(run, plan, _UNDELETED)) is not None:
                    return stop
        return Done()

    async def _alone(self, run: Look, before: Synced, stack: AsyncExitStack) -> None:
        """Wait for a turn at every key that this look may write. All stores of a namespace count as one, which harms nobody else."""
        keys = {data.match.remote_ref.remote_key for data in run.spec.data}
        noted_before = (each for entries in before.values() for each in entries.values())
        keys |= {reread(each).match.remote_ref.remote_key for each in noted_before}
        shared = any(each.kind == CLUSTER_KIND for each in run.spec.secret_store_refs)
        shared = shared or any(store_of(each).kind == CLUSTER_KIND for each in before)
        places = {(key_of(run)[0], key) for key in keys} | ({("", key) for key in keys} if shared else set())
        for place in sorted(places):
            await stack.enter_async_context(self._turns.setdefault(place, asyncio.Lock()))

    async def _compared(
        self, run: Look, at: At, before: Synced, stack: AsyncExitStack
    ) -> tuple[list[_Planned], Synced]:
        """What has to be written, and what is in the stores then."""
        assert at.source is not None  # noqa: S101 - a step before this one
        plans: list[_Planned] = []
        after: Synced = {}
        for named, store in at.stores:
            sink, record = await self._opened(run, store, stack), before.get(store_key(named), {})
            entries = after.setdefault(store_key(named), {})
            for data in run.spec.data:
                place, ours = place_of(data.match.remote_ref), place_of(data.match.remote_ref) in record
                piece = piece_of(data, at.source, ours=ours)
                if run.spec.update_policy == "IfNotExists" and await sink.exists(piece.remote):
                    entries |= {place: noted(data)} if ours else {}
                    continue
                effect = await sink.pushing(piece)
                entries[place] = noted(data)
                plans += [_Planned(store, place, effect)] if effect is not None else []
        return plans, after

    async def _outdated(
        self, run: Look, before: Synced, after: Mapping[str, Mapping[str, JsonObject]], stack: AsyncExitStack
    ) -> list[_Planned]:
        """What was pushed once, and is asked for no longer."""
        if run.spec.deletion_policy != "Delete":
            return []
        plans: list[_Planned] = []
        for key, entries in before.items():
            gone = {place: each for place, each in entries.items() if place not in after.get(key, {})}
            if not gone:
                continue
            store = self._around.stores.usable(store_of(key), key_of(run)[0])
            sink = await self._opened(run, store, stack)
            for place, each in gone.items():
                effect = await sink.withdrawing(remote_of(reread(each).match.remote_ref))
                plans += [_Planned(store, place, effect)] if effect is not None else []
        return plans

    async def _opened(self, run: Look, store: KnownStore, stack: AsyncExitStack) -> Sink:
        found = await self._around.fetching.opened(store, key_of(run)[0])
        stack.push_async_callback(found.close)
        return sink_of(found)

    async def _performed(self, run: Look, plan: _Planned, what: str) -> Stop | None:
        subject = f"{plan.store.kind}/{plan.store.name}/{plan.place}"
        lost = Destruction("deletion", (Loss(subject),), requested=True) if plan.effect.verb == "delete" else None
        ref = Ref.of(run.object)
        intent = Intent(
            actor=_ACTOR,
            subject=ExternalResource(provider=plan.store.provider, id=printable(subject, ID_CHARS)),
            verb=plan.effect.verb,
            why=printable(f"{'Take out' if lost else 'Push'} {plan.place} for {ref}"),
            behalf=LiveObject.at(CLUSTER, ref),
            destroys=lost,
            consents=consents(run.object),
        )
        try:
            outcome = await self._around.gate.perform(intent, _Act(plan.effect))
        except Conflict:
            raise
        except PlumblineError as error:
            return failed(self._around, run, f"{what}: {plan.place}", error)
        return None if isinstance(outcome, Performed) else _OBSERVING

    async def _recorded(self, run: Look, change: JsonObject, subresource: str = "") -> bool:
        """False where this installation only observes."""
        target = Target(PUSH_SECRET.resource, *key_of(run), subresource)
        reply = await self._around.records.write(target, run.object, change)
        if not reply:
            return False
        run.wrote(reply)
        return True


def _both(after: Synced, before: Synced) -> Synced:
    keys = {**before, **after}
    return {key: {**before.get(key, {}), **after.get(key, {})} for key in keys}
