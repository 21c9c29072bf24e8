"""`plumb up` and `plumb run`: where they run, what they wait for, and how they end."""

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from plumbline.access.administrator import initial_password
from plumbline.base.clock import SystemClock
from plumbline.base.errors import NotFound, PlumblineError
from plumbline.base.ids import Ids
from plumbline.base.json import JsonObject, decode
from plumbline.base.log import logger
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.base.thrift import settled, thrifty
from plumbline.composition.foundation import founded as composition_founded
from plumbline.composition.functions.configuration import configured
from plumbline.delivery.foundation import founded, furnished
from plumbline.delivery.settings.connections import FROM_A_SECRET, allowing
from plumbline.delivery.settings.reading import CONTROL_PLANE, PARAMETERS, Sources, read_settings
from plumbline.delivery.settings.values import Settings as InstallationSettings
from plumbline.forge.local import LocalForge
from plumbline.gate.survey import mandate_of
from plumbline.gate.webhooks import Service
from plumbline.journal import opening
from plumbline.kernel.election import Election
from plumbline.kernel.leases import LEASES
from plumbline.kernel.metrics import Metrics
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kinds.rooms import EVERY_ROOM
from plumbline.kube.client import Client, Connection, Target, Trust
from plumbline.kube.names import GroupVersionResource
from plumbline.managed.endpoints import Endpoints
from plumbline.secrets.foundation import founded as secrets_founded
from plumbline.secrets.publishing import NAME, PORT, published
from plumbline.secrets.publishing import NAMESPACE as KEY_NAMESPACE
from plumbline.source.git import Pace
from plumbline.source.local import LocalRepositories
from plumbline.terraform.approvals.people import introduced
from plumbline.terraform.foundation import founded as terraform_founded
from plumbline.terraform.identity import Reach
from plumbline.web import Settings, Web
from plumbline.web.admission import AdmissionSettings
from plumbline.web.sealing import SealingSettings
from plumbline.wiring.asked import NAMESPACE, Admitting, Running, Started, Up
from plumbline.wiring.leading import Leading, Led
from plumbline.wiring.rooms import Rooms

if TYPE_CHECKING:
    from plumbline.render.plugins import Plugins

_ENFORCE: Final = MandateSpec(mode="Enforce")
_MANDATE_S: Final = 5.0
_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")

log = logger(__name__)


class _Home(NamedTuple):
    """Where an installation keeps its own."""

    namespace: str = NAMESPACE
    key_namespace: str = KEY_NAMESPACE
    journal: Plaintext | None = None
    trust: Trust = FROM_A_SECRET
    """What cluster Secrets may ask for."""
    local_git: Path | None = None


_HOME: Final = _Home()


def _plugins(folder: Path | None) -> "Plugins | None":
    if folder is None:
        return None
    from plumbline.render.plugins import Plugins  # noqa: PLC0415 - few have any

    return Plugins(folder)


async def up(wanted: Up, ready: Callable[[Started], None]) -> None:
    """Everything in this process, until somebody asks it to end."""
    from plumbline.apiserver.hosting import hosted  # noqa: PLC0415 - 25 MB that `run` has no use for
    from plumbline.apiserver.webhooks.addresses import Place  # noqa: PLC0415 - same
    from plumbline.wiring.laptop import Laptop  # noqa: PLC0415 - same
    from plumbline.wiring.sample import sample_on  # noqa: PLC0415 - same

    thrifty()
    world = World(SystemClock(), Ids(), Metrics())
    async with hosted(wanted.data, wanted.api_port, world.clock, world.ids, durable=wanted.durable) as plane:
        client = Client(plane.plane.transport(), clock=world.clock, ids=world.ids)
        await _prepared(client, world)
        forge = LocalForge(wanted.data / "git", world.ids)
        functions = configured(wanted.functions, wanted.data / "functions")
        connection = Connection.load(plane.kubeconfig)
        endpoints = Endpoints(wanted.endpoints, loopback=True)
        home = _Home(trust=allowing(wanted.login_commands, wanted.login_hosts), local_git=wanted.local_git)
        led = Led(NAMESPACE, functions, endpoints, _reach(connection), connection, plugins=_plugins(wanted.plugins))
        async with (
            Laptop(client, wanted.data, wanted.sandbox_port) as laptop,
            _rooms(client, world, wanted.data, forge, lambda: _ENFORCE, home=home) as rooms,
            rooms.serving(Settings(port=wanted.web_port)) as web,
            rooms.admitting(AdmissionSettings(), NAMESPACE),
            rooms.sealing(SealingSettings(), KEY_NAMESPACE) as sealing,
            _working(
                Leading(rooms, _unfenced, led._replace(laptop=laptop)).run(),
                rooms.run(),
            ),
        ):
            forge.serve_at(f"{web.url}/git/")
            login = f"{web.url}/auth/link?token={(await rooms.product.link()).reveal().decode()}"
            settled()
            sample = sample_on(rooms, forge, laptop, NAMESPACE)
            address = "" if wanted.bare else await sample.address(web.url)
            with plane.plane.addresses.announced(Place("services", KEY_NAMESPACE, NAME, PORT), sealing.url):
                ready(Started(plane.url, plane.kubeconfig, web.url, laptop.sandbox, address, login))
                async with _working(sample.sow(address)):
                    await _asked_to_end()


async def run(wanted: Running, ready: Callable[[Started], None]) -> None:
    """The controllers and the web port on somebody's cluster, until somebody asks them to end."""
    thrifty()
    world = World(SystemClock(), Ids(), Metrics())
    connection = Connection.load(wanted.kubeconfig, context=wanted.context)
    async with Client.connect(connection, clock=world.clock, ids=world.ids) as client:
        mandated = _Mandated(client, world, enforce=wanted.enforce)
        if wanted.enforce:
            await _founded(client, wanted.namespace, world, wanted.only)
            await initial_password(client, wanted.namespace)
        led = _led(wanted, connection)
        lease = Target(LEASES, wanted.namespace, "plumbline")
        election = Election(client, lease, _identity(), world)
        home = _home(wanted)
        async with (
            _rooms(client, world, wanted.data, None, mandated.now, home=home) as rooms,
            _serving(rooms, wanted) as web,
            _admitting(rooms, wanted.admission, wanted.namespace),
            _sealing(rooms, wanted),
            _working(
                election.campaign(lambda fence: Leading(rooms, fence.check, led).run()),
                rooms.run(),
                mandated.run(),
            ),
        ):
            settled()
            ready(Started(connection.server, wanted.kubeconfig, web.url))
            await _asked_to_end()


def _led(wanted: Running, connection: Connection) -> Led:
    return Led(
        wanted.namespace,
        configured(wanted.functions, wanted.data / "functions"),
        Endpoints(wanted.endpoints),
        _reach(connection),
        connection,
        key_namespace=wanted.key_namespace,
        runner_image=wanted.runner_image,
        only=wanted.only,
        store_identity=wanted.store_identity,
        plugins=_plugins(wanted.plugins),
    )


def _home(wanted: Running) -> _Home:
    trust = allowing(wanted.login_commands, wanted.login_hosts)
    return _Home(wanted.namespace, wanted.key_namespace, wanted.journal, trust, wanted.local_git)


async def _prepared(client: Client, world: World) -> None:
    """What a plane of our own has from the first moment on."""
    await _founded(client, NAMESPACE, world)
    await furnished(client, NAMESPACE)
    for taken in await published(client):
        log.warning("somebody else's, and left alone", target=str(taken))
    await initial_password(client, NAMESPACE)


async def _founded(client: Client, namespace: str, world: World, only: frozenset[str] = EVERY_ROOM) -> None:
    """Applications and projects are for all: settings and pages are about them, whoever delivers."""
    await founded(client, namespace, world.clock)
    if "composition" in only:
        await composition_founded(client, world.clock)
    if "terraform" in only:
        await terraform_founded(client, world.clock)
        await introduced(client)
    if "secrets" in only:
        await secrets_founded(client, world.clock)


def _serving(rooms: Rooms, wanted: Running) -> AbstractAsyncContextManager[Web]:
    """On this machine alone, unless somebody says otherwise or Jobs have to come for the files of their sources."""
    host = wanted.web_host or ("0.0.0.0" if wanted.runner_image else "127.0.0.1")  # noqa: S104 - pods come from other machines
    settings = Settings(host=host, port=wanted.web_port)
    if not wanted.runner_image:
        return rooms.serving(settings)
    said = wanted.artifacts_url.rstrip("/")
    return rooms.serving(settings, lambda port: said or f"http://{socket.gethostbyname(socket.gethostname())}:{port}")


def _admitting(rooms: Rooms, wanted: Admitting | None, namespace: str) -> AbstractAsyncContextManager[None]:
    if wanted is None:
        return nullcontext()
    settings = AdmissionSettings(
        host="0.0.0.0",  # noqa: S104 - the API server comes from another machine
        port=wanted.port,
        names=(f"{wanted.name}.{wanted.namespace}.svc",),
        certificates=wanted.certificates,
    )
    return rooms.admitting(settings, namespace, Service(wanted.namespace, wanted.name, wanted.service_port))


def _sealing(rooms: Rooms, wanted: Running) -> AbstractAsyncContextManager[object]:
    """For API servers, which come from other machines; keys are made at once, since whoever leads may not be asked."""
    if not wanted.sealing_port or "secrets" not in wanted.only:
        return nullcontext()
    rooms.expect_sealing()
    everywhere = SealingSettings(host="0.0.0.0", port=wanted.sealing_port)  # noqa: S104 - see above
    return rooms.sealing(everywhere, wanted.key_namespace)


@asynccontextmanager
async def _working(*work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """*work* goes on while something else does, and ends with it."""
    async with task_group() as group:
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
            try:
                said = await mandate_of(self._client)
                self._now = msgspec.structs.replace(said, mode="Enforce") if self._enforce else said
            except PlumblineError as error:
                # An API server that is away for a while ends nobody, and what it said last holds.
                log.warning("mandate not read", code=error.code, error=str(error))
            await self._clock.sleep(_MANDATE_S)


def _reach(connection: Connection) -> Reach:
    return Reach(connection.server, connection.trust.authorities)


def _identity() -> str:
    """Of this replica. In pods everybody is process 1."""
    return f"{socket.gethostname()}-{os.getpid()}"


def _unfenced() -> None:
    """Nobody else runs on a plane that is in this very process."""


async def _settings(client: Client, namespace: str) -> InstallationSettings:
    """What the installation says when we start: how often repositories are asked, and which proxies are ours."""

    async def said(name: str) -> JsonObject | None:
        try:
            return decode(await client.get(Target(_CONFIG_MAPS, namespace, name)))
        except NotFound:
            return None

    sources = Sources(control_plane=await said(CONTROL_PLANE), parameters=await said(PARAMETERS))
    return read_settings(sources, namespace=namespace)


def _pace(settings: InstallationSettings) -> Pace:
    timing = settings.timing
    return Pace(poll_s=timing.poll_s, jitter_s=timing.reconciliation_jitter_s)


@asynccontextmanager
async def _rooms(
    client: Client,
    world: World,
    data: Path,
    forge: LocalForge | None,
    mandate: Callable[[], MandateSpec],
    *,
    home: _Home = _HOME,
) -> AsyncIterator[Rooms]:
    await asyncio.to_thread(data.mkdir, mode=0o700, parents=True, exist_ok=True)
    journal = opening.opened(home.journal or data / "journal.db", clock=world.clock, ids=world.ids, writer=_identity())
    async with journal as opened:
        rooms = Rooms(client, world, data, forge, opened)
        rooms.namespace, rooms.key_namespace, rooms.trust = home.namespace, home.key_namespace, home.trust
        settings = await _settings(client, home.namespace)
        rooms.trusted = settings.trusted_proxies
        if home.local_git is not None:
            rooms.local = LocalRepositories(home.local_git, data).at
        rooms.open_sources(_pace(settings))
        rooms.mandate = mandate
        async with rooms.evaluator:
            yield rooms
