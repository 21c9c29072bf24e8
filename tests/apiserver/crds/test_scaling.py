import pytest

from plumbline.apiserver.crds import Definition
from plumbline.apiserver.crds.scaling import ScalePaths, scale_errors, scale_of, with_replicas
from plumbline.base.errors import SchemaViolation

from .corpus import T, crd, schema, version

PATHS = ScalePaths(".spec.replicas", ".status.ready.replicas", ".status.selector")


def obj(spec, status=None):
    return {"metadata": {"name": "x", "namespace": "n", "uid": "u", "labels": {}}, "spec": spec, "status": status}


def test_a_scale_says_how_many_there_are_and_should_be():
    held = obj({"replicas": 3}, {"ready": {"replicas": 2}, "selector": "a=b"})
    assert scale_of(held, PATHS) == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": "x", "namespace": "n", "uid": "u"},
        "spec": {"replicas": 3},
        "status": {"replicas": 2, "selector": "a=b"},
    }


def test_none_wanted_is_not_written():
    scale = scale_of(obj({"replicas": 0}), ScalePaths(".spec.replicas", ".status.replicas"))
    assert (scale["spec"], scale["status"]) == ({}, {"replicas": 0})


@pytest.mark.parametrize(
    ("spec", "status", "said"),
    [
        ({}, {}, 'the spec replicas field ".spec.replicas" does not exist'),
        ({"replicas": "3"}, {}, ".spec.replicas accessor error: 3 is of the type string, expected int64"),
        ({"replicas": True}, {}, ".spec.replicas accessor error: true is of the type bool, expected int64"),
        ({"replicas": 1.5}, {}, ".spec.replicas accessor error: 1.5 is of the type float64, expected int64"),
        (
            {"replicas": 1},
            {"ready": []},
            ".status.ready.replicas accessor error: [] is of the type []interface {}, expected map[string]interface{}",
        ),
        ({"replicas": 1}, {"selector": 1}, ".status.selector accessor error: 1 is of the type int64, expected string"),
    ],
)
def test_what_is_no_scale_is_refused(spec, status, said):
    with pytest.raises(SchemaViolation) as refused:
        scale_of(obj(spec, status), PATHS)
    assert refused.value.what == said


def test_replicas_are_written_where_the_definition_says():
    held = obj({"a": 1})
    assert with_replicas(held, PATHS, 4)["spec"] == {"a": 1, "replicas": 4}
    assert held["spec"] == {"a": 1}
    deep = ScalePaths(".spec.a.b.c", ".status.x")
    assert with_replicas({}, deep, 4) == {"spec": {"a": {"b": {"c": 4}}}}
    assert deep.replicas_path == ("spec", "a", "b", "c")
    with pytest.raises(SchemaViolation, match=r"value cannot be set because \.spec\.a\.b\.c is not a map"):
        with_replicas({"spec": {"a": 1}}, deep, 4)


@pytest.mark.parametrize(
    ("spec", "status", "said"),
    [
        ({"replicas": -1}, {}, ["Invalid value: -1: should be a non-negative integer"]),
        ({"replicas": 2**31}, {}, ["Invalid value: 2147483648: should be less than or equal to 2147483647"]),
        (
            {"replicas": "x"},
            {"selector": 1},
            [
                "Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64",
                'Invalid value: "": .status.selector accessor error: 1 is of the type int64, expected string',
            ],
        ),
        ({}, {}, []),
    ],
)
def test_values_that_a_scale_could_not_show_are_refused(spec, status, said):
    assert [each.message for each in scale_errors(obj(spec, status), PATHS)] == said


def test_a_status_is_checked_without_its_spec():
    assert list(scale_errors(obj({"replicas": -1}, {}), PATHS, spec=False)) == []
    assert list(scale_errors({}, None)) == []


def test_a_definition_knows_its_scale():
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    served = Definition(
        crd(versions=[version(root=schema(spec=schema(a=T)), subresources={"scale": scale, "status": {}})])
    ).version("v1")
    assert served.scale == ScalePaths(".spec.replicas", ".status.replicas", "")
    assert served.has_status
    assert Definition(crd()).version("v1").scale is None
