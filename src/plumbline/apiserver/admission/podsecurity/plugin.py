"""Pods are refused, and whatever makes pods is warned, where the namespace asks for a standard that they do not meet."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.admission.lookups import NAMESPACES, Lookups
from plumbline.apiserver.admission.plugin import (
    PODS,
    Validating,
    collection_of,
    creates,
    forbidden,
    object_of,
    updates,
)
from plumbline.apiserver.admission.podsecurity.evaluation import described, violations
from plumbline.apiserver.admission.podsecurity.policy import LEVELS, PRIVILEGED, Policy, Standard, policy_of
from plumbline.apiserver.objects.admission import Attributes, Operation
from plumbline.apiserver.objects.metadata import metadata_of
from plumbline.apiserver.resources.resource import Collection
from plumbline.apiserver.validation.shapes import mapping, mappings, text
from plumbline.base.json import Json, JsonObject
from plumbline.kube.gotext import quoted

_TEMPLATES: Final = {
    Collection("", "podtemplates"): ("template",),
    Collection("", "replicationcontrollers"): ("spec", "template"),
    Collection("apps", "replicasets"): ("spec", "template"),
    Collection("apps", "deployments"): ("spec", "template"),
    Collection("apps", "daemonsets"): ("spec", "template"),
    Collection("apps", "statefulsets"): ("spec", "template"),
    Collection("batch", "jobs"): ("spec", "template"),
    Collection("batch", "cronjobs"): ("spec", "jobTemplate", "spec", "template"),
}
_MOST_PODS: Final = 3000
_POD_WRITES: Final = ("", "ephemeralcontainers", "resize")


class PodSecurity(Validating):
    name = "PodSecurity"
    concerns = frozenset({PODS, NAMESPACES, *_TEMPLATES})

    def __init__(self, lookups: Lookups) -> None:
        self._lookups = lookups

    async def check(self, attributes: Attributes) -> None:
        if attributes.operation not in {Operation.CREATE, Operation.UPDATE}:
            return
        collection = collection_of(attributes)
        if collection == NAMESPACES:
            self._check_namespace(attributes)
        elif collection == PODS:
            self._check_pod(attributes)
        elif not attributes.scope.subresource:
            self._warn(attributes, _template(object_of(attributes), _TEMPLATES[collection]))

    def _check_pod(self, attributes: Attributes) -> None:
        if attributes.scope.subresource not in _POD_WRITES:
            return
        policy = self._policy(attributes)
        pod, old = object_of(attributes), attributes.old
        if policy == Policy() or (old is not None and not _significant(pod, old)):
            return
        found = violations(policy.enforce, pod)
        if found:
            raise forbidden(attributes, f"violates PodSecurity {quoted(str(policy.enforce))}: {described(found)}")
        self._warn_of(attributes, policy.warn, pod)

    def _warn(self, attributes: Attributes, template: Json) -> None:
        if isinstance(template, dict):
            self._warn_of(attributes, self._policy(attributes).warn, template)

    @staticmethod
    def _warn_of(attributes: Attributes, standard: Standard, pod: JsonObject) -> None:
        found = violations(standard, pod)
        if found:
            warning = f"would violate PodSecurity {quoted(str(standard))}: {described(found)}"
            attributes.scope.warnings.append(warning)

    def _policy(self, attributes: Attributes) -> Policy:
        namespace = self._lookups.get(NAMESPACES, "", attributes.scope.namespace) or {}
        return policy_of(_labels(namespace))[0]

    def _check_namespace(self, attributes: Attributes) -> None:
        if not creates(attributes) and not updates(attributes):
            return
        namespace = object_of(attributes)
        policy, errors = policy_of(_labels(namespace))
        before, known = policy_of(_labels(attributes.old or {}))
        if errors and errors != known:
            name = text(metadata_of(namespace).get("name"))
            raise statuses.invalid(attributes.scope.resource.group_kind, name, errors)
        if attributes.old is not None and _stricter(policy.enforce, before.enforce):
            attributes.scope.warnings.extend(self._offenders(text(metadata_of(namespace).get("name")), policy.enforce))

    def _offenders(self, namespace: str, standard: Standard) -> Iterator[str]:
        """Pods that are there already and would be refused now."""
        pods = _varied(self._lookups.objects(PODS, namespace))
        first: dict[str, str] = {}
        count: Counter[str] = Counter()
        for pod in pods[:_MOST_PODS]:
            reasons = ", ".join(each.reason for each in violations(standard, pod))
            if reasons:
                name = text(metadata_of(pod).get("name"))
                first[reasons] = min(name, first.get(reasons, name))
                count[reasons] += 1
        if len(pods) > _MOST_PODS:
            checked = f"only checked against the first {_MOST_PODS} of {len(pods)} existing pods"
            yield f"new PodSecurity enforce level {checked}"
        if count:
            level = f"violate the new PodSecurity enforce level {quoted(str(standard))}"
            yield f"existing pods in namespace {quoted(namespace)} {level}"
        yield from sorted(f"{first[reasons]}{_others(number)}: {reasons}" for reasons, number in count.items())


def _labels(obj: JsonObject) -> JsonObject:
    return mapping(metadata_of(obj).get("labels"))


def _template(obj: JsonObject, path: tuple[str, ...]) -> Json:
    found: Json = obj
    for name in path:
        found = mapping(found).get(name)
    return found


def _stricter(new: Standard, old: Standard) -> bool:
    if new == old or new.level == PRIVILEGED:
        return False
    return new.minor != old.minor or LEVELS.index(new.level) > LEVELS.index(old.level)


def _significant(pod: JsonObject, old: JsonObject) -> bool:
    """Nothing else that may change in a pod can make it worse."""
    spec, before = mapping(pod.get("spec")), mapping(old.get("spec"))
    for field in ("containers", "initContainers"):
        if _images(spec.get(field)) != _images(before.get(field)):
            return True
    known = {text(each.get("name")): each.get("image") for each in mappings(before.get("ephemeralContainers"))}
    added = mappings(spec.get("ephemeralContainers"))
    return any(known.get(text(each.get("name")), _NEW) != each.get("image") for each in added)


_NEW: Final = object()


def _images(containers: Json) -> list[Json]:
    return [each.get("image") for each in mappings(containers)]


def _varied(pods: list[JsonObject]) -> list[JsonObject]:
    """One pod of each controller first, then the others."""
    seen: set[str] = set()
    first: list[JsonObject] = []
    rest: list[JsonObject] = []
    for pod in pods:
        owners = mappings(metadata_of(pod).get("ownerReferences"))
        owner = next((text(each.get("uid")) for each in owners if each.get("controller")), "")
        (rest if owner in seen else first).append(pod)
        if owner:
            seen.add(owner)
    return [*first, *rest]


def _others(number: int) -> str:
    if number == 1:
        return ""
    return " (and 1 other pod)" if number == 2 else f" (and {number - 1} other pods)"  # noqa: PLR2004 - one other
