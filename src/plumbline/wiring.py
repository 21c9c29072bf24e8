"""The one file that knows every room; it builds `plumb up` and `plumb run`."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from plumbline.access.administrator import initial_password
from plumbline.base.clock import SystemClock
from plumbline.base.errors import NotFound
from plumbline.base.evaluator import Evaluator
from plumbline.base.ids import Ids
from plumbline.base.json import decode
from plumbline.base.plaintext import Plaintext
from plumbline.delivery.delivery import Delivery, Parts
from plumbline.delivery.dependencies import Dependencies
from plumbline.delivery.foundation import founded
from plumbline.delivery.installation import Installation
from plumbline.delivery.settings.reading import CONTROL_PLANE, Sources, read_settings
from plumbline.forge.local import LocalForge, RefUpdate
from plumbline.forge.webhooks import Push, Secrets
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.gate.survey import mandate_of
from plumbline.journal import opening
from plumbline.journal.journal import Journal
from plumbline.kernel.election import Election
from plumbline.kernel.leases import LEASES
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client, Connection, Target
from plumbline.kube.client.transport import Request
from plumbline.kube.names import GroupVersionResource
from plumbline.ownership.ledger import Ledger
from plumbline.render.directory import Directory
from plumbline.render.helm import Helm
from plumbline.render.kustomize import Kustomize
from plumbline.render.renderer import Renderer
from plumbline.render.requests import SourceType
from plumbline.render.tool import Tool
from plumbline.render.tools import Toolbox
from plumbline.source.charts import ChartSources
from plumbline.source.charts import Moved as ChartMoved
from plumbline.source.charts import Pace as ChartPace
from plumbline.source.git import GitSources, Moved, Pace
from plumbline.source.githubapp import InstallationTokens
from plumbline.source.repository import Credentials, Repository
from plumbline.source.urls import mirror_key
from plumbline.web import Health, Part, Settings, Web, Webhooks, WebhookSettings, exposed
from plumbline.web import Metrics as MetricsPart
from plumbline.web.git import Access, Git, token_at

NAMESPACE: Final = "argocd"
_COMPONENT: Final = "plumbline-delivery"
_ENFORCE: Final = MandateSpec(mode="Enforce")
_MANDATE_S: Final = 5.0
_NEVER_S: Final = 10 * 365 * 86400.0
_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_NONE: Final = Plaintext("")


class Up(NamedTuple):
    """What `plumb up` was asked for."""

    data: Path
    api_port: int
    web_port: int
    durable: bool = False


class Running(NamedTuple):
    """What `plumb run` was asked for."""

    data: Path
    kubeconfig: Path | None
    context: str = ""
    web_port: int = 8080
    enforce: bool = False
    namespace: str = NAMESPACE


class Started(NamedTuple):
    url: str
    kubeconfig: Path | None
    web: str


async def up(wanted: Up, ready: Callable[[Started], None]) -> None:
    """Everything in this process, until somebody asks it to end."""
    from plumbline.apiserver.hosting import hosted  # noqa: PLC0415 - 25 MB that `run` has no use for

    world = World(SystemClock(), Ids(), Metrics())
    async with hosted(wanted.data, wanted.api_port, world.clock, world.ids, durable=wanted.durable) as plane:
        client = Client(plane.plane.transport(), clock=world.clock, ids=world.ids)
        await founded(client, NAMESPACE, world.clock)
        await initial_password(client, NAMESPACE)
        forge = LocalForge(wanted.data / "git", world.ids)
        async with (
            _rooms(client, world, wanted.data, forge, lambda: _ENFORCE) as rooms,
            rooms.serving(wanted.web_port) as web,
            _working(rooms.delivering(_unfenced, NAMESPACE), rooms.commits.run(), rooms.charts.run()),
        ):
            forge.serve_at(f"{web.url}/git/")
            ready(Started(plane.url, plane.kubeconfig, web.url))
            await _asked_to_end()


async def run(wanted: Running, ready: Callable[[Started], None]) -> None:
    """The controllers and the web port on somebody's cluster, until somebody asks them to end."""
    world = World(SystemClock(), Ids(), Metrics())
    connection = Connection.load(wanted.kubeconfig, context=wanted.context)
    async with Client.connect(connection, clock=world.clock, ids=world.ids) as client:
        mandated = _Mandated(client, world, enforce=wanted.enforce)
        if wanted.enforce:
            await founded(client, wanted.namespace, world.clock)
        lease = Target(LEASES, wanted.namespace, "plumbline")
        election = Election(client, lease, f"{socket.gethostname()}-{os.getpid()}", world)
        async with (
            _rooms(client, world, wanted.data, None, mandated.now) as rooms,
            rooms.serving(wanted.web_port) as web,
            _working(
                election.campaign(lambda fence: rooms.delivering(fence.check, wanted.namespace)),
                rooms.commits.run(),
                rooms.charts.run(),
                mandated.run(),
            ),
        ):
            ready(Started(connection.server, wanted.kubeconfig, web.url))
            await _asked_to_end()


@asynccontextmanager
async def _working(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """*work* goes on while something else does, and ends with it."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(each) for each in work]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


async def _asked_to_end() -> None:
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    for asked in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(asked, ending.set)
    await ending.wait()


class _Mandated:
    """What this installation may touch: everything if it was told to enforce, else what was handed over."""

    def __init__(self, client: Client, world: World, *, enforce: bool) -> None:
        self._client = client
        self._clock = world.clock
        self._enforce = enforce
        self._now = _ENFORCE if enforce else MandateSpec()

    def now(self) -> MandateSpec:
        return self._now

    async def run(self) -> None:
        while True:
            said = await mandate_of(self._client)
            self._now = msgspec.structs.replace(said, mode="Enforce") if self._enforce else said
            await self._clock.sleep(_MANDATE_S)


def _unfenced() -> None:
    """Nobody else runs on a plane that is in this very process."""


class _Rooms:
    """The rooms of one process."""

    def __init__(self, client: Client, world: World, data: Path, forge: LocalForge | None, journal: Journal) -> None:
        self.client, self.world, self.data = client, world, data
        self.forge = forge
        self.journal = journal
        self.delivery: Delivery | None = None
        self.mandate: Callable[[], MandateSpec] = MandateSpec
        self._tokens = InstallationTokens(world.clock)
        self.evaluator = Evaluator()
        self._toolbox = Toolbox()

    def open_sources(self, pace: Pace) -> None:
        self.commits = GitSources(
            self.data / "mirrors", self.world, self._connected, authorised=self._authorised, pace=pace
        )
        self.commits.subscribe(self._moved)
        self.charts = ChartSources(
            self.data / "charts",
            self.world,
            self._connected,
            authorised=self._authorised,
            pace=ChartPace(poll_s=pace.poll_s, jitter_s=pace.jitter_s),
        )
        self.charts.subscribe(self._chart_moved)

    async def delivering(self, fence: Callable[[], None], namespace: str) -> None:
        """Deliver for as long as we lead."""
        ledger, world = Ledger(), self.world
        gate = Gate(Powers(self.mandate, ledger, fence), Live(self.journal), world.clock)
        tools: dict[SourceType, Tool] = {
            "Directory": Directory(self.evaluator),
            "Kustomize": Kustomize(self._toolbox),
            "Helm": Helm(self._toolbox, self._dependencies()),
        }
        self.delivery = Delivery(
            Parts(
                client=self.client,
                world=world,
                namespace=namespace,
                gate=gate,
                mandate=self.mandate,
                ledger=ledger,
                records=GatedRecords(gate, self.client, world.clock, _COMPONENT, cluster="in-cluster"),
                commits=self.commits,
                charts=self.charts,
                renderer=Renderer(tools, world.clock),
                evaluator=self.evaluator,
            )
        )
        await self.delivery.run()

    def serving(self, port: int) -> AbstractAsyncContextManager[Web]:
        parts: list[Part] = [
            Webhooks(self._pushed, self._webhook_settings, self.world.clock),
            Health({"cluster": self._reaches_cluster}),
            MetricsPart(exposed(self.world.metrics.registry)),
        ]
        if self.forge is not None:
            access = Access(token=token_at(self.data / "web-token"), open_writes=True)
            parts.append(Git(self.forge, access, self._pushed_here))
        return Web(Settings(port=port), parts).running()

    async def _reaches_cluster(self) -> None:
        await self.client.send(Request("GET", "/version"))

    def _connected(self, url: str, project: str) -> Repository:
        delivery = self.delivery
        known = delivery.installation.repositories.choose(url, project) if delivery is not None else Repository(url)
        if self.forge is None:
            return known
        here = {mirror_key(each): path for each, path in self.forge.stands_for().items()}.get(mirror_key(url))
        return known if here is None else msgspec.structs.replace(known, stands_at=str(here))

    async def _authorised(self, repository: Repository) -> Credentials:
        if repository.credentials.github_app is None:
            return repository.credentials
        return Credentials(username="x-access-token", password=await self._tokens.token(repository))

    def _moved(self, moved: Moved) -> None:
        if self.delivery is not None:
            self.delivery.moved(moved)

    def _chart_moved(self, moved: ChartMoved) -> None:
        if self.delivery is not None:
            self.delivery.chart_moved(moved.url)

    def _dependencies(self) -> Dependencies:
        """Asked when a chart is rendered, by which time there is an installation."""

        def installation() -> Installation:
            assert self.delivery is not None  # noqa: S101 - it is what renders
            return self.delivery.installation

        return Dependencies(self.charts, lambda: installation().projects, lambda: installation().repositories)

    async def _pushed(self, push: Push) -> None:
        if self.delivery is not None and push.urls:
            self.delivery.metrics.pushed(push.urls[0])
        for url in push.urls:
            self.commits.refresh(url)
            self.charts.refresh(url)

    def _pushed_here(self, name: str, updates: tuple[RefUpdate, ...]) -> None:
        del updates
        assert self.forge is not None  # noqa: S101 - it has just been pushed to
        for url in self.forge.addresses(name):
            self.commits.refresh(url)

    def _webhook_settings(self) -> WebhookSettings:
        if self.delivery is None:
            return WebhookSettings()
        said = self.delivery.installation.settings.webhooks
        unknown = Plaintext(self.world.ids.uid())

        def given(name: str, value: Plaintext | None) -> Plaintext:
            """A secret that is set and leads nowhere is one that nobody knows, not none."""
            return value or (unknown if name in said.unresolved else _NONE)

        secrets = Secrets(
            github=given("github", said.github),
            gitlab=given("gitlab", said.gitlab),
            bitbucket_uuid=given("bitbucket_uuid", said.bitbucket_uuid),
            bitbucket_server=given("bitbucket_server", said.bitbucket_server),
            gogs=given("gogs", said.gogs),
            azure_username=said.azure_devops_username.reveal().decode() if said.azure_devops_username else "",
            azure_password=given("azure_devops_password", said.azure_devops_password),
            harbor=given("harbor", said.harbor),
        )
        return WebhookSettings(secrets=secrets, limit_bytes=said.max_payload_bytes)


async def _pace(client: Client, namespace: str) -> Pace:
    """How often repositories are asked, as the installation says when we start."""
    try:
        said = decode(await client.get(Target(_CONFIG_MAPS, namespace, CONTROL_PLANE)))
    except NotFound:
        return Pace()
    timing = read_settings(Sources(control_plane=said), namespace=namespace).timing
    return Pace(poll_s=timing.reconciliation_s or _NEVER_S, jitter_s=timing.reconciliation_jitter_s)


@asynccontextmanager
async def _rooms(
    client: Client, world: World, data: Path, forge: LocalForge | None, mandate: Callable[[], MandateSpec]
) -> AsyncIterator[_Rooms]:
    await asyncio.to_thread(data.mkdir, mode=0o700, parents=True, exist_ok=True)
    journal = opening.opened(data / "journal.db", clock=world.clock, ids=world.ids, writer=f"{os.getpid()}")
    async with journal as opened:
        rooms = _Rooms(client, world, data, forge, opened)
        rooms.open_sources(await _pace(client, NAMESPACE))
        rooms.mandate = mandate
        async with rooms.evaluator:
            yield rooms
