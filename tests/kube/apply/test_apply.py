"""What applying does, told as the stories people know from a cluster."""

import pytest

from plumbline.base.errors import FieldConflict, InvalidInput, SchemaViolation
from plumbline.kube.apply import Writer, apply, decode_managed, track_update
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import Form, Shape, builtin_shape

DEPLOYMENT = builtin_shape(GroupVersionKind("apps", "v1", "Deployment"))
CONFIG_MAP = builtin_shape(GroupVersionKind("", "v1", "ConfigMap"))
SERVICE = builtin_shape(GroupVersionKind("", "v1", "Service"))


def writer(name, at="2026-01-01T00:00:00Z", version="v1", subresource=""):
    return Writer(name, version, at, subresource)


def config_map(**data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "d"}, "data": data}


def owned(obj):
    """Fields by manager, for reading."""
    return {manager.name: ownership.fields for manager, ownership in decode_managed(entries(obj)).items()}


def entries(obj):
    return obj["metadata"].get("managedFields", [])


def test_the_applier_owns_what_it_applied_and_nothing_else():
    live = apply(None, config_map(a="1"), writer("m"), CONFIG_MAP)
    assert owned(live) == {"m": {"f:data": {"f:a": {}}}}


def test_applying_the_same_again_changes_nothing_not_even_the_time():
    live = apply(None, config_map(a="1"), writer("m"), CONFIG_MAP)
    again = apply(live, config_map(a="1"), writer("m", "2026-01-02T00:00:00Z"), CONFIG_MAP)
    assert again == live


def test_a_field_no_longer_applied_goes_if_nobody_else_owns_it():
    live = apply(None, config_map(a="1", b="2"), writer("m"), CONFIG_MAP)
    assert apply(live, config_map(a="1"), writer("m"), CONFIG_MAP)["data"] == {"a": "1"}


def test_a_field_that_another_manager_shares_stays_when_one_gives_it_up():
    live = apply(None, config_map(a="1", b="2"), writer("m"), CONFIG_MAP)
    live = apply(live, config_map(b="2"), writer("n"), CONFIG_MAP)
    live = apply(live, config_map(a="1"), writer("m"), CONFIG_MAP)
    assert live["data"] == {"a": "1", "b": "2"}
    assert owned(live) == {"m": {"f:data": {"f:a": {}}}, "n": {"f:data": {"f:b": {}}}}


def test_a_field_that_nobody_owns_stays():
    live = {**config_map(a="1"), "metadata": {"name": "c", "uid": "u"}}
    live = apply(live, config_map(b="1"), writer("m"), CONFIG_MAP)
    assert live["data"] == {"a": "1", "b": "1"}


def test_what_was_there_before_anybody_applied_belongs_to_before_first_apply():
    live = apply(
        {**config_map(a="1"), "metadata": {"name": "c", "uid": "u"}}, config_map(b="1"), writer("m"), CONFIG_MAP
    )
    assert owned(live)["before-first-apply"] == {"f:data": {".": {}, "f:a": {}}}


def test_changing_what_another_applier_owns_is_refused_in_the_servers_words():
    live = apply(None, config_map(a="1"), writer("m"), CONFIG_MAP)
    with pytest.raises(FieldConflict) as refused:
        apply(live, config_map(a="2"), writer("n"), CONFIG_MAP)
    assert str(refused.value) == 'Apply failed with 1 conflict: conflict with "m": .data.a'
    assert refused.value.causes[0] == ("FieldManagerConflict", 'conflict with "m"', ".data.a")
    assert refused.value.claims[0] == ("m", ".data.a")


def test_several_conflicts_are_grouped_by_manager_and_updaters_show_their_version():
    live = apply(None, config_map(a="1"), writer("m"), CONFIG_MAP)
    live = track_update(live, {**live, "data": {"a": "1", "b": "2"}}, writer("k", subresource=""), CONFIG_MAP)
    with pytest.raises(FieldConflict) as refused:
        apply(live, config_map(a="x", b="y"), writer("n"), CONFIG_MAP)
    assert str(refused.value) == (
        'Apply failed with 2 conflicts: conflicts with "k" using v1:\n- .data.b\nconflicts with "m":\n- .data.a'
    )


def test_the_subresource_of_the_other_writer_is_named():
    shape = DEPLOYMENT
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "annotations": {"x": "1"}}}
    live = apply(
        None, {**deployment, "metadata": {"name": "d", "labels": {"l": "1"}}}, writer("m", version="apps/v1"), shape
    )
    live = track_update(live, {**live, **deployment}, writer("kcm", version="apps/v1", subresource="status"), shape)
    changed = {**deployment, "metadata": {"name": "d", "annotations": {"x": "2"}}}
    with pytest.raises(FieldConflict, match='conflict with "kcm" with subresource "status" using apps/v1'):
        apply(live, changed, writer("m", version="apps/v1"), shape)


def test_force_takes_the_field_and_its_owner_loses_it():
    live = apply(None, config_map(a="1", b="1"), writer("m"), CONFIG_MAP)
    live = apply(live, config_map(a="2"), writer("n"), CONFIG_MAP, force=True)
    assert live["data"] == {"a": "2", "b": "1"}
    assert owned(live) == {"m": {"f:data": {"f:b": {}}}, "n": {"f:data": {"f:a": {}}}}


def test_two_appliers_of_the_same_value_share_it():
    live = apply(None, config_map(a="1"), writer("m"), CONFIG_MAP)
    live = apply(live, config_map(a="1"), writer("n"), CONFIG_MAP)
    assert set(owned(live)) == {"m", "n"}


def test_status_applied_through_the_main_resource_is_not_owned():
    deployment = {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
        "spec": {"replicas": 1}, "status": {"replicas": 1},
    }  # fmt: skip
    live = apply(None, deployment, writer("m", version="apps/v1"), DEPLOYMENT)
    assert owned(live) == {"m": {"f:spec": {"f:replicas": {}}}}


def test_a_default_key_names_the_item_that_left_it_out():
    service = {
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": [{"port": 80}]},
    }  # fmt: skip
    live = apply(None, service, writer("m"), SERVICE)
    assert owned(live)["m"]["f:spec"]["f:ports"] == {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}}}


def test_undeclared_fields_are_refused_with_their_path():
    with pytest.raises(SchemaViolation, match=r"\.spec\.bogus: field not declared in schema"):
        apply(
            None,
            {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"bogus": 1}},
            writer("m"),
            SERVICE,
        )


@pytest.mark.parametrize(
    ("spec", "says", "why"),
    [
        ({"ports": [{"port": 80}, {"port": 80}]}, "duplicate entries for key", "a key names one item"),
        ({"ports": "x"}, "expected list", "wrong type"),
        ({"selector": "x"}, "expected map", "wrong type"),
        ({"type": 3}, "expected string", "wrong type"),
        ({"ports": [{"port": "x"}]}, "expected numeric", "wrong type"),
        ({"publishNotReadyAddresses": "yes"}, "expected boolean", "wrong type"),
        ({"ports": [{"port": 80, "targetPort": {}}]}, "expected any scalar", "int-or-string takes scalars"),
        ({"ports": ["x"]}, "non-map elements", "associative lists hold objects"),
        ({"ports": [None]}, "a null element", "associative lists hold objects"),
        (
            {"bogus": 1, "type": 3, "ports": "x"},
            "spec.bogus: field not declared",
            "one record shows its first odd field",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_the_schema_does_not_allow_is_refused_before_anything_is_merged(spec, says, why):
    with pytest.raises(SchemaViolation, match=says):
        apply(None, {"apiVersion": "v1", "kind": "Service", "metadata": {}, "spec": spec}, writer("m"), SERVICE)


def test_managed_fields_in_the_applied_object_are_refused():
    body = {**config_map(), "metadata": {"name": "c", "managedFields": []}}
    with pytest.raises(InvalidInput, match="must be nil"):
        apply(None, body, writer("m"), CONFIG_MAP)


def test_another_version_in_the_body_is_refused():
    with pytest.raises(InvalidInput, match="invalid object type"):
        apply(None, config_map(), writer("m", version="v2"), CONFIG_MAP)


def test_kubectl_may_take_over_what_it_applied_on_the_clients_side():
    text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"}}'
    key = "kubectl.kubernetes.io/last-applied-configuration"
    created = {**config_map(a="1"), "metadata": {"name": "c", "annotations": {key: text}}}
    live = track_update(None, created, writer("kubectl-client-side-apply"), CONFIG_MAP)
    taken = apply(live, config_map(a="2"), writer("kubectl"), CONFIG_MAP)
    assert taken["data"] == {"a": "2"}
    assert '"a":"2"' in taken["metadata"]["annotations"][key]
    with pytest.raises(FieldConflict):
        apply(live, config_map(a="2"), writer("other"), CONFIG_MAP)


def test_kubectl_may_not_take_what_somebody_changed_since():
    key = "kubectl.kubernetes.io/last-applied-configuration"
    text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"}}'
    created = {**config_map(a="1"), "metadata": {"name": "c", "annotations": {key: text}}}
    live = track_update(None, created, writer("kubectl-client-side-apply"), CONFIG_MAP)
    live = track_update(live, {**live, "data": {"a": "edited"}}, writer("kubectl-edit"), CONFIG_MAP)
    with pytest.raises(FieldConflict, match="kubectl-edit"):
        apply(live, config_map(a="2"), writer("kubectl"), CONFIG_MAP)
    foreign = {**live["metadata"], "annotations": {key: text.replace('"v1"', '"v2"')}}
    with pytest.raises(FieldConflict):
        apply({**live, "metadata": foreign}, config_map(a="2"), writer("kubectl"), CONFIG_MAP)


SET = Shape(Form.SET)
ITEMS = Shape(Form.TABLE, keys=("name",))


def holder(shape):
    fields = {"apiVersion": Shape(Form.SCALAR), "kind": Shape(Form.SCALAR), "metadata": Shape(Form.MAP), "list": shape}
    return Shape(Form.RECORD, resolve_fields=lambda: fields)


def listing(values):
    return {"apiVersion": "v1", "kind": "X", "metadata": {"name": "x"}, "list": values}


@pytest.mark.parametrize(
    ("live", "applied", "merged", "why"),
    [
        ("abc", "abc", "abc", "nothing moves"),
        ("abc", "ab", "abc", "live-only items stay"),
        ("abc", "cb", "acb", "shared items follow the applied order"),
        ("ab", "xaby", "xaby", "new items stand where they were applied"),
        ("cab", "abz", "cabz", "live-only items keep their place before what follows them"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_sets_merge_in_the_servers_order(live, applied, merged, why):
    before = track_update(None, listing(list(live)), writer("u"), holder(SET))
    result = apply(before, listing(list(applied)), writer("m"), holder(SET))
    assert "".join(result["list"]) == merged
    assert sorted(result["list"]) == sorted(set(live) | set(applied))


def test_duplicates_in_the_live_list_are_tolerated_and_replaced_as_one():
    live = track_update(None, listing([{"name": "a", "v": 1}, {"name": "a", "v": 2}]), writer("u"), holder(ITEMS))
    result = apply(live, listing([{"name": "a", "v": 3}]), writer("m"), holder(ITEMS), force=True)
    assert result["list"] == [{"name": "a", "v": 3}]


def test_null_in_the_applied_object_keeps_what_others_put_there():
    live = track_update(None, config_map(a="1"), writer("u"), CONFIG_MAP)
    result = apply(live, {**config_map(), "data": None}, writer("m"), CONFIG_MAP, force=True)
    assert result["data"] == {"a": "1"}


def test_several_problems_are_listed():
    body = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": 3}, "spec": {"type": 3}}
    with pytest.raises(SchemaViolation) as refused:
        apply(None, body, writer("m"), SERVICE)
    assert str(refused.value).endswith(
        "errors:\n"
        "  .metadata.name: expected string, got &value.valueUnstructured{Value:3}\n"
        "  .spec.type: expected string, got &value.valueUnstructured{Value:3}"
    )


def test_what_became_atomic_is_owned_as_a_whole_from_then_on():
    granular, atomic = holder(ITEMS), holder(Shape(Form.LIST))
    live = apply(None, listing([{"name": "a", "v": 1}]), writer("m"), granular)
    live = apply(live, listing([{"name": "a", "v": 1}]), writer("n"), atomic)
    assert owned(live) == {"m": {"f:list": {}}, "n": {"f:list": {}}}


def test_letters_that_mean_something_in_a_web_page_are_escaped_as_the_server_does():
    live = apply(None, listing(["<&>\u2028", 1e21]), writer("m"), holder(SET))
    assert list(owned(live)["m"]["f:list"]) == ['v:"\\u003c\\u0026\\u003e\\u2028"', "v:1e+21"]


def test_kubectl_hears_only_of_conflicts_that_it_may_not_resolve():
    key = "kubectl.kubernetes.io/last-applied-configuration"
    text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"}}'
    created = {**config_map(a="1"), "metadata": {"name": "c", "annotations": {key: text}}}
    live = track_update(None, created, writer("kubectl-client-side-apply"), CONFIG_MAP)
    live = track_update(live, {**live, "data": {"a": "1", "b": "1"}}, writer("somebody"), CONFIG_MAP)
    with pytest.raises(FieldConflict) as refused:
        apply(live, config_map(a="2", b="2"), writer("kubectl"), CONFIG_MAP)
    assert [claim.manager for claim in refused.value.claims] == ["somebody"]


@pytest.mark.parametrize(
    ("shape", "items", "says"),
    [
        (ITEMS, [{"v": 1}], "omits all key fields"),
        (SET, [{}], "a map type"),
        (SET, [[]], "lists as elements"),
        (SET, [None], "an explicit null"),
        (Shape(Form.TABLE, keys=("a", "b")), [{"a": 1, "b": "x"}, {"b": "x", "a": 1}], "duplicate entries"),
    ],
)
def test_items_that_cannot_be_named_are_refused(shape, items, says):
    with pytest.raises(SchemaViolation, match=says):
        apply(None, listing(items), writer("m"), holder(shape))
