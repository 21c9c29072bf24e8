"""Delivery, put together: one controller over Applications, and everything that makes it look again."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from plumbline.base.errors import PlumblineError
from plumbline.base.evaluator import Evaluator
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.delivery.compare.comparer import Comparer
from plumbline.delivery.compare.foreseer import Foreseer
from plumbline.delivery.destinations import Destination, Destinations
from plumbline.delivery.eventlabels import Labelled
from plumbline.delivery.facts import AppFacts, key_of
from plumbline.delivery.flapping import Flapping
from plumbline.delivery.hydrating.hydrator import Around as HydratorAround
from plumbline.delivery.hydrating.hydrator import Hydrator
from plumbline.delivery.hydrating.making import Making
from plumbline.delivery.hydrating.telling import Telling
from plumbline.delivery.hydrating.writing import Branches, Writing
from plumbline.delivery.installation import Installation
from plumbline.delivery.integrity import KEYS, Integrity
from plumbline.delivery.live import Event, LiveChanged
from plumbline.delivery.metrics import DeliveryMetrics, Watched
from plumbline.delivery.named import Named
from plumbline.delivery.notifications import Around, Counting, Desk, Notifier
from plumbline.delivery.reconciler import ApplicationReconciler, Steps
from plumbline.delivery.rendermetrics import RenderMetrics
from plumbline.delivery.rounds import COMPARED_S, Rounds
from plumbline.delivery.routing import Routes
from plumbline.delivery.settings.connections import FROM_A_SECRET
from plumbline.delivery.settings.values import Settings
from plumbline.delivery.steps.acting import Actors
from plumbline.delivery.steps.comparing import Comparing
from plumbline.delivery.steps.departing import Departing
from plumbline.delivery.steps.depending import Depending
from plumbline.delivery.steps.operating import Operating
from plumbline.delivery.steps.orphans import Orphans
from plumbline.delivery.steps.planning import Planning
from plumbline.delivery.steps.progressing import Progressing
from plumbline.delivery.steps.recording import Recording
from plumbline.delivery.steps.removals import Removals
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.steps.targeting import Targeting
from plumbline.delivery.targets import Charts, Commits, Targets
from plumbline.delivery.updates import Updates
from plumbline.delivery.valuesfrom import Following, ValueSources
from plumbline.gate.gate import Gate
from plumbline.journal import Journal
from plumbline.kernel.cache import Cache, Cached, Key, Relevance
from plumbline.kernel.controller import Controller
from plumbline.kernel.informer import Informer
from plumbline.kernel.metrics import collected
from plumbline.kernel.queue import Priority
from plumbline.kernel.records import Records
from plumbline.kernel.world import World
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Target, Trust
from plumbline.kube.names import GroupVersionKind
from plumbline.ownership.ledger import Ledger
from plumbline.ownership.values import Claim, ClusterObject, Learned, Source
from plumbline.render.renderer import Renderer
from plumbline.source.git.values import Moved
from plumbline.source.local import Local, nowhere
from plumbline.source.repository import Repository

WORKERS: Final = 32
_RELEVANCE: Final = Relevance(status=False, ignored_annotations=frozenset({"notified.notifications.argoproj.io"}))
_TROUBLES_S: Final = 15.0
_NOTHING: Final = Learned()

log = logger(__name__)


def _unpaced(_poll_s: float, _jitter_s: float) -> None:
    """Whose repositories tell by themselves when they move."""


def _where_it_is(repository: Repository) -> Repository:
    """None is served here."""
    return repository


class Parts(NamedTuple):
    """What delivery is given."""

    client: Client
    world: World
    namespace: str
    """The installation's: settings, projects, and Applications that are known by their name alone."""
    gate: Gate
    mandate: Callable[[], MandateSpec]
    ledger: Ledger
    records: Records
    commits: Commits
    charts: Charts
    renderer: Renderer
    evaluator: Evaluator
    journal: Journal
    paced: Callable[[float, float], None] = _unpaced
    """Told how often repositories are to be asked whether they moved, and by how much that may vary, in seconds."""
    trust: Trust = FROM_A_SECRET
    """What cluster Secrets may ask for."""
    local: Local = nowhere
    """What may be read on this disk."""
    branches: Branches | None = None
    """Where rendered manifests are written to; without, none are."""
    placed: Callable[[Repository], Repository] = _where_it_is
    """A repository with where it stands, if it is served here."""


class Delivery:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        client, world = parts.client, parts.world
        self.installation = Installation(client, parts.namespace, world, parts.trust, local=parts.local)
        self.destinations = Destinations(
            client, lambda: self.installation.clusters, lambda: self.installation.settings.tracking, world
        )
        self.applications = Informer(
            client, Target(APPLICATION.resource), cache=Cache(_RELEVANCE), metrics=world.metrics
        )
        self.routes = Routes()
        self.metrics = DeliveryMetrics(
            Watched(self.applications.cache, lambda: self.installation.clusters, lambda: self.destinations.ready)
        )
        self.following = Following(client, world.metrics, lambda key: self.controller.wake(key, Priority.USER))
        self.comparer = Comparer(parts.evaluator)
        self.foreseer = Foreseer(self.comparer, world.clock)
        self._steps = self._made()
        reconciler = ApplicationReconciler(parts.namespace, self._steps)
        records = Labelled(parts.records, self.installation, self.applications)
        self.controller = Controller(reconciler, self.applications, records, world, party=self.routes.project)
        self.controller.looked = self._looked
        self.hydrator = self._hydrator(parts.branches) if parts.branches is not None else None
        self._counting = Counting()
        self.notifier = self._notifier()
        self._moved: asyncio.Queue[Moved] = asyncio.Queue()
        self._updates = Updates(Settings())
        self._flapping = Flapping(world.clock)
        self._pace = (0.0, 0.0)

    def _made(self) -> Steps:
        parts = self.parts
        clock = parts.world.clock
        ruling = Ruling(self.installation, self.destinations)
        integrity = Integrity(parts.commits, lambda: self.installation.config_map(KEYS), clock)
        names = Named()
        targets = Targets(parts.commits, parts.charts, parts.renderer)
        targeting = Targeting(targets, integrity, names, clock, values=ValueSources(self.following))
        orphans = Orphans(lambda key: self.applications.cache.get(key) is not None, clock)
        comparing = Comparing(
            self.comparer, parts.evaluator, orphans, ruling.scoped, names=names, foreseer=self.foreseer
        )
        actors = Actors(self.metrics.counted(parts.gate), parts.mandate, parts.world.ids)
        progressing = Progressing(
            targeting, comparing, Planning(actors, ruling.scoped, Removals(parts.commits)), actors, clock
        )
        depending = Depending(self.routes, lambda: self.applications.cache)
        operating = Operating(targeting, progressing, depending, clock)
        departing = Departing(ruling, targeting, comparing, actors, depending=depending, clock=clock)
        return Steps(ruling, targeting, comparing, operating, departing, Recording(parts.journal, parts.commits))

    def _hydrator(self, branches: Branches) -> Hydrator:
        parts, installation = self.parts, self.installation
        integrity = Integrity(parts.commits, lambda: installation.config_map(KEYS), parts.world.clock)
        return Hydrator(
            HydratorAround(
                applications=self.applications,
                hydrations=self.routes.hydrations,
                settings=lambda: installation.settings,
                mandate=parts.mandate,
                ruling=self._steps.ruling,
                commits=parts.commits,
                branches=branches,
                making=Making(Targets(parts.commits, parts.charts, parts.renderer), integrity),
                writing=Writing(branches, self._writer, parts.gate, parts.world),
                telling=Telling(self.applications, parts.records),
                wake=lambda key: self.controller.wake(key, Priority.USER),
                world=parts.world,
            )
        )

    def _writer(self, url: str, project: str) -> Repository:
        """As whom a repository is written to: never as the one who reads it."""
        return self.parts.placed(self.installation.repositories.choose(url, project, write=True))

    def _notifier(self) -> Notifier:
        parts, installation = self.parts, self.installation
        around = Around(
            applications=self.applications,
            projects=lambda: installation.project_objects,
            looked_at=lambda namespace: (
                namespace == parts.namespace or installation.settings.applications_in(namespace)
            ),
            mandate=parts.mandate,
            records=parts.records,
            world=parts.world,
        )
        return Notifier(around, Desk(parts.client, parts.namespace, parts.world), self._counting)

    def moved(self, moved: Moved) -> None:
        """A repository has moved: whoever uses it looks again, those near to what was touched first."""
        self._moved.put_nowait(moved)

    def chart_moved(self, url: str) -> None:
        """A repository of charts offers something else: whoever uses it looks again."""
        for key in self.routes.users(url):
            self.controller.wake(key, Priority.USER)

    async def run(self, workers: int = WORKERS) -> None:
        self.applications.subscribe(self.routes.follow)
        self.applications.subscribe(self._application_changed)
        self.applications.subscribe(self.metrics.changed)
        self.installation.subscribe(self.destinations.reconfigured)
        self.installation.subscribe(self.controller.wake_all)
        if self.hydrator is not None:
            self.applications.subscribe(self.hydrator.changed)
            self.installation.subscribe(self.hydrator.wake_all)
        self.installation.subscribe(self.notifier.reconfigured)
        self.installation.subscribe(self._set_pace)
        self.destinations.subscribe(self._listener)
        self.destinations.subscribe(self.metrics.listener)
        registry = self.parts.world.metrics.registry
        renders = RenderMetrics(self.parts.renderer.waiting)
        with collected(registry, self.metrics), collected(registry, self._counting), collected(registry, renders):
            await self._run(workers)

    def _set_pace(self) -> None:
        """Settings take hold at once, also of how often repositories are asked."""
        timing = self.installation.settings.timing
        pace = (timing.poll_s, timing.reconciliation_jitter_s)
        if pace != self._pace:
            self._pace = pace
            self.parts.paced(*pace)

    async def _run(self, workers: int) -> None:
        async with task_group() as group:
            group.create_task(self.installation.run())
            group.create_task(self.destinations.run())
            group.create_task(self.following.run())
            await self.installation.synced()
            group.create_task(self.applications.run())
            group.create_task(self._follow_repositories())
            group.create_task(self._watch_troubles())
            group.create_task(self.notifier.run())
            for rounds in self._rounds():
                group.create_task(rounds.run())
            if self.hydrator is not None:
                group.create_task(self.hydrator.run())
            group.create_task(self.controller.run(workers))

    async def _follow_repositories(self) -> None:
        while True:
            moved = await self._moved.get()
            if self.hydrator is not None:
                self.hydrator.moved(moved.url)
            first, rest = self.routes.nearest(moved.url, await self._touched(moved))
            for keys, priority in ((first, Priority.USER), (rest, Priority.POLL)):
                for key in sorted(keys):
                    if self.hydrator is None or not self.hydrator.holds(key):
                        self.controller.wake(key, priority)

    async def _watch_troubles(self) -> None:
        """Whoever uses a repository that can no longer be reached, or can be again, says so."""
        troubled: dict[str, str] = {}
        while True:
            await self.parts.world.clock.sleep(_TROUBLES_S)
            for url in self.routes.repositories():
                error = self.parts.commits.state(url).error
                if troubled.get(url, "") == (told := str(error or "")):
                    continue
                troubled[url] = told
                for key in self.routes.users(url):
                    self.controller.wake(key, Priority.POLL)

    def _rounds(self) -> tuple[Rounds, Rounds]:
        clock, keys, installation = self.parts.world.clock, self.applications.cache.keys, self.installation
        return (
            Rounds(clock, keys, lambda: COMPARED_S, self._compare_anew),
            Rounds(clock, keys, lambda: installation.settings.timing.hard_reconciliation_s, self._render_anew),
        )

    def _compare_anew(self, key: Key) -> None:
        self._steps.comparing.doubt(AppFacts(*key, self.parts.namespace).ref)
        self.controller.wake(key, Priority.POLL)

    def _render_anew(self, key: Key) -> None:
        self._steps.targeting.doubt(key)
        self._compare_anew(key)

    async def _touched(self, moved: Moved) -> frozenset[str] | None:
        """Everything that differs between where the refs were and where they are; None where nobody knows."""
        paths: frozenset[str] = frozenset()
        for name in moved.refs():
            before, after = moved.before.get(name), moved.after.get(name)
            if before is None or after is None:
                return None
            try:
                found = await self.parts.commits.touched(moved.url, before, after)
            except PlumblineError as error:
                log.warning("changes unknown", repository=moved.url, code=error.code)
                return None
            if found is None:
                return None
            paths |= found
        return paths

    def _application_changed(self, before: Cached | None, after: Cached | None) -> None:
        """Who depends on an application looks when it fares otherwise."""
        present = after or before
        if present is None:
            return
        key = present.meta.key
        if before is None or after is None:
            self._learn_of(AppFacts(*key, self.parts.namespace))
        if after is None:
            self._forget(key)
        if before is None or after is None or before.status != after.status:
            for dependent in self.routes.dependents(key):
                self.controller.wake(dependent, Priority.DRIFT)

    def _forget(self, key: Key) -> None:
        """An application that is gone leaves nothing behind."""
        self._steps.targeting.forget(key)
        self._steps.operating.forget(key)
        self._flapping.forget(key)
        self._steps.comparing.forget(AppFacts(*key, self.parts.namespace).ref)

    def _looked(self, key: Key, took_s: float) -> None:
        self.metrics.looked(key, took_s)
        if self.applications.cache.get(key) is None:
            self._forget(key)  # it went during the look, which has learned of it since

    def _listener(self, destination: Destination) -> LiveChanged:
        def changed(event: Event) -> None:
            gvk, before, after, ours = event
            present = after or before
            if present is None:
                return
            instances = {destination.live.instance(gvk, each) for each in (before, after) if each is not None} - {""}
            self._learn(destination, gvk, present, after)
            keys = {self._key(instance) for instance in instances}
            keys |= self._steps.comparing.named(destination.cluster.server, gvk, present, marked=bool(instances))
            another = before is None or after is None or (not ours and self._is_another(destination, event, keys))
            fares_otherwise = not ours and not another and self._fares_otherwise(destination, event)
            for key in keys:
                self._steps.comparing.outdate(key)
            if ours or not (another or fares_otherwise):
                return  # whoever did it looks by itself, and a status alone is no news
            for key in keys:
                app = self.applications.cache.get(key) if fares_otherwise else None
                self.controller.wake(key, Priority.DRIFT, self._flapping.pause_s(app) if app is not None else 0.0)

        return changed

    def _is_another(self, destination: Destination, event: Event, keys: Iterable[Key]) -> bool:
        """Whether an object is another than it was."""
        gvk, before, after, _ = event
        assert before is not None  # noqa: S101 - what comes or goes always matters
        assert after is not None  # noqa: S101 - same
        settings = self.installation.settings
        if before.relevant != after.relevant:
            if self._updates.settings is not settings:
                self._updates = Updates(settings)
            ref, notes = destination.live.ref(gvk, after), self._updates.notes(before, after)
            beside = notes and all(self._steps.comparing.passes_over(key, ref, notes) for key in keys)
            return not beside and self._updates.are_news(ref, before, after)
        return False

    def _fares_otherwise(self, destination: Destination, event: Event) -> bool:
        _, before, after, _ = event
        assert before is not None  # noqa: S101 - what comes or goes always matters
        assert after is not None  # noqa: S101 - same
        overrides = self.installation.settings.customizations.health
        return self._steps.comparing.fares_otherwise(destination.cluster.server, before, after, overrides)

    def _learn_of(self, facts: AppFacts) -> None:
        """An application that is gone owns nothing, whatever marks it left behind; one that came owns what is marked."""
        for resource in self.parts.ledger.owned_by(facts.owner):
            self.parts.ledger.replace(resource, _NOTHING)
        for destination in self.destinations.opened():
            for gvk, entry in destination.live.tracked(facts.instance).values():
                self._learn(destination, gvk, entry, entry)

    def _learn(self, destination: Destination, gvk: GroupVersionKind, present: Cached, after: Cached | None) -> None:
        """Keep the ledger true: who is marked as whose."""
        resource = ClusterObject(destination.live.ref(gvk, present), destination.journal_name)
        instance = destination.live.instance(gvk, after) if after is not None else ""
        if not instance or self.applications.cache.get(self._key(instance)) is None:
            self.parts.ledger.replace(resource, _NOTHING)
            return
        owner = AppFacts(*self._key(instance), self.parts.namespace).owner
        said = Source(object=resource, said="its tracking mark")
        self.parts.ledger.replace(resource, Learned((Claim(resource, owner, said),)))

    def _key(self, instance: str) -> Key:
        return key_of(instance, self.parts.namespace)
