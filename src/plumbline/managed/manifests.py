"""The CRDs of managed kinds and of ProviderConfigs, as upstream's providers bring them. Pure."""

import hashlib
from collections.abc import Iterable
from typing import Final, NamedTuple

from plumbline.base.json import JsonObject, encode_sorted
from plumbline.kinds.crd import MANAGED_BY, OURS, SCHEMA_HASH
from plumbline.kube.names import GroupVersionResource
from plumbline.managed.kinds import ManagedKind, ProviderKind, Reference
from plumbline.managed.policies import ACTIONS
from plumbline.managed.spec import CLUSTER_CONFIG, LEGACY_CONFIG

_TEXT: Final[JsonObject] = {"type": "string"}
_TRUTH: Final[JsonObject] = {"type": "boolean"}
_TEXTS: Final[JsonObject] = {"type": "object", "additionalProperties": {"type": "string"}}
_SECRET_KEY: Final = frozenset({"key", "name", "namespace"})
_ACTS: Final = (
    "'*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies"
)
_POLICY: Final[JsonObject] = {
    "type": "object",
    "description": "How and when the reference is resolved.",
    "properties": {
        "resolution": {"type": "string", "enum": ["Required", "Optional"], "default": "Required"},
        "resolve": {"type": "string", "enum": ["Always", "IfNotPresent"]},
    },
}
_AGE: Final[JsonObject] = {"name": "AGE", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
_COLUMNS: Final[list[JsonObject]] = [
    {"name": "SYNCED", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Synced')].status"},
    {"name": "READY", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"},
    {"name": "EXTERNAL-NAME", "type": "string", "jsonPath": r".metadata.annotations.crossplane\.io/external-name"},
    _AGE,
]
_CONFIG_COLUMNS: Final[list[JsonObject]] = [
    _AGE,
    {"name": "SECRET-NAME", "type": "string", "jsonPath": ".spec.credentials.secretRef.name", "priority": 1},
]
_CONDITIONS: Final[JsonObject] = {
    "type": "array",
    "description": "How it is.",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
    "items": {
        "type": "object",
        "required": ["lastTransitionTime", "reason", "status", "type"],
        "properties": {
            "type": _TEXT,
            "status": _TEXT,
            "reason": _TEXT,
            "message": _TEXT,
            "observedGeneration": {"type": "integer", "format": "int64"},
            "lastTransitionTime": {"type": "string", "format": "date-time"},
        },
    },
}


class ConfigKind(NamedTuple):
    """A kind of ProviderConfig: one in the old lineage, two in the namespaced one."""

    provider: ProviderKind
    group: str
    kind: str
    plural: str
    namespaced: bool

    @property
    def resource(self) -> GroupVersionResource:
        return GroupVersionResource(self.group, self.provider.version, self.plural)


def config_kinds(provider: ProviderKind, *, namespaced: bool) -> tuple[ConfigKind, ...]:
    """Where managed resources of one lineage find how to reach the provider."""
    if not namespaced:
        return (ConfigKind(provider, provider.group, LEGACY_CONFIG, "providerconfigs", namespaced=False),)
    group = provider.twin_group
    return (
        ConfigKind(provider, group, CLUSTER_CONFIG, "clusterproviderconfigs", namespaced=False),
        ConfigKind(provider, group, LEGACY_CONFIG, "providerconfigs", namespaced=True),
    )


def managed_crd(kind: ManagedKind) -> JsonObject:
    spec, status = _managed_spec(kind), _managed_status(kind)
    schema = _root(f"A {kind.kind} of {kind.provider.name}.", spec, status)
    versions = [
        _version(name, schema, _COLUMNS, stored=place == 0) for place, name in enumerate(kind.versions)
    ]  # fmt: skip
    categories = ["crossplane", "managed", kind.provider.name]
    return _crd(kind.group, _names(kind.kind, kind.plural, categories), versions, namespaced=kind.namespaced)


def config_crd(kind: ConfigKind) -> JsonObject:
    status: JsonObject = {
        "type": "object",
        "properties": {
            "conditions": _CONDITIONS,
            "users": {"type": "integer", "format": "int64", "description": "How many resources use it."},
            "observedGeneration": {"type": "integer", "format": "int64"},
        },
    }
    schema = _root(f"How to reach {kind.provider.name}.", kind.provider.schema(), status)
    names = _names(kind.kind, kind.plural, ["crossplane", "provider", kind.provider.name])
    version = _version(kind.provider.version, schema, _CONFIG_COLUMNS, stored=True)
    return _crd(kind.group, names, [version], namespaced=kind.namespaced)


def _crd(group: str, names: JsonObject, versions: list[JsonObject], *, namespaced: bool) -> JsonObject:
    scope = "Namespaced" if namespaced else "Cluster"
    spec: JsonObject = {"group": group, "names": names, "scope": scope, "versions": versions}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{names['plural']}.{group}",
            "labels": {MANAGED_BY: OURS},
            "annotations": {SCHEMA_HASH: hashlib.sha256(encode_sorted(spec)).hexdigest()},
        },
        "spec": spec,
    }


def _names(kind: str, plural: str, categories: list[str]) -> JsonObject:
    return {
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": plural,
        "singular": kind.lower(),
        "categories": categories,
    }


def _version(name: str, schema: JsonObject, columns: list[JsonObject], *, stored: bool) -> JsonObject:
    return {
        "name": name,
        "served": True,
        "storage": stored,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
        "additionalPrinterColumns": columns,
    }


def _root(description: str, spec: JsonObject, status: JsonObject) -> JsonObject:
    properties = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": {"type": "object"}, "spec": spec, "status": status}
    return {"type": "object", "description": description, "required": ["spec"], "properties": properties}


def _managed_spec(kind: ManagedKind) -> JsonObject:
    schema = kind.schemas()
    wanted = _with_references(schema.for_provider, kind.references, namespaced=kind.namespaced)
    if kind.namespaced:
        wanted = _without_namespaces(wanted)
    initial = {name: value for name, value in wanted.items() if name not in {"required", "x-kubernetes-validations"}}
    properties: JsonObject = {
        "forProvider": wanted,
        "initProvider": {**initial, "description": "Said when it is created, and left alone afterwards."},
        "managementPolicies": {
            "type": "array",
            "description": "What may be done to what it stands for; nothing at all is a pause.",
            "default": ["*"],
            "items": {"type": "string", "enum": list(ACTIONS)},
        },
        "providerConfigRef": _config_ref(namespaced=kind.namespaced),
        "writeConnectionSecretToRef": _connection_ref(namespaced=kind.namespaced),
        **schema.spec,
    }
    if not kind.namespaced:
        deletion = "Whether what it stands for goes with it."
        properties["deletionPolicy"] = {
            "type": "string", "enum": ["Orphan", "Delete"], "default": "Delete", "description": deletion,
        }  # fmt: skip
    spec: JsonObject = {"type": "object", "required": ["forProvider"], "properties": properties}
    if rules := [_demand(field) for field in schema.required if _can_be_demanded(kind, wanted, field)]:
        spec["x-kubernetes-validations"] = rules
    return spec


def _can_be_demanded(kind: ManagedKind, wanted: JsonObject, field: str) -> bool:
    """Not what may come of a reference, nor what rules cannot see: the provider asks for that."""
    return _visible(wanted["properties"].get(field) or {}) and all(each.field != field for each in kind.references)


def _visible(schema: JsonObject) -> bool:
    """Whether rules know of a field: not of what has no type, or is a list or a map of such."""
    inner = schema.get("items") if schema.get("type") == "array" else schema.get("additionalProperties")
    return "type" in schema and (not isinstance(inner, dict) or _visible(inner))


def _demand(field: str) -> JsonObject:
    """A field without which nothing can be made; whoever only observes need not say it."""
    path = f"forProvider.{field}"
    said = f"has(self.{path}) || (has(self.initProvider) && has(self.initProvider.{field}))"
    return {"rule": f"!({_ACTS}) || {said}", "message": f"spec.{path} is a required parameter"}


def _managed_status(kind: ManagedKind) -> JsonObject:
    schema = kind.schemas()
    properties: JsonObject = {
        "atProvider": schema.at_provider,
        "conditions": _CONDITIONS,
        "observedGeneration": {"type": "integer", "format": "int64"},
        "lastHandledReconcileAt": _TEXT,
        **schema.status,
    }
    return {"type": "object", "properties": properties}


def _config_ref(*, namespaced: bool) -> JsonObject:
    description = "How the provider is reached."
    if namespaced:
        default: JsonObject = {"kind": CLUSTER_CONFIG, "name": "default"}
        required, properties = ["kind", "name"], {"kind": _TEXT, "name": _TEXT}
    else:
        default, required, properties = {"name": "default"}, ["name"], {"name": _TEXT, "policy": _POLICY}
    return {
        "type": "object",
        "default": default,
        "description": description,
        "required": required,
        "properties": properties,
    }


def _connection_ref(*, namespaced: bool) -> JsonObject:
    fields = ["name"] if namespaced else ["name", "namespace"]
    return {
        "type": "object",
        "description": "The Secret that connection details are written to.",
        "required": fields,
        "properties": dict.fromkeys(fields, _TEXT),
    }


def _with_references(schema: JsonObject, references: Iterable[Reference], *, namespaced: bool) -> JsonObject:
    for reference in references:
        *path, _ = reference.field.split(".")
        schema = _added(schema, path, _reference_fields(reference, namespaced=namespaced))
    return schema


def _reference_fields(reference: Reference, *, namespaced: bool) -> JsonObject:
    place = {"namespace": _TEXT} if namespaced else {}
    one: JsonObject = {
        "type": "object",
        "description": f"The {reference.to.kind} that it is taken from.",
        "required": ["name"],
        "properties": {"name": _TEXT, **place, "policy": _POLICY},
    }
    selector: JsonObject = {
        "type": "object",
        "description": f"Selects the {reference.to.kind} that it is taken from.",
        "properties": {"matchControllerRef": _TRUTH, "matchLabels": _TEXTS, **place, "policy": _POLICY},
    }
    return {reference.ref_field: {"type": "array", "items": one} if reference.many else one, reference.selector_field: selector}  # fmt: skip


def _added(schema: JsonObject, path: list[str], fields: JsonObject) -> JsonObject:
    """*schema* with *fields* at *path*, whether objects or lists of objects lead there; what is declared stays so."""
    if schema.get("type") == "array":
        return {**schema, "items": _added(schema["items"], path, fields)}
    properties = schema.get("properties") or {}
    if not path:
        return {**schema, "properties": {**fields, **properties}}
    below = properties.get(path[0])
    if not isinstance(below, dict):
        return schema
    return {**schema, "properties": {**properties, path[0]: _added(below, path[1:], fields)}}


def _without_namespaces(schema: JsonObject) -> JsonObject:
    """Secrets of a namespaced resource are in its namespace: their references say none."""
    properties = schema.get("properties")
    changed = dict(schema)
    if isinstance(properties, dict):
        if properties.keys() == _SECRET_KEY:
            kept = [each for each in schema.get("required") or () if each != "namespace"]
            return {**schema, "required": kept, "properties": {"key": properties["key"], "name": properties["name"]}}
        changed["properties"] = {name: _without_namespaces(each) for name, each in properties.items()}
    for part in ("items", "additionalProperties"):
        if isinstance(schema.get(part), dict):
            changed[part] = _without_namespaces(schema[part])
    return changed
