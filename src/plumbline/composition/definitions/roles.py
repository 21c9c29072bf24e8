"""ClusterRoles by which people and controllers get at composite resources and claims. Pure; names, labels and rules are upstream's."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.composition.definitions.crds import xrd_reference

_PREFIX: Final = "rbac.crossplane.io/"
_READ: Final = ["get", "list", "watch"]
_ALL: Final = ["*"]


def cluster_roles(xrd: JsonObject) -> tuple[JsonObject, ...]:
    spec, name = xrd["spec"], xrd["metadata"]["name"]
    group, kinds = spec["group"], [spec["names"]["plural"]]
    if spec.get("claimNames"):
        kinds.append(spec["claimNames"]["plural"])
    system = [rule for plural in kinds for rule in (_rule(group, plural, _ALL), _finalizers(group, plural))]
    edit = [_rule(group, plural, _ALL) for plural in kinds]
    view = [_rule(group, plural, _READ) for plural in kinds]
    browse = [_rule(group, kinds[0], _READ)]  # composite resources only
    owned = {f"{_PREFIX}xrd": name}
    return (
        _role(xrd, "crossplane", _aggregated("crossplane"), system),
        _role(xrd, "edit", {**_aggregated("admin", "ns-admin", "edit", "ns-edit"), **owned}, edit),
        _role(xrd, "view", {**_aggregated("view", "ns-view"), **owned}, view),
        _role(xrd, "browse", {**_aggregated("browse"), **owned}, browse),
    )


def _aggregated(*to: str) -> dict[str, str]:
    return {f"{_PREFIX}aggregate-to-{each}": "true" for each in to}


def _rule(group: str, plural: str, verbs: list[str]) -> JsonObject:
    return {"apiGroups": [group], "resources": [plural, f"{plural}/status"], "verbs": verbs}


def _finalizers(group: str, plural: str) -> JsonObject:
    """Where owner references are guarded, blocking an owner's deletion takes this permission."""
    return {"apiGroups": [group], "resources": [f"{plural}/finalizers"], "verbs": ["update"]}


def _role(xrd: JsonObject, to: str, labels: dict[str, str], rules: list[JsonObject]) -> JsonObject:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {
            "name": f"crossplane:composite:{xrd['metadata']['name']}:aggregate-to-{to}",
            "labels": labels,
            "ownerReferences": [xrd_reference(xrd)],
        },
        "rules": rules,
    }
