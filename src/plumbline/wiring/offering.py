"""The API and the interface, put together for those who come in through the entrance."""

import asyncio
from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

from plumbline.gotemplate import Surroundings
from plumbline.web.api.applications import ApplicationsApi
from plumbline.web.api.clusters import Clusters
from plumbline.web.api.desk import Desk
from plumbline.web.api.links import Links
from plumbline.web.api.projects import Projects
from plumbline.web.api.repositories import Repositories
from plumbline.web.api.rights import APPLICATIONS, Asker
from plumbline.web.api.settings import Doors, Settings
from plumbline.web.api.version import Version
from plumbline.web.api.writing import Pen
from plumbline.web.assets import Assets
from plumbline.web.board import Board, Sight
from plumbline.web.live import FamilySight, Live, SessionDoor, Topics
from plumbline.web.live.applications import ApplicationFeed
from plumbline.web.live.doors import Sees
from plumbline.web.openapi import OpenApi
from plumbline.web.routes import Part
from plumbline.wiring.entrance import Entrance
from plumbline.wiring.product import Site

_APPLICATION: Final = "application:"


class Offering:
    def __init__(self, site: Site, entrance: Entrance) -> None:
        self._site, self._entrance = site, entrance
        self._board = Board(site.client, site.world.metrics)
        self._desk = self._shared()
        described: tuple[Part, ...] = (*entrance.parts, self._applications(), self._live())
        self.parts: tuple[Part, ...] = (*described, Assets(), OpenApi(described))

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._board.run())
            for part in self.parts:
                group.create_task(part.run())

    def _shared(self) -> Desk:
        site, entrance = self._site, self._entrance
        return Desk(
            client=site.client,
            clock=site.world.clock,
            namespace=site.namespace,
            installation=entrance.installation,
            rights=entrance.rights,
            pen=Pen(site.gate, site.client),
            board=self._board,
            sight=Sight(site.namespace, entrance.policy, self._looked_at),
        )

    def _applications(self) -> ApplicationsApi:
        desk, entrance, world = self._desk, self._entrance, self._site.world
        links = Links(Surroundings(world.clock.now, world.ids))
        families = (
            Projects(desk, links, entrance.sessions.issued, world.ids),
            Repositories(desk),
            Clusters(desk),
            Settings(desk, lambda: Doors(passwords=entrance.passwords)),
            Version(desk, version("plumbline")),
        )
        return ApplicationsApi(desk, links, [each for family in families for each in family.endpoints])

    def _live(self) -> Live:
        rights = self._entrance.rights
        feed = ApplicationFeed(self._board, self._desk.sight.named, self._looked_at)
        topics = Topics()
        topics.add("applications", feed)
        topics.add(_APPLICATION, feed)

        def application(asker: Asker, name: str) -> bool:
            return rights.may(asker, APPLICATIONS, "get", name)

        rules: Mapping[str, Sees] = {"applications": application, _APPLICATION: application}
        door, sight = SessionDoor(self._entrance.askers), FamilySight(self._entrance.policy, rules)
        return Live(topics, door, sight, clock=self._site.world.clock, ids=self._site.world.ids)

    def _looked_at(self, namespace: str) -> bool:
        return self._entrance.installation.settings.applications_in(namespace)
