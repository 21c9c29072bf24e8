"""The rooms of one process, and what they know of each other: nothing, but for what is passed on here."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from plumbline.base.evaluator import Evaluator
from plumbline.base.plaintext import Plaintext
from plumbline.base.tasks import task_group
from plumbline.base.thrift import tidying
from plumbline.delivery.delivery import Delivery
from plumbline.delivery.dependencies import Dependencies
from plumbline.delivery.installation import Installation
from plumbline.delivery.projects import permits_source
from plumbline.delivery.settings.connections import FROM_A_SECRET
from plumbline.forge.local import LocalForge, RefUpdate
from plumbline.forge.webhooks import Push, Secrets
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.webhooks import Reached, Service
from plumbline.journal.journal import Journal
from plumbline.kernel.world import World
from plumbline.kinds.mandate import MandateSpec
from plumbline.kube.client import Client
from plumbline.kube.client.transport import Request
from plumbline.ownership.ledger import Ledger
from plumbline.render.tools import Toolbox
from plumbline.secrets.publishing import NAMESPACE as KEY_NAMESPACE
from plumbline.source.charts import ChartSources
from plumbline.source.charts import Moved as ChartMoved
from plumbline.source.charts import Options as ChartOptions
from plumbline.source.charts import Pace as ChartPace
from plumbline.source.git import GitSources, Moved, Pace
from plumbline.source.githubapp import InstallationTokens
from plumbline.source.local import nowhere
from plumbline.source.repository import Credentials, Repository
from plumbline.source.urls import mirror_key
from plumbline.terraform.sources.accounts import Accounts
from plumbline.terraform.sources.artifacts import Artifacts
from plumbline.web import Artifacts as ArtifactsPart
from plumbline.web import Health, Part, Settings, Web, Webhooks, WebhookSettings, exposed
from plumbline.web import Metrics as MetricsPart
from plumbline.web.admission import Admission, AdmissionPort, AdmissionSettings
from plumbline.web.artifacts import PATH as ARTIFACTS
from plumbline.web.git import Access, Git, token_at
from plumbline.web.sealing import Counts, Sealing, SealingPort, SealingSettings, Terms
from plumbline.wiring.premises import Premises
from plumbline.wiring.product import Product
from plumbline.wiring.secretkeeping import SealingDesk

if TYPE_CHECKING:
    from plumbline.composition.usages import Admissions
    from plumbline.wiring.terraforming import Terraforming

_NONE: Final = Plaintext("")


class Rooms:
    """The rooms of one process."""

    def __init__(self, client: Client, world: World, data: Path, forge: LocalForge | None, journal: Journal) -> None:
        self.client, self.world, self.data = client, world, data
        self.forge = forge
        self.journal = journal
        self.namespace = "argocd"
        """Of projects and settings."""
        self.key_namespace = KEY_NAMESPACE
        """Of sealing keys."""
        self.trusted: tuple[str, ...] = ()
        """Networks of proxies whose word is taken for whom they ask."""
        self.trust = FROM_A_SECRET
        """What cluster Secrets may ask for."""
        self.local: Callable[[str], Path | None] = nowhere
        """Where an address is on this disk, of those that may be read there."""
        self.delivery: Delivery | None = None
        self.mandate: Callable[[], MandateSpec] = MandateSpec
        # Every replica answers the API server, whoever leads: what is noted of an answer is the same from all of them.
        self._unfenced = Gate(Powers(self._mandated, Ledger(), lambda: None), Live(journal), world.clock)
        self.reached: Reached | None = None
        self._tokens = InstallationTokens(world.clock)
        self.evaluator = Evaluator()
        self.toolbox = Toolbox()
        self.terraforming: Terraforming | None = None
        self.sealing_asked = asyncio.Event()
        """Somebody has asked for what only sealing keys can answer."""
        self._desk: SealingDesk | None = None
        self.accounts = Accounts()
        self.artifacts = Artifacts(data / "artifacts", "")

    @cached_property
    def admissions(self) -> "Admissions":
        from plumbline.composition.usages import Admissions  # noqa: PLC0415 - where nobody uses anything, nobody asks

        return Admissions(self.client, self._unfenced)

    def open_sources(self, pace: Pace) -> None:
        self.commits = GitSources(
            self.data / "mirrors",
            self.world,
            self._connected,
            authorised=self._authorised,
            pace=pace,
            local=self.local,
            permits=self._permitted,
        )
        self.commits.subscribe(self._moved)
        self.commits.keep_while(self._wanted)
        self.charts = ChartSources(
            self.data / "charts",
            self.world,
            self._connected,
            authorised=self._authorised,
            pace=ChartPace(poll_s=pace.poll_s, jitter_s=pace.jitter_s),
            options=ChartOptions(permits=self._permitted),
        )
        self.charts.subscribe(self._chart_moved)
        self.charts.keep_while(self._wanted)

    async def run(self) -> None:
        """What goes on whoever leads."""
        async with task_group() as group:
            group.create_task(self.commits.run())
            group.create_task(self.charts.run())
            group.create_task(tidying(self.world.clock))

    def paced(self, poll_s: float, jitter_s: float) -> None:
        """Settings say anew how often repositories are asked whether they moved."""
        self.commits.paced(poll_s, jitter_s)
        self.charts.paced(poll_s, jitter_s)

    def expect_sealing(self) -> None:
        """Keys are needed though nobody has asked yet."""
        self.sealing_asked.set()

    async def sealing_certificate(self) -> bytes | None:
        """Of the newest key, while kubeseal is answered; None where there is no key after some waiting."""
        return await self._desk.certificate() if self._desk is not None else None

    def _enforcing(self) -> bool:
        return self.mandate().mode == "Enforce"

    def _mandated(self) -> MandateSpec:
        return self.mandate()

    @asynccontextmanager
    async def serving(self, settings: Settings, reached_at: Callable[[int], str] | None = None) -> AsyncIterator[Web]:
        """*reached_at* says, of a port, by which address others get to it who are not on this machine."""
        async with self._web(settings).running() as web:
            address = await asyncio.to_thread(reached_at, web.port) if reached_at is not None else web.url
            self.artifacts.base_url = f"{address}{ARTIFACTS.rstrip('/')}"
            yield web

    def _web(self, settings: Settings) -> Web:
        parts: list[Part] = [
            Webhooks(self._pushed, self._webhook_settings, self.world.clock),
            Health({"cluster": self._reaches_cluster}),
            MetricsPart(exposed(self.world.metrics.registry)),
            ArtifactsPart(self.artifacts.opened),
        ]
        if self.forge is not None:
            access = Access(token=token_at(self.data / "web-token"), open_writes=True)
            parts.append(Git(self.forge, access, self._pushed_here))
        self.product = Product(
            Premises(
                client=self.client,
                world=self.world,
                gate=self._unfenced,
                journal=self.journal,
                namespace=self.namespace,
                enforcing=self._enforcing,
                delivery=lambda: self.delivery,
                commits=self.commits,
                charts=self.charts,
                placed=self.placed,
                evaluator=self.evaluator,
                key_namespace=self.key_namespace,
                trusted=self.trusted,
                certificate=self.sealing_certificate,
                trust=self.trust,
                local=self.local,
            )
        )
        return Web(settings, [*parts, self.product])

    @asynccontextmanager
    async def admitting(
        self, settings: AdmissionSettings, namespace: str, service: Service | None = None
    ) -> AsyncIterator[None]:
        """Answer the API server's questions, at an address on this machine or behind *service*."""
        from plumbline.composition.usages import QUESTION as USAGES  # noqa: PLC0415 - only who is asked loads what answers
        from plumbline.terraform.approvals.checks import QUESTION as APPROVALS  # noqa: PLC0415 - same
        from plumbline.terraform.approvals.validating import Approvals  # noqa: PLC0415 - same

        approvals = Approvals(self.client, namespace)
        part = Admission({USAGES.path: self.admissions.validate, APPROVALS.path: approvals.validate})
        async with AdmissionPort(settings, part, self.world.clock).running() as port:
            self.reached = Reached(service or port.url, port.authority_pem)
            yield

    @asynccontextmanager
    async def sealing(self, settings: SealingSettings, key_namespace: str) -> AsyncIterator[SealingPort]:
        """Answer kubeseal, whoever leads."""
        self._desk = desk = SealingDesk(self.client, self.world, key_namespace, self.sealing_asked.set)
        part = Sealing(desk, self.world.clock, Counts(self.world.metrics.registry), Terms(trusted=self.trusted))
        async with SealingPort(settings, part).running() as port, task_group() as group:
            working = group.create_task(desk.run())
            try:
                yield port
            finally:
                working.cancel()

    async def _reaches_cluster(self) -> None:
        await self.client.send(Request("GET", "/version"))

    def _connected(self, url: str, project: str) -> Repository:
        delivery = self.delivery
        known = self.accounts.choose(url, project)
        if known is None:
            known = delivery.installation.repositories.choose(url, project) if delivery is not None else Repository(url)
        return self.placed(known)

    def placed(self, known: Repository) -> Repository:
        """With where it stands, if it is served here, or is on this disk and may be read."""
        here = self.local(known.url)
        if here is None and self.forge is not None:
            served = {mirror_key(each): path for each, path in self.forge.stands_for().items()}
            here = served.get(mirror_key(known.url))
        return known if here is None else msgspec.structs.replace(known, stands_at=str(here))

    async def _authorised(self, repository: Repository) -> Credentials:
        if repository.credentials.github_app is None:
            return repository.credentials
        return Credentials(username="x-access-token", password=await self._tokens.token(repository))

    def _wanted(self, url: str) -> bool:
        """Whether somebody names that repository. Nobody knows before those are there who could."""
        delivery, terraforming = self.delivery, self.terraforming
        if delivery is None or not delivery.applications.complete:
            return True
        key = mirror_key(url)
        return bool(delivery.routes.users(key)) or (terraforming is not None and terraforming.repositories.names(key))

    def _moved(self, moved: Moved) -> None:
        if self.terraforming is not None:
            self.terraforming.repositories.moved(moved)
        if self.delivery is not None:
            self.delivery.moved(moved)

    def _chart_moved(self, moved: ChartMoved) -> None:
        if self.delivery is not None:
            self.delivery.chart_moved(moved.url)

    def dependencies(self) -> Dependencies:
        """Asked when a chart is rendered, by which time there is an installation."""

        def installation() -> Installation:
            assert self.delivery is not None  # noqa: S101 - it is what renders
            return self.delivery.installation

        return Dependencies(self.charts, lambda: installation().projects, lambda: installation().repositories)

    def _permitted(self, url: str, project: str) -> bool:
        found = self.delivery.installation.projects.get(project) if self.delivery is not None else None
        return found is None or permits_source(found, url)  # not everybody who reads repositories is a project

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
            azure_username=given("azure_devops_username", said.azure_devops_username).reveal().decode(),
            azure_password=given("azure_devops_password", said.azure_devops_password),
            harbor=given("harbor", said.harbor),
            generic=given("generic", said.generic),
        )
        return WebhookSettings(secrets=secrets, limit_bytes=said.max_payload_bytes)
