"""The API and the interface, put together for those who come in through the entrance."""

from functools import partial
from importlib.metadata import version
from typing import Final

from plumbline.base.json import JsonObject
from plumbline.base.tasks import task_group
from plumbline.delivery.destinations import Destinations
from plumbline.delivery.eventlabels import labels_in
from plumbline.delivery.joining.reaching import way_from
from plumbline.delivery.looks import Looking, fault
from plumbline.gotemplate import Surroundings
from plumbline.kube.client import Target
from plumbline.web.api.applications import ApplicationsApi
from plumbline.web.api.certificates import Certificates
from plumbline.web.api.changes import ChangesApi
from plumbline.web.api.clusters import Clusters
from plumbline.web.api.desk import Desk
from plumbline.web.api.gpgkeys import GpgKeys
from plumbline.web.api.infrastructure import InfrastructureApi
from plumbline.web.api.links import Links
from plumbline.web.api.notifications import Notifications
from plumbline.web.api.ours.rights import OurRights
from plumbline.web.api.projects import Projects
from plumbline.web.api.repositories import Repositories
from plumbline.web.api.resources import Origins, ResourcesApi
from plumbline.web.api.resources import Parts as ResourceParts
from plumbline.web.api.rights import APPLICATIONS, Asker
from plumbline.web.api.secrets import SecretsApi
from plumbline.web.api.settings import Doors, Settings
from plumbline.web.api.telling import Herald
from plumbline.web.api.terraform import TerraformApi
from plumbline.web.api.version import Version
from plumbline.web.api.writing import Pen
from plumbline.web.assets import Assets
from plumbline.web.board import Board, Sight
from plumbline.web.live import FamilySight, Feed, Live, SessionDoor, Together, Topics
from plumbline.web.live.applications import ApplicationFeed
from plumbline.web.live.doors import Sees
from plumbline.web.openapi import OpenApi
from plumbline.web.routes import Part
from plumbline.web.session import Asker as Known
from plumbline.wiring.entrance import Entrance
from plumbline.wiring.looking import looking_with
from plumbline.wiring.premises import Premises
from plumbline.wiring.reaching import reaching

_APPLICATION: Final = "application:"
_OTHER_CLUSTERS_S: Final = 30.0
_OURS: Final = ("claims", "terraforms", "secrets", "changes")


class Offering:
    def __init__(self, premises: Premises, entrance: Entrance) -> None:
        self._premises, self._entrance = premises, entrance
        self._board = Board(premises.client, premises.world.metrics)
        labels = partial(labels_in, entrance.installation)
        self._herald = Herald(premises.gate, premises.client, premises.world.clock, labels)
        self._desk = self._shared()
        self._destinations = Destinations(
            premises.client,
            lambda: entrance.installation.clusters,
            lambda: entrance.installation.settings.tracking,
            premises.world,
        )
        self._links = Links(Surroundings(premises.world.clock.now, premises.world.ids))
        self._resources = self._below()
        topics = Topics()
        ours = self._ours(topics)
        described: tuple[Part, ...] = (*entrance.parts, self._applications(), *ours, self._live(topics))
        self.parts: tuple[Part, ...] = (*described, Assets(), OpenApi(described))

    async def run(self) -> None:
        async with task_group() as group:
            group.create_task(self._board.run())
            group.create_task(self._herald.run())
            group.create_task(self._destinations.run())
            group.create_task(self._resources.run())
            for part in self.parts:
                group.create_task(part.run())

    def _shared(self) -> Desk:
        premises, entrance = self._premises, self._entrance
        return Desk(
            client=premises.client,
            clock=premises.world.clock,
            namespace=premises.namespace,
            installation=entrance.installation,
            rights=entrance.rights,
            pen=Pen(premises.gate, premises.client, self._herald, self._learn),
            board=self._board,
            sight=Sight(premises.namespace, entrance.policy, self._looked_at),
        )

    def _learn(self, target: Target, raw: bytes) -> None:
        """Whoever adds a repository and then an application means the application to find it."""
        delivery = self._premises.delivery()
        for installation in (self._entrance.installation, delivery.installation if delivery is not None else None):
            if installation is not None:
                installation.learn(target, raw)

    def _applications(self) -> ApplicationsApi:
        desk, entrance, premises = self._desk, self._entrance, self._premises
        world = premises.world
        families = (
            Projects(desk, self._links, entrance.sessions.issued, world.ids),
            Repositories(desk, reaching(premises.commits, premises.charts, premises.placed)),
            Clusters(desk, way_from(premises.client, _OTHER_CLUSTERS_S)),
            Certificates(desk),
            GpgKeys(desk),
            Notifications(desk),
            Settings(desk, lambda: Doors(passwords=entrance.passwords)),
            Version(desk, version("plumbline")),
        )
        more = [each for family in families for each in family.endpoints]
        return ApplicationsApi(desk, self._links, [*more, *self._resources.endpoints], self._tried)

    def _ours(self, topics: Topics) -> tuple[Part, ...]:
        """What Argo CD has no paths for."""
        desk, premises = self._desk, self._premises
        metrics = premises.world.metrics
        infrastructure = InfrastructureApi(desk, metrics)
        terraform = TerraformApi(desk, premises.gate, premises.journal, metrics)
        secrets = SecretsApi(desk, metrics, premises.key_namespace, premises.certificate)
        changes = ChangesApi(desk, premises.journal)
        feeds: tuple[Feed, ...] = (infrastructure.feed, terraform.feed, secrets.feed, changes.feed)
        for name, feed in zip(_OURS, feeds, strict=True):
            topics.add(name, feed)
        return infrastructure, terraform, secrets, changes

    def _below(self) -> ResourcesApi:
        premises = self._premises
        origins = Origins(premises.commits, premises.charts)
        return ResourcesApi(
            ResourceParts(
                desk=self._desk,
                destinations=self._destinations,
                gate=premises.gate,
                lua=premises.evaluator,
                jq=premises.evaluator,
                links=self._links,
                still_valid=self._still_valid,
                rendering=self._looking,
                origins=lambda: origins,
            )
        )

    async def _still_valid(self, asker: Asker) -> bool:
        return isinstance(asker, Known) and await self._entrance.askers.still_valid(asker)

    def _looking(self) -> Looking | None:
        """Delivery's own eyes, where this replica leads; anew for each question, so that nothing of delivery's is disturbed."""
        delivery = self._premises.delivery()
        return looking_with(delivery, self._premises.client) if delivery is not None else None

    async def _tried(self, app: JsonObject) -> str:
        looking = self._looking()
        return await fault(looking, app) if looking is not None else ""

    def _live(self, topics: Topics) -> Live:
        rights, ours = self._entrance.rights, OurRights(self._desk)
        feed = ApplicationFeed(self._board, self._desk.sight.named, self._looked_at)
        topics.add("applications", feed)
        topics.add(_APPLICATION, Together(feed, self._resources.feed))

        def application(asker: Asker, name: str) -> bool:
            return rights.may(asker, APPLICATIONS, "get", name)

        rules: dict[str, Sees] = {"applications": application, _APPLICATION: application}
        rules |= dict.fromkeys(_OURS, ours.sees_scope)
        door, sight = SessionDoor(self._entrance.askers), FamilySight(self._entrance.policy, rules)
        return Live(topics, door, sight, clock=self._premises.world.clock, ids=self._premises.world.ids)

    def _looked_at(self, namespace: str) -> bool:
        return self._entrance.installation.settings.applications_in(namespace)
