"""Tells people about Applications: follows them beside the controller, and never in its way.

What is to be told is worked out from the Application as it is, not from how it changed, so that nothing is lost by a
restart. The order is upstream's: a message is sent, and then noted on the Application. If the process ends between the
two, the message is sent once more by whoever comes next; if the note meets a conflict, it is made again on the newer
version, and until then this process remembers. So a message may come twice, after a crash, and is never lost by one.

Who only observes tells nobody: whoever looks after the Application does.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from plumbline.base.errors import AlreadyExists, Conflict, NotFound, PlumblineError, Transient
from plumbline.base.json import JsonObject
from plumbline.base.log import bound, logger
from plumbline.base.redaction import redact_text
from plumbline.base.tasks import task_group
from plumbline.delivery.notifications.counting import Counting
from plumbline.delivery.notifications.desk import Desk
from plumbline.delivery.notifications.freshness import fresh
from plumbline.delivery.notifications.state import NO_CHANGE, Change, Result, key_of, read_state, written_state
from plumbline.delivery.notifications.subscriptions import NOTIFIED, Destination, Destinations, wanted
from plumbline.gate.authority import authorised
from plumbline.gate.intents import Intent
from plumbline.journal.parties import Actor, LiveObject
from plumbline.kernel.cache import Cached, Key
from plumbline.kernel.informer import Informer
from plumbline.kernel.queue import Priority, Queue
from plumbline.kernel.reconciler import Event
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.ownership.refs import application_ref

if TYPE_CHECKING:
    from plumbline.gotemplate.values import Value

WORKERS: Final = 4
_AGAIN_S: Final = 60.0
"""How often triggers that ask for the time are asked again, as upstream has it."""
_ATTEMPTS: Final = 5
_US: Final = Actor("controller", "notifications")

log = logger(__name__)


class Around(NamedTuple):
    """What a notifier needs to know of the rest."""

    applications: Informer
    projects: Callable[[], Mapping[str, JsonObject]]
    """All AppProjects as they are, by name; the same mapping for as long as nothing changes."""
    looked_at: Callable[[str], bool]
    """Whether Applications in a namespace are ours to look at."""
    mandate: Callable[[], MandateSpec]
    records: Records
    world: World


class Notifier:
    def __init__(self, around: Around, desk: Desk, counting: Counting) -> None:
        self._around = around
        self._desk = desk
        self._counting = counting
        self._clock = around.world.clock
        self._queue: Queue[Key] = Queue(around.world.clock, around.world.ids)
        self._unwritten: dict[str, Change] = {}
        """By uid: what was sent and could not be noted yet."""
        self._failures: dict[Key, frozenset[str]] = {}
        self._timed: set[Key] = set()
        self._asked: tuple[Mapping[str, JsonObject] | None, bool] = (None, False)

    async def run(self, workers: int = WORKERS) -> None:
        self._around.applications.subscribe(self._changed)
        self._desk.subscribe(self.reconfigured)
        async with task_group() as group:
            group.create_task(self._desk.run())
            await self._desk.synced()
            await self._around.applications.synced()
            self.reconfigured()
            group.create_task(self._ask_again())
            for _ in range(workers):
                group.create_task(self._work())

    def _changed(self, before: Cached | None, after: Cached | None) -> None:
        if after is not None:
            self._queue.add(after.meta.key)
        elif before is not None:
            key = before.meta.key
            self._queue.forget(key)
            self._timed.discard(key)
            self._failures.pop(key, None)
            self._unwritten.pop(before.meta.uid, None)

    def reconfigured(self) -> None:
        """Somebody else may want to be told now: look at everything, after what people wait for."""
        for key in self._around.applications.cache.keys():  # noqa: SIM118 - a cache is no dict
            self._queue.add(key, Priority.POLL)

    async def _ask_again(self) -> None:
        while True:
            await self._clock.sleep(_AGAIN_S)
            for key in sorted(self._timed):
                self._queue.add(key, Priority.POLL)

    async def _work(self) -> None:
        while (taken := await self._queue.take()) is not None:
            key, _ = taken
            try:
                with bound(ref=f"{key[0]}/{key[1]}"):
                    await self._look(key)
            except PlumblineError as error:
                self._retry(key, error)
            except Exception:
                log.exception("notification look failed")
                self._queue.retry(key)
            finally:
                self._queue.done(key)

    def _retry(self, key: Key, error: PlumblineError) -> None:
        if isinstance(error, Transient):
            wait_s = self._queue.retry(key)
            log.warning("notification put off", code=error.code, error=str(error), wait_s=wait_s)
        else:
            log.warning("notification refused", code=error.code, error=str(error))

    async def _look(self, key: Key) -> None:
        entry = self._around.applications.cache.get(key)
        if entry is None or not self._around.looked_at(key[0]):
            return
        # Most applications are followed by nobody: nothing is decoded for them.
        if not self._desk.concerned(entry.meta.annotations) and not self._projects_ask():
            return
        obj = entry.object()
        name = _project_name(obj)
        project = self._around.projects().get(name)
        destinations = self._destinations(entry, project)
        if not destinations or not self._may_act(key, name) or not fresh(obj):
            return
        await self._tell(entry, obj, project, destinations)

    def _projects_ask(self) -> bool:
        """Whether some project asks on behalf of its applications."""
        projects = self._around.projects()
        if projects is not self._asked[0]:
            asks = any(self._desk.concerned(_annotations(each)) for each in projects.values())
            self._asked = projects, asks
        return self._asked[1]

    def _destinations(self, entry: Cached, project: JsonObject | None) -> Destinations:
        meta = entry.meta
        found = wanted(self._desk.configuration, meta.labels, meta.annotations, _annotations(project))
        if any(self._desk.kit.triggers.timed(trigger) for trigger in found):
            self._timed.add(meta.key)
        else:
            self._timed.discard(meta.key)
        return found

    def _may_act(self, key: Key, project: str) -> bool:
        subject = LiveObject.at("in-cluster", application_ref(*key))
        intent = Intent(actor=_US, subject=subject, verb="notify", why="Notify", project=project)
        return authorised(self._around.mandate(), intent)

    async def _tell(
        self, entry: Cached, obj: JsonObject, project: JsonObject | None, destinations: Destinations
    ) -> None:
        from plumbline.delivery.notifications.variables import variables  # noqa: PLC0415 - as the kit, for who tells

        uid = entry.meta.uid
        pending = self._unwritten.get(uid, NO_CHANGE)
        state = pending.applied(read_state(entry.meta.annotations.get(NOTIFIED, "")))
        seen = variables(obj, project, self._desk.configuration, self._clock.now)
        round_ = _Round(state, seen, int(self._clock.now().timestamp()))
        for trigger, to in destinations.items():
            await self._run(trigger, to, round_)
        change = Change(
            {**{key: at for key, at in pending.told.items() if key not in round_.withdrawn}, **round_.told},
            (pending.withdrawn | frozenset(round_.withdrawn)) - frozenset(round_.told),
        )
        if change:
            self._unwritten[uid] = change
            await self._note(entry, change)
            self._unwritten.pop(uid, None)
        await self._report(entry.meta.key, obj, round_)

    async def _run(self, trigger: str, to: tuple[Destination, ...], round_: "_Round") -> None:
        if trigger not in self._desk.kit.triggers:
            round_.failures.append(NotFound(f"trigger '{trigger}' is not configured"))
            return
        for result in self._desk.kit.triggers.run(trigger, round_.seen):
            self._counting.evaluated(trigger, triggered=result.triggered)
            for destination in to:
                key = key_of(trigger, result, destination)
                if not result.triggered:
                    round_.withdraw(key)
                elif key not in round_.state and await self._sent(trigger, result, destination, round_):
                    round_.tell(key)

    async def _sent(self, trigger: str, result: Result, destination: Destination, round_: "_Round") -> bool:
        from plumbline.delivery.notifications.variables import for_template  # noqa: PLC0415 - as the kit, for who tells

        try:
            message = self._desk.kit.messages.message(result.templates, for_template(round_.seen, destination))
            await self._desk.kit.senders.of(destination.service).send(message, destination)
        except PlumblineError as error:
            self._counting.delivered(trigger, destination.service, succeeded=False)
            log.warning("notification failed", trigger=trigger, to=str(destination), code=error.code, error=str(error))
            round_.failures.append(error)
            return False
        self._counting.delivered(trigger, destination.service, succeeded=True)
        log.info("notification sent", trigger=trigger, to=str(destination))
        return True

    async def _note(self, entry: Cached, change: Change) -> None:
        """Write it onto the newest version; whoever else writes meanwhile is no reason to tell again."""
        informer = self._around.applications
        for _ in range(_ATTEMPTS):
            noted = read_state(entry.meta.annotations.get(NOTIFIED, ""))
            patch = {"metadata": {"annotations": {NOTIFIED: written_state(change.applied(noted))}}}
            namespace, name = entry.meta.key
            target = informer.target._replace(namespace=namespace, name=name)
            try:
                raw = await self._around.records.write(target, entry.object(), patch)
            except NotFound:
                return
            except Conflict:
                entry = await informer.fetched(entry.meta.key)
                continue
            if raw:
                informer.learn(raw)
            return
        raise Conflict(f"what was told about {entry.meta.name} could not be noted", why="others keep writing it")

    async def _report(self, key: Key, obj: JsonObject, round_: "_Round") -> None:
        """Failures become an Event each time that they are others; what may pass is tried again."""
        said = frozenset(str(each) for each in round_.failures)
        if said and said != self._failures.get(key):
            # What others answer may repeat what was sent.
            told = Event("NotificationFailed", redact_text("; ".join(sorted(said))), warning=True)
            try:
                await self._around.records.emit(obj, told)
            except (AlreadyExists, Conflict, NotFound):
                log.debug("event not written", reason=told.reason)
        if said:
            self._failures[key] = said
        else:
            self._failures.pop(key, None)
            self._queue.forgive(key)
        if any(isinstance(each, Transient) for each in round_.failures):
            self._queue.retry(key)


class _Round:
    """One look at one application."""

    def __init__(self, state: Mapping[str, int], seen: "Mapping[str, Value]", now_s: int) -> None:
        self.state = dict(state)
        self.seen = seen
        self.now_s = now_s
        self.told: dict[str, int] = {}
        self.withdrawn: set[str] = set()
        self.failures: list[PlumblineError] = []

    def tell(self, key: str) -> None:
        self.state[key] = self.told[key] = self.now_s
        self.withdrawn.discard(key)

    def withdraw(self, key: str) -> None:
        """It does not hold any more: the next time is told again."""
        if self.state.pop(key, None) is not None:
            self.told.pop(key, None)
            self.withdrawn.add(key)


def _annotations(obj: JsonObject | None) -> Mapping[str, str]:
    return ((obj or {}).get("metadata") or {}).get("annotations") or {}


def _project_name(obj: JsonObject) -> str:
    spec = obj.get("spec")
    return str(spec.get("project") or "default") if isinstance(spec, dict) else "default"
