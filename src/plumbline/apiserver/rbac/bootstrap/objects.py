"""The roles and bindings of a fresh cluster, as the API serves them, in the order in which they are created."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.rbac.aggregation import aggregated
from plumbline.apiserver.rbac.bootstrap.clusterroles import CLUSTER_ROLES
from plumbline.apiserver.rbac.bootstrap.controllerroles import CONTROLLER_PREFIX, CONTROLLER_ROLES
from plumbline.apiserver.rbac.bootstrap.namespaced import CLUSTER_ROLE_BINDINGS, ROLE_BINDINGS, ROLES
from plumbline.apiserver.rbac.bootstrap.table import Entry, Heading, entries
from plumbline.apiserver.rbac.index import GROUP
from plumbline.base.json import JsonObject

API_VERSION: Final = f"{GROUP}/v1"
_AGGREGATE: Final = f"{GROUP}/aggregate-to-"
_CONTROLLERS_NAMESPACE: Final = "kube-system"

# A role that is made of another aggregated one comes after it.
_AGGREGATED: Final = ("view", "edit", "admin")


def bootstrap_objects() -> list[JsonObject]:
    """All of them, without what only a store can give: uid, creation time, resource version, field managers."""
    cluster_roles = [_role("ClusterRole", entry) for entry in entries(CLUSTER_ROLES)]
    controllers = [_controller_role(entry) for entry in entries(CONTROLLER_ROLES)]
    return [
        *_with_aggregates(cluster_roles + controllers),
        *(_binding("ClusterRoleBinding", "ClusterRole", entry.heading) for entry in entries(CLUSTER_ROLE_BINDINGS)),
        *map(_controller_binding, controllers),
        *(_role("Role", entry) for entry in entries(ROLES)),
        *(_binding("RoleBinding", "Role", entry.heading) for entry in entries(ROLE_BINDINGS)),
    ]


def _with_aggregates(roles: list[JsonObject]) -> list[JsonObject]:
    by_name = {role["metadata"]["name"]: role for role in roles}
    for name in _AGGREGATED:
        role = by_name[name]
        selectors = role.pop("aggregationRule")
        complete = role | {"rules": aggregated(role | {"aggregationRule": selectors}, by_name.values())}
        by_name[name] = complete | {"aggregationRule": selectors}
    return list(by_name.values())


def _role(kind: str, entry: Entry) -> JsonObject:
    heading = entry.heading
    role = _object(kind, heading) | {"rules": entry.rules}
    if heading.to:
        role["metadata"]["labels"][f"{_AGGREGATE}{heading.to}"] = "true"
    if heading.made_from:
        label = f"{_AGGREGATE}{heading.made_from}"
        role["aggregationRule"] = {"clusterRoleSelectors": [{"matchLabels": {label: "true"}}]}
    return role


def _controller_role(entry: Entry) -> JsonObject:
    return _role("ClusterRole", Entry(Heading(CONTROLLER_PREFIX + entry.heading.name), entry.rules))


def _controller_binding(role: JsonObject) -> JsonObject:
    name = role["metadata"]["name"]
    account = f"ServiceAccount/{_CONTROLLERS_NAMESPACE}/{name.removeprefix(CONTROLLER_PREFIX)}"
    return _binding("ClusterRoleBinding", "ClusterRole", Heading(name, subjects=(account,)))


def _binding(kind: str, role_kind: str, heading: Heading) -> JsonObject:
    subjects = {"subjects": list(_subjects(heading))} if heading.subjects else {}
    ref = {"apiGroup": GROUP, "kind": role_kind, "name": heading.of or heading.name}
    return _object(kind, heading) | subjects | {"roleRef": ref}


def _subjects(heading: Heading) -> Iterator[JsonObject]:
    for subject in heading.subjects:
        kind, *namespace, name = subject.split("/")
        if namespace:
            yield {"kind": kind, "name": name, "namespace": namespace[0]}
        else:
            yield {"kind": kind, "apiGroup": GROUP, "name": name}


def _object(kind: str, heading: Heading) -> JsonObject:
    place = {"name": heading.name} | ({"namespace": heading.namespace} if heading.namespace else {})
    marks = {
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    }
    return {"kind": kind, "apiVersion": API_VERSION, "metadata": place | marks}
