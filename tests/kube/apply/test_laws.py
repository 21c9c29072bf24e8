"""Laws that apply keeps for every object, manager and order of events."""

from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.errors import FieldConflict
from plumbline.kube.apply import Writer, apply, decode_managed, fields_of, track_update
from plumbline.kube.apply.fieldset import difference, intersection
from plumbline.kube.apply.walk import compare
from plumbline.kube.diff import diff
from plumbline.kube.schema import FREE, Form, Shape

NAMES = st.sampled_from(["a", "b", "c"])
SCALARS = st.one_of(st.integers(0, 3), st.booleans(), st.sampled_from(["x", "y", ""]))
TREES = st.recursive(SCALARS, lambda inner: st.dictionaries(NAMES, inner, min_size=1, max_size=3), max_leaves=6)
ROWS = st.lists(st.fixed_dictionaries({"name": NAMES}, optional={"v": SCALARS, "w": TREES}), max_size=3, unique_by=lambda row: row["name"])  # fmt: skip
FIELDS = {
    "apiVersion": Shape(Form.SCALAR, kind="string"),
    "kind": Shape(Form.SCALAR, kind="string"),
    "metadata": Shape(Form.MAP),
    "free": FREE,
    "rows": Shape(Form.TABLE, keys=("name",)),
    "members": Shape(Form.SET),
    "whole": Shape(Form.FREE, atomic=True),
    "listed": Shape(Form.LIST),
}
SHAPE = Shape(Form.RECORD, resolve_fields=lambda: FIELDS)
OBJECTS = st.fixed_dictionaries(
    {"apiVersion": st.just("v1"), "kind": st.just("Thing"), "metadata": st.just({"name": "t", "labels": {"of": "t"}})},
    optional={
        "free": st.dictionaries(NAMES, TREES, max_size=3),
        "rows": ROWS,
        "members": st.lists(NAMES, max_size=3, unique=True),
        "whole": st.dictionaries(NAMES, TREES, max_size=2),
        "listed": st.lists(SCALARS, max_size=3),
    },
)
STEPS = st.lists(st.tuples(st.sampled_from(["m", "n", "o"]), st.sampled_from(["apply", "update"]), OBJECTS), max_size=5)


def played(steps):
    """A live object after some managers wrote it."""
    live = None
    for second, (manager, operation, obj) in enumerate(steps):
        writer = Writer(manager, "v1", f"2026-01-01T00:00:{second:02}Z")
        if operation == "apply":
            live = apply(live, obj, writer, SHAPE, force=True)
        else:
            managed = {"managedFields": (live or {}).get("metadata", {}).get("managedFields")}
            live = track_update(live, {**obj, "metadata": {**obj["metadata"], **managed}}, writer, SHAPE)
    return live


@given(STEPS, OBJECTS)
def test_applying_twice_is_applying_once(steps, config):
    live = apply(played(steps), config, Writer("m", "v1", "2026-01-02T00:00:00Z"), SHAPE, force=True)
    assert apply(live, config, Writer("m", "v1", "2026-01-03T00:00:00Z"), SHAPE) == live


@given(STEPS, OBJECTS)
def test_what_was_applied_is_there(steps, config):
    live = apply(played(steps), config, Writer("m", "v1", "t"), SHAPE, force=True)
    changes = compare({**config, "metadata": {}}, {**live, "metadata": {}}, SHAPE)
    assert changes.removed == {}
    assert intersection(changes.modified, fields_of(config, SHAPE)) == {}


def refusal(live, config):
    try:
        apply(live, config, Writer("m", "v1", "t"), SHAPE)
    except FieldConflict as refused:
        return refused
    return None


@given(STEPS, OBJECTS)
def test_a_refusal_names_fields_of_others_and_its_absence_means_that_force_takes_nothing(steps, config):
    live = played(steps)
    refused = refusal(live, config)
    forced = apply(live, config, Writer("m", "v1", "t"), SHAPE, force=True)
    if refused is None:
        assert apply(live, config, Writer("m", "v1", "t"), SHAPE) == forced
    else:
        assert all(claim.manager != "m" or '"m" using' in str(refused) for claim in refused.claims)


@given(STEPS)
def test_nobody_owns_what_is_not_there(steps):
    live = played(steps)
    if live is not None:
        bare = {**live, "metadata": {k: v for k, v in live["metadata"].items() if k != "managedFields"}}
        there = compare({}, bare, SHAPE).added
        for ownership in decode_managed(live["metadata"].get("managedFields", ())).values():
            assert difference(ownership.fields, there) == {}


@given(STEPS, OBJECTS)
def test_inputs_are_never_changed(steps, config):
    live = played(steps)
    before = repr((live, config))
    apply(live, config, Writer("m", "v1", "t"), SHAPE, force=True)
    assert repr((live, config)) == before


@given(STEPS, OBJECTS)
def test_the_diff_is_empty_right_after_an_apply(steps, config):
    live = apply(played(steps), config, Writer("m", "v1", "t"), SHAPE, force=True)
    assert diff(config, live, SHAPE, manager="m") == []


@given(STEPS, OBJECTS)
def test_an_empty_diff_means_that_applying_changes_no_value(steps, config):
    live = played(steps)
    if live is None or diff(config, live, SHAPE, manager="m"):
        return
    after = apply(live, config, Writer("m", "v1", "t"), SHAPE, force=True)
    changed = compare({**live, "metadata": {}}, {**after, "metadata": {}}, SHAPE)
    values = [part for part in (changed.modified, changed.removed) if part]
    assert values == [] or "f:whole" in str(values) or _only_empties(live, after)


def _only_empties(live, after):
    """An empty map or list that comes or goes is not a difference: servers keep none."""

    def bare(value):
        if isinstance(value, dict):
            return {k: b for k, v in value.items() if (b := bare(v)) not in ({}, [], None) and k != "metadata"}
        return [bare(item) for item in value] if isinstance(value, list) else value

    return bare(live) == bare(after)
