"""Crossplane's kinds, typed: what people write is read, and what they get wrong is named."""

import pytest

from plumbline.base.errors import InvalidInput
from plumbline.kinds.crd import Leave, crd_manifest, plan_crd
from plumbline.kinds.crossplane import (
    COMPOSITE_RESOURCE_DEFINITION,
    COMPOSITION,
    COMPOSITION_REVISION,
    CROSSPLANE_KINDS,
    ENVIRONMENT_CONFIG,
    PROVIDER,
    USAGE,
)
from plumbline.kinds.read import read
from plumbline.kinds.values import written


def obj(kind, spec, version=None, **more):
    return {
        "apiVersion": f"{kind.group}/{version or kind.versions[0].name}",
        "kind": kind.kind,
        "metadata": {"name": "a"},
        "spec": spec,
        **more,
    }


XRD = {
    "group": "example.org",
    "names": {"kind": "XDatabase", "plural": "xdatabases"},
    "versions": [
        {"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    ],
}


def test_a_definition_is_of_the_older_lineage_unless_it_says_otherwise():
    assert read(COMPOSITE_RESOURCE_DEFINITION, obj(COMPOSITE_RESOURCE_DEFINITION, XRD)).spec.scope == "LegacyCluster"
    newer = read(COMPOSITE_RESOURCE_DEFINITION, obj(COMPOSITE_RESOURCE_DEFINITION, XRD, "v2"))
    assert newer.spec.scope == "Namespaced"
    assert newer.unknown == ()


def test_schemas_inside_definitions_are_nobodys_business_here():
    got = read(COMPOSITE_RESOURCE_DEFINITION, obj(COMPOSITE_RESOURCE_DEFINITION, XRD))
    assert got.spec.versions[0].schema.open_api_v3_schema == {"type": "object"}


MODES = [
    ({}, "Resources", "nothing is said"),
    ({"pipeline": [{"step": "a", "functionRef": {"name": "f"}}]}, "Pipeline", "there is a pipeline"),
    ({"mode": "Resources", "pipeline": []}, "Resources", "somebody says so"),
    ({"mode": "Pipeline"}, "Pipeline", "somebody says so, too"),
]


@pytest.mark.parametrize(("said", "mode", "why"), MODES, ids=[each[2] for each in MODES])
def test_a_composition_is_composed_by_templates_or_by_functions(said, mode, why):
    spec = {"compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "X"}, **said}
    assert read(COMPOSITION, obj(COMPOSITION, spec)).spec.composed_by == mode
    assert read(COMPOSITION_REVISION, obj(COMPOSITION_REVISION, {**spec, "revision": 2})).spec.composed_by == mode


WRONG = [
    (COMPOSITION, {"compositeTypeRef": {"kind": "X"}}, "spec.compositeTypeRef.apiVersion"),
    (PROVIDER, {}, "spec.package"),
    (USAGE, {"reason": "x"}, "spec.of"),
    (COMPOSITE_RESOURCE_DEFINITION, {**XRD, "scope": "Galaxy"}, "spec.scope"),
]


@pytest.mark.parametrize(("kind", "spec", "path"), WRONG, ids=[each[2] for each in WRONG])
def test_what_cannot_be_used_is_named(kind, spec, path):
    with pytest.raises(InvalidInput, match=path.replace(".", r"\.")):
        read(kind, obj(kind, spec))


def test_an_environment_has_its_values_at_the_top():
    schema = crd_manifest(ENVIRONMENT_CONFIG)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert schema["properties"].keys() == {"apiVersion", "kind", "metadata", "data"}
    assert "required" not in schema


def test_defaults_are_upstreams():
    spec = crd_manifest(PROVIDER)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert spec["properties"]["runtimeConfigRef"]["default"] == {"name": "default"}
    assert spec["properties"]["revisionHistoryLimit"]["default"] == 1
    checks = crd_manifest(COMPOSITION)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert checks["properties"]["resources"]["items"]["properties"]["readinessChecks"]["default"] == [
        {"type": "MatchCondition", "matchCondition": {"type": "Ready", "status": "True"}}
    ]


def test_rules_about_a_whole_spec_are_in_the_crd():
    spec = crd_manifest(USAGE)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    assert len(spec["x-kubernetes-validations"]) == 2


@pytest.mark.parametrize("kind", CROSSPLANE_KINDS, ids=lambda kind: kind.crd_name)
def test_a_kind_that_crossplane_installed_stays_as_it_is(kind):
    live = {"metadata": {"name": kind.crd_name, "labels": {"app": "crossplane"}}, "spec": {}}
    assert isinstance(plan_crd(crd_manifest(kind), live), Leave)


def test_what_is_read_is_written_as_it_was():
    spec = {"package": "xpkg.example.org/a/b:v1", "commonLabels": {"a": "b"}}
    assert written(read(PROVIDER, obj(PROVIDER, spec)).spec) == spec
