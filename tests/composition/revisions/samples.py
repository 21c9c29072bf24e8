"""Compositions of all sorts."""


def composition(name="small", *, metadata=None, kind="XDatabase", **spec):
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": name, "uid": f"u-{name}", **(metadata or {})},
        "spec": {"compositeTypeRef": {"apiVersion": "example.org/v1", "kind": kind}, **spec},
    }


BUCKET = {"apiVersion": "s3.aws.upbound.io/v1beta1", "kind": "Bucket", "spec": {"forProvider": {"region": "eu"}}}
PATCHES = [
    {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.size", "toFieldPath": "spec.forProvider.size"},
    {"fromFieldPath": "spec.n", "transforms": [{"type": "math", "math": {"multiply": 0, "type": "Multiply"}}]},
    {"type": "PatchSet", "patchSetName": "common"},
    {
        "type": "CombineFromComposite",
        "combine": {
            "variables": [{"fromFieldPath": "metadata.uid"}, {"fromFieldPath": "spec.x"}],
            "strategy": "string",
            "string": {"fmt": "%s-%s"},
        },
        "toFieldPath": "metadata.name",
        "policy": {"fromFieldPath": "Required", "mergeOptions": {"keepMapValues": False, "appendSlice": True}},
    },
    {
        "type": "ToCompositeFieldPath",
        "fromFieldPath": "status.a",
        "toFieldPath": "status.b",
        "transforms": [
            {"type": "map", "map": {"a": "b", "10": 1, "9": {"x": [1.5, None]}}},
            {
                "type": "match",
                "match": {"patterns": [{"type": "regexp", "regexp": "^a", "result": None}], "fallbackTo": "Input"},
            },
            {"type": "match", "match": {"patterns": [], "fallbackValue": {"a": 1}}},
            {"type": "string", "string": {"type": "Regexp", "regexp": {"match": "a(b)", "group": 0}, "trim": ""}},
            {"type": "string", "string": {"type": "Join", "join": {"separator": ","}}},
            {"type": "string", "string": {"type": "Format", "fmt": "%s: yes"}},
            {"type": "convert", "convert": {"toType": "int64", "format": "quantity"}},
        ],
    },
]
CHECKS = [
    {"type": "MatchCondition", "matchCondition": {"type": "Ready", "status": "True"}},
    {"type": "MatchInteger", "fieldPath": "status.n", "matchInteger": 0},
    {"type": "MatchString", "fieldPath": "", "matchString": "on"},
]
PIPELINE = [
    {
        "step": "patch",
        "functionRef": {"name": "function-patch-and-transform"},
        "input": {
            "apiVersion": "pt.fn.crossplane.io/v1beta1",
            "kind": "Resources",
            "resources": [{"base": BUCKET, "n": 1.0}],
        },
        "credentials": [{"name": "aws", "source": "Secret", "secretRef": {"name": "a", "namespace": "b"}}],
    },
    {"step": "ready", "functionRef": {"name": "function-auto-ready"}, "credentials": [{"name": "x", "source": "None"}]},
]
REQUIREMENTS = {
    "requiredResources": [
        {"requirementName": "a", "apiVersion": "v1", "kind": "ConfigMap", "name": "x", "namespace": "y"},
        {"requirementName": "b", "apiVersion": "v1", "kind": "ConfigMap", "matchLabels": {"a": "b"}},
    ],
    "requiredSchemas": [{"requirementName": "c", "apiVersion": "v1", "kind": "ConfigMap"}],
}
TEXTS = {
    "text": 'multi\nline: "quoted" # no comment\n\ttab',
    "blank": "",
    "null": None,
    "like": ["yes", "on", "1", "1e3", "0x10", "null", "~", "2001-01-01", "- a", "a: b", "é ☃", " lead", "trail "],
    "numbers": [0, -1, 1.5, 1e21, 1e-7, 123456789012345678, 0.1],
    "10": 1,
    "9": 2,
    "a10": 1,
    "a9": 2,
    "A": {},
    "b": [],
    "folded": "word " * 60,
}

COMPOSITIONS = {
    "bare": composition(),
    "labels": composition(metadata={"labels": {"b": "1", "a": "true", "c": ""}}),
    "annotations": composition(metadata={"annotations": {"x/y": "multi\nline\n", "n": "1"}}),
    "templates": composition(
        mode="Resources",
        patchSets=[{"name": "common", "patches": PATCHES[:2]}, {"name": "none", "patches": []}],
        resources=[
            {"name": "bucket", "base": BUCKET, "patches": PATCHES, "readinessChecks": CHECKS},
            {"base": {**BUCKET, "spec": TEXTS}, "connectionDetails": [{"fromConnectionSecretKey": "a"}, {"value": ""}]},
        ],
        writeConnectionSecretsToNamespace="secrets",
        publishConnectionDetailsWithStoreConfigRef={"name": "default"},
    ),
    "pipeline": composition(mode="Pipeline", pipeline=PIPELINE, writeConnectionSecretsToNamespace=""),
    "awkward texts": composition(
        mode="Pipeline",
        pipeline=[
            {"step": "a", "functionRef": {"name": "f"}, "input": {"apiVersion": "a/v1", "kind": "I", "spec": TEXTS}}
        ],
    ),
    "unknown fields": composition(environment={"x": 1}, mode="Pipeline", pipeline=[{**PIPELINE[1], "later": True}]),
    "empty lists": composition(resources=[], pipeline=[], patchSets=[], mode="Resources"),
    "labels that are ours": composition(metadata={"labels": {"crossplane.io/composition-name": "other"}}),
}
NEWER = {
    "requirements": composition(mode="Pipeline", pipeline=[{**PIPELINE[1], "requirements": REQUIREMENTS}]),
    "no requirements": composition(mode="Pipeline", pipeline=[{**PIPELINE[1], "requirements": {}}]),
}
