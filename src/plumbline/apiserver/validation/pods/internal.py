"""Specs of pods as the server holds them inside: compared when nothing may change, printed when something did.

What a pod shares with its host is part of its security context there.
"""

from typing import Final

from plumbline.apiserver.validation.goform import go_diff, go_form
from plumbline.apiserver.validation.shapes import mapping
from plumbline.base.json import Json, JsonObject
from plumbline.kube.quantity import same_quantity

_SHARED: Final = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
_AMOUNTS: Final = {"Limits", "Requests", "Overhead", "SizeLimit", "Divisor"}


def internal_spec(spec: JsonObject) -> JsonObject:
    """*spec* with its fields where the internal type has them, still under their JSON names."""
    shared = {name: spec[name] for name in _SHARED if name in spec}
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    return {
        **spec,
        "securityContext": {**mapping(spec.get("securityContext")), **shared},
        "serviceAccountName": account,
    }


def spec_form(spec: JsonObject) -> Json:
    return go_form(internal_spec(spec), "PodSpec")


def template_form(template: JsonObject) -> Json:
    spec = internal_spec(mapping(template.get("spec")))
    return go_form({**template, "spec": spec}, "PodTemplateSpec")


def spec_diff(old: JsonObject, new: JsonObject) -> str:
    return go_diff(internal_spec(old), internal_spec(new), "PodSpec")


def same_form(left: Json, right: Json, *, amounts: bool = False) -> bool:
    """Whether two printed structures are the same to the server, which takes an empty list for none.

    Of texts only *amounts* have several spellings.
    """
    if left == right:
        return True
    if isinstance(left, dict) and isinstance(right, dict):
        pairs = ((left[key], right.get(key), amounts or key in _AMOUNTS) for key in left)
        return left.keys() == right.keys() and all(same_form(one, other, amounts=held) for one, other, held in pairs)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_form, left, right))
    if isinstance(left, str) and isinstance(right, str):
        return amounts and same_quantity(left, right)
    return (left is None and right == []) or (left == [] and right is None)
