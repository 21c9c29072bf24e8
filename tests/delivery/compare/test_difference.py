"""Comparing one object: what upstream would not call a difference is none, and each that is says whose it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.base.plaintext import Plaintext
from plumbline.delivery.compare.difference import Found, difference
from plumbline.delivery.compare.rules import KnownTypeField, Options, Override, Rules
from plumbline.kube.schema import FREE, Form, Shape
from plumbline.ownership.learn.tracking import Tracking

from .objects import (
    LAST_APPLIED,
    TRACKING_ID,
    US,
    applied,
    config_map,
    deployment,
    ignore,
    scaled,
    secret,
    shape_of,
    updated,
)


def paths(desired, live, rules=None, shape=None, answers=None):
    found = difference(desired, live, shape or shape_of(desired), rules or Rules(), answers or {})
    return [each.path for each in found]


def test_what_was_just_applied_is_synced():
    assert paths(deployment(), applied(deployment())) == []


def test_each_difference_has_the_managers_who_hold_the_field():
    live = scaled(applied(deployment()), 7)
    (found,) = difference(deployment(), live, shape_of(live), Rules())
    assert (found.path, found.desired, found.live, found.managers) == (
        ".spec.replicas",
        3,
        7,
        ("kube-controller-manager",),
    )


LIVE = scaled(applied(deployment()), 7)


@pytest.mark.parametrize(
    ("rule", "expect", "why"),
    [
        (ignore("Deployment", "apps", json_pointers=("/spec/replicas",)), [], "the seed's rule"),
        (ignore("Deploy*", "*", json_pointers=("/spec/replicas",)), [], "kinds and groups are patterns"),
        (ignore("StatefulSet", "apps", json_pointers=("/spec/replicas",)), [".spec.replicas"], "another kind"),
        (ignore(json_pointers=("/spec/replicas",), name="web", namespace="shop"), [], "this object"),
        (ignore(json_pointers=("/spec/replicas",), name="we*"), [".spec.replicas"], "names are no patterns"),
        (ignore(json_pointers=("/spec/replicas",), namespace="x"), [".spec.replicas"], "another namespace"),
        (ignore(json_pointers=("/spec/none", "/none/at/all", "", "/")), [".spec.replicas"], "pointers to nowhere"),
        (ignore(json_pointers=("spec/replicas",)), [".spec.replicas"], "upstream drops what is before the first slash"),
        (ignore(json_pointers=("/spec",)), [], "a whole branch"),
        (ignore(managed_fields_managers=("kube-controller-manager",)), [], "a trusted manager holds it"),
        (ignore(managed_fields_managers=("somebody",)), [".spec.replicas"], "a trusted manager does not hold it"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_rules_say_what_is_ignored(rule, expect, why):
    assert paths(deployment(), LIVE, Rules([rule])) == expect


def test_pointers_count_items_on_either_side_and_mean_the_item():
    live = applied(deployment())
    sidecar = {"name": "proxy", "image": "p:1"}
    pod = live["spec"]["template"]["spec"]
    template = {**live["spec"]["template"], "spec": {**pod, "containers": [sidecar, *pod["containers"]]}}
    live = updated(live, {"spec": {**live["spec"], "template": template}}, "injector")
    rule = ignore(json_pointers=("/spec/template/spec/containers/0/image",))
    assert paths(deployment(image="web:2"), live) == ['.spec.template.spec.containers[name="web"].image']
    assert paths(deployment(image="web:2"), live, Rules([rule])) == []
    assert paths(deployment(image="web:2"), live, Rules([ignore(json_pointers=("/spec/template/spec/containers/-1/image",))])) == []  # fmt: skip


@pytest.mark.parametrize("place", ["x", "9", "99999999999999999999", "-9", "\uff11"])
def test_places_that_are_not_there_are_nowhere(place):
    rule = ignore(json_pointers=(f"/spec/template/spec/containers/{place}/image", "/spec/replicas/0"))
    assert len(paths(deployment(image="web:2"), applied(deployment()), Rules([rule]))) == 1


def test_items_that_cannot_be_named_are_ignored_by_their_places():
    def broken(first):
        return deployment(template={"spec": {"containers": [first, {"name": "web", "image": "x"}]}})

    rule = ignore(json_pointers=("/spec/template/spec/containers/0", "/spec/template/spec/containers/0/a"))
    assert paths(broken("odd"), broken("other"), Rules([rule])) == []
    assert paths(broken("odd"), broken("other")) != []


def test_what_is_ignored_in_one_object_may_be_of_another_form_in_the_other():
    live = {**config_map(), "data": "odd"}
    assert paths(config_map(a="1"), live, Rules([ignore(json_pointers=("/data/a",))])) == [".data"]


def test_escaped_pointers():
    live = applied(config_map(**{"a/b~c": "1"}))
    assert paths(config_map(**{"a/b~c": "2"}), live, Rules([ignore(json_pointers=("/data/a~1b~0c",))])) == []


def test_settings_speak_for_kinds_and_trust_managers_only_where_kinds_are_written_out():
    assert paths(deployment(), LIVE, Rules((), {"apps/Deployment": Override(json_pointers=("/spec/replicas",))})) == []
    assert paths(deployment(), LIVE, Rules((), {"*/Deployment": Override(json_pointers=("/spec/replicas",))})) == []
    trust = Override(managed_fields_managers=("kube-controller-manager",))
    assert paths(deployment(), LIVE, Rules((), {"apps/Deployment": trust})) == []
    assert paths(deployment(), LIVE, Rules((), {"*/*": trust})) == []
    assert paths(deployment(), LIVE, Rules((), {"apps/*": trust})) == [".spec.replicas"]
    assert paths(deployment(), LIVE, Rules((), {"a/b/c": trust})) == [".spec.replicas"]
    core = Rules((), {"ConfigMap": Override(json_pointers=("/data/a",))})
    assert paths(config_map(a="1"), applied(config_map(a="2")), core) == []


def test_answers_of_jq_are_paths_in_each_object():
    expression = ".spec.template.spec.containers[0].image, .spec.replicas"
    rules = Rules([ignore(jq_path_expressions=(expression,))])
    found = {expression: Found((("spec", "replicas"),), (("spec", "template", "spec", "containers", 0, "image"),))}
    live = scaled(applied(deployment()), 7)
    assert paths(deployment(image="web:2"), live, rules, answers=found) == []
    assert len(paths(deployment(image="web:2"), live, rules)) == 2


def test_slices_of_jq_are_items():
    live = {"apiVersion": "x/v1", "kind": "X", "metadata": {"name": "x"}, "items": ["a", "b", "c", "d"]}
    wanted = {**live, "items": ["a", "x", "y", "d"]}
    rules = Rules([ignore(jq_path_expressions=("e",))])
    piece = ((("items", {"start": 1, "end": 3})),)
    assert paths(wanted, live, rules, FREE, {"e": Found(piece, piece)}) == []
    whole = ((),)
    assert paths(wanted, live, rules, FREE, {"e": Found(whole, whole)}) == [".items[1]", ".items[2]"]


CUSTOM = Shape(Form.RECORD, open=True)


@pytest.mark.parametrize(
    ("options", "kind", "expect", "why"),
    [
        (Options(), "Thing", [], "by default nobody looks at status"),
        (Options(ignore_status="crd"), "Thing", [".status.a"], "only of definitions"),
        (Options(ignore_status="none"), "Thing", [".status.a"], "everybody does"),
    ],
)
def test_status_is_compared_where_the_settings_say_so(options, kind, expect, why):
    live = {"apiVersion": "x.io/v1", "kind": kind, "metadata": {"name": "x"}, "status": {"a": 1}}
    assert paths({**live, "status": {"a": 2}}, live, Rules(options=options), CUSTOM) == expect


def test_a_status_that_no_apply_can_change_is_never_a_difference():
    wanted = {**deployment(), "status": {"replicas": 99}}
    assert paths(wanted, applied(deployment()), Rules(options=Options(ignore_status="none"))) == []


def role(kind="ClusterRole", **fields):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": {"name": "r"}, **fields}


RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}


@pytest.mark.parametrize(
    ("desired", "live", "ignoring", "expect", "why"),
    [
        (role(rules=None), role(rules=[]), False, 0, "no rules are no rules"),
        (role(rules=[]), role(), False, 0, "however they are written"),
        (role(rules=[]), role(rules=[RULE]), False, 1, "but one is a difference"),
        (role(aggregationRule={}, rules=[]), role(aggregationRule={}, rules=[RULE]), True, 0, "aggregated"),
        (role(aggregationRule={}, rules=[]), role(aggregationRule={}, rules=[RULE]), False, 1, "not asked for"),
        (role(aggregationRule="x", rules=[]), role(rules=[RULE]), True, 2, "garbage aggregates nothing"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_roles(desired, live, ignoring, expect, why):
    rules = Rules(options=Options(ignore_aggregated_roles=ignoring))
    assert len(paths(desired, live, rules)) == expect


def endpoints(*subsets):
    return {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "e"}, "subsets": list(subsets)}


def test_endpoints_have_no_order_and_a_protocol():
    one = {"addresses": [{"ip": "1.1.1.1"}, {"ip": "1.1.1.2"}], "ports": [{"port": 1}, {"port": 2}]}
    other = {
        "addresses": [{"ip": "1.1.1.2"}, {"ip": "1.1.1.1"}],
        "ports": [{"port": 2, "protocol": "TCP"}, {"port": 1, "protocol": "TCP"}],
    }
    third = {"addresses": [{"ip": "2.2.2.2"}]}
    assert paths(endpoints(one, third), endpoints(third, other)) == []
    assert paths(endpoints(one), endpoints(third)) != []
    assert paths(endpoints("x"), endpoints("x")) == []


def test_secrets_are_compared_where_they_are_stored_and_rules_see_them_there():
    live = applied(secret(data={"a": "b2xk", "b": ""}))
    found = difference(secret(stringData={"a": "new"}, data={"b": None}), live, shape_of(live), Rules())
    assert [(each.path, each.secret) for each in found] == [(".data.a", True)]
    assert isinstance(found[0].desired, Plaintext)
    rules = Rules([ignore("Secret", "", json_pointers=("/data/a",))])
    assert paths(secret(stringData={"a": "new"}, data={"b": None}), live, rules) == []


def test_binary_data_may_be_wrapped():
    wanted = {**config_map(), "binaryData": {"a": "aGVs\nbG8=\r\n", "b": 3}}
    live = {**config_map(), "binaryData": {"a": "aGVsbG8=", "b": 3}}
    assert paths(wanted, live) == []


def test_creation_timestamps_and_empty_annotations_say_nothing():
    wanted = deployment()
    wanted["metadata"] = {**wanted["metadata"], "creationTimestamp": None, "annotations": {}}
    assert paths(wanted, applied(deployment())) == []


def rollout(cpu, image="i"):
    pod = {"containers": [{"name": "c", "image": image, "resources": {"limits": {"cpu": cpu}}}]}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "metadata": {"name": "r"}, "spec": {"template": {"spec": pod}}}  # fmt: skip


@pytest.mark.parametrize("shape", [FREE, CUSTOM], ids=["free", "custom"])
def test_the_pods_of_a_rollout_are_pods(shape):
    assert paths(rollout("1000m"), rollout("1"), shape=shape) == []
    assert paths(rollout("1000m"), rollout("2"), shape=shape) == [
        ".spec.template.spec.containers[0].resources.limits.cpu"
    ]


def thing(**spec):
    return {"apiVersion": "x.io/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": spec}


THING = Shape(
    Form.RECORD,
    open=True,
    resolve_fields=lambda: {
        "spec": Shape(Form.RECORD, resolve_fields=lambda: {"pods": Shape(Form.LIST), "size": Shape(Form.SCALAR)})
    },
)


@pytest.mark.parametrize("shape", [FREE, THING], ids=["free", "declared"])
@pytest.mark.parametrize(
    ("field", "kind", "desired", "live", "equal", "why"),
    [
        ("spec.size", "core/Quantity", {"size": "1Gi"}, {"size": "1024Mi"}, True, "quantities"),
        ("spec.size", "core/Quantity", {"size": "1Gi"}, {"size": "2Gi"}, False, "other quantities"),
        ("spec.wait", "meta/v1/Duration", {"wait": "60m"}, {"wait": "1h0m0s"}, True, "durations"),
        ("spec.wait", "meta/v1/Duration", {"wait": "x"}, {"wait": "y"}, False, "no durations"),
        ("spec.wait", "meta/v1/Duration", {"wait": 3}, {"wait": 3}, True, "numbers"),
        ("spec.none.at.all", "meta/v1/Duration", {"size": "1"}, {"size": "1"}, True, "durations that are not there"),
        ("spec.waits", "meta/v1/Duration", {"waits": ["60s"]}, {"waits": ["1m0s"]}, True, "lists of durations"),
        ("spec.limits", "core/v1/ResourceList", {"limits": {"cpu": 1}}, {"limits": {"cpu": "1"}}, True, "resources"),
        (
            "spec.pods.limits",
            "core/v1/ResourceList",
            {"pods": [{"limits": {"cpu": "1000m"}}]},
            {"pods": [{"limits": {"cpu": "1"}}]},
            True,
            "through lists",
        ),
        (
            "spec.pods",
            "core/v1/Container",
            {"pods": [{"resources": {"requests": {"cpu": "1000m"}}}]},
            {"pods": [{"resources": {"requests": {"cpu": "1"}}}]},
            True,
            "items of lists",
        ),
        (
            "spec",
            "core/v1/ResourceList",
            {"size": "2000m"},
            {"size": "2"},
            True,
            "resources that are declared one by one",
        ),
        ("spec.size", "core/v1/Unheard", {"size": "1Gi"}, {"size": "1024Mi"}, False, "types that nobody knows"),
        ("spec.size", "else", {"size": "1Gi"}, {"size": "1024Mi"}, False, "nor these"),
        ("spec.none.at.all", "core/Quantity", {"size": "1Gi"}, {"size": "1Gi"}, True, "fields that are not there"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_known_type_fields(shape, field, kind, desired, live, equal, why):
    rules = Rules((), {"x.io/Thing": Override(known_type_fields=(KnownTypeField(field, kind),))})
    assert (paths(thing(**desired), thing(**live), rules, shape) == []) is equal


LABEL = "app.kubernetes.io/instance"


def tracked(labels=None, annotations=None, kind="ConfigMap"):
    metadata = {"name": "c", "labels": labels or {}, "annotations": annotations or {}}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata}


@pytest.mark.parametrize(
    ("desired", "live", "method", "expect", "why"),
    [
        (tracked({}, {TRACKING_ID: "a:b"}), tracked({LABEL: "a"}), "annotation", 0, "going over from labels"),
        (tracked({}, {TRACKING_ID: "a:b"}), tracked(), "annotation", 1, "was never marked"),
        (tracked({}, {TRACKING_ID: "a"}), tracked({LABEL: "a"}, {TRACKING_ID: "b"}), "annotation", 1, "wrong mark"),
        (tracked({LABEL: "x"}), tracked({LABEL: "a"}), "annotation", 1, "the chart's own label"),
        (tracked({}, {TRACKING_ID: "a"}), tracked({LABEL: "a"}), "label", 1, "labels are what counts"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_marks_are_backfilled_where_labels_were_used_before(desired, live, method, expect, why):
    rules = Rules(tracking=Tracking(method))
    assert len(paths(desired, live, rules)) == expect


def test_a_label_that_went_out_of_use_is_no_removal():
    live = applied(tracked({LABEL: "a"}))
    assert paths(tracked({}, {TRACKING_ID: "a"}), live) == []
    crd = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "x", "labels": {LABEL: "a"}}}  # fmt: skip
    assert paths({**crd, "metadata": {"name": "x", "annotations": {TRACKING_ID: "a"}}}, crd) != []


def test_sensitive_annotations_are_compared_and_never_shown():
    rules = Rules(options=Options(sensitive_annotations=frozenset({"token"})))
    live = applied(tracked({}, {"token": "old", "open": "old"}))
    found = difference(tracked({}, {"token": "hunter2", "open": "new"}), live, shape_of(live), rules)
    assert [(each.path, each.secret) for each in found] == [
        (".metadata.annotations.token", True),
        (".metadata.annotations.open", False),
    ]
    bare = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
    whole = difference(tracked({}, {"token": "hunter2"}), bare, shape_of(live), rules)
    assert [each.secret for each in whole] == [True]
    assert "hunter2" not in repr((found, whole))
    gone = difference(bare, live, shape_of(live), rules)
    assert "old" not in repr([each for each in gone if each.path.endswith("token")])


def test_last_applied_is_never_compared():
    live = applied(deployment())
    live["metadata"]["annotations"] = {LAST_APPLIED: "{}"}
    assert paths(deployment(), live) == []


def test_equal_rules_have_equal_versions():
    def rules(*pointers, **options):
        return Rules([ignore(json_pointers=pointers)], options=Options(**options)).version

    assert rules("/a") == rules("/a")
    assert len({rules("/a"), rules("/b"), rules(), rules(ignore_status="none"), Rules().version}) == 5


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab/", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["metadata", "data", "spec", "a", "name", "rules", "subsets", "labels", "annotations", "managedFields"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
KINDS = st.sampled_from([("v1", "Secret"), ("v1", "Endpoints"), ("v1", "ConfigMap"), ("apps/v1", "Deployment"), ("rbac.authorization.k8s.io/v1", "Role"), ("x/v1", "Odd")])  # fmt: skip
HOSTILE = st.dictionaries(st.sampled_from(["metadata", "data", "spec", "stringData", "subsets", "rules", "status"]), JUNK)  # fmt: skip


@given(KINDS, HOSTILE, HOSTILE)
def test_comparing_ends_whatever_objects_hold(kind, desired, live):
    named = {"apiVersion": kind[0], "kind": kind[1]}
    rules = Rules(
        [ignore(json_pointers=("/data/a", "/spec/0/a", "/metadata"), managed_fields_managers=(US,))],
        options=Options(sensitive_annotations=frozenset({"a"})),
    )
    paths({**desired, **named}, {**live, **named}, rules)
    assert paths({**desired, **named}, {**desired, **named}, rules) == []
