"""What a built-in controller is, and what runs all of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.owners import owners
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.storage.entries import Change, Entry, Key
from plumbline.apiserver.storage.store import Store
from plumbline.base.errors import PlumblineError, RequestRefused
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.kernel.queue import Queue
from plumbline.kube.names import GroupKind

_log = logger(__name__)
_CONFLICT: Final = 409

EVERYTHING: Final = GroupKind("*", "*")
"""Among the kinds that a controller watches: all there are, those of CRDs too."""

Concerns = Callable[[Entry, Entry | None], Iterable[Key]]
"""Which keys to look at after a change: of the object as it is now, or was last, and as it was before."""


class Controller(Protocol):
    """Level-triggered: `reconcile` looks at everything anew and may be called at any time, for keys that are gone too.

    With an attribute `at_once` it looks at so many keys at the same time; without one, at one after the other.
    """

    name: str

    @property
    def watches(self) -> Mapping[GroupKind, Concerns]: ...

    async def reconcile(self, key: Key) -> float | None:
        """Do what is to be done about *key*; the seconds after which to look again, or None."""


def itself(entry: Entry, _: Entry | None) -> Iterable[Key]:
    return (entry.key,)


def controller_of(collection: Collection, kind: str) -> Concerns:
    """The owner that controls it, if that is of *kind*; of both states, as an object can change hands."""

    def keys(entry: Entry, previous: Entry | None) -> Iterable[Key]:
        states = (entry,) if previous is None else (entry, previous)
        return {key for state in states for key in _controllers(state, collection, kind)}

    return keys


def _controllers(entry: Entry, collection: Collection, kind: str) -> Iterable[Key]:
    for owner in owners(entry):
        if owner.controller and owner.kind == kind:
            yield Key(collection, entry.key.namespace, owner.name)


class Controllers:
    """Runs controllers, each with a queue of its own, until it is stopped."""

    def __init__(self, store: Store, cluster: Cluster, controllers: Sequence[Controller]) -> None:
        self._store = store
        self._queues = {controller: Queue[Key](cluster.clock, cluster.ids) for controller in controllers}
        self._interested: dict[Collection, list[tuple[Concerns, Queue[Key]]]] = {}
        self._in_everything: list[tuple[Concerns, Queue[Key]]] = []
        for controller, queue in self._queues.items():
            for kind, concerns in controller.watches.items():
                if kind == EVERYTHING:
                    self._in_everything.append((concerns, queue))
                else:
                    collection = cluster.model(kind).resource.collection
                    self._interested.setdefault(collection, []).append((concerns, queue))

    async def run(self) -> None:
        """Look at everything that is there, then at what changes, until stopped."""
        for collection in self._store.collections:
            interested = [*self._in_everything, *self._interested.get(collection, ())]
            for entry in self._store.shelf(collection).entries():
                _enqueue(interested, entry, None)
        self._store.listen(self._observe)
        async with task_group() as tasks:
            for controller, queue in self._queues.items():
                for _ in range(getattr(controller, "at_once", 1)):
                    tasks.create_task(_work(controller, queue), name=controller.name)

    def stop(self) -> None:
        """Whoever looks at something just now finishes that."""
        for queue in self._queues.values():
            queue.close()

    @property
    def idle(self) -> bool:
        """Nothing to look at just now; there may be something later."""
        return all(not len(queue) and not queue.working for queue in self._queues.values())

    def _observe(self, change: Change) -> None:
        interested = self._interested.get(change.entry.key.collection, ())
        _enqueue((*self._in_everything, *interested), change.entry, change.previous)


def _enqueue(interested: Iterable[tuple[Concerns, Queue[Key]]], entry: Entry, previous: Entry | None) -> None:
    for concerns, queue in interested:
        for key in concerns(entry, previous):
            queue.add(key)


async def _work(controller: Controller, queue: Queue[Key]) -> None:
    while taken := await queue.take():
        key, _ = taken
        try:
            await _look(controller, queue, key)
        finally:
            queue.done(key)


async def _look(controller: Controller, queue: Queue[Key], key: Key) -> None:
    try:
        again_s = await controller.reconcile(key)
    except RequestRefused as refused:
        if refused.status["code"] != _CONFLICT:
            _log.warning("reconcile failed", controller=controller.name, key=str(key), error=refused.what)
        queue.retry(key)
    except PlumblineError as failed:
        _log.warning("reconcile failed", controller=controller.name, key=str(key), error=str(failed))
        queue.retry(key)
    except Exception:  # noqa: BLE001 - one object that breaks a controller must not stop it for the others
        _log.exception("reconcile failed", controller=controller.name, key=str(key))
        queue.retry(key)
    else:
        queue.forgive(key)
        if again_s is not None:
            queue.add_after(key, again_s)
