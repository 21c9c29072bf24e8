"""What has to be on a cluster before anything can be delivered: kinds, the namespace of the settings, a first project."""

from typing import Any, Final

from plumbline.base.clock import Clock
from plumbline.base.documents import dump_yaml
from plumbline.base.json import JsonObject, decode
from plumbline.delivery.settings.reading import CONTROL_PLANE, PARAMETERS
from plumbline.delivery.settings.stock import STOCK
from plumbline.kernel.installing import installed, made
from plumbline.kinds.application import APPLICATION
from plumbline.kinds.appproject import APP_PROJECT
from plumbline.kinds.kind import Kind
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

KINDS: Final[tuple[Kind[Any, Any], ...]] = (APPLICATION, APP_PROJECT)
_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")
_EMPTY: Final = ("argocd-rbac-cm", PARAMETERS)
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


async def furnished(client: Client, namespace: str) -> None:
    """Make settings that are missing, saying what counts without them: guides of Argo CD begin with editing those."""
    stock = {key: dump_yaml(decode(value.encode())) for key, value in STOCK.items()}
    for name, content in ((CONTROL_PLANE, stock), *((each, {}) for each in _EMPTY)):
        labels = {"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "argocd"}
        metadata = {"name": name, "namespace": namespace, "labels": labels}
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": content}
        await made(client, Target(_CONFIG_MAPS, namespace), body)
