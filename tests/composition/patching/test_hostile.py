"""Whatever a composition or a composite says, it is answered, with bounded work and in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.composition.patching.test_transforms import convert, string, transformed

from plumbline.base.errors import EvaluationFailed
from plumbline.composition.functions.values import Call, Resource, State
from plumbline.composition.patching import PatchAndTransform, native
from plumbline.composition.patching.govalues import json_text, printed, settled

BASE = {"apiVersion": "v1", "kind": "A"}


async def messages(xr, *patches, base=BASE, **rest):
    template = {"name": "r", "base": base, "patches": list(patches)}
    call = Call(
        observed=State(Resource({"apiVersion": "v1", "kind": "XR", **xr})), input={"resources": [template], **rest}
    )
    answers = [await PatchAndTransform().run(call), await native(call.input).run(call)]
    return [each.results[0].message if each.results else "" for each in answers]


def deep(levels):
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("patch", "xr", "fault"),
    [
        ({"fromFieldPath": "spec", "toFieldPath": "spec[1000000]"}, {"spec": 1}, "index 1000000 is greater than max allowed index 1024"),
        ({"fromFieldPath": "spec" + ".a" * 100_000}, {"spec": 1}, "it has more than 200 segments"),
        ({"fromFieldPath": "spec", "toFieldPath": "a" * 100_000 + "["}, {"spec": 1}, "unterminated '['"),
        ({"fromFieldPath": "spec"}, {"spec": deep(400)}, "exceeded max depth"),
        ({"fromFieldPath": "spec", "toFieldPath": "items[*].b"}, {"spec": ["x" * 10_000] * 100}, "patches write more than 16 MiB into one object"),
    ],
)  # fmt: skip
async def test_patches_that_would_cost_too_much_are_refused(patch, xr, fault):
    base = {**BASE, "items": [{"b": 1}] * 1000}
    for message in await messages(xr, patch, base=base):
        assert fault in message


async def test_patch_sets_do_not_multiply_without_end():
    sets = [{"name": "s", "patches": [{"fromFieldPath": "a"}] * 1000}]
    for message in await messages({}, *[{"type": "PatchSet", "patchSetName": "s"}] * 200, patchSets=sets):
        assert "more than 100000 patches" in message


@pytest.mark.parametrize(
    ("transform", "value"),
    [
        (string("Format", fmt="%999999999d"), 5),
        (string("Format", fmt="%s%[1]s%[1]s"), "x" * 600_000),
        (string("Format", fmt="x%s"), "x" * 2**20),
        (string("Join", join={"separator": "x" * 10_000}), [1] * 1000),
        (string("Replace", replace={"search": "", "replace": "x" * 10_000}), "y" * 1000),
    ],
)
def test_texts_that_would_be_too_long_are_refused(transform, value):
    with pytest.raises(EvaluationFailed, match="a text of more than 1048576 characters would be made"):
        transformed(value, transform, native=False)


def test_expressions_and_numbers_have_bounds_too():
    with pytest.raises(EvaluationFailed, match="no expression is looked for in more than 65536 characters"):
        transformed("x" * 70_000, string("Regexp", regexp={"match": "(x+x+)+y"}))
    with pytest.raises(EvaluationFailed, match="had no matches"):
        transformed("x" * 2000, string("Regexp", regexp={"match": "(x+x+)+y"}))
    with pytest.raises(EvaluationFailed, match="value out of range"):
        transformed("9" * 100_000, convert("int64"))
    with pytest.raises(EvaluationFailed, match="invalid syntax"):
        transformed("9" * 100_000, convert("float64"))
    with pytest.raises(EvaluationFailed, match="quantities must match"):
        transformed("9" * 100_000, convert("float64", "quantity"))
    with pytest.raises(EvaluationFailed, match=r"unexpected end|invalid JSON"):
        transformed("[" * 100_000, convert("array", "json"))
    with pytest.raises(EvaluationFailed, match="exceeded max depth"):
        json_text(deep(300))


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 2000), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=4)),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "name", "base", "patches", "combine", "policy", "transforms", "a"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(anything, anything, anything)
def test_whatever_is_given_is_answered(patch, base, xr):
    template = {"name": "r", "base": base, "patches": [patch]}
    xr = xr if isinstance(xr, dict) else {}
    call = Call(observed=State(Resource(xr), {"r": Resource(xr)}), input={"resources": [template]})
    for function in (PatchAndTransform(), native(call.input)):
        with pytest.raises(StopIteration) as done:
            function.run(call).send(None)
        assert done.value.value.ttl_s == 60.0


@given(st.text(max_size=12), st.lists(anything, max_size=3))
def test_every_format_prints_something(form, values):
    assert isinstance(printed(form, *values), str)
    assert settled(values) is not None
