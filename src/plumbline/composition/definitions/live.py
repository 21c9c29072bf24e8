"""The CRDs and ClusterRoles of a definition on the cluster: whether they are as they should be, and what to write if not. Pure."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.composition.definitions.writing import controller_of, with_controller
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource

CRDS: Final = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
CLUSTER_ROLES: Final = GroupVersionResource("rbac.authorization.k8s.io", "v1", "clusterroles")
_HTTPS: Final = 443


def crd_target(crd: JsonObject) -> Target:
    return Target(CRDS, name=crd["metadata"]["name"])


def role_target(role: JsonObject) -> Target:
    return Target(CLUSTER_ROLES, name=role["metadata"]["name"])


def replacement(desired: JsonObject, live: JsonObject) -> JsonObject | None:
    """*live* made as *desired* says, in its very version; None where it is so already.

    Labels and annotations of others stay, and so does every owner that is not the controller.
    """
    part = "spec" if "spec" in desired else "rules"
    wanted = _defaulted(desired["spec"]) if part == "spec" else desired["rules"]
    metadata = {
        **live["metadata"],
        "labels": {**(live["metadata"].get("labels") or {}), **(desired["metadata"].get("labels") or {})},
        "annotations": {
            **(live["metadata"].get("annotations") or {}),
            **(desired["metadata"].get("annotations") or {}),
        },
        "ownerReferences": with_controller(live["metadata"], desired["metadata"]["ownerReferences"][0]),
    }
    if live.get(part) == wanted and _same(metadata, live["metadata"]):
        return None
    kept = {key: value for key, value in metadata.items() if key != "managedFields"}
    return {**live, **desired, "metadata": kept}


def foreign_controller(live: JsonObject, desired: JsonObject) -> JsonObject | None:
    """Who controls *live*, if that is somebody else than *desired* says.

    A controller of the same kind and name is the same definition before the control plane was rebuilt from Git.
    """
    ours, theirs = desired["metadata"]["ownerReferences"][0], controller_of(live)
    if theirs is None or theirs["uid"] == ours["uid"]:
        return None
    return None if (theirs["kind"], theirs["name"]) == (ours["kind"], ours["name"]) else theirs


def established(crd: JsonObject) -> bool:
    return _state(crd, "Established") == "True"


def names_refused(crd: JsonObject) -> str:
    """Why the API server does not accept the names, in its words; empty where it does."""
    if _state(crd, "NamesAccepted") != "False":
        return ""
    conditions = (crd.get("status") or {}).get("conditions") or ()
    return next(str(each.get("message", "")) for each in conditions if each["type"] == "NamesAccepted")


def _state(crd: JsonObject, type_: str) -> str:
    conditions = (crd.get("status") or {}).get("conditions") or ()
    return next((str(each.get("status")) for each in conditions if each.get("type") == type_), "")


def _same(ours: JsonObject, live: JsonObject) -> bool:
    return all((ours[key] or None) == (live.get(key) or None) for key in ("labels", "annotations", "ownerReferences"))


def _defaulted(spec: JsonObject) -> JsonObject:
    """*spec* with what the API server adds to every CRD."""
    names = spec["names"]
    filled = {"singular": names["kind"].lower(), "listKind": f"{names['kind']}List", **names}
    return {**spec, "names": filled, "conversion": _conversion(spec.get("conversion") or {"strategy": "None"})}


def _conversion(conversion: JsonObject) -> JsonObject:
    webhook = conversion.get("webhook") or {}
    client = webhook.get("clientConfig") or {}
    if not client.get("service"):
        return conversion
    service = {"port": _HTTPS, **client["service"]}
    return {**conversion, "webhook": {**webhook, "clientConfig": {**client, "service": service}}}
