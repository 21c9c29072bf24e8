"""Environment variables of containers, and where their values come from."""

from collections.abc import Callable, Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, invalid, not_found, not_supported, required
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import (
    config_key,
    dns_label,
    dns_subdomain,
    qualified_name,
    relaxed_env_name,
    subdomain_name,
)
from plumbline.apiserver.validation.pods.paths import upward_errors
from plumbline.apiserver.validation.pods.resources import quantity
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import Json, JsonObject

Paths = tuple[str, ...]

ENV_PATHS: Final[Paths] = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
VOLUME_PATHS: Final[Paths] = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
_CONVERTIBLE: Final = {*ENV_PATHS, *VOLUME_PATHS, "spec.restartPolicy", "spec.schedulerName", "status.phase"}
_RENAMED: Final = {"spec.host": "spec.nodeName"}
_RESOURCES: Final = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_HUGE_PAGES: Final = ("limits.hugepages-", "requests.hugepages-")
_CPU_DIVISORS: Final = ("1m", "1")
_DIVISORS: Final = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
_TITLES: Final = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}


def env_errors(variables: Json, field: str) -> Iterator[FieldError]:
    for index, variable in enumerate(mappings(variables)):
        name = text(variable.get("name"))
        if not name:
            yield required(f"{field}[{index}].name")
        elif faults := relaxed_env_name(name):
            yield from faulty(f"{field}[{index}].name", name, faults)
        if (source := variable.get("valueFrom")) is not None:
            yield from _source_errors(mapping(source), text(variable.get("value")), f"{field}[{index}].valueFrom")


def env_from_errors(sources: Json, field: str) -> Iterator[FieldError]:
    for index, source in enumerate(mappings(sources)):
        at, prefix = f"{field}[{index}]", text(source.get("prefix"))
        if prefix:
            yield from faulty(f"{at}.prefix", prefix, relaxed_env_name(prefix))
        given = [name for name in ("configMapRef", "secretRef") if source.get(name) is not None]
        for each in given:
            yield from _object_name_errors(mapping(source[each]), f"{at}.{each}")
        if not given:
            yield invalid(field, "", "must specify one of: `configMapRef` or `secretRef`")
        elif len(given) > 1:
            yield invalid(field, "", "may not have more than one field specified at a time")


def _object_name_errors(ref: JsonObject, at: str) -> Iterator[FieldError]:
    name = text(ref.get("name"))
    # Upstream takes the name for a prefix here, so that a dash may end it.
    yield from faulty(f"{at}.name", name, subdomain_name(name, True)) if name else [required(f"{at}.name")]


def _source_errors(source: JsonObject, value: str, at: str) -> Iterator[FieldError]:
    given = [name for name in _SOURCES if source.get(name) is not None]
    for name in given:
        yield from _SOURCES[name](mapping(source[name]), f"{at}.{name}")
    if not given:
        names = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        yield invalid(at, "", f"must specify one of: {names}")
    elif value:
        yield invalid(at, "", "may not be specified when `value` is not empty")
    elif len(given) > 1:
        yield invalid(at, "", "may not have more than one field specified at a time")


def field_ref_errors(ref: JsonObject, at: str, supported: Paths = ENV_PATHS) -> Iterator[FieldError]:
    version, path = text(ref.get("apiVersion")), text(ref.get("fieldPath"))
    if not version or not path:
        yield required(f"{at}.fieldPath" if version else f"{at}.apiVersion")
        return
    base, subscript = _split(path)
    if fault := _conversion_fault(version, path, base):
        yield invalid(f"{at}.fieldPath", path, f"error converting fieldPath: {fault}")
    elif subscript is not None:
        key = subscript.lower() if base == "metadata.annotations" else subscript
        yield from faulty(at, key, qualified_name(key))
    elif (held := _RENAMED.get(path, path)) not in supported:
        yield not_supported(f"{at}.fieldPath", held, supported)


def _split(path: str) -> tuple[str, str | None]:
    base, bracket, subscript = path.removesuffix("']").partition("['")
    return (base, subscript) if path.endswith("']") and bracket and base else (path, None)


def _conversion_fault(version: str, path: str, base: str) -> str:
    if version != "v1":
        return f"unsupported pod version: {version}"
    if base != path:
        supported = base in {"metadata.annotations", "metadata.labels"}
        return "" if supported else f"field label does not support subscript: {path}"
    return "" if path in _CONVERTIBLE or path in _RENAMED else f"field label not supported: {path}"


def resource_ref_errors(ref: JsonObject, at: str, *, in_volume: bool = False) -> Iterator[FieldError]:
    resource = text(ref.get("resource"))
    if in_volume and not ref.get("containerName"):
        yield required(f"{at}.containerName")
    elif not resource:
        yield required(f"{at}.resource")
    elif resource not in _RESOURCES and not resource.startswith(_HUGE_PAGES):
        yield not_supported(f"{at}.resource", resource, _RESOURCES)
    divisor = quantity(ref.get("divisor"))
    if divisor:
        yield from _divisor_errors(resource, str(divisor), f"{at}.divisor")


def _divisor_errors(resource: str, divisor: str, field: str) -> Iterator[FieldError]:
    kind = resource.partition(".")[2]
    if resource in _RESOURCES and kind == "cpu":
        if divisor not in _CPU_DIVISORS:
            yield invalid(field, resource, "only divisor's values 1m and 1 are supported with the cpu resource")
    elif (resource in _RESOURCES or resource.startswith(_HUGE_PAGES)) and divisor not in _DIVISORS:
        title = _TITLES.get(kind, "hugepages")
        detail = f"only divisor's values {', '.join(_DIVISORS)} are supported with the {title} resource"
        yield invalid(field, resource, detail)


def _key_ref_errors(ref: JsonObject, at: str) -> Iterator[FieldError]:
    name, key = text(ref.get("name")), text(ref.get("key"))
    yield from faulty(f"{at}.name", name, dns_subdomain(name))
    yield from faulty(f"{at}.key", key, config_key(key)) if key else [required(f"{at}.key")]


def _file_ref_errors(ref: JsonObject, at: str) -> Iterator[FieldError]:
    key, volume, path = text(ref.get("key")), text(ref.get("volumeName")), text(ref.get("path"))
    yield from faulty(f"{at}.key", key, relaxed_env_name(key)) if key else [required(f"{at}.key")]
    yield from faulty(f"{at}.volumeName", volume, dns_label(volume)) if volume else [required(f"{at}.volumeName")]
    yield from upward_errors(path, f"{at}.path") if path else [required(f"{at}.path")]


def file_volume_errors(container: JsonObject, at: str, volumes: dict[str, JsonObject]) -> Iterator[FieldError]:
    """Complaints about variables that come from files in volumes which are none, or not the pod's own."""
    for index, variable in enumerate(mappings(container.get("env"))):
        ref = mapping(variable.get("valueFrom")).get("fileKeyRef")
        if not isinstance(ref, dict):
            continue
        name, field = text(ref.get("volumeName")), f"{at}.env[{index}].valueFrom.fileKeyRef.volumeName"
        if name not in volumes:
            yield not_found(field, name)
        elif volumes[name].get("emptyDir") is None:
            yield invalid(field, name, "referenced volume must be of type emptyDir")


_SOURCES: Final[dict[str, Callable[[JsonObject, str], Iterator[FieldError]]]] = {
    "fieldRef": field_ref_errors,
    "resourceFieldRef": resource_ref_errors,
    "configMapKeyRef": _key_ref_errors,
    "secretKeyRef": _key_ref_errors,
    "fileKeyRef": _file_ref_errors,
}
