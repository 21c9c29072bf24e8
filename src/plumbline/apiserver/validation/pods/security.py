"""Security contexts of pods and containers.

Privileged containers are allowed: the server is told so wherever clusters are made for people.
"""

import re
from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.fielderrors import (
    FieldError,
    Word,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from plumbline.apiserver.validation.goform import go_form
from plumbline.apiserver.validation.metadata import faulty
from plumbline.apiserver.validation.names import byte_count, dns_subdomain, out_of_range
from plumbline.apiserver.validation.pods.choices import optional_errors
from plumbline.apiserver.validation.pods.paths import descending_errors
from plumbline.apiserver.validation.shapes import integer, mapping, mappings, sequence, text, texts
from plumbline.base.json import Json, JsonObject

_LARGEST_ID: Final = 2**31 - 1
_PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_PROC_MOUNTS: Final = ("Default", "Unmasked")
_APPARMOR_BYTES: Final = 4095
_SYSCTL_BYTES: Final = 253
_SEGMENT: Final = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL: Final = rf"^({_SEGMENT}[\./])*{_SEGMENT}$"
_is_sysctl: Final = re.compile(_SYSCTL.strip("^$")).fullmatch
_IPC_SYSCTLS: Final = {
    "kernel.sem",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
    "kernel.shm_rmid_forced",
    "kernel.msgmax",
    "kernel.msgmnb",
    "kernel.msgmni",
}
_CREDENTIAL_KIB: Final = 64
_DOMAIN_BYTES: Final = 256
_USER_BYTES: Final = 104
_control: Final = re.compile(r"[\x00-\x1f\x7f]").search
_netbios: Final = re.compile(r'[^\\/:\*\?"<>|\.][^\\/:\*\?"<>|]{0,14}').fullmatch
_DNS: Final = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_domain: Final = re.compile(rf"{_DNS}(?:\.{_DNS})*").fullmatch
_bad_user: Final = re.compile(r'["/\\:;|=,\+\*\?<>@\[\]]').search
_dots: Final = re.compile(r"[\. ]+").fullmatch


def container_security_errors(context: JsonObject, at: str, *, host_users: bool) -> Iterator[FieldError]:
    yield from _id_errors(context, ("runAsUser", "runAsGroup"), at)
    mount = context.get("procMount")
    if mount is not None:
        if mount not in _PROC_MOUNTS:
            yield not_supported(f"{at}.procMount", Word(text(mount)), _PROC_MOUNTS)
        if host_users and mount == "Unmasked":
            yield invalid(f"{at}.procMount", Word("Unmasked"), "`hostUsers` must be false to use `Unmasked`")
    yield from _seccomp_errors(context.get("seccompProfile"), f"{at}.seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        yield from _escalation_errors(context, at)
    yield from _windows_errors(mapping(context.get("windowsOptions")), f"{at}.windowsOptions")
    yield from _apparmor_errors(context.get("appArmorProfile"), f"{at}.appArmorProfile")


def _escalation_errors(context: JsonObject, at: str) -> Iterator[FieldError]:
    if context.get("privileged") is True:
        detail = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        yield invalid(at, go_form(context, "SecurityContext"), detail)
    for added in texts(mapping(context.get("capabilities")).get("add")):
        if added == "CAP_SYS_ADMIN":
            detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            yield invalid(at, go_form(context, "SecurityContext"), detail)


def pod_security_errors(spec: JsonObject, at: str) -> Iterator[FieldError]:
    context = mapping(spec.get("securityContext"))
    yield from _id_errors(context, ("fsGroup", "runAsUser", "runAsGroup"), at)
    for index, group in enumerate(sequence(context.get("supplementalGroups"))):
        yield from _one_id_errors(group, f"{at}.supplementalGroups[{index}]")
    if spec.get("hostPID") is True and spec.get("shareProcessNamespace") is True:
        detail = "ShareProcessNamespace and HostPID cannot both be enabled"
        yield invalid(f"{at}.shareProcessNamespace", True, detail)
    yield from _sysctl_errors(context, spec, f"{at}.sysctls")
    policy = context.get("fsGroupChangePolicy")
    yield from optional_errors(policy, f"{at}.fsGroupChangePolicy", ("Always", "OnRootMismatch"))
    yield from _seccomp_errors(context.get("seccompProfile"), f"{at}.seccompProfile")
    yield from _windows_errors(mapping(context.get("windowsOptions")), f"{at}.windowsOptions")
    yield from _apparmor_errors(context.get("appArmorProfile"), f"{at}.appArmorProfile")
    policy = context.get("supplementalGroupsPolicy")
    yield from optional_errors(policy, f"{at}.supplementalGroupsPolicy", ("Merge", "Strict"))
    policy = context.get("seLinuxChangePolicy")
    yield from optional_errors(policy, f"{at}.seLinuxChangePolicy", ("Recursive",))


def _id_errors(context: JsonObject, names: tuple[str, ...], at: str) -> Iterator[FieldError]:
    for name in names:
        if name in context:
            yield from _one_id_errors(context[name], f"{at}.{name}")


def _one_id_errors(value: Json, field: str) -> Iterator[FieldError]:
    held = integer(value)
    if held is not None and not 0 <= held <= _LARGEST_ID:
        yield invalid(field, held, out_of_range(0, _LARGEST_ID))


def _sysctl_errors(context: JsonObject, spec: JsonObject, field: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, sysctl in enumerate(mappings(context.get("sysctls"))):
        at, name = f"{field}[{index}].name", text(sysctl.get("name"))
        if not name:
            yield required(at)
        elif byte_count(name) > _SYSCTL_BYTES or not _is_sysctl(name):
            yield invalid(at, name, f"must have at most {_SYSCTL_BYTES} characters and match regex {_SYSCTL}")
        elif name in seen:
            yield duplicate(at, name)
        space = _namespace(name)
        if space and spec.get(space) is True:
            yield invalid(at, name, f"may not be specified when '{space}' is true")
        seen.add(name)


def _namespace(sysctl: str) -> str:
    """Which sharing with the host makes *sysctl* one of the host: the name of the field that asks for it."""
    first = next((char for char in sysctl if char in "./"), ".")
    name = sysctl if first == "." else sysctl.translate(str.maketrans("./", "/."))
    name = name.partition("*")[0]
    if name in _IPC_SYSCTLS or name.startswith("fs.mqueue."):
        return "hostIPC"
    return "hostNetwork" if name.startswith("net.") else ""


def _seccomp_errors(profile: Json, at: str) -> Iterator[FieldError]:
    if not isinstance(profile, dict):
        return
    kind, path = text(profile.get("type")), profile.get("localhostProfile")
    if not kind:
        yield required(f"{at}.type", "type is required when seccompProfile is set")
    elif kind not in _PROFILES:
        yield not_supported(f"{at}.type", Word(kind), _PROFILES)
    if kind != "Localhost":
        if path is not None:
            detail = "can only be set when seccomp type is Localhost"
            yield invalid(f"{at}.localhostProfile", go_form(profile, "SeccompProfile"), detail)
    elif path is None:
        yield required(f"{at}.localhostProfile", "must be set when seccomp type is Localhost")
    else:
        yield from descending_errors(text(path), f"{at}.localhostProfile")


def _apparmor_errors(profile: Json, at: str) -> Iterator[FieldError]:
    if not isinstance(profile, dict):
        return
    kind, path, field = text(profile.get("type")), profile.get("localhostProfile"), f"{at}.localhostProfile"
    if not kind:
        yield required(f"{at}.type", "type is required when appArmorProfile is set")
    elif kind not in _PROFILES:
        yield not_supported(f"{at}.type", Word(kind), _PROFILES)
    elif kind != "Localhost":
        if path is not None:
            yield invalid(field, Word(text(path)), "can only be set when AppArmor type is Localhost")
    elif path is None:
        yield required(field, "must be set when AppArmor type is Localhost")
    else:
        yield from _apparmor_path_errors(text(path), field)


def _apparmor_path_errors(path: str, field: str) -> Iterator[FieldError]:
    if path != path.strip():
        yield invalid(field, path, "must not be padded with whitespace")
    elif not path:
        yield required(field, "must be set when AppArmor type is Localhost")
    if byte_count(path) > _APPARMOR_BYTES:
        yield too_long(field, _APPARMOR_BYTES)


def _windows_errors(options: JsonObject, at: str) -> Iterator[FieldError]:
    if not options:
        return
    if isinstance(name := options.get("gmsaCredentialSpecName"), str):
        yield from faulty(f"{at}.gmsaCredentialSpecName", Word(name), dns_subdomain(name))
    if isinstance(spec := options.get("gmsaCredentialSpec"), str):
        if not spec:
            yield invalid(f"{at}.gmsaCredentialSpec", "", "gmsaCredentialSpec cannot be an empty string")
        elif byte_count(spec) > _CREDENTIAL_KIB * 1024:
            detail = f"gmsaCredentialSpec size must be under {_CREDENTIAL_KIB} KiB"
            yield invalid(f"{at}.gmsaCredentialSpec", Word(spec), detail)
    if isinstance(user := options.get("runAsUserName"), str):
        yield from faulty(f"{at}.runAsUserName", Word(user), [f"runAsUserName{fault}" for fault in _user_faults(user)])


def _user_faults(name: str) -> Iterator[str]:
    if not name:
        yield " cannot be an empty string"
    elif _control(name):
        yield " cannot contain control characters"
    elif name.count("\\") > 1:
        yield " cannot contain more than one backslash"
    else:
        domain, backslash, user = name.rpartition("\\")
        if byte_count(domain) >= _DOMAIN_BYTES:
            yield f"'s Domain length must be under {_DOMAIN_BYTES} characters"
        if backslash and not _netbios(domain) and not _domain(domain):
            yield "'s Domain doesn't match the NetBios nor the DNS format"
        if not user:
            yield "'s User cannot be empty"
        elif byte_count(user) > _USER_BYTES:
            yield f"'s User length must not be longer than {_USER_BYTES} characters"
        if _dots(user):
            yield "'s User cannot contain only periods or spaces"
        if _bad_user(user):
            yield "'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"


def host_user_errors(spec: JsonObject, at: str, containers: list[tuple[str, JsonObject]]) -> Iterator[FieldError]:
    """Complaints about what pods with users of their own may not share with the host."""
    if spec.get("hostUsers") is not False:
        return
    for name, field in (("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")):
        if spec.get(name) is True:
            yield forbidden(f"{at}.{field}", "when `hostUsers` is false")
    for path, container in containers:
        if container.get("volumeDevices"):
            yield forbidden(f"{path}.volumeDevices", "when `hostUsers` is false")
