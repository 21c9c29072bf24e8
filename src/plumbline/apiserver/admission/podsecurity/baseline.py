"""What nobody should do without a reason: the checks of the level `baseline`."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.admission.podsecurity.subject import (
    Subject,
    Violation,
    containers,
    counted,
    quoted_list,
    setters,
)
from plumbline.apiserver.strategies import apparmor
from plumbline.apiserver.validation.shapes import mapping, mappings, number, text, texts
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted

_CAPABILITIES: Final = frozenset(
    [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ]
)
_PROFILES: Final = ("RuntimeDefault", "Localhost")
_SELINUX_TYPES: Final = ("", "container_t", "container_init_t", "container_kvm_t")
_SYSCTLS: Final = {
    "kernel.shm_rmid_forced": 0,
    "net.ipv4.ip_local_port_range": 0,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.ip_unprivileged_port_start": 0,
    "net.ipv4.ping_group_range": 0,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_syncookies": 0,
    "net.ipv4.tcp_wmem": 32,
}
"""Since which minor version each is harmless."""
_POD_SECCOMP: Final = "seccomp.security.alpha.kubernetes.io/pod"
_CONTAINER_SECCOMP: Final = "container.seccomp.security.alpha.kubernetes.io/"


def apparmor_profile(pod: Subject) -> Iterator[Violation]:
    def wrong(context: JsonObject) -> bool:
        profile = context.get("appArmorProfile")
        return isinstance(profile, dict) and profile.get("type") not in _PROFILES

    bad = pod.where(wrong)
    contexts = [pod.context, *(mapping(each.get("securityContext")) for each in pod.containers)]
    values = sorted({text(each["appArmorProfile"].get("type")) for each in contexts if wrong(each)})
    noted = sorted(f"{key}={quoted(text(value))}" for key, value in pod.annotations.items() if _wrong_note(key, value))
    who = [each for each in (setters(bad, pod=wrong(pod.context)),) if each]
    if noted:
        who.append(counted("annotation", noted))
    if who:
        every = [*values, *noted]
        reason = counted("forbidden AppArmor profile", every)
        yield Violation(reason, f"{' and '.join(who)} must not set AppArmor profile type to {quoted_list(every)}")


def _wrong_note(key: str, value: Json) -> bool:
    profile = text(value)
    allowed = profile in {"", "runtime/default"} or profile.startswith("localhost/")
    return key.startswith(apparmor.PREFIX) and not allowed


def capabilities(pod: Subject) -> Iterator[Violation]:
    def added(context: JsonObject) -> set[str]:
        return set(texts(mapping(context.get("capabilities")).get("add"))) - _CAPABILITIES

    bad = pod.where(lambda context: bool(added(context)))
    if bad:
        every = sorted(set().union(*(added(mapping(each.get("securityContext"))) for each in pod.containers)))
        detail = f"{containers(bad)} must not include {quoted_list(every)} in securityContext.capabilities.add"
        yield Violation("non-default capabilities", detail)


def host_namespaces(pod: Subject) -> Iterator[Violation]:
    shared = [f"{field}=true" for field in ("hostNetwork", "hostPID", "hostIPC") if pod.spec.get(field)]
    if shared:
        yield Violation("host namespaces", ", ".join(shared))


def host_path_volumes(pod: Subject) -> Iterator[Violation]:
    names = [text(each.get("name")) for each in mappings(pod.spec.get("volumes")) if each.get("hostPath") is not None]
    if names:
        yield Violation("hostPath volumes", f"{counted('volume', names)} {quoted_list(names)}")


def host_ports(pod: Subject) -> Iterator[Violation]:
    used: set[str] = set()
    bad = []
    for container in pod.containers:
        ports = {str(port) for each in mappings(container.get("ports")) if (port := number(each.get("hostPort")))}
        if ports:
            bad.append(text(container.get("name")))
            used |= ports
    if bad:
        uses, what = counted("uses", bad, "use"), counted("hostPort", used)
        yield Violation("hostPort", f"{containers(bad)} {uses} {what} {', '.join(sorted(used))}")


def host_probes(pod: Subject) -> Iterator[Violation]:
    found = {text(each.get("name")): set(_hosts(each)) for each in pod.containers}
    bad = sorted(name for name, hosts in found.items() if hosts)
    if bad:
        hosts = sorted(set().union(*found.values()))
        uses, what = counted("uses", bad, "use"), counted("probe or lifecycle host", hosts)
        yield Violation("probe or lifecycle host", f"{containers(bad)} {uses} {what} {quoted_list(hosts)}")


def _hosts(container: JsonObject) -> Iterator[str]:
    lifecycle = mapping(container.get("lifecycle"))
    acts = [container.get(field) for field in ("livenessProbe", "readinessProbe", "startupProbe")]
    for act in (*acts, lifecycle.get("postStart"), lifecycle.get("preStop")):
        for field in ("httpGet", "tcpSocket"):
            if host := text(mapping(mapping(act).get(field)).get("host")):
                yield host


def privileged(pod: Subject) -> Iterator[Violation]:
    bad = pod.where(lambda context: context.get("privileged") is True)
    if bad:
        yield Violation("privileged", f"{containers(bad)} must not set securityContext.privileged=true")


def proc_mount(pod: Subject) -> Iterator[Violation]:
    def unusual(context: JsonObject) -> bool:
        return context.get("procMount") not in (None, "Default")

    bad = pod.where(unusual)
    if bad:
        contexts = (mapping(each.get("securityContext")) for each in pod.containers)
        types = sorted({text(each.get("procMount")) for each in contexts if unusual(each)})
        yield Violation(
            "procMount", f"{containers(bad)} must not set securityContext.procMount to {quoted_list(types)}"
        )


def proc_mount_unless_confined(pod: Subject) -> Iterator[Violation]:
    if not pod.confined_users:
        yield from proc_mount(pod)


def selinux(pod: Subject, minor: int) -> Iterator[Violation]:
    allowed = (*_SELINUX_TYPES, "container_engine_t") if minor >= 31 else _SELINUX_TYPES  # noqa: PLR2004 - since 1.31

    def options(context: JsonObject) -> JsonObject:
        return mapping(context.get("seLinuxOptions"))

    def wrong(context: JsonObject) -> bool:
        said = options(context)
        return text(said.get("type")) not in allowed or bool(said.get("user")) or bool(said.get("role"))

    bad = pod.where(wrong)
    who = setters(bad, pod=wrong(pod.context))
    if not who:
        return
    every = [options(pod.context), *(options(mapping(each.get("securityContext"))) for each in pod.containers)]
    types = sorted({text(each.get("type")) for each in every} - set(allowed))
    facts = [f"{counted('type', types)} {quoted_list(types)}"] if types else []
    facts += [f"{field} may not be set" for field in ("user", "role") if any(each.get(field) for each in every)]
    yield Violation("seLinuxOptions", f"{who} set forbidden securityContext.seLinuxOptions: {'; '.join(facts)}")


def seccomp_notes(pod: Subject) -> Iterator[Violation]:
    """In the days of annotations."""
    keys = [_POD_SECCOMP, *(f"{_CONTAINER_SECCOMP}{text(each.get('name'))}" for each in pod.containers)]
    wrong = sorted(
        {
            f"{key}={quoted(text(pod.annotations[key]))}"
            for key in keys
            if key in pod.annotations and not _fine_note(text(pod.annotations[key]))
        }
    )
    if wrong:
        yield Violation("seccompProfile", f"forbidden {counted('annotation', wrong)} {', '.join(wrong)}")


def _fine_note(value: str) -> bool:
    return value in {"runtime/default", "docker/default"} or value.startswith("localhost/")


def seccomp_type(context: JsonObject) -> str | None:
    """What a context says about it, where it says something."""
    profile = context.get("seccompProfile")
    return text(profile.get("type")) if isinstance(profile, dict) else None


def seccomp(pod: Subject) -> Iterator[Violation]:
    def wrong(context: JsonObject) -> bool:
        found = seccomp_type(context)
        return found is not None and found not in _PROFILES

    bad = pod.where(wrong)
    who = setters(bad, pod=wrong(pod.context))
    if who:
        contexts = [pod.context, *(mapping(each.get("securityContext")) for each in pod.containers)]
        types = sorted({seccomp_type(each) or "" for each in contexts if wrong(each)})
        detail = f"{who} must not set securityContext.seccompProfile.type to {quoted_list(types)}"
        yield Violation("seccompProfile", detail)


def sysctls(pod: Subject, minor: int) -> Iterator[Violation]:
    names = [text(each.get("name")) for each in mappings(pod.context.get("sysctls"))]
    wrong = [name for name in names if _SYSCTLS.get(name, minor + 1) > minor]
    if wrong:
        yield Violation("forbidden sysctls", ", ".join(wrong))


def windows_host_process(pod: Subject) -> Iterator[Violation]:
    def wrong(context: JsonObject) -> bool:
        return mapping(context.get("windowsOptions")).get("hostProcess") is True

    who = setters(pod.where(wrong), pod=wrong(pod.context))
    if who:
        yield Violation("hostProcess", f"{who} must not set securityContext.windowsOptions.hostProcess=true")
