"""What pods for one operating system may not ask of another."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import FieldError, Word, forbidden, invalid, not_supported, required
from plumbline.apiserver.validation.shapes import mapping, text
from plumbline.base.json import JsonObject

Containers = list[tuple[str, JsonObject]]

_FOREIGN_TO_WINDOWS: Final = (
    ("securityContext", "appArmorProfile"),
    ("securityContext", "seLinuxOptions"),
    ("", "hostUsers"),
    ("", "hostPID"),
    ("", "hostIPC"),
    ("securityContext", "seccompProfile"),
    ("securityContext", "fsGroup"),
    ("securityContext", "fsGroupChangePolicy"),
    ("securityContext", "sysctls"),
    ("", "shareProcessNamespace"),
    ("securityContext", "runAsUser"),
    ("securityContext", "runAsGroup"),
    ("securityContext", "supplementalGroups"),
    ("securityContext", "supplementalGroupsPolicy"),
    ("securityContext", "seLinuxChangePolicy"),
)
_TRUE_ONLY: Final = {"hostPID", "hostIPC", "sysctls"}
_FOREIGN_TO_WINDOWS_CONTAINERS: Final = (
    "appArmorProfile",
    "seLinuxOptions",
    "seccompProfile",
    "capabilities",
    "readOnlyRootFilesystem",
    "privileged",
    "allowPrivilegeEscalation",
    "procMount",
    "runAsUser",
    "runAsGroup",
)


def platform_errors(spec: JsonObject, at: str, containers: Containers) -> Iterator[FieldError]:
    name = text(mapping(spec.get("os")).get("name"))
    if not name:
        yield required(f"{at}.os.name")
    elif name == "linux":
        yield from _linux_errors(spec, at, containers)
    elif name == "windows":
        yield from _windows_errors(spec, at, containers)
    else:
        yield not_supported(f"{at}.os", Word(name), ("linux", "windows"))


def _linux_errors(spec: JsonObject, at: str, containers: Containers) -> Iterator[FieldError]:
    for path, held in ((at, spec), *containers):
        if mapping(held.get("securityContext")).get("windowsOptions") is not None:
            detail = "windows options cannot be set for a linux pod"
            yield forbidden(f"{path}.securityContext.windowsOptions", detail)


def _windows_errors(spec: JsonObject, at: str, containers: Containers) -> Iterator[FieldError]:
    detail = "cannot be set for a windows pod"
    for parent, name in _FOREIGN_TO_WINDOWS:
        value = (mapping(spec.get(parent)) if parent else spec).get(name)
        if value is not None and (value or name not in _TRUE_ONLY):
            yield forbidden(f"{at}.{parent}.{name}" if parent else f"{at}.{name}", detail)
    for path, container in containers:
        context = mapping(container.get("securityContext"))
        for name in _FOREIGN_TO_WINDOWS_CONTAINERS:
            if context.get(name) is not None:
                yield forbidden(f"{path}.securityContext.{name}", detail)


def host_process_errors(spec: JsonObject, at: str, containers: Containers) -> Iterator[FieldError]:
    """Complaints about Windows containers of which some would be processes of the host and others not."""
    of_pod = _host_process(spec)
    count = 0
    for path, container in containers:
        own = _host_process(container)
        if of_pod is not None and own is not None and of_pod != own:
            shown = "true" if of_pod else "false"
            detail = f"pod hostProcess value must be identical if both are specified, was {shown}"
            yield invalid(f"{path}.securityContext.windowsOptions.hostProcess", own, detail)
        count += (of_pod if own is None else own) is True
    if not count:
        return
    if count != len(containers):
        detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers"
        yield invalid(at, "", detail)
    if spec.get("hostNetwork") is not True:
        detail = "hostNetwork must be true if pod contains any hostProcess containers"
        yield invalid(f"{at}.hostNetwork", False, detail)


def _host_process(held: JsonObject) -> bool | None:
    value = mapping(mapping(held.get("securityContext")).get("windowsOptions")).get("hostProcess")
    return value if isinstance(value, bool) else None
