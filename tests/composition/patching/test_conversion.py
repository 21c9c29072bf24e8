import pytest

from plumbline.base.errors import InvalidInput
from plumbline.base.json import encode
from plumbline.composition.functions.values import Call, Resource, State
from plumbline.composition.patching import PatchAndTransform, converted, native

BASE = {"apiVersion": "example.org/v1", "kind": "Bucket"}


def composition(**spec):
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "c"},
        "spec": spec,
    }


NATIVE = composition(
    compositeTypeRef={"apiVersion": "example.org/v1", "kind": "XStore"},
    environment={"environmentConfigs": [], "patches": [{"fromFieldPath": "spec.region", "toFieldPath": "region"}]},
    patchSets=[{"name": "common", "patches": [{"fromFieldPath": "metadata.labels", "policy": {"fromFieldPath": "Required", "mergeOptions": {"keepMapValues": True}}}]}],
    resources=[
        {
            "base": BASE,
            "patches": [
                {"type": "PatchSet", "patchSetName": "common"},
                {"fromFieldPath": "spec.count", "toFieldPath": "spec.double", "transforms": [{"type": "math", "math": {"multiply": 2}}]},
                {"fromFieldPath": "spec.count", "toFieldPath": "spec.least", "transforms": [{"math": {"clampMin": 2}}]},
                {"fromFieldPath": "spec.region", "toFieldPath": "spec.name", "transforms": [{"string": {"fmt": "x-%s"}}, {"type": "string", "string": {"type": "TrimPrefix", "trim": "x"}}, {"type": "string", "string": {"trim": "x"}}, {"type": "map", "map": {}}]},
                {"fromFieldPath": "spec.list", "policy": {"mergeOptions": {"appendSlice": True}}},
            ],
            "connectionDetails": [{"fromConnectionSecretKey": "user"}, {"name": "a", "value": "1"}, {"name": "p", "fromFieldPath": "x"}, {}, {"name": "k", "type": "FromConnectionSecretKey", "fromConnectionSecretKey": "b", "fromFieldPath": "x"}],
        },
        {"name": "named", "base": BASE},
    ],
)  # fmt: skip


def test_one_step_says_what_the_composition_said():
    before = encode(NATIVE)
    spec = converted(NATIVE)["spec"]
    assert encode(NATIVE) == before
    (step,) = spec.pop("pipeline")
    assert spec == {
        "compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XStore"},
        "environment": {"environmentConfigs": []},
        "mode": "Pipeline",
    }
    assert (step["step"], step["functionRef"]) == ("patch-and-transform", {"name": "function-patch-and-transform"})
    first, second = step["input"]["resources"]
    assert (first["name"], second) == ("resource-0", {"name": "named", "base": BASE})
    assert first["patches"] == [
        {"type": "PatchSet", "patchSetName": "common"},
        {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.count", "toFieldPath": "spec.double", "transforms": [{"type": "math", "math": {"type": "Multiply", "multiply": 2}}]},
        {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.count", "toFieldPath": "spec.least", "transforms": [{"type": "math", "math": {"type": "ClampMin", "clampMin": 2}}]},
        {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.region", "toFieldPath": "spec.name", "transforms": [{"type": "string", "string": {"type": "Format", "fmt": "x-%s"}}, {"type": "string", "string": {"type": "TrimPrefix", "trim": "x"}}, {"type": "string", "string": {"trim": "x"}}, {"type": "map", "map": {}}]},
        {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.list", "policy": {"toFieldPath": "ForceMergeObjectsAppendArrays"}},
    ]  # fmt: skip
    assert first["connectionDetails"] == [
        {"fromConnectionSecretKey": "user", "type": "FromConnectionSecretKey", "name": "user"},
        {"name": "a", "value": "1", "type": "FromValue"},
        {"name": "p", "fromFieldPath": "x", "type": "FromFieldPath"},
        {},
        {"name": "k", "type": "FromConnectionSecretKey", "fromConnectionSecretKey": "b", "fromFieldPath": "x"},
    ]
    (patch,) = step["input"]["patchSets"][0]["patches"]
    assert patch["policy"] == {"fromFieldPath": "Required", "toFieldPath": "MergeObjects"}
    assert step["input"]["environment"]["patches"][0]["type"] == "FromCompositeFieldPath"


async def test_what_was_converted_composes_the_same():
    xr = {"apiVersion": "e/v1", "kind": "X", "metadata": {"labels": {"a": "b"}}, "spec": {"count": 3, "region": "eu"}}
    given = composition(
        resources=[{"name": "r", "base": BASE, "patches": NATIVE["spec"]["resources"][0]["patches"][1:2]}],
        environment={"patches": []},
    )
    pipeline = converted(given, "other")["spec"]["pipeline"]
    state = State(Resource(xr))
    one = await native(given["spec"]).run(Call(observed=state))
    two = await PatchAndTransform().run(Call(observed=state, input=pipeline[0]["input"]))
    assert one.desired.resources["r"].resource == two.desired.resources["r"].resource
    assert pipeline[0]["functionRef"] == {"name": "other"}
    assert "environment" not in converted(given)["spec"]


def test_a_pipeline_stays_as_it_is():
    given = composition(mode="Pipeline")
    assert converted(given) is given


@pytest.mark.parametrize(
    "given",
    [
        {"apiVersion": "v1", "kind": "Composition"},
        {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Other"},
        {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition"},
        composition(resources=[5]),
        composition(resources=[{"patches": {}}]),
    ],
)
def test_what_is_no_composition_is_refused(given):
    with pytest.raises(InvalidInput):
        converted(given)
