"""Where containers mount the volumes of their pod."""

from collections.abc import Iterator, Mapping
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, forbidden, invalid, not_found, not_supported, required
from plumbline.apiserver.validation.pods.paths import descending_errors, upward_errors
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import Json, JsonObject

_PROPAGATIONS: Final = ("Bidirectional", "HostToContainer", "None")
_READ_ONLY: Final = ("Disabled", "Enabled", "IfPossible")


def mount_errors(container: JsonObject, field: str, volumes: Mapping[str, JsonObject]) -> Iterator[FieldError]:
    devices = _places(container.get("volumeDevices"), "devicePath")
    seen: set[str] = set()
    for index, mount in enumerate(mappings(container.get("volumeMounts"))):
        at, name, path = f"{field}[{index}]", text(mount.get("name")), text(mount.get("mountPath"))
        if not name:
            yield required(f"{at}.name")
        if name not in volumes:
            yield not_found(f"{at}.name", name)
        if not path:
            yield required(f"{at}.mountPath")
        if path in seen:
            yield invalid(f"{at}.mountPath", path, "must be unique")
        seen.add(path)
        if devices:
            yield from _device_clash_errors(name, path, at, devices)
        yield from _sub_path_errors(mount, at, field)
        if mount.get("mountPropagation") is not None:
            yield from _propagation_errors(mount, container, f"{field}.mountPropagation")
        if mount.get("recursiveReadOnly") is not None:
            yield from _recursive_errors(mount, f"{field}.recursiveReadOnly")


def _device_clash_errors(name: str, path: str, at: str, devices: dict[str, str]) -> Iterator[FieldError]:
    if name in devices:
        yield invalid(f"{at}.name", name, "must not already exist in volumeDevices")
    if path in devices.values():
        yield invalid(f"{at}.mountPath", path, "must not already exist as a path in volumeDevices")


def _sub_path_errors(mount: JsonObject, at: str, field: str) -> Iterator[FieldError]:
    path, expression = text(mount.get("subPath")), text(mount.get("subPathExpr"))
    if path:
        yield from descending_errors(path, f"{field}.subPath")
    if expression:
        if path:
            yield invalid(f"{at}.subPathExpr", expression, "subPathExpr and subPath are mutually exclusive")
        yield from descending_errors(expression, f"{field}.subPathExpr")


def _propagation_errors(mount: JsonObject, container: JsonObject, field: str) -> Iterator[FieldError]:
    propagation = text(mount.get("mountPropagation"))
    if propagation not in _PROPAGATIONS:
        yield not_supported(field, Word(propagation), _PROPAGATIONS)
    if propagation == "Bidirectional" and mapping(container.get("securityContext")).get("privileged") is not True:
        yield forbidden(field, "Bidirectional mount propagation is available only to privileged containers")


def _recursive_errors(mount: JsonObject, field: str) -> Iterator[FieldError]:
    recursive = text(mount.get("recursiveReadOnly"))
    if recursive not in _READ_ONLY:
        yield not_supported(field, Word(recursive), _READ_ONLY)
    elif recursive != "Disabled":
        if mount.get("readOnly") is not True:
            yield forbidden(field, "may only be specified when readOnly is true")
        if mount.get("mountPropagation") not in (None, "None"):
            yield forbidden(field, "may only be specified when mountPropagation is None or not specified")


def device_errors(container: JsonObject, field: str, volumes: Mapping[str, JsonObject]) -> Iterator[FieldError]:
    mounts = _places(container.get("volumeMounts"), "mountPath")
    names: set[str] = set()
    paths: set[str] = set()
    for index, device in enumerate(mappings(container.get("volumeDevices"))):
        at, name, path = f"{field}[{index}]", text(device.get("name")), text(device.get("devicePath"))
        if not name:
            yield required(f"{at}.name")
        if name in names:
            yield invalid(f"{at}.name", name, "must be unique")
        yield from _block_errors(name, f"{at}.name", volumes)
        if not path:
            yield required(f"{at}.devicePath")
        if path in paths:
            yield invalid(f"{at}.devicePath", path, "must be unique")
        if any(upward_errors(path, "")):
            yield invalid(f"{at}.devicePath", path, "can not contain backsteps ('..')")
        else:
            paths.add(path)
        if name in mounts:
            yield invalid(f"{at}.name", name, "must not already exist in volumeMounts")
        if path in mounts.values():
            yield invalid(f"{at}.devicePath", path, "must not already exist as a path in volumeMounts")
        if name:
            names.add(name)


def _block_errors(name: str, field: str, volumes: Mapping[str, JsonObject]) -> Iterator[FieldError]:
    volume = volumes.get(name)
    if volume is None:
        yield not_found(field, name)
    elif volume.get("persistentVolumeClaim") is None and volume.get("ephemeral") is None:
        detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        yield invalid(field, name, detail)


def _places(listed: Json, path: str) -> dict[str, str]:
    return {text(each.get("name")): text(each.get(path)) for each in mappings(listed)} if listed else {}
