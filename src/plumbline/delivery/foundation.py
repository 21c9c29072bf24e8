"""What has to be on a cluster before anything can be delivered: kinds, the namespace of the settings, a first project."""

from typing import Any, Final

from plumbline.base.clock import Clock
from plumbline.base.json import JsonObject
from plumbline.kernel.installing import installed, made
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.kind import Kind
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

KINDS: Final[tuple[Kind[Any, Any], ...]] = (APPLICATION, APP_PROJECT)
_NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")
_EVERYTHING: Final[JsonObject] = {
    "sourceRepos": ["*"],
    "destinations": [{"namespace": "*", "server": "*"}],
    "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
}


async def founded(client: Client, namespace: str, clock: Clock) -> None:
    """Make what is missing. What is there stays as it is, whoever made it."""
    await installed(client, KINDS, clock)
    await made(client, Target(_NAMESPACES), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    project = {
        "apiVersion": APP_PROJECT.gvk.api_version,
        "kind": APP_PROJECT.kind,
        "metadata": {"name": "default", "namespace": namespace},
        "spec": _EVERYTHING,
    }
    await made(client, Target(APP_PROJECT.resource, namespace), project)
