"""The configuration of notifications, followed live, and everything made from it once per version.

What is made is loaded when there is a configuration, or somebody to be told: fifty modules that most installations do without.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from plumbline.base.log import logger
from plumbline.base.tasks import task_group
from plumbline.delivery.notifications.configuration import CONFIG_MAP, SECRET, Configuration, read_configuration
from plumbline.kernel.cache import Cached
from plumbline.kernel.informer import Informer
from plumbline.kernel.world import World
from plumbline.kube.client import Client, Selection, Target
from plumbline.kube.names import GroupVersionResource

if TYPE_CHECKING:
    from plumbline.delivery.notifications.kit import Kit, Wires
    from plumbline.delivery.notifications.services.outbound import Outbound

_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_SECRETS: Final = GroupVersionResource("", "v1", "secrets")
_ANNOTATIONS: Final = ("notifications.argoproj.io/subscri", "recipients.argocd-notifications.argoproj.io")

log = logger(__name__)


class Desk:
    """Listeners are told when something of it changed."""

    def __init__(self, client: Client, namespace: str, world: World, outbound: "Outbound | None" = None) -> None:
        self._key = namespace
        self._informers = tuple(
            Informer(
                client,
                Target(resource, namespace),
                selection=Selection(fields=f"metadata.name={name}"),
                metrics=world.metrics,
            )
            for resource, name in ((_CONFIG_MAPS, CONFIG_MAP), (_SECRETS, SECRET))
        )
        self._world = world
        self._outbound = outbound
        self._wires: Wires | None = None
        self._kit: Kit | None = None
        self._listeners: list[Callable[[], None]] = []
        self.configuration = Configuration()
        for informer in self._informers:
            informer.subscribe(self._changed)

    def subscribe(self, listener: Callable[[], None]) -> None:
        self._listeners.append(listener)

    async def run(self) -> None:
        async with task_group() as group:
            for informer in self._informers:
                group.create_task(informer.run())

    async def synced(self) -> None:
        for informer in self._informers:
            await informer.synced()

    def concerned(self, annotations: Mapping[str, str]) -> bool:
        """Whether somebody may have to be told about what has these annotations."""
        if self.configuration.subscriptions:
            return True
        return any(part in key for key in annotations for part in _ANNOTATIONS)

    def _changed(self, before: Cached | None, after: Cached | None) -> None:
        del before, after
        found = [
            informer.cache.get((self._key, name))
            for informer, name in zip(self._informers, (CONFIG_MAP, SECRET), strict=True)
        ]
        config_map, secret = (None if entry is None else entry.object() for entry in found)
        self._make(read_configuration(config_map, secret))
        for listener in self._listeners:
            listener()

    @property
    def kit(self) -> "Kit":
        """What the present configuration makes of triggers, templates and services."""
        if self._kit is None:
            self._kit = self._made()
        return self._kit

    def _make(self, configuration: Configuration) -> None:
        self.configuration, self._kit = configuration, None
        if configuration != Configuration():
            self._kit = self._made()

    def _made(self) -> "Kit":
        from plumbline.delivery.notifications.kit import Kit, Wires  # noqa: PLC0415 - see the module

        self._wires = self._wires or Wires.laid(self._outbound)
        kit = Kit(self.configuration, self._world, self._wires)
        for problem in kit.problems:
            log.warning("notification setting unusable", key=problem.key, why=problem.why)
        return kit
