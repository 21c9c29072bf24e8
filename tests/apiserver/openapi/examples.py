"""CRDs with everything in their schemas that documents show in a way of their own."""

from plumbline.apiserver.openapi import Published
from plumbline.apiserver.resources.builtin import builtin_resources
from plumbline.apiserver.resources.resource import STATUS_VERBS, Resource, Subresource
from plumbline.kube.names import GroupVersionKind

OPEN = "x-kubernetes-preserve-unknown-fields"
INT_OR_STRING = "x-kubernetes-int-or-string"
EMBEDDED = "x-kubernetes-embedded-resource"
LIST_TYPE = "x-kubernetes-list-type"
SCALE = GroupVersionKind("autoscaling", "v1", "Scale")

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
MAYBE = {"type": "string", "nullable": True}

NODES = {
    "size": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 9, "exclusiveMaximum": True, "default": 0},
    "color": {"type": "string", "enum": ["red", "green"], "default": "red", "nullable": True},
    "flag": {"type": "boolean", "default": False, "example": False},
    "empty": {"type": "string", "default": "", "description": "", "title": "", "pattern": "^$"},
    "ratio": {"type": "number", "multipleOf": 0.5, "exclusiveMinimum": False},
    "when": {"type": "string", "format": "date-time", "example": "2020-01-01T00:00:00Z"},
    "documented": {"type": "string", "externalDocs": {"url": "http://example.org", "description": "more"}},
    "port": {INT_OR_STRING: True, "anyOf": [NUMBER, TEXT], "pattern": "^x"},
    "plain": {INT_OR_STRING: True},
    "further": {INT_OR_STRING: True, "allOf": [{"anyOf": [NUMBER, TEXT]}, {"maximum": 5}]},
    "other": {INT_OR_STRING: True, "anyOf": [{"maximum": 3}, {"pattern": "^z"}]},
    "both": {INT_OR_STRING: True, "allOf": [{"maximum": 8}], "anyOf": [{"maximum": 3}, {"pattern": "^z"}]},
    "blob": {"type": "object", OPEN: True, "description": "anything"},
    "untyped": {OPEN: True},
    "known": {"type": "object", OPEN: True, "properties": {"known": TEXT}, "required": ["known"]},
    "open_list": {"type": "array", "items": TEXT, OPEN: True},
    "template": {"type": "object", EMBEDDED: True, OPEN: True},
    "whole": {
        "type": "object",
        EMBEDDED: True,
        "required": ["kind", "spec"],
        "properties": {"metadata": {"type": "object"}, "spec": {"type": "object", "properties": {"a": TEXT}}},
    },
    "many": {"type": "array", "items": {"type": "object", EMBEDDED: True, OPEN: True}},
    "tags": {"type": "array", LIST_TYPE: "set", "items": TEXT, "maxItems": 5, "minItems": 0, "uniqueItems": False},
    "ports": {
        "type": "array",
        LIST_TYPE: "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {
            "type": "object",
            "required": ["name", "maybe"],
            "properties": {"name": {"type": "string", "maxLength": 5}, "maybe": MAYBE},
        },
    },
    "labels": {"type": "object", "additionalProperties": MAYBE, "x-kubernetes-map-type": "atomic"},
    "limits": {"type": "object", "additionalProperties": {INT_OR_STRING: True}, "minProperties": 0},
    "any_map": {"type": "object", "additionalProperties": True},
    "choice": {
        "type": "object",
        "oneOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"enum": ["x"]}}}],
        "not": {"required": ["c"], "properties": {"list": {"items": {"minLength": 1}}}},
        "properties": {"a": TEXT, "b": TEXT, "c": TEXT, "list": {"type": "array", "items": TEXT}},
    },
    "defaulted": {"type": "object", "default": {}, "properties": {"x": {"type": "integer", "default": 5}}},
    "null_object": {"type": "object", "nullable": True, "required": ["a"], "properties": {"a": TEXT, "b": MAYBE}},
    "null_list": {"type": "array", "nullable": True, "items": MAYBE},
    "null_map": {"type": "object", "nullable": True, "additionalProperties": TEXT},
    "bare": {"type": "object", "properties": {}},
    "all_null": {"type": "object", "required": ["a"], "properties": {"a": MAYBE}},
}
SPEC = {
    "type": "object",
    "description": "What is wanted.",
    "title": "wanted",
    "required": ["size", "color"],
    "x-kubernetes-validations": [{"rule": "self.size < 8", "message": "too big", "reason": "FieldValueForbidden"}],
    "properties": NODES,
}
STATUS = {"type": "object", "properties": {"replicas": NUMBER, "selector": TEXT}}
METADATA = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^w.*$"}}}

SCHEMA = {
    "type": "object",
    "description": "A widget.",
    "required": ["spec"],
    "properties": {"apiVersion": TEXT, "kind": TEXT, "metadata": METADATA, "spec": SPEC, "status": STATUS},
}


def version(name, schema, *, storage=False, **more):
    return {"name": name, "served": True, "storage": storage, "schema": {"openAPIV3Schema": schema}, **more}


def crd(group, plural, kind, versions, *, scope="Namespaced", **names):
    named = {"plural": plural, "singular": kind.lower(), "kind": kind, "listKind": f"{kind}List", **names}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {"group": group, "scope": scope, "names": named, "versions": versions},
    }


WIDGET = crd(
    "documents.example.org",
    "widgets",
    "Widget",
    [
        version(
            "v1",
            SCHEMA,
            storage=True,
            selectableFields=[{"jsonPath": ".spec.color"}],
            subresources={
                "status": {},
                "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.replicas"},
            },
        ),
        version("v1beta1", {"type": "object", OPEN: True, "properties": {"spec": {"type": "object"}}}),
        version("v2alpha1", {"type": "object"}),
    ],
    listKind="WidgetCollection",
    shortNames=["wdg"],
    categories=["all", "toys"],
)
GADGET = crd(
    "documents.example.org",
    "gadgets",
    "Gadget",
    [version("v1", {"type": "object", "properties": {"spec": {"type": "object"}}}, storage=True)],
    scope="Cluster",
)
THING = crd(
    "a.big-corp.io",
    "things",
    "Thing",
    [
        version("v1", {"type": "object", "description": "thing"}),
        version("v12alpha1", {"type": "object"}),
        version("v2", {"type": "object"}, storage=True) | {"served": False},
        version("foo", {"type": "object"}),
    ],
)
CRDS = (WIDGET, GADGET, THING)


def published_of(definition) -> list[Published]:
    spec, names = definition["spec"], definition["spec"]["names"]
    stored = next(each["name"] for each in spec["versions"] if each["storage"])
    found = []
    for each in spec["versions"]:
        if not each["served"]:
            continue
        kind = GroupVersionKind(spec["group"], each["name"], names["kind"])
        below = {
            name: Subresource(name, SCALE if name == "scale" else kind, STATUS_VERBS)
            for name in each.get("subresources", {})
        }
        resource = Resource(
            kind,
            names["plural"],
            singular=names["singular"],
            namespaced=spec["scope"] == "Namespaced",
            short_names=tuple(names.get("shortNames", ())),
            categories=tuple(names.get("categories", ())),
            subresources=below,
            list_kind=names["listKind"],
            storage_version=stored,
            custom=True,
        )
        fields = tuple(field["jsonPath"] for field in each.get("selectableFields", ()))
        found.append(Published(resource, each["schema"]["openAPIV3Schema"], fields))
    return found


def builtin() -> list[Published]:
    return [Published(resource) for resource in builtin_resources()]


def everything() -> list[Published]:
    return [*builtin(), *(each for definition in CRDS for each in published_of(definition))]
