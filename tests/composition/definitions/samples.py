"""Definitions of all sorts."""

from copy import copy

OBJECT = {"type": "object"}
TEXT = {"type": "string"}


def xrd(
    kind="XDatabase", *, claim="Database", version="v1", plural=None, schema=None, uid="u-1", metadata=None, **spec
):
    plural = plural or f"{kind.lower()}s"
    name = f"{plural}.example.org"
    said = {
        "group": "example.org",
        "names": {"kind": kind, "plural": plural},
        "versions": [sample_version(version, schema=schema)],
    }
    if claim and spec.get("scope", "LegacyCluster") == "LegacyCluster":
        said["claimNames"] = {"kind": claim, "plural": f"{claim.lower()}s"}
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": name, "uid": uid, **(metadata or {})},
        "spec": {**said, **spec},
    }


def sample_version(name="v1", *, schema=None, served=True, referenceable=True, **more):
    written = schema if schema is not None else sample_schema(size=TEXT)
    return {
        "name": name,
        "served": served,
        "referenceable": referenceable,
        "schema": {"openAPIV3Schema": copy(written)},
        **more,
    }


def sample_schema(status=None, **spec):
    properties = {"spec": {"type": "object", "properties": spec}}
    if status is not None:
        properties["status"] = {"type": "object", "properties": status}
    return {"type": "object", "properties": properties}


COLUMN = {"name": "SIZE", "type": "string", "jsonPath": ".spec.size"}
SCALE = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}
WEBHOOK = {
    "strategy": "Webhook",
    "webhook": {
        "clientConfig": {"service": {"name": "converter", "namespace": "default", "path": "/"}},
        "conversionReviewVersions": ["v1"],
    },
}
RICH = {
    "type": "object",
    "description": "A database.",
    "required": ["spec"],
    "x-kubernetes-validations": [{"rule": "has(self.spec)", "message": "no", "reason": "FieldValueInvalid"}],
    "unheard": 1,
    "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 20, "pattern": "x"}}},
        "extra": {"type": "object"},
        "spec": {
            "type": "object",
            "description": "What is asked for.",
            "required": ["size"],
            "nullable": True,
            "minProperties": 1,
            "x-kubernetes-preserve-unknown-fields": False,
            "x-kubernetes-validations": [{"rule": "self.size != ''", "messageExpression": "'a' + self.size"}],
            "oneOf": [{"required": ["size"]}, {"required": ["n"]}],
            "anyOf": [{"required": ["size"]}],
            "properties": {
                "size": {"type": "string", "enum": ["small", "large"], "default": "small", "minLength": 0},
                "n": {"type": "integer", "minimum": 1.0, "maximum": 1.5, "multipleOf": 2, "exclusiveMinimum": False},
                "list": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"a": TEXT}, "required": []},
                    "uniqueItems": False,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["a"],
                    "default": [{"a": "x", "b": None, "c": 1.50}],
                },
                "map": {"type": "object", "additionalProperties": {"type": "string", "title": ""}},
                "open": {"type": "object", "additionalProperties": True},
                "closed": {"type": "object", "additionalProperties": False},
                "either": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, TEXT]},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {}},
                "inner": {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-map-type": "atomic"},
                "nothing": None,
                "not": {"not": {"enum": [None, 1]}, "nullable": True, "default": None, "example": {"x": 1}},
                "dep": {"dependencies": {"a": ["b"], "c": {"type": "string"}}, "externalDocs": {"url": "u", "x": 1}},
                "compositionRef": {"type": "string"},
                "crossplane": {"type": "string"},
            },
        },
        "status": {
            "type": "object",
            "description": "What there is.",
            "required": ["address"],
            "x-kubernetes-validations": [{"rule": "true"}],
            "oneOf": [{"required": ["address"]}],
            "properties": {"address": TEXT, "conditions": {"type": "string"}},
        },
    },
}

XRDS = {
    "plain": xrd(),
    "without claims": xrd(claim=None),
    "all names": xrd(
        names={
            "kind": "XDb",
            "plural": "xdbs",
            "singular": "xdb",
            "listKind": "XDbs",
            "shortNames": ["x"],
            "categories": ["all", "db"],
        },
        claimNames={
            "kind": "Db",
            "plural": "dbs",
            "singular": "db",
            "listKind": "Dbs",
            "shortNames": ["d"],
            "categories": ["all"],
        },
        metadata={"name": "xdbs.example.org"},
    ),
    "labels of the definition": xrd(metadata={"name": "xdatabases.example.org", "labels": {"a": "b"}}),
    "labels and annotations of the kinds": xrd(
        metadata={"name": "xdatabases.example.org", "labels": {"a": "b", "c": "d"}, "annotations": {"not": "copied"}},
    )
    | {},
    "policies": xrd(defaultCompositionUpdatePolicy="Manual", defaultCompositeDeletePolicy="Foreground"),
    "empty schema": xrd(schema={}),
    "only a type": xrd(schema=OBJECT),
    "spec without properties": xrd(schema={"type": "object", "properties": {"spec": OBJECT}}),
    "unknown fields are kept": xrd(
        schema={"type": "object", "properties": {"spec": {"x-kubernetes-preserve-unknown-fields": True}}}
    ),
    "rich": xrd(schema=RICH),
    "long names allowed": xrd(
        schema={"properties": {"metadata": {"properties": {"name": {"maxLength": 200}}}, "spec": OBJECT}}
    ),
    "short names": xrd(schema={"properties": {"metadata": {"properties": {"name": {"maxLength": 0}}}, "spec": OBJECT}}),
    "columns": xrd(
        versions=[sample_version(additionalPrinterColumns=[COLUMN, {**COLUMN, "priority": 1, "format": "x"}])]
    ),
    "conversion": xrd(conversion=WEBHOOK),
    "no conversion": xrd(conversion={"strategy": "None"}),
    "two versions": xrd(
        versions=[
            sample_version("v1alpha1", referenceable=False, deprecated=True, deprecationWarning="go on"),
            sample_version("v1", schema=RICH),
        ]
    ),
    "a version that is not served": xrd(
        versions=[sample_version("v1"), sample_version("v2", referenceable=False, served=False)]
    ),
    "an empty warning": xrd(versions=[sample_version(deprecationWarning="", deprecated=False)]),
    "connection keys": xrd(connectionSecretKeys=["username"]),
    "namespaced": xrd(scope="Namespaced"),
    "namespaced and rich": xrd(scope="Namespaced", schema=RICH, defaultCompositionUpdatePolicy="Automatic"),
    "cluster": xrd(scope="Cluster"),
    "cluster and rich": xrd(scope="Cluster", schema=RICH),
    "scale": xrd(
        scope="Cluster", versions=[sample_version(subresources={"scale": {**SCALE, "labelSelectorPath": ".s"}})]
    ),
    "said to be legacy": xrd(scope="LegacyCluster"),
}
XRDS["labels and annotations of the kinds"]["spec"]["metadata"] = {
    "labels": {"c": "e", "f": "g"},
    "annotations": {"h": "i"},
}

WRONG = {
    "no schema": xrd(versions=[{"name": "v1", "served": True, "referenceable": True}]),
    "required is no list": xrd(schema=sample_schema() | {"required": "spec"}),
    "a property is no schema": xrd(schema=sample_schema(size="string")),
    "a length is no number": xrd(schema=sample_schema(size={"type": "string", "maxLength": "1"})),
    "a length is no whole number": xrd(schema=sample_schema(size={"type": "string", "maxLength": 1.5})),
    "a maximum is no number": xrd(schema=sample_schema(size={"maximum": "1"})),
    "a flag is no flag": xrd(schema=sample_schema(size={"nullable": "yes"})),
    "a description is no text": xrd(schema=sample_schema(size={"description": 1})),
    "a list type is no text": xrd(schema=sample_schema(size={"x-kubernetes-list-type": 1})),
    "rules are no list": xrd(schema=sample_schema(size={"x-kubernetes-validations": {}})),
    "a rule is no object": xrd(schema=sample_schema(size={"x-kubernetes-validations": ["x"]})),
    "properties are no object": xrd(schema=sample_schema(size={"properties": []})),
    "additional properties are a text": xrd(schema=sample_schema(size={"additionalProperties": "x"})),
    "claims of the same kind": xrd(claimNames={"kind": "XDatabase", "plural": "databases"}),
    "claims of the same plural": xrd(claimNames={"kind": "Database", "plural": "xdatabases"}),
}
