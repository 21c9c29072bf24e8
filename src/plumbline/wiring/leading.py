"""What whoever leads does: deliver, provision, apply, and look after secrets."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from plumbline.base.errors import PlumblineError, UnknownKind
from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.composition.functions.configuration import Configured
from plumbline.delivery.delivery import Delivery, Parts
from plumbline.gate.gate import Gate, Live, Powers
from plumbline.gate.records import GatedRecords
from plumbline.kernel.firstuse import FirstUse
from plumbline.kinds.crossplane import CROSSPLANE_KINDS
from plumbline.kinds.crossplane.composition import COMPOSITION
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION
from plumbline.kinds.crossplane.packages import CONFIGURATION, FUNCTION, PROVIDER
from plumbline.kinds.crossplane.usage import CLUSTER_USAGE, LEGACY_USAGE, USAGE
from plumbline.kinds.externalsecrets import EXTERNAL_SECRETS_KINDS
from plumbline.kinds.flux.gitrepository import GIT_REPOSITORY
from plumbline.kinds.flux.terraform import TERRAFORM
from plumbline.kinds.kind import Kind
from plumbline.kinds.rooms import EVERY_ROOM
from plumbline.kinds.sealedsecret import SEALED_SECRET
from plumbline.kube.client import Connection
from plumbline.kube.names import GroupKind, GroupVersionKind
from plumbline.managed.endpoints import Endpoints
from plumbline.ownership.ledger import Ledger
from plumbline.render.directory import Directory
from plumbline.render.helm import Helm
from plumbline.render.kustomize import Kustomize
from plumbline.render.renderer import Renderer
from plumbline.render.requests import SourceType
from plumbline.render.tool import Discovering, Tool
from plumbline.secrets.publishing import NAMESPACE as KEY_NAMESPACE
from plumbline.terraform.identity import Reach
from plumbline.wiring.rooms import Rooms
from plumbline.wiring.secretkeeping import Site, fetching, unsealing

if TYPE_CHECKING:
    from plumbline.render.plugins import Plugins
    from plumbline.wiring.laptop import Laptop
    from plumbline.wiring.provisioning import Provisioning

_COMPONENT: Final = "plumbline-delivery"
_KINDS_S: Final = 60.0
_ASKED_AGAIN_S: Final = 5.0
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

log = logger(__name__)


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
    only: frozenset[str] = EVERY_ROOM
    """Rooms that are looked after here."""
    store_identity: bool = False
    """Whether SecretStores of AWS may sign in as this program."""
    plugins: "Plugins | None" = None


class Leading:
    def __init__(self, rooms: Rooms, fence: Callable[[], None], led: Led) -> None:
        self._rooms = rooms
        self._client, self._world = rooms.client, rooms.world
        self._led = led
        self._ledger = Ledger()
        self._gate = Gate(Powers(rooms.mandate, self._ledger, fence), Live(rooms.journal), rooms.world.clock)

    async def run(self) -> None:
        rooms = {
            "composition": self._provisioning,
            "delivery": self._delivering,
            "terraform": self._applying,
            "secrets": self._keeping_secrets,
        }
        async with task_group() as group:
            for name, work in rooms.items():
                if name in self._led.only:
                    group.create_task(work())

    async def _applying(self) -> None:
        """Where nobody has brought the Terraform kind, and we may not, there is nothing to apply."""
        while not await self._knows(TERRAFORM.gvk):
            await self._world.clock.sleep(_KINDS_S)
        await FirstUse(self._client, self._world.metrics, (TERRAFORM.resource, GIT_REPOSITORY.resource)).wait()
        from plumbline.wiring.terraforming import Site, Terraforming  # noqa: PLC0415 - 5 MB that few installations use

        self._rooms.terraforming = Terraforming(
            Site(
                client=self._client,
                world=self._world,
                gate=self._gate,
                data=self._rooms.data,
                namespace=self._led.namespace,
                commits=self._rooms.commits,
                accounts=self._rooms.accounts,
                artifacts=self._rooms.artifacts,
                reach=self._led.reach,
                runner_image=self._led.runner_image,
                reached=self._rooms.reached,
            )
        )
        await self._rooms.terraforming.run()

    async def _keeping_secrets(self) -> None:
        site = Site(
            self._client,
            self._world,
            self._gate,
            self._led.connection,
            self._led.endpoints,
            self._led.key_namespace,
            store_identity=self._led.store_identity,
        )
        async with task_group() as group:
            group.create_task(self._when_used((SEALED_SECRET,), lambda: unsealing(site), self._rooms.sealing_asked))
            group.create_task(self._when_used(EXTERNAL_SECRETS_KINDS, lambda: fetching(site)))

    async def _when_used(
        self,
        kinds: tuple[Kind[Any, Any], ...],
        work: Callable[[], Awaitable[None]],
        asked: asyncio.Event | None = None,
    ) -> None:
        """Begin *work* with the first object of one of *kinds*, or when somebody has asked for it otherwise."""
        while not await self._knows(kinds[0].gvk):
            await self._world.clock.sleep(_KINDS_S)
        use = FirstUse(self._client, self._world.metrics, [kind.resource for kind in kinds])
        async with task_group() as group:
            asking = group.create_task(_passed_on(asked, use)) if asked is not None else None
            await use.wait()
            if asking is not None:
                asking.cancel()
        await work()

    async def _provisioning(self) -> None:
        """Where nobody has brought Crossplane's kinds, and we may not, there is nothing to provision."""
        while not await self._knows(COMPOSITE_RESOURCE_DEFINITION.gvk):
            await self._world.clock.sleep(_KINDS_S)
        wanted = [kind.resource for kind in _PROVISIONED if await self._knows(kind.gvk)]
        use = FirstUse(self._client, self._world.metrics, wanted, _provided)
        loaded: asyncio.Future[Provisioning] = asyncio.get_running_loop().create_future()

        async def offered(kind: GroupKind) -> bool:
            """A managed kind that nobody serves yet, and that somebody asks for."""
            if not kind.group.endswith(_PROVIDED):
                return False
            use.use()
            return await (await asyncio.shield(loaded)).offered(kind)

        self._client.discovery.offer = offered
        await use.wait()
        provisioning = self._provisioned()
        loaded.set_result(provisioning)
        await provisioning.run()

    def _provisioned(self) -> "Provisioning":
        from plumbline.wiring.provisioning import Ground, Provisioning  # noqa: PLC0415 - 7 MB that not everybody uses

        ground = Ground(
            self._client,
            self._world,
            self._gate,
            self._ledger,
            self._led.functions,
            self._rooms.admissions,
            self._rooms.reached,
            self._led.endpoints,
        )
        return Provisioning(ground, self._led.laptop)

    async def _knows(self, gvk: GroupVersionKind) -> bool:
        """Whether the cluster serves the kind, once it can say so: it may just be coming up, or one of its groups be down."""
        while True:
            try:
                await self._client.discovery.resource(gvk)
            except UnknownKind:
                return False
            except PlumblineError as error:
                log.warning("kind unknown", kind=str(gvk), code=error.code, error=str(error))
                await self._world.clock.sleep(_ASKED_AGAIN_S)
            else:
                return True

    async def _delivering(self) -> None:
        world = self._world
        tools: dict[SourceType, Tool] = {
            "Directory": Directory(self._rooms.evaluator),
            "Kustomize": Kustomize(self._rooms.toolbox),
            "Helm": Helm(self._rooms.toolbox, self._rooms.dependencies()),
        }
        discovery: Discovering | None = None
        if self._led.plugins is not None:
            from plumbline.render.plugins import Discovery, PluginTool  # noqa: PLC0415 - few have plugins

            tools["Plugin"], discovery = PluginTool(self._led.plugins), Discovery(self._led.plugins)
        self._rooms.delivery = Delivery(
            Parts(
                client=self._client,
                world=world,
                namespace=self._led.namespace,
                gate=self._gate,
                mandate=self._rooms.mandate,
                ledger=self._ledger,
                records=GatedRecords(self._gate, self._client, world.clock, _COMPONENT, cluster="in-cluster"),
                commits=self._rooms.commits,
                charts=self._rooms.charts,
                paced=self._rooms.paced,
                branches=self._rooms.commits,
                placed=self._rooms.placed,
                renderer=Renderer(tools, world.clock, discovering=discovery),
                evaluator=self._rooms.evaluator,
                journal=self._rooms.journal,
                trust=self._rooms.trust,
                local=self._rooms.local,
            )
        )
        await self._rooms.delivery.run()
