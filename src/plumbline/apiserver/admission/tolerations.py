"""Pods stay for a while on a node that has stopped answering, unless they say for how long."""

from typing import Final

from plumbline.apiserver.admission.plugin import PODS, Mutating, creates, object_of, updates
from plumbline.apiserver.objects.admission import Attributes
from plumbline.apiserver.validation.shapes import mapping, mappings, number, text
from plumbline.base.json import Json, JsonObject

_TAINTS: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_STAY_S: Final = 300
_NO_EXECUTE: Final = "NoExecute"


class DefaultTolerations(Mutating):
    name = "DefaultTolerationSeconds"
    concerns = frozenset({PODS})

    async def mutated(self, attributes: Attributes) -> JsonObject:
        pod = object_of(attributes)
        if not creates(attributes) and not updates(attributes):
            return pod
        spec = mapping(pod.get("spec"))
        said = mappings(spec.get("tolerations"))
        added = [_toleration(taint) for taint in _TAINTS if not _tolerated(taint, said)]
        return {**pod, "spec": {**spec, "tolerations": [*said, *added]}} if added else pod


def _tolerated(taint: str, tolerations: list[JsonObject]) -> bool:
    return any(
        text(each.get("key")) in {taint, ""} and text(each.get("effect")) in {_NO_EXECUTE, ""} for each in tolerations
    )


def _toleration(taint: str) -> JsonObject:
    return {"key": taint, "operator": "Exists", "effect": _NO_EXECUTE, "tolerationSeconds": _STAY_S}


def merged_tolerations(first: Json, second: Json) -> list[JsonObject]:
    """Both lists, without those that others of them make superfluous."""
    every = [*mappings(first), *mappings(second)]
    merged: list[JsonObject] = []
    for index, toleration in enumerate(every):
        later = (other for other in every[index + 1 :] if other != toleration)
        if not any(_covers(other, toleration) for other in (*merged, *later)):
            merged.append(toleration)
    return merged


def _covers(wide: JsonObject, narrow: JsonObject) -> bool:
    if wide == narrow:
        return True
    exists = wide.get("operator") == "Exists"
    if text(wide.get("key")) != text(narrow.get("key")) and (wide.get("key") or not exists):
        return False
    if wide.get("effect") and wide.get("effect") != narrow.get("effect"):
        return False
    stays, wanted = wide.get("tolerationSeconds"), narrow.get("tolerationSeconds")
    if wide.get("effect") == _NO_EXECUTE and stays is not None and (wanted is None or number(wanted) > number(stays)):
        return False
    if exists:
        return True
    equal = text(wide.get("operator")) in {"", "Equal"} and narrow.get("operator") == "Equal"
    return equal and text(wide.get("value")) == text(narrow.get("value"))
