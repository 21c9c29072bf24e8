"""Where the two lineages keep their machinery: directly under `spec`, or under `spec.crossplane`. Pure."""

from typing import Final

from plumbline.base.json import Json, JsonObject

OF_CLAIMS: Final = frozenset({
    "compositionRef", "compositionSelector", "compositionRevisionRef", "compositionRevisionSelector", "compositionUpdatePolicy",
    "compositeDeletePolicy", "resourceRef", "writeConnectionSecretToRef", "publishConnectionDetailsTo",
})  # fmt: skip
"""Fields of a claim's spec that mean the claim, not what is asked for."""
HANDED_ON: Final = frozenset({
    "compositionRef", "compositionSelector", "compositionUpdatePolicy", "compositionRevisionSelector",
})  # fmt: skip
"""Those of them that a composite gets all the same."""
OF_COMPOSITES: Final = frozenset({"claimRef", "resourceRefs", "environmentConfigRefs"})
"""Fields of a composite's spec that nobody says for it: where a schema keeps what it does not know, a claim could have them too."""
OF_STATUS: Final = frozenset({"conditions", "connectionDetails", "claimConditionTypes", "lastHandledReconcileAt"})


def machinery(obj: JsonObject, *, legacy: bool) -> JsonObject:
    """The part of the spec that is about how it is composed."""
    spec = obj.get("spec")
    if not isinstance(spec, dict):
        return {}
    if legacy:
        return spec
    inner = spec.get("crossplane")
    return inner if isinstance(inner, dict) else {}


def with_machinery(obj: JsonObject, fields: JsonObject, *, legacy: bool) -> JsonObject:
    """*obj* where *fields* are set."""
    spec = obj.get("spec")
    spec = spec if isinstance(spec, dict) else {}
    if legacy:
        return {**obj, "spec": {**spec, **fields}}
    return {**obj, "spec": {**spec, "crossplane": {**machinery(obj, legacy=False), **fields}}}


def machinery_patch(fields: JsonObject, *, legacy: bool) -> JsonObject:
    """The merge patch of the spec that sets *fields*."""
    return dict(fields) if legacy else {"crossplane": dict(fields)}


def name_in(fields: JsonObject, reference: str) -> str:
    """The name that a reference such as `compositionRef` gives; empty for none."""
    ref = fields.get(reference)
    return str(ref.get("name") or "") if isinstance(ref, dict) else ""


def labels_in(fields: JsonObject, selector: str) -> dict[str, str] | None:
    """The labels that a selector asks for; None where there is no selector."""
    said = fields.get(selector)
    if not isinstance(said, dict):
        return None
    labels: Json = said.get("matchLabels")
    return {str(key): str(value) for key, value in labels.items()} if isinstance(labels, dict) else {}
