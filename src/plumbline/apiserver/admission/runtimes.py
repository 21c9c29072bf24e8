"""What a pod's runtime costs and where it can run, as its RuntimeClass says."""

from typing import Final

from plumbline.apiserver.admission.lookups import Lookups
from plumbline.apiserver.admission.plugin import PODS, creates, forbidden, object_of
from plumbline.apiserver.admission.resources import amounts
from plumbline.apiserver.admission.tolerations import merged_tolerations
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.strategies.parts import with_field
from plumbline.apiserver.validation.shapes import mapping, text
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

RUNTIME_CLASSES: Final = Collection("node.k8s.io", "runtimeclasses")
_OTHER_OVERHEAD: Final = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
_OWN_OVERHEAD: Final = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


class RuntimeClasses:
    name = "RuntimeClass"
    concerns = frozenset({PODS})

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def mutated(self, attributes: Attributes) -> JsonObject:
        pod = object_of(attributes)
        runtime = self._runtime(attributes) if creates(attributes) else None
        if runtime is None:
            return pod
        spec = mapping(pod.get("spec"))
        if runtime.get("overhead") is not None:
            fixed = mapping(runtime["overhead"]).get("podFixed")
            if spec.get("overhead") and amounts(spec["overhead"]) != amounts(fixed):
                raise forbidden(attributes, _OTHER_OVERHEAD)
            spec = with_field(spec, "overhead", fixed or None)
        if runtime.get("scheduling") is not None:
            spec = _scheduled(attributes, spec, mapping(runtime["scheduling"]))
        return {**pod, "spec": spec}

    async def check(self, attributes: Attributes) -> None:
        if not creates(attributes):
            return
        overhead = mapping(object_of(attributes).get("spec")).get("overhead")
        fixed = (self._runtime(attributes) or {}).get("overhead")
        if fixed is not None and amounts(mapping(fixed).get("podFixed")) != amounts(overhead):
            raise forbidden(attributes, _OTHER_OVERHEAD)
        if fixed is None and overhead is not None:
            raise forbidden(attributes, _OWN_OVERHEAD)

    def _runtime(self, attributes: Attributes) -> JsonObject | None:
        name = mapping(object_of(attributes).get("spec")).get("runtimeClassName")
        if name is None:
            return None
        runtime = self._lookups.get(RUNTIME_CLASSES, "", text(name))
        if runtime is None:
            raise forbidden(attributes, f"pod rejected: RuntimeClass {quoted(text(name))} not found")
        return runtime


def _scheduled(attributes: Attributes, spec: JsonObject, scheduling: JsonObject) -> JsonObject:
    wanted, own = mapping(scheduling.get("nodeSelector")), mapping(spec.get("nodeSelector"))
    for key in sorted(wanted):
        if own.get(key, wanted[key]) != wanted[key]:
            runtimes = f"runtimeClass.scheduling.nodeSelector[{key}] = {wanted[key]}"
            raise forbidden(attributes, f"conflict: {runtimes}; pod.spec.nodeSelector[{key}] = {own[key]}")
    spec = with_field(spec, "nodeSelector", {**own, **wanted} or None)
    merged = merged_tolerations(spec.get("tolerations"), scheduling.get("tolerations"))
    return with_field(spec, "tolerations", merged or None)
