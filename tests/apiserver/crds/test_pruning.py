import pytest
from tests.apiserver.crds.corpus import PROBE, I, T, crd, schema

from plumbline.apiserver.crds import Definition
from plumbline.base.errors import SchemaViolation

SERVED = Definition(crd(root=PROBE)).version("v1")


def obj(spec, **more):
    return {"apiVersion": "example.org/v1", "kind": "Probe", "metadata": {"name": "x"}, "spec": spec, **more}


@pytest.mark.parametrize(
    ("spec", "kept", "unknown", "why"),
    [
        ({"i": 1}, {"i": 1}, (), "what is known stays"),
        ({"bogus": 1, "i": 1}, {"i": 1}, ("spec.bogus",), "what is not goes"),
        ({"r": {"a": "", "zz": {"deep": 1}}}, {"r": {"a": ""}}, ("spec.r.zz",), "at any depth"),
        ({"map": [{"k": "1", "z": 1}]}, {"map": [{"k": "1"}]}, ("spec.map[0].z",), "and in items"),
        ({"m": {"a": {"b": 1}}}, {"m": {"a": {}}}, ("spec.m.a.b",), "free keys have a schema too"),
        ({"open": {"a": 1, "b": {"c": 1}, "d": [{"e": 1}]}}, {"open": {"a": 1, "b": {}, "d": [{}]}},
         ("spec.open.b.c", "spec.open.d[0].e"), "free keys without one describe nothing inside"),
        ({"any": {"x": {"y": 1}}}, {"any": {"x": {"y": 1}}}, (), "what preserves keeps everything"),
        ({"half": {"z": {"q": 1}, "k": {"a": "", "b": 1}}}, {"half": {"z": {"q": 1}, "k": {"a": ""}}},
         ("spec.half.k.b",), "but what it describes is pruned all the same"),
        ({"lists": [{"a": "", "z": [{"q": 1}]}, [{"a": ""}]]}, {"lists": [{"a": "", "z": [{"q": 1}]}, [{"a": ""}]]}, (),
         "items inherit preserving"),
        ({"emb": {"apiVersion": "v1", "kind": "Pod", "metadata": {"bogus": 1}, "x": 1}},
         {"emb": {"apiVersion": "v1", "kind": "Pod", "metadata": {}, "x": 1}}, ("spec.emb.metadata.bogus",),
         "embedded metadata has the fields that metadata has"),
        ({"i": None, "nn": None, "any": None}, {"nn": None}, (), "null goes where it is not allowed"),
        ({"l": [None], "any": [{"a": None}]}, {"l": [None], "any": [{"a": None}]}, (), "but not from lists, nor from what is free"),
        ({"r": {"a": None, "b": ""}}, {"r": {"b": ""}}, (), "at any depth too"),
        ({"map": [{"k": "a", "v": None}]}, {"map": [{"k": "a"}]}, (), "and in items"),
    ],
)  # fmt: skip
def test_what_the_schema_does_not_know_is_dropped_and_named(spec, kept, unknown, why):
    before = obj(spec)
    pruned = SERVED.prune(before)
    assert (pruned.obj["spec"], pruned.unknown) == (kept, unknown), why


def test_the_objects_own_fields_are_none_of_the_schemas_business():
    pruned = SERVED.prune(obj({}, top=1, metadata={"anything": 1}))
    assert pruned.unknown == ("top",)
    assert pruned.obj["metadata"] == {"anything": 1}


def test_an_object_that_is_in_order_is_not_even_copied():
    given = obj({"i": 1, "r": {"a": "", "b": ""}, "l": ["a"]})
    assert SERVED.prune(given).obj is given


def test_a_definition_that_preserves_unknown_fields_prunes_nothing():
    definition = Definition(crd(root=schema(spec=schema(a=T)), preserveUnknownFields=True))
    given = obj({"b": 1, "a": None})
    assert definition.version("v1").prune(given) == (given, ())


@pytest.mark.parametrize(
    ("embedded", "said"),
    [
        ({"apiVersion": 1}, "spec.emb.apiVersion: Invalid value: 1: must be a string"),
        ({"metadata": 1}, "spec.emb.metadata: Invalid value: 1: json: cannot unmarshal number into Go value of type v1.ObjectMeta"),
        ({"metadata": {"name": 3}}, 'spec.emb.metadata: Invalid value: {"name":3}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string'),
        ({"metadata": {"labels": {"a": []}}}, 'spec.emb.metadata: Invalid value: {"labels":{"a":[]}}: json: cannot unmarshal array into Go struct field ObjectMeta.labels of type string'),
        ({"metadata": {"finalizers": [1]}}, 'spec.emb.metadata: Invalid value: {"finalizers":[1]}: json: cannot unmarshal number into Go struct field ObjectMeta.finalizers of type string'),
    ],
)  # fmt: skip
def test_embedded_metadata_that_cannot_be_read_is_refused(embedded, said):
    with pytest.raises(SchemaViolation) as refusal:
        SERVED.prune(obj({"emb": embedded}))
    assert refusal.value.what == said


def test_resources_are_found_in_lists_and_maps_too():
    resource = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
    root = schema(
        spec=schema(l={"type": "array", "items": resource}, m={"type": "object", "additionalProperties": resource})
    )
    served = Definition(crd(root=root)).version("v1")
    bad = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a/b", "zz": 1}}
    pruned = served.prune(obj({"l": [bad, "x"], "m": {"k": bad}}))
    assert pruned.unknown == ("spec.l[0].metadata.zz", "spec.m[k].metadata.zz")
    errors = served.validate({**pruned.obj, "spec": {**pruned.obj["spec"], "l": [bad]}}).errors
    assert [each.field for each in errors] == ["spec.l[0].metadata.name", "spec.m[k].metadata.name"]


DEFAULTED = schema(
    spec={
        **schema(
            a={**I, "default": 3},
            n={**T, "nullable": True, "default": "n"},
            o={**schema(p={**T, "default": "q"}), "default": {}},
            deep=schema(x=schema(y={**I, "default": 1})),
            l={"type": "array", "items": {**schema(z={**I, "default": 2}), "default": {"z": 9}}},
            m={"type": "object", "additionalProperties": {**schema(z={**I, "default": 2}), "default": {}}},
            bare={"type": "array", "items": T},
        ),
    }
)


@pytest.mark.parametrize(
    ("spec", "filled", "why"),
    [
        ({}, {"a": 3, "n": "n", "o": {"p": "q"}}, "what is not there is filled in, also inside of defaults"),
        ({"a": None, "n": None, "o": None}, {"a": 3, "n": None, "o": {"p": "q"}}, "null is kept where it is allowed"),
        ({"deep": {"x": {}}}, {"a": 3, "n": "n", "o": {"p": "q"}, "deep": {"x": {"y": 1}}}, "in objects that are there"),
        ({"deep": {}}, {"a": 3, "n": "n", "o": {"p": "q"}, "deep": {}}, "objects themselves are not made up"),
        ({"l": [{}, None, {"z": 1}]}, {"a": 3, "n": "n", "o": {"p": "q"}, "l": [{"z": 2}, {"z": 9}, {"z": 1}]}, "items"),
        ({"m": {"k": {}, "j": None}}, {"a": 3, "n": "n", "o": {"p": "q"}, "m": {"k": {"z": 2}, "j": {"z": 2}}}, "free keys"),
        ({"bare": [None]}, {"a": 3, "n": "n", "o": {"p": "q"}, "bare": [None]}, "without a default nothing changes"),
    ],
)  # fmt: skip
def test_defaults_are_filled_in(spec, filled, why):
    served = Definition(crd(root=DEFAULTED)).version("v1")
    assert served.default(obj(spec))["spec"] == filled, why


def test_an_object_without_a_place_for_defaults_is_not_copied():
    served = Definition(crd(root=DEFAULTED)).version("v1")
    given = obj({"a": 1, "n": "", "o": {"p": ""}, "l": [{"z": 1}]})
    assert served.default(given) is given
    assert served.default({"kind": "x"}) == {"kind": "x"}
