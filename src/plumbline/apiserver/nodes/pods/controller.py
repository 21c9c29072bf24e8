"""The simulated kubelets: one controller for the pods of all simulated nodes.

It remembers what runs, as a container runtime would; after a restart it learns that from the pods' statuses. Timers are
the queue's, and a pod that waits for a Secret, ConfigMap or claim is looked at when that one changes.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Protocol

import msgspec

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Concerns
from plumbline.apiserver.nodes.events import Note, Recorder
from plumbline.apiserver.nodes.groups import Groups
from plumbline.apiserver.nodes.kinds import CLAIM, CONFIG_MAP, NODE, POD, SECRET
from plumbline.apiserver.nodes.machines.fleet import Fleet
from plumbline.apiserver.nodes.moments import seconds_of
from plumbline.apiserver.nodes.pods.behavior import Scenario, misunderstood
from plumbline.apiserver.nodes.pods.machine import Machine, Step
from plumbline.apiserver.nodes.pods.references import Ref
from plumbline.apiserver.nodes.pods.run import PodRun
from plumbline.apiserver.nodes.pods.status import adopted, status_of
from plumbline.apiserver.nodes.pods.view import PodView
from plumbline.apiserver.nodes.settings import KUBELET, Timing
from plumbline.apiserver.storage.entries import Entry, Key
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupKind


class Logs(Protocol):
    """Whoever wants to know what runs."""

    def observe(self, pod: PodView, run: PodRun) -> None: ...

    def forget(self, uid: str) -> None: ...


class _Memory(msgspec.Struct):
    uid: str
    run: PodRun
    version: str = ""
    """The resourceVersion that this was the whole truth about; empty where nothing was decided yet."""
    wake_s: float | None = None
    missing: frozenset[Ref] = frozenset()


class Kubelet:
    name = KUBELET

    def __init__(
        self, cluster: Cluster, fleet: Fleet, logs: Logs, *, scenario: Scenario | None = None, timing: Timing
    ) -> None:
        self._cluster = cluster
        self._fleet = fleet
        self._logs = logs
        self._scenario = scenario or Scenario()
        self._timing = timing
        self._recorder = Recorder(cluster, KUBELET)
        self._memories: dict[Key, _Memory] = {}
        self._waiting: Groups[Key, Key, None] = Groups()
        """Pods by the key of what they miss."""

    @cached_property
    def watches(self) -> Mapping[GroupKind, Concerns]:
        return {
            POD: self._of_pod,
            NODE: self._of_node,
            SECRET: self._of_missing,
            CONFIG_MAP: self._of_missing,
            CLAIM: self._of_missing,
        }

    async def reconcile(self, key: Key) -> float | None:
        obj = self._cluster.at(key)
        if obj is None:
            self._forget(key)
            return None
        pod = PodView(obj)
        if not self._fleet.has(pod.node):
            return None
        memory = self._memory(key, pod)
        now_s = seconds_of(self._cluster.clock.now())
        if memory.version == pod.metadata.get("resourceVersion") and not (memory.missing or _due(memory, now_s)):
            return _after(memory, now_s)
        if pod.finished:
            await self._clean_up(key, pod)
            return None
        return await self._look(key, pod, memory, now_s)

    async def _clean_up(self, key: Key, pod: PodView) -> None:
        self._fleet.give_back_address(pod.node, key)
        # One that only its finalizers keep was let go already.
        if pod.deleted and (pod.grace_s or not pod.metadata.get("finalizers")):
            await self._cluster.delete(pod.obj, grace_s=0)

    async def _look(self, key: Key, pod: PodView, memory: _Memory, now_s: float) -> float | None:
        machine = Machine(pod, self, self._new_id, now_s)
        step = machine.step(memory.run, self._scenario, self._timing)
        run = self._addressed(key, pod, step.run)
        host = self._fleet.address(pod.node)
        waits = step.run.stop_s is not None and not step.stopped
        obj = pod.obj
        if not waits:
            status = status_of(pod, run, host, now_s, stopped=step.stopped)
            obj = await self._cluster.set_status(pod.obj, status, manager=KUBELET)
        first = not memory.version
        self._remember(key, memory, step, run, obj)
        self._logs.observe(pod, run)
        await self._tell(pod, step, first=first)
        if step.stopped and pod.deleted:
            await self._cluster.delete(obj, grace_s=0)
        return _after(memory, now_s)

    async def _tell(self, pod: PodView, step: Step, *, first: bool) -> None:
        if first:
            for fault in misunderstood(pod):
                await self._recorder.record(pod.obj, Note("SimulationIgnored", fault, warning=True), pod.node)
        for note in step.notes:
            await self._recorder.record(pod.obj, note, pod.node)

    def _addressed(self, key: Key, pod: PodView, run: PodRun) -> PodRun:
        if run.ip or not run.mounted:
            return run
        host = self._fleet.address(pod.node)
        return msgspec.structs.replace(run, ip=host if pod.host_network else self._fleet.take_address(pod.node, key))

    def _memory(self, key: Key, pod: PodView) -> _Memory:
        memory = self._memories.get(key)
        if memory is None or memory.uid != pod.uid:
            self._forget(key)
            memory = self._memories[key] = _Memory(pod.uid, adopted(pod, self._timing))
            if memory.run.ip and not pod.host_network:
                self._fleet.hold_address(pod.node, key, memory.run.ip)
        return memory

    def _remember(self, key: Key, memory: _Memory, step: Step, run: PodRun, obj: JsonObject) -> None:
        for ref in memory.missing - step.missing:
            self._waiting.drop(self._key(ref), key)
        for ref in step.missing - memory.missing:
            self._waiting.put(self._key(ref), key, None)
        self._fleet.keep_images(step.images)
        memory.run, memory.missing = run, step.missing
        memory.wake_s = step.wake_s
        memory.version = str(obj["metadata"].get("resourceVersion") or "")

    def _forget(self, key: Key) -> None:
        memory = self._memories.pop(key, None)
        if memory is None:
            return
        for ref in memory.missing:
            self._waiting.drop(self._key(ref), key)
        self._fleet.give_back_everywhere(key)
        self._logs.forget(memory.uid)

    def _key(self, ref: Ref) -> Key:
        return self._cluster.key(ref.kind, ref.namespace, ref.name)

    def _new_id(self) -> str:
        ids = self._cluster.ids
        return (ids.uid() + ids.uid()).replace("-", "")

    @staticmethod
    def _of_pod(entry: Entry, _: Entry | None) -> Iterable[Key]:
        return (entry.key,) if b'"nodeName"' in entry.body else ()

    def _of_missing(self, entry: Entry, _: Entry | None) -> Iterable[Key]:
        return tuple(self._waiting.of(entry.key))

    def _of_node(self, entry: Entry, previous: Entry | None) -> Iterable[Key]:
        """A node that begins to be simulated may have pods already."""
        if not self._fleet.observe(entry) or previous is not None:
            return ()
        found = self._cluster.entries(POD)
        return [pod.key for pod in found if pod.object().get("spec", {}).get("nodeName") == entry.key.name]

    def keys(self, ref: Ref) -> Collection[str] | None:
        found = self._cluster.get(ref.kind, ref.namespace, ref.name)
        if found is None:
            return None
        return {*(found.get("data") or ()), *(found.get("binaryData") or ())}

    def bound_claim(self, ref: Ref) -> JsonObject | None:
        found = self._cluster.get(ref.kind, ref.namespace, ref.name)
        bound = found is not None and (found.get("status") or {}).get("phase") == "Bound"
        return found if bound else None

    def has_image(self, reference: str) -> bool:
        return self._fleet.has_image(reference)


def _due(memory: _Memory, now_s: float) -> bool:
    return memory.wake_s is not None and memory.wake_s <= now_s


def _after(memory: _Memory, now_s: float) -> float | None:
    return None if memory.wake_s is None else max(memory.wake_s - now_s, 0.0)
