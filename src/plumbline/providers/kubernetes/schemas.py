"""OpenAPI of the kinds: fields and defaults as upstream's CRDs have them."""

from typing import Final

from plumbline.base.json import JsonObject
from plumbline.managed.kinds import Schema

_STRING: Final = {"type": "string"}
_STRINGS: Final = {"type": "object", "additionalProperties": {"type": "string"}}
_MANIFEST: Final = {
    "type": "object",
    "x-kubernetes-embedded-resource": True,
    "x-kubernetes-preserve-unknown-fields": True,
}
_SELECTOR: Final = {
    "type": "object",
    "x-kubernetes-map-type": "atomic",
    "properties": {
        "matchLabels": _STRINGS,
        "matchExpressions": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["key", "operator"],
                "properties": {"key": _STRING, "operator": _STRING, "values": {"type": "array", "items": _STRING}},
            },
        },
    },
}


def _object(properties: JsonObject, *required: str) -> JsonObject:
    made: JsonObject = {"type": "object", "properties": properties}
    return {**made, "required": list(required)} if required else made


def _references(group: str) -> JsonObject:
    named = {
        "apiVersion": {"type": "string", "default": f"{group}/v1alpha1"},
        "kind": {"type": "string", "default": "Object"},
        "name": _STRING,
        "namespace": _STRING,
    }
    reference = {
        "dependsOn": _object(named, "name"),
        "patchesFrom": _object({**named, "fieldPath": _STRING}, "name", "fieldPath"),
        "toFieldPath": _STRING,
    }
    return {"type": "array", "items": _object(reference)}


def _readiness() -> JsonObject:
    policies = ["SuccessfulCreate", "DeriveFromObject", "AllTrue", "DeriveFromCelQuery"]
    rule = "self.policy != 'DeriveFromCelQuery' || (has(self.celQuery) && size(self.celQuery) > 0)"
    return {
        **_object({"policy": {"type": "string", "enum": policies, "default": "SuccessfulCreate"}, "celQuery": _STRING}),
        "x-kubernetes-validations": [{"rule": rule, "message": "celQuery must be set if policy is DeriveFromCelQuery"}],
    }


def objects(group: str, *, old_policy: bool) -> Schema:
    """*old_policy* for the lineage that had `managementPolicy` before it had `managementPolicies`."""
    detail = ("apiVersion", "kind", "name", "namespace", "uid", "resourceVersion", "fieldPath", "toConnectionSecretKey")
    spec = {
        "references": _references(group),
        "readiness": _readiness(),
        "connectionDetails": {"type": "array", "items": _object(dict.fromkeys(detail, _STRING))},
        "watch": {"type": "boolean", "default": False},
    }
    if old_policy:
        choices = ["Default", "ObserveCreateUpdate", "ObserveDelete", "Observe"]
        spec["managementPolicy"] = {"type": "string", "enum": choices}
    wanted = {
        "manifest": _MANIFEST,
        "deletionPropagationPolicy": {"type": "string", "enum": ["Background", "Foreground", "Orphan"]},
    }
    found = {"manifest": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return Schema(_object(wanted, "manifest"), _object(found), spec=spec)


def collections() -> Schema:
    text = {"type": "string", "minLength": 1}
    asked = _object(
        {"apiVersion": text, "kind": text, "namespace": _STRING, "selector": _SELECTOR},
        "apiVersion",
        "kind",
        "selector",
    )
    metadata = _object({"labels": _STRINGS, "annotations": _STRINGS})
    spec = {"observeObjects": asked, "objectTemplate": _object({"metadata": metadata})}
    nothing = {"type": "object", "default": {}}  # a collection has no forProvider, and nobody writes one
    return Schema(nothing, {"type": "object"}, spec=spec, status={"membershipLabel": _STRINGS})


def provider_config() -> JsonObject:
    sources = ["None", "Secret", "InjectedIdentity", "Environment", "Filesystem"]
    credentials = {
        "source": {"type": "string", "enum": sources},
        "secretRef": _object({"name": _STRING, "namespace": _STRING, "key": _STRING}, "name", "key"),
        "env": _object({"name": _STRING}, "name"),
        "fs": _object({"path": _STRING}, "path"),
    }
    identity = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return _object({"credentials": _object(credentials, "source"), "identity": identity}, "credentials")
