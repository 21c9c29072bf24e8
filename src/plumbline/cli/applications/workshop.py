"""Delivery's own rooms, set up for one question: what Git asks for, and how what is there differs.

Nothing is written: neither to the cluster nor to mirrors that somebody else uses.
"""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from plumbline.base.errors import AlreadyExists, TimedOut
from plumbline.base.evaluator import Evaluator
from plumbline.base.log import configure
from plumbline.base.tasks import task_group
from plumbline.cli.applications.standing import Authorised, Standing
from plumbline.cli.running import holding
from plumbline.delivery.compare.comparer import Comparer
from plumbline.delivery.compare.foreseer import Foreseer
from plumbline.delivery.destinations import Destinations
from plumbline.delivery.installation import Installation
from plumbline.delivery.integrity import KEYS
from plumbline.delivery.looks import Looking, Tools
from plumbline.delivery.named import Named
from plumbline.delivery.steps.comparing import Comparing
from plumbline.delivery.steps.orphans import Orphans
from plumbline.delivery.steps.ruling import Ruling
from plumbline.delivery.valuesfrom import Reading, ValueSources
from plumbline.kernel.world import World, real_world
from plumbline.kube.client import Client
from plumbline.render.directory import Directory
from plumbline.render.helm import Helm
from plumbline.render.kustomize import Kustomize
from plumbline.render.renderer import Renderer
from plumbline.render.tools import Toolbox
from plumbline.source.charts import ChartSources
from plumbline.source.git import GitSources
from plumbline.source.repository import Repository

_MIRRORS: Final = "cli"
_READY_S: Final = 60.0


@asynccontextmanager
async def workshop(client: Client, namespace: str, data: Path) -> AsyncIterator[Looking]:
    """*data* is the folder of this user's installation, which may hold repositories that stand for others."""
    configure(level="error")  # what servers write down is not what people asked for: they are told by what is raised
    world = real_world()
    installation = Installation(client, namespace, world)
    destinations = Destinations(client, lambda: installation.clusters, lambda: installation.settings.tracking, world)
    with ExitStack() as kept:
        folder = _mirrors(data, kept)
        async with Evaluator() as evaluator, task_group() as group:
            tasks = [group.create_task(installation.run()), group.create_task(destinations.run())]
            try:
                await _ready(installation)
                connect, values = _Connected(installation, data, world), ValueSources(Reading(client))
                tools = _tools(folder, installation, evaluator, connect, values)
                ruling = Ruling(installation, destinations)
                orphans = Orphans(lambda _: True, world.clock)
                comparer = Comparer(evaluator)
                foreseer = Foreseer(comparer, world.clock)
                comparing = Comparing(comparer, evaluator, orphans, ruling.scoped, names=Named(), foreseer=foreseer)
                yield Looking(ruling, comparing, tools)
            finally:
                for task in tasks:
                    task.cancel()


def _tools(
    folder: Path, installation: Installation, evaluator: Evaluator, connect: "_Connected", values: ValueSources
) -> Tools:
    world = connect.world
    authorised, toolbox = Authorised(world), Toolbox()
    return Tools(
        GitSources(folder / "git", world, connect, authorised=authorised),
        ChartSources(folder / "charts", world, connect, authorised=authorised),
        Renderer(
            {"Directory": Directory(evaluator), "Kustomize": Kustomize(toolbox), "Helm": Helm(toolbox)}, world.clock
        ),
        lambda: installation.config_map(KEYS),
        world.clock,
        values,
    )


async def _ready(installation: Installation) -> None:
    try:
        async with asyncio.timeout(_READY_S):
            await installation.synced()
    except TimeoutError as late:
        raise TimedOut(
            f"the settings in namespace {installation.namespace} could not be read within {_READY_S:g} s",
            hint="Check that you may list ConfigMaps, Secrets and AppProjects there, and that the namespace is right.",
        ) from late


def _mirrors(data: Path, kept: ExitStack) -> Path:
    """A folder for mirrors that is ours alone while it is *kept*: the usual one, or another where that is in use."""
    try:
        kept.enter_context(holding(data / _MIRRORS))
    except AlreadyExists:
        return Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="plumb-")))
    return data / _MIRRORS / "mirrors"


class _Connected:
    """As whom we come to a repository, and where it really is: `plumb up` on the same folder may hold it."""

    def __init__(self, installation: Installation, data: Path, world: World) -> None:
        self.world = world
        self._installation = installation
        self._standing = Standing(data, world)

    def __call__(self, url: str, project: str) -> Repository:
        return self._standing.placed(self._installation.repositories.choose(url, project))
