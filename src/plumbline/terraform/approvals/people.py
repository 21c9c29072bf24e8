"""Who may say something about plans without a kubeconfig of their own: those who are logged in at the web port.

The web port asks the API server in their names, so that it is they who approve, and the check of approvals sees them and
nobody else. Two things have to be there: the web port may impersonate people and groups, and everybody who comes through
it, who is put into one group more, may make PlanApprovals. Whose word counts is still what TerraformPolicies say.
"""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.kernel.installing import made
from plumbline.kinds.terraform import PLAN_APPROVAL
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource

GROUP: Final = "plumbline:people"
"""In which everybody is who asks through the web port."""
_NAME: Final = "plumbline-people"
_RBAC: Final = "rbac.authorization.k8s.io"
_ROLES: Final = GroupVersionResource(_RBAC, "v1", "clusterroles")
_BINDINGS: Final = GroupVersionResource(_RBAC, "v1", "clusterrolebindings")


def manifests() -> tuple[JsonObject, JsonObject]:
    """The role and its binding."""
    rule = {
        "apiGroups": [PLAN_APPROVAL.group],
        "resources": [PLAN_APPROVAL.plural],
        "verbs": ["create", "get", "delete"],
    }
    labels = {"app.kubernetes.io/managed-by": "plumbline"}
    role: JsonObject = {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": _NAME, "labels": labels},
        "rules": [rule],
    }
    binding: JsonObject = {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": _NAME, "labels": labels},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": _NAME},
        "subjects": [{"apiGroup": _RBAC, "kind": "Group", "name": GROUP}],
    }
    return role, binding


def impersonation() -> JsonObject:
    """The rule that the web port's own role needs besides."""
    return {"apiGroups": [""], "resources": ["users", "groups"], "verbs": ["impersonate"]}


async def introduced(client: Client) -> None:
    """Make both, unless they are there."""
    role, binding = manifests()
    await made(client, Target(_ROLES), role)
    await made(client, Target(_BINDINGS), binding)
