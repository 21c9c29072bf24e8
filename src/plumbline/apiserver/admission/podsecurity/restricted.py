"""What pods must give up who want to be trusted least: the checks of the level `restricted`."""

from collections.abc import Iterator
from typing import Final

from plumbline.apiserver.admission.podsecurity.baseline import seccomp, seccomp_type
from plumbline.apiserver.admission.podsecurity.subject import (
    Subject,
    Violation,
    containers,
    counted,
    quoted_list,
    setters,
)
from plumbline.apiserver.validation.shapes import mapping, mappings, text, texts
from plumbline.base.json import JsonObject

_VOLUMES: Final = frozenset(
    [
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    ]
)
_OTHER_VOLUMES: Final = [
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "gitRepo",
    "nfs",
    "iscsi",
    "glusterfs",
    "rbd",
    "flexVolume",
    "cinder",
    "cephfs",
    "flocker",
    "fc",
    "azureFile",
    "vsphereVolume",
    "quobyte",
    "azureDisk",
    "photonPersistentDisk",
    "portworxVolume",
    "scaleIO",
    "storageos",
]


def privilege_escalation(pod: Subject) -> Iterator[Violation]:
    bad = pod.where(lambda context: context.get("allowPrivilegeEscalation") is not False)
    if bad:
        detail = f"{containers(bad)} must set securityContext.allowPrivilegeEscalation=false"
        yield Violation("allowPrivilegeEscalation != false", detail)


def capabilities(pod: Subject) -> Iterator[Violation]:
    def dropped(context: JsonObject) -> bool:
        return "ALL" in texts(mapping(context.get("capabilities")).get("drop"))

    def added(context: JsonObject) -> set[str]:
        return set(texts(mapping(context.get("capabilities")).get("add"))) - {"NET_BIND_SERVICE"}

    keeping = pod.where(lambda context: not dropped(context))
    adding = pod.where(lambda context: bool(added(context)))
    details = []
    if keeping:
        details.append(f'{containers(keeping)} must set securityContext.capabilities.drop=["ALL"]')
    if adding:
        every = sorted(set().union(*(added(mapping(each.get("securityContext"))) for each in pod.containers)))
        details.append(
            f"{containers(adding)} must not include {quoted_list(every)} in securityContext.capabilities.add"
        )
    if details:
        yield Violation("unrestricted capabilities", "; ".join(details))


def volumes(pod: Subject) -> Iterator[Violation]:
    bad = [each for each in mappings(pod.spec.get("volumes")) if not _VOLUMES & each.keys()]
    if bad:
        names = [text(each.get("name")) for each in bad]
        types = sorted({next((kind for kind in _OTHER_VOLUMES if kind in each), "unknown") for each in bad})
        uses, what = counted("uses", names, "use"), counted("restricted volume type", types)
        detail = f"{counted('volume', names)} {quoted_list(names)} {uses} {what} {quoted_list(types)}"
        yield Violation("restricted volume types", detail)


def non_root(pod: Subject) -> Iterator[Violation]:
    reason, field = "runAsNonRoot != true", "securityContext.runAsNonRoot"
    as_root = pod.where(lambda context: context.get("runAsNonRoot") is False)
    if who := setters(as_root, pod=pod.context.get("runAsNonRoot") is False):
        yield Violation(reason, f"{who} must not set {field}=false")
    elif pod.context.get("runAsNonRoot") is not True:
        silent = pod.where(lambda context: context.get("runAsNonRoot") is None)
        if silent:
            yield Violation(reason, f"pod or {containers(silent)} must set {field}=true")


def user(pod: Subject) -> Iterator[Violation]:
    def root(context: JsonObject) -> bool:
        return context.get("runAsUser") == 0 and context.get("runAsUser") is not None

    if who := setters(pod.where(root), pod=root(pod.context)):
        yield Violation("runAsUser=0", f"{who} must not set runAsUser=0")


def strict_seccomp(pod: Subject) -> Iterator[Violation]:
    wrong = list(seccomp(pod))
    if wrong or seccomp_type(pod.context) is not None:
        yield from wrong
        return
    silent = pod.where(lambda context: seccomp_type(context) is None)
    if silent:
        needed = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
        yield Violation("seccompProfile", f"pod or {containers(silent)} {needed}")
