"""How urgent a pod is, by the class that it names or by the one for all who name none."""

from typing import Final

from plumbline.apiserver.admission.lookups import Lookups
from plumbline.apiserver.admission.plugin import PODS, collection_of, creates, forbidden, object_of, updates
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.strategies.parts import with_field
from plumbline.apiserver.validation.shapes import mapping, number, text
from plumbline.base.json import JsonObject

CLASSES: Final = Collection("scheduling.k8s.io", "priorityclasses")
_NO_CLASS: Final = {"value": 0, "preemptionPolicy": "PreemptLowerPriority"}
_FROM_CLASS: Final = "must not be provided in pod spec; priority admission controller computed"


class Priorities:
    name = "Priority"
    concerns = frozenset({PODS, CLASSES})

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def mutated(self, attributes: Attributes) -> JsonObject:
        obj = object_of(attributes)
        if collection_of(attributes) != PODS:
            return obj
        if updates(attributes):
            return _kept(obj, attributes.old or {})
        return self._with_priority(attributes, obj) if creates(attributes) else obj

    async def check(self, attributes: Attributes) -> None:
        named = object_of(attributes)
        if collection_of(attributes) != CLASSES or not named.get("globalDefault"):
            return
        default = self._default()
        name = text(metadata_of(default).get("name")) if default else ""
        another = creates(attributes) or (updates(attributes) and name != metadata_of(named).get("name"))
        if default and another:
            why = f"PriorityClass {name} is already marked as default. Only one default can exist"
            raise forbidden(attributes, why)

    def _with_priority(self, attributes: Attributes, pod: JsonObject) -> JsonObject:
        spec = mapping(pod.get("spec"))
        found = self._class_of(attributes, text(spec.get("priorityClassName")))
        name, priority = text(metadata_of(found).get("name")), number(found.get("value"))
        given, policy = spec.get("priority"), found.get("preemptionPolicy")
        if given is not None and given != priority:
            why = f"the integer value of priority ({given}) {_FROM_CLASS} {priority} from the given PriorityClass name"
            raise forbidden(attributes, why)
        asked = spec.get("preemptionPolicy")
        if policy is not None and asked is not None and asked != policy:
            why = f"the string value of PreemptionPolicy ({asked}) {_FROM_CLASS} {policy} from the given PriorityClass name"
            raise forbidden(attributes, why)
        spec = with_field({**spec, "priority": priority}, "priorityClassName", name or None)
        return {**pod, "spec": spec if policy is None else {**spec, "preemptionPolicy": policy}}

    def _class_of(self, attributes: Attributes, name: str) -> JsonObject:
        if not name:
            return self._default() or _NO_CLASS
        found = self._lookups.get(CLASSES, "", name)
        if found is None:
            raise forbidden(attributes, f"no PriorityClass with name {name} was found")
        return found

    def _default(self) -> JsonObject | None:
        """The least of those that claim to be it."""
        claiming = (each for each in self._lookups.objects(CLASSES) if each.get("globalDefault"))
        return min(claiming, key=lambda each: number(each.get("value")), default=None)


def _kept(pod: JsonObject, old: JsonObject) -> JsonObject:
    spec, before = mapping(pod.get("spec")), mapping(old.get("spec"))
    for field in ("priority", "preemptionPolicy"):
        if spec.get(field) is None:
            spec = with_field(spec, field, before.get(field))
    return {**pod, "spec": spec}
