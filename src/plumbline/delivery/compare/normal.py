"""Objects in the form in which they are compared: what cannot make a difference looks the same on both sides."""

from typing import Final

from plumbline.base.json import Json, JsonObject, encode_sorted
from plumbline.delivery.compare.known import with_durations
from plumbline.delivery.compare.rules import Applying, Options
from plumbline.kube.diff import stored_form
from plumbline.kube.names import GroupKind, GroupVersionKind
from plumbline.ownership.learn.tracking import TRACKING_ID, Tracking

_RBAC: Final = "rbac.authorization.k8s.io"
_SECRET: Final = GroupKind("", "Secret")
_CONFIG_MAP: Final = GroupKind("", "ConfigMap")
_ENDPOINTS: Final = GroupKind("", "Endpoints")
_ROLES: Final = frozenset({GroupKind(_RBAC, "Role"), GroupKind(_RBAC, "ClusterRole")})
_CRD: Final = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")


def normal(obj: JsonObject, rules: Applying, options: Options) -> JsonObject:
    """*obj* in the form that is compared and that rules look at. Shares what is so already; whatever is odd stays."""
    kind = GroupVersionKind.of(obj).group_kind
    if kind == _SECRET:
        obj = stored_form(obj)
    elif kind == _CONFIG_MAP:
        obj = _with_binary(obj)
    elif kind in _ROLES:
        obj = _role(obj, options)
    elif kind == _ENDPOINTS:
        obj = _endpoints(obj)
    return with_durations(obj, rules.known) if rules.known else obj


def _with_binary(config_map: JsonObject) -> JsonObject:
    """base64 as the server writes it: without the line breaks that it accepts."""
    values = config_map.get("binaryData")
    if not isinstance(values, dict) or not any(isinstance(text, str) and "\n" in text for text in values.values()):
        return config_map
    joined = {
        name: text.replace("\r", "").replace("\n", "") if isinstance(text, str) else text
        for name, text in values.items()
    }
    return {**config_map, "binaryData": joined}


def _role(role: JsonObject, options: Options) -> JsonObject:
    aggregated = options.ignore_aggregated_roles and isinstance(role.get("aggregationRule"), dict)
    if not aggregated or "rules" not in role:
        return role
    return {name: value for name, value in role.items() if name != "rules"}


def _endpoints(endpoints: JsonObject) -> JsonObject:
    subsets = endpoints.get("subsets")
    if not isinstance(subsets, list) or not all(isinstance(subset, dict) for subset in subsets):
        return endpoints
    return {**endpoints, "subsets": _in_order([_subset(subset) for subset in subsets])}


def _subset(subset: JsonObject) -> JsonObject:
    ordered = {name: _in_order(value) if isinstance(value, list) else value for name, value in subset.items()}
    ports = ordered.get("ports")
    if isinstance(ports, list):
        ordered["ports"] = _in_order(
            [{"protocol": "TCP", **port} if isinstance(port, dict) else port for port in ports]
        )
    return ordered


def _in_order(items: list[Json]) -> list[Json]:
    return sorted(items, key=encode_sorted)


def backfilled(live: JsonObject, desired: JsonObject, tracking: Tracking) -> JsonObject:
    """*live* as if it had been marked by annotation already, where it was marked by label the last time.

    Going over from labels to annotations would make every object differ otherwise. Only where there is no annotation
    yet: a wrong one is a difference.
    """
    if tracking.method == "label":
        return live
    metadata, wanted = _mapping(live.get("metadata")), _mapping(desired.get("metadata"))
    labels, annotations = _mapping(metadata.get("labels")), _mapping(metadata.get("annotations"))
    if not labels.get(tracking.label_key) or GroupVersionKind.of(live).group_kind == _CRD:
        return live
    mark = _mapping(wanted.get("annotations")).get(TRACKING_ID)
    changed: JsonObject = {}
    if mark and not annotations.get(TRACKING_ID):
        changed["annotations"] = {**annotations, TRACKING_ID: mark}
    if not _mapping(wanted.get("labels")).get(tracking.label_key):
        changed["labels"] = {name: value for name, value in labels.items() if name != tracking.label_key}
    return {**live, "metadata": {**metadata, **changed}} if changed else live


def _mapping(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}
