"""The rooms of one process, and what they know of each other: nothing, but for what is passed on here."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from plumbline.base.errors import UnknownKind
from plumbline.base.evaluator import Evaluator
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.registry import Configured
from plumbline.composition.usages import QUESTION as USAGES
from plumbline.composition.usages import Admissions, Reached, Service
from plumbline.delivery.delivery import Delivery, Parts
from plumbline.delivery.dependencies import Dependencies
from plumbline.delivery.installation import Installation
from plumbline.forge.local import LocalForge, RefUpdate
from plumbline.forge.webhooks import Push, Secrets
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.journal.journal import Journal
from plumbline.kernel.firstuse import FirstUse
from plumbline.kernel.world import World
from plumbline.kinds.crossplane import CROSSPLANE_KINDS
from plumbline.kinds.crossplane.composition import COMPOSITION
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION
from plumbline.kinds.crossplane.packages import CONFIGURATION, FUNCTION, PROVIDER
from plumbline.kinds.crossplane.usage import CLUSTER_USAGE, LEGACY_USAGE, USAGE
from plumbline.kinds.externalsecrets import EXTERNAL_SECRETS_KINDS
from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kinds.kind import Kind
from plumbline.kinds.mandate import MandateSpec
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.client import Client, Connection
from plumbline.kube.client.transport import Request
from plumbline.kube.names import GroupKind, GroupVersionKind
from plumbline.managed.endpoints import Endpoints
from plumbline.ownership.ledger import Ledger
from plumbline.render.directory import Directory
from plumbline.render.helm import Helm
from plumbline.render.kustomize import Kustomize
from plumbline.render.renderer import Renderer
from plumbline.render.requests import SourceType
from plumbline.render.tool import Tool
from plumbline.render.tools import Toolbox
from plumbline.secrets.publishing import NAMESPACE as KEY_NAMESPACE
from plumbline.source.charts import ChartSources
from plumbline.source.charts import Moved as ChartMoved
from plumbline.source.charts import Pace as ChartPace
from plumbline.source.git import GitSources, Moved, Pace
from plumbline.source.githubapp import InstallationTokens
from plumbline.source.repository import Credentials, Repository
from plumbline.source.urls import mirror_key
from plumbline.terraform.approvals import QUESTION as APPROVALS
from plumbline.terraform.approvals import Approvals
from plumbline.terraform.identity import Reach
from plumbline.terraform.sources import Accounts, Artifacts
from plumbline.web import Artifacts as ArtifactsPart
from plumbline.web import Health, Part, Settings, Web, Webhooks, WebhookSettings, exposed
from plumbline.web import Metrics as MetricsPart
from plumbline.web.admission import Admission, AdmissionPort, AdmissionSettings
from plumbline.web.artifacts import PATH as ARTIFACTS
from plumbline.web.git import Access, Git, token_at
from plumbline.web.sealing import Counts, Sealing, SealingPort, SealingSettings
from plumbline.wiring.secretkeeping import SealingDesk, Site, fetching, unsealing

if TYPE_CHECKING:
    from plumbline.wiring.laptop import Laptop
    from plumbline.wiring.provisioning import Provisioning
    from plumbline.wiring.terraforming import Terraforming

_COMPONENT: Final = "plumbline-delivery"
_NONE: Final = Plaintext("")
_KINDS_S: Final = 60.0
_PROVISIONED: Final = (
    COMPOSITE_RESOURCE_DEFINITION,
    COMPOSITION,
    CONFIGURATION,
    FUNCTION,
    PROVIDER,
    USAGE,
    CLUSTER_USAGE,
    LEGACY_USAGE,
)
_PROVIDED: Final = (".upbound.io", ".crossplane.io")
"""How the groups of managed kinds end."""
_CROSSPLANES: Final = frozenset(kind.crd_name for kind in CROSSPLANE_KINDS)


async def _passed_on(asked: asyncio.Event, use: FirstUse) -> None:
    await asked.wait()
    use.use()


def _provided(crd: str) -> bool:
    """Whether that is the name of a managed kind's CRD, or of a config's."""
    return crd.endswith(_PROVIDED) and crd not in _CROSSPLANES


class Led(NamedTuple):
    """What whoever leads works with."""

    namespace: str
    functions: Configured
    endpoints: Endpoints
    reach: Reach
    """How runs of Terraform reach the cluster."""
    connection: Connection
    """How the API server is reached."""
    laptop: "Laptop | None" = None
    key_namespace: str = KEY_NAMESPACE
    """Where sealing keys are."""
    runner_image: str = ""
    """Runs of Terraform are Jobs with this image; they are beside the controller where there is none."""


class Rooms:
    """The rooms of one process."""

    def __init__(self, client: Client, world: World, data: Path, forge: LocalForge | None, journal: Journal) -> None:
        self.client, self.world, self.data = client, world, data
        self.forge = forge
        self.journal = journal
        self.delivery: Delivery | None = None
        self.mandate: Callable[[], MandateSpec] = MandateSpec
        # Every replica answers the API server, whoever leads: what is noted of an answer is the same from all of them.
        unfenced = Powers(self._mandated, Ledger(), lambda: None)
        self._admissions = Admissions(client, Gate(unfenced, Live(journal), world.clock))
        self.reached: Reached | None = None
        self._tokens = InstallationTokens(world.clock)
        self.evaluator = Evaluator()
        self._toolbox = Toolbox()
        self.terraforming: Terraforming | None = None
        self._sealing = asyncio.Event()
        """Somebody has asked for what only sealing keys can answer."""
        self._accounts = Accounts()
        self._artifacts = Artifacts(data / "artifacts", "")

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

    def expect_sealing(self) -> None:
        """Keys are needed though nobody has asked yet."""
        self._sealing.set()

    async def leading(self, fence: Callable[[], None], led: Led) -> None:
        """Deliver, provision and apply for as long as we lead."""
        ledger = Ledger()
        gate = Gate(Powers(self.mandate, ledger, fence), Live(self.journal), self.world.clock)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._provisioning(gate, ledger, led))
            group.create_task(self._delivering(gate, ledger, led.namespace))
            group.create_task(self._applying(gate, led))
            group.create_task(self._keeping_secrets(gate, led))

    async def _applying(self, gate: Gate, led: Led) -> None:
        """Where nobody has brought the Terraform kind, and we may not, there is nothing to apply."""
        while not await self._knows(TERRAFORM.gvk):
            await self.world.clock.sleep(_KINDS_S)
        await FirstUse(self.client, self.world.metrics, (TERRAFORM.resource, GIT_REPOSITORY.resource)).wait()
        from plumbline.wiring.terraforming import Site, Terraforming  # noqa: PLC0415 - 5 MB that few installations use

        self.terraforming = Terraforming(
            Site(
                client=self.client,
                world=self.world,
                gate=gate,
                data=self.data,
                namespace=led.namespace,
                commits=self.commits,
                accounts=self._accounts,
                artifacts=self._artifacts,
                reach=led.reach,
                runner_image=led.runner_image,
                reached=self.reached,
            )
        )
        await self.terraforming.run()

    async def _keeping_secrets(self, gate: Gate, led: Led) -> None:
        site = Site(self.client, self.world, gate, led.connection, led.endpoints, led.key_namespace)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._when_used((SEALED_SECRET,), lambda: unsealing(site), self._sealing))
            group.create_task(self._when_used(EXTERNAL_SECRETS_KINDS, lambda: fetching(site)))

    async def _when_used(
        self,
        kinds: tuple[Kind[Any, Any], ...],
        work: Callable[[], Awaitable[None]],
        asked: asyncio.Event | None = None,
    ) -> None:
        """Begin *work* with the first object of one of *kinds*, or when somebody has asked for it otherwise."""
        while not await self._knows(kinds[0].gvk):
            await self.world.clock.sleep(_KINDS_S)
        use = FirstUse(self.client, self.world.metrics, [kind.resource for kind in kinds])
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(_passed_on(asked, use)) if asked is not None else None
            await use.wait()
            if asking is not None:
                asking.cancel()
        await work()

    async def _provisioning(self, gate: Gate, ledger: Ledger, led: Led) -> None:
        """Where nobody has brought Crossplane's kinds, and we may not, there is nothing to provision."""
        while not await self._knows(COMPOSITE_RESOURCE_DEFINITION.gvk):
            await self.world.clock.sleep(_KINDS_S)
        wanted = [kind.resource for kind in _PROVISIONED if await self._knows(kind.gvk)]
        use = FirstUse(self.client, self.world.metrics, wanted, _provided)
        loaded: asyncio.Future[Provisioning] = asyncio.get_running_loop().create_future()

        async def offered(kind: GroupKind) -> bool:
            """A managed kind that nobody serves yet, and that somebody asks for."""
            if not kind.group.endswith(_PROVIDED):
                return False
            use.use()
            return await (await asyncio.shield(loaded)).offered(kind)

        self.client.discovery.offer = offered
        await use.wait()
        provisioning = self._provisioned(gate, ledger, led)
        loaded.set_result(provisioning)
        await provisioning.run()

    def _provisioned(self, gate: Gate, ledger: Ledger, led: Led) -> "Provisioning":
        from plumbline.wiring.provisioning import Ground, Provisioning  # noqa: PLC0415 - 7 MB that not everybody uses

        ground = Ground(
            self.client, self.world, gate, ledger, led.functions, self._admissions, self.reached, led.endpoints
        )
        return Provisioning(ground, led.laptop)

    def _mandated(self) -> MandateSpec:
        return self.mandate()

    async def _knows(self, gvk: GroupVersionKind) -> bool:
        try:
            await self.client.discovery.resource(gvk)
        except UnknownKind:
            return False
        return True

    async def _delivering(self, gate: Gate, ledger: Ledger, namespace: str) -> None:
        world = self.world
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

    @asynccontextmanager
    async def serving(self, settings: Settings, reached_at: Callable[[int], str] | None = None) -> AsyncIterator[Web]:
        """*reached_at* says, of a port, by which address others get to it who are not on this machine."""
        async with self._web(settings).running() as web:
            address = await asyncio.to_thread(reached_at, web.port) if reached_at is not None else web.url
            self._artifacts.base_url = f"{address}{ARTIFACTS.rstrip('/')}"
            yield web

    def _web(self, settings: Settings) -> Web:
        parts: list[Part] = [
            Webhooks(self._pushed, self._webhook_settings, self.world.clock),
            Health({"cluster": self._reaches_cluster}),
            MetricsPart(exposed(self.world.metrics.registry)),
            ArtifactsPart(self._artifacts.opened),
        ]
        if self.forge is not None:
            access = Access(token=token_at(self.data / "web-token"), open_writes=True)
            parts.append(Git(self.forge, access, self._pushed_here))
        return Web(settings, parts)

    @asynccontextmanager
    async def admitting(
        self, settings: AdmissionSettings, namespace: str, service: Service | None = None
    ) -> AsyncIterator[None]:
        """Answer the API server's questions, at an address on this machine or behind *service*."""
        approvals = Approvals(self.client, namespace)
        part = Admission({USAGES.path: self._admissions.validate, APPROVALS.path: approvals.validate})
        async with AdmissionPort(settings, part, self.world.clock).running() as port:
            self.reached = Reached(service or port.url, port.authority_pem)
            yield

    @asynccontextmanager
    async def sealing(self, settings: SealingSettings, key_namespace: str) -> AsyncIterator[SealingPort]:
        """Answer kubeseal, whoever leads."""
        desk = SealingDesk(self.client, self.world, key_namespace, self._sealing.set)
        part = Sealing(desk, self.world.clock, Counts(self.world.metrics.registry))
        async with SealingPort(settings, part).running() as port, asyncio.TaskGroup() as group:
            working = group.create_task(desk.run())
            try:
                yield port
            finally:
                working.cancel()

    async def _reaches_cluster(self) -> None:
        await self.client.send(Request("GET", "/version"))

    def _connected(self, url: str, project: str) -> Repository:
        delivery = self.delivery
        known = self._accounts.choose(url, project)
        if known is None:
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
        if self.terraforming is not None:
            self.terraforming.repositories.moved(moved)
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
