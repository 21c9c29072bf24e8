"""What holds of every value under every schema."""

from hypothesis import given
from hypothesis import strategies as st
from tests.apiserver.crds.corpus import PROBE, PROBE_SPECS, RULED, RULED_SPECS, crd, with_defaults

from plumbline.apiserver.crds import Definition
from plumbline.apiserver.crds.conforming import conforms
from plumbline.apiserver.crds.correlation import Correlated
from plumbline.apiserver.crds.definitions.validation import definition_errors
from plumbline.apiserver.crds.structural import compiled_schema
from plumbline.apiserver.crds.validation import _Validation, schema_errors
from plumbline.base.errors import SchemaViolation
from plumbline.base.json import decode, encode

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(allow_nan=False, allow_infinity=False),
    st.text("ab1é", max_size=4),
)  # fmt: skip
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abk"), inner, max_size=3)),
    max_leaves=8,
)
KINDS = st.sampled_from(["string", "integer", "number", "boolean", "object", "array", ""])
LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "minimum": st.integers(-3, 3), "maximum": st.sampled_from([2, 2.5, 1e9]), "multipleOf": st.sampled_from([0.5, 2]),
        "exclusiveMinimum": st.booleans(), "minLength": st.integers(0, 2), "maxLength": st.integers(0, 3),
        "pattern": st.sampled_from(["^a", "b$", "("]), "minItems": st.integers(0, 1), "maxItems": st.integers(0, 2),
        "uniqueItems": st.booleans(), "minProperties": st.integers(0, 1), "maxProperties": st.integers(0, 2),
        "nullable": st.booleans(), "enum": st.lists(SCALARS, min_size=1, max_size=2),
        "format": st.sampled_from(["date-time", "int32", "float", "ipv4", "nobody"]),
        "required": st.lists(st.sampled_from("ab"), max_size=1), "x-kubernetes-int-or-string": st.booleans(),
        "default": SCALARS,
    },
)  # fmt: skip


def _schemas(inner):
    return st.tuples(KINDS, LIMITS, inner, inner, st.sampled_from(["", "allOf", "anyOf", "oneOf", "not"])).map(_schema)


def _schema(parts):
    kind, limits, first, second, word = parts
    made = {**limits, **({"type": kind} if kind else {})}
    if kind == "object":
        made["properties"] = {"a": first, "b": second}
    elif kind == "array":
        made["items"] = first
    if word:
        made[word] = first if word == "not" else [first, second]
    return made


SCHEMAS = st.recursive(st.tuples(KINDS, LIMITS).map(lambda each: _schema((*each, {}, {}, ""))), _schemas, max_leaves=6)


@given(schema=SCHEMAS, value=JSON)
def test_the_quick_answer_and_the_long_one_agree(schema, value):
    node = compiled_schema(schema)
    errors = _Validation("").validate(value, node, "", None).errors
    assert conforms(value, node) is (not errors)
    assert bool(schema_errors(value, node)) is bool(errors)


@given(schema=SCHEMAS, value=JSON)
def test_what_did_not_change_is_always_forgiven(schema, value):
    node = compiled_schema(schema)
    correlated = Correlated(value, decode(encode(value)) if not _huge(value) else value, node)
    if correlated.unchanged:
        assert schema_errors(value, node, correlated=correlated) == []


def _huge(value):
    if isinstance(value, dict | list):
        return any(map(_huge, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and abs(value) >= 2**63


@given(root=SCHEMAS, spec=JSON)
def test_objects_are_never_changed_and_come_out_the_same_the_second_time(root, spec):
    served = Definition(crd(root={"type": "object", "properties": {"spec": root}})).version("v1")
    obj = {"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "x"}, "spec": spec, "extra": spec}
    before = repr(obj)
    kept = served.default(served.prune(obj).obj)
    assert repr(obj) == before
    again = served.prune(kept)
    assert again.unknown == ()
    assert served.default(again.obj) == kept
    served.validate(kept)


@given(schema=JSON)
def test_definitions_may_hold_anything(schema):
    assert isinstance(definition_errors({"spec": schema, "metadata": schema, "status": schema}), list)
    assert isinstance(definition_errors(with_defaults(crd(root=schema))), list)


@given(spec=JSON)
def test_custom_resources_may_hold_anything(spec):
    for kind, root in (("Probe", PROBE), ("Ruled", RULED)):
        served = Definition(crd(kind=kind, root=root)).version("v1")
        try:
            kept = served.default(served.prune({"metadata": {}, "spec": spec, "status": spec}).obj)
        except SchemaViolation:
            continue
        served.validate(kept)
        served.validate(kept, kept, subresource="status")


def test_every_object_of_the_corpus_is_judged_the_same_twice():
    for kind, root, specs in (("Probe", PROBE, PROBE_SPECS), ("Ruled", RULED, RULED_SPECS)):
        served = Definition(with_defaults(crd(kind=kind, root=root))).version("v1")
        for spec in specs:
            obj = {"apiVersion": "example.org/v1", "kind": kind, "metadata": {"name": "x"}, "spec": spec}
            try:
                kept = served.default(served.prune(obj).obj)
            except SchemaViolation:
                continue
            first = served.validate(kept)
            assert served.validate(kept) == first
            if first.errors and isinstance(spec, dict):
                # Parts that no old value corresponds to, such as items of plain lists, are judged anew.
                assert len(served.validate(kept, kept).errors) <= len(first.errors)
