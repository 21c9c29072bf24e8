"""What has to be on a cluster before anything can be composed: Crossplane's kinds, and roles for people."""

from typing import Final

from plumbline.base.clock import Clock
from plumbline.base.json import JsonObject
from plumbline.kernel.installing import installed, made
from plumbline.kinds.crossplane import CROSSPLANE_KINDS
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

_ROLES: Final = GroupVersionResource("rbac.authorization.k8s.io", "v1", "clusterroles")
_PEOPLE: Final = ("admin", "edit", "view", "browse")


async def founded(client: Client, clock: Clock) -> None:
    """Make what is missing. What is there stays as it is, whoever made it."""
    await installed(client, CROSSPLANE_KINDS, clock)
    for role in people():
        await made(client, Target(_ROLES), role)


def people() -> tuple[JsonObject, ...]:
    """Roles for people: all that definitions let them do, gathered. Bind people to them, everywhere or in a namespace."""
    return tuple(map(_role, _PEOPLE))


def _role(name: str) -> JsonObject:
    """Without rules: they are the cluster's to fill in, and whoever says some fights with it."""
    chosen = {"matchLabels": {f"rbac.crossplane.io/aggregate-to-{name}": "true"}}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": f"crossplane-{name}", "labels": {"app.kubernetes.io/managed-by": "plumbline"}},
        "aggregationRule": {"clusterRoleSelectors": [chosen]},
    }
