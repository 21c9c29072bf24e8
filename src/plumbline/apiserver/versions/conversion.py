"""From each version of a built-in kind to the others."""

from plumbline.apiserver.versions.autoscalers import autoscaler_in_first_version, autoscaler_in_second_version
from plumbline.apiserver.versions.events import core_event, event_of_its_group
from plumbline.base.json import JsonObject
from plumbline.kube.names import GroupVersionKind

_CONVERSIONS = {
    GroupVersionKind("", "v1", "Event"): core_event,
    GroupVersionKind("events.k8s.io", "v1", "Event"): event_of_its_group,
    GroupVersionKind("autoscaling", "v1", "HorizontalPodAutoscaler"): autoscaler_in_first_version,
    GroupVersionKind("autoscaling", "v2", "HorizontalPodAutoscaler"): autoscaler_in_second_version,
}


def converted(obj: JsonObject, kind: GroupVersionKind) -> JsonObject:
    """*obj* as *kind*, which is its own or another version of it; nothing is lost on the way there and back."""
    if obj.get("apiVersion") == kind.api_version:
        return obj
    convert = _CONVERSIONS.get(kind)
    return convert(obj) if convert else {**obj, "apiVersion": kind.api_version}
