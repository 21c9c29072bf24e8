"""Which checks make up each level, as each version of Kubernetes had them; baseline first, by their names."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.admission.podsecurity import baseline, restricted
from plumbline.apiserver.admission.podsecurity.policy import PRIVILEGED, RESTRICTED, Standard
from plumbline.apiserver.admission.podsecurity.subject import Subject, Violation
from plumbline.base.json import JsonObject

_CONFINED: Final = 35
"""Since then, pods whose users are nobody on the node may be root."""
_WINDOWS: Final = 25
"""Since then, pods for Windows need not say what only means something elsewhere."""


def violations(standard: Standard, pod: JsonObject) -> list[Violation]:
    """Everything that a pod, or a template of one, does against *standard*."""
    if standard.level == PRIVILEGED:
        return []
    subject, strict = Subject(pod), standard.level == RESTRICTED
    found = list(_baseline(subject, standard.minor, strict=strict))
    if strict:
        found.extend(_restricted(subject, standard.minor))
    return found


def described(found: list[Violation]) -> str:
    return ", ".join(map(str, found))


def _baseline(pod: Subject, minor: int, *, strict: bool) -> Iterator[Violation]:
    """Where the stricter level has a check of its own, that one is asked instead."""
    yield from baseline.apparmor_profile(pod)
    if not strict or minor < 22:  # noqa: PLR2004 - capabilities are restricted since 1.22
        yield from baseline.capabilities(pod)
    yield from baseline.host_namespaces(pod)
    if not strict:
        yield from baseline.host_path_volumes(pod)
    yield from baseline.host_ports(pod)
    if minor >= 34:  # noqa: PLR2004 - probes are looked at since 1.34
        yield from baseline.host_probes(pod)
    yield from baseline.privileged(pod)
    if minor < _CONFINED:
        yield from baseline.proc_mount(pod)
    elif not strict:
        yield from baseline.proc_mount_unless_confined(pod)
    yield from baseline.selinux(pod, minor)
    if minor < 19:  # noqa: PLR2004 - seccomp has fields since 1.19
        yield from baseline.seccomp_notes(pod)
    elif not strict:
        yield from baseline.seccomp(pod)
    yield from baseline.sysctls(pod, minor)
    yield from baseline.windows_host_process(pod)


def _restricted(pod: Subject, minor: int) -> Iterator[Violation]:
    excused = pod.windows and minor >= _WINDOWS
    confined = pod.confined_users and minor >= _CONFINED
    if minor >= 8 and not excused:  # noqa: PLR2004 - escalation can be forbidden since 1.8
        yield from restricted.privilege_escalation(pod)
    if minor >= 22 and not excused:  # noqa: PLR2004 - capabilities are restricted since 1.22
        yield from restricted.capabilities(pod)
    if minor >= _CONFINED:
        yield from baseline.proc_mount(pod)
    yield from restricted.volumes(pod)
    if not confined:
        yield from restricted.non_root(pod)
    if minor >= 23 and not confined:  # noqa: PLR2004 - users are looked at since 1.23
        yield from restricted.user(pod)
    if minor >= 19 and not excused:  # noqa: PLR2004 - seccomp has fields since 1.19
        yield from restricted.strict_seccomp(pod)
