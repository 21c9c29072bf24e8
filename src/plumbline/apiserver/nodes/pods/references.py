"""Objects that a pod needs before it can run: what its volumes mount, and what its containers' environments name."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, Protocol

from plumbline.apiserver.nodes.kinds import CLAIM, CONFIG_MAP, SECRET
from plumbline.apiserver.nodes.pods.view import Container, PodView
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted
from plumbline.kube.names import GroupKind

_WORDS = {SECRET: "secret", CONFIG_MAP: "configmap"}
_TYPES = {SECRET: "Secret", CONFIG_MAP: "ConfigMap"}


class Ref(NamedTuple):
    kind: GroupKind
    namespace: str
    name: str


class Fault(NamedTuple):
    """Something is missing; `ref` is the object whose change may help."""

    ref: Ref
    message: str


class Surroundings(Protocol):
    def keys(self, ref: Ref) -> Collection[str] | None:
        """The keys of a Secret's or ConfigMap's contents; None where it is not there."""

    def bound_claim(self, ref: Ref) -> JsonObject | None:
        """A claim that has a volume; None where there is none such."""

    def has_image(self, reference: str) -> bool: ...


class _Source(NamedTuple):
    kind: GroupKind
    name: str
    optional: bool
    keys: Sequence[str]


def environment_fault(pod: PodView, container: Container, around: Surroundings) -> Fault | None:
    """What keeps the container from being created, in the kubelet's words."""
    for source in _environment(container.spec):
        ref = Ref(source.kind, pod.namespace, source.name)
        there = around.keys(ref)
        if there is None:
            if not source.optional:
                return Fault(ref, f"{_WORDS[source.kind]} {quoted(source.name)} not found")
            continue
        for key in source.keys:
            if key not in there and not source.optional:
                where = f"{_TYPES[source.kind]} {pod.namespace}/{source.name}"
                return Fault(ref, f"couldn't find key {key} in {where}")
    return None


def mount_fault(pod: PodView, around: Surroundings) -> Fault | None:
    """What keeps the pod's volumes from being mounted, in the kubelet's words."""
    for volume in pod.spec.get("volumes") or ():
        fault = _claim_fault(pod, volume, around) or _contents_fault(pod, volume, around)
        if fault:
            return fault
    return None


def _environment(spec: JsonObject) -> Iterator[_Source]:
    for each in spec.get("envFrom") or ():
        for field, kind in (("configMapRef", CONFIG_MAP), ("secretRef", SECRET)):
            if each.get(field):
                yield _source(kind, each[field], "name", ())
    for each in spec.get("env") or ():
        value_from = each.get("valueFrom") or {}
        for field, kind in (("configMapKeyRef", CONFIG_MAP), ("secretKeyRef", SECRET)):
            if value_from.get(field):
                yield _source(kind, value_from[field], "name", (str(value_from[field].get("key")),))


def _claim_fault(pod: PodView, volume: JsonObject, around: Surroundings) -> Fault | None:
    name = claim_name(pod, volume)
    if not name:
        return None
    ref = Ref(CLAIM, pod.namespace, name)
    if around.bound_claim(ref) is not None:
        return None
    names = f"unmounted volumes=[{volume.get('name')}], unattached volumes=[], failed to process volumes=[]"
    why = f"error processing PVC {pod.namespace}/{name}: PVC is not bound"
    return Fault(ref, f"Unable to attach or mount volumes: {names}: {why}")


def claim_name(pod: PodView, volume: JsonObject) -> str:
    """The claim behind a volume, its own or one that was made for this pod; empty where there is none."""
    if volume.get("persistentVolumeClaim"):
        return str(volume["persistentVolumeClaim"].get("claimName") or "")
    return f"{pod.name}-{volume.get('name')}" if volume.get("ephemeral") else ""


def _contents_fault(pod: PodView, volume: JsonObject, around: Surroundings) -> Fault | None:
    for source in _contents(volume):
        ref = Ref(source.kind, pod.namespace, source.name)
        there = around.keys(ref)
        missing = [key for key in source.keys if there is not None and key not in there]
        if source.optional or (there is not None and not missing):
            continue
        if there is None:
            why = f"{_WORDS[source.kind]} {quoted(source.name)} not found"
        elif source.kind is SECRET:
            why = f"references non-existent secret key: {missing[0]}"
        else:
            why = f"configmap references non-existent config key: {missing[0]}"
        return Fault(ref, f"MountVolume.SetUp failed for volume {quoted(str(volume.get('name')))} : {why}")
    return None


def _contents(volume: JsonObject) -> Iterator[_Source]:
    if volume.get("secret"):
        yield _mounted(SECRET, volume["secret"], "secretName")
    if volume.get("configMap"):
        yield _mounted(CONFIG_MAP, volume["configMap"], "name")
    for each in (volume.get("projected") or {}).get("sources") or ():
        if each.get("secret"):
            yield _mounted(SECRET, each["secret"], "name")
        if each.get("configMap"):
            yield _mounted(CONFIG_MAP, each["configMap"], "name")


def _mounted(kind: GroupKind, source: JsonObject, name: str) -> _Source:
    return _source(kind, source, name, tuple(str(item.get("key")) for item in source.get("items") or ()))


def _source(kind: GroupKind, source: JsonObject, name: str, keys: Sequence[str]) -> _Source:
    return _Source(kind, str(source.get(name) or ""), bool(source.get("optional")), keys)
