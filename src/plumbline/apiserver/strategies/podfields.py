"""Fields of pods that the types have and that are still switched off: they are dropped unless the object had them."""

from collections.abc import Callable
from typing import Final

from plumbline.apiserver.validation.shapes import mapping, mappings
from plumbline.base.json import Json, JsonObject

CONTAINER_FIELDS: Final = ("initContainers", "containers", "ephemeralContainers")
_STATUSES: Final = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
_PROJECTIONS: Final = ("clusterTrustBundle", "podCertificate")

Edit = Callable[[JsonObject], JsonObject]


def enabled_template(template: Json, old: Json) -> Json:
    """*template* without what is switched off, where that was not in the *old* one."""
    if not isinstance(template, dict):
        return template
    spec = template.get("spec")
    if not isinstance(spec, dict):
        return template
    kept = enabled_spec(spec, mapping(mapping(old).get("spec")))
    return template if kept is spec else {**template, "spec": kept}


def enabled_spec(spec: JsonObject, old: JsonObject) -> JsonObject:
    if "schedulingGroup" in spec and "schedulingGroup" not in old:
        spec = {name: value for name, value in spec.items() if name != "schedulingGroup"}
    for field in CONTAINER_FIELDS:
        if _signals(spec, field) and not any(_signals(old, each) for each in CONTAINER_FIELDS):
            spec = {**spec, field: _each(spec[field], _without_signal)}
    for projection in _PROJECTIONS:
        if _projects(spec, projection) and not _projects(old, projection):
            spec = {**spec, "volumes": _each(spec["volumes"], _without_projection(projection))}
    return spec


def enabled_status(status: JsonObject, old: JsonObject) -> JsonObject:
    name = "nodeAllocatableResourceClaimStatuses"
    if name in status and not old.get(name):
        status = {field: value for field, value in status.items() if field != name}
    if any(_digests(old, field) for field in _STATUSES):
        return status
    for field in _STATUSES:
        if _digests(status, field):
            status = {**status, field: _each(status[field], _without_digests)}
    return status


def _each(items: Json, edit: Edit) -> list[JsonObject]:
    return [edit(item) for item in mappings(items)]


def _signals(spec: JsonObject, field: str) -> bool:
    return any("stopSignal" in mapping(each.get("lifecycle")) for each in mappings(spec.get(field)))


def _without_signal(container: JsonObject) -> JsonObject:
    lifecycle = mapping(container.get("lifecycle"))
    if "stopSignal" not in lifecycle:
        return container
    kept = {name: value for name, value in lifecycle.items() if name != "stopSignal"}
    without = {name: value for name, value in container.items() if name != "lifecycle"}
    return {**without, "lifecycle": kept} if kept else without


def _sources(volume: JsonObject) -> list[JsonObject]:
    return mappings(mapping(volume.get("projected")).get("sources"))


def _projects(spec: JsonObject, projection: str) -> bool:
    return any(projection in source for volume in mappings(spec.get("volumes")) for source in _sources(volume))


def _without_projection(projection: str) -> Edit:
    def edit(volume: JsonObject) -> JsonObject:
        sources = _sources(volume)
        if not any(projection in source for source in sources):
            return volume
        kept = [{name: value for name, value in source.items() if name != projection} for source in sources]
        return {**volume, "projected": {**volume["projected"], "sources": kept}}

    return edit


def _digests(status: JsonObject, field: str) -> bool:
    mounts = (mount for each in mappings(status.get(field)) for mount in mappings(each.get("volumeMounts")))
    return any("volumeStatus" in mount for mount in mounts)


def _without_digests(container: JsonObject) -> JsonObject:
    if "volumeMounts" not in container:
        return container
    mounts = [
        {name: value for name, value in mount.items() if name != "volumeStatus"}
        for mount in mappings(container["volumeMounts"])
    ]
    return {**container, "volumeMounts": mounts}
