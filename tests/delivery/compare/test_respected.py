"""What is applied: ignored fields of somebody else stay as they are, and nothing vanishes for being left out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.delivery.compare import Rules, respected
from plumbline.delivery.compare.difference import Found
from plumbline.delivery.compare.respecting import replacing
from plumbline.kube.schema import FREE, Form, Shape

from .objects import US, applied, config_map, deployment, ignore, scaled, secret, shape_of, updated

REPLICAS = Rules([ignore("Deployment", "apps", json_pointers=("/spec/replicas",))])


def settled(desired, live, rules=REPLICAS, *, take_live=False, whole=False, shape=None, answers=None):
    settle = replacing if whole else respected
    return settle(desired, live, shape or shape_of(desired), rules, answers or {}, take_live=take_live)


def test_an_image_push_leaves_the_autoscaler_alone():
    """Git says 3, the autoscaler says 7."""
    live = scaled(applied(deployment()), 7)
    wanted = settled(deployment(image="web:2"), live)
    assert "replicas" not in wanted["spec"]
    after = applied(wanted, live=live)
    assert after["spec"]["replicas"] == 7
    assert after["spec"]["template"]["spec"]["containers"][0]["image"] == "web:2"
    again = applied(settled(deployment(image="web:3"), after), live=after)
    assert again["spec"]["replicas"] == 7


def test_what_takes_the_place_of_an_object_has_what_others_look_after():
    live = scaled(applied(deployment()), 7)
    assert settled(deployment(image="web:2"), live, whole=True)["spec"]["replicas"] == 7
    rules = Rules([ignore(json_pointers=("/data/b", "/data/c"))])
    noted = updated(applied(config_map(a="1", c="3")), {"data": {"a": "1", "b": "2", "c": "3"}}, by="somebody")
    assert settled(config_map(a="9", c="4"), noted, rules, whole=True)["data"] == {"a": "9", "b": "2", "c": "4"}


def test_kubectl_scale_is_left_alone_too():
    live = scaled(applied(deployment()), 9, by="kubectl")
    assert applied(settled(deployment(), live), live=live)["spec"]["replicas"] == 9


def test_a_field_that_only_we_hold_is_written_lest_it_vanish():
    live = applied(deployment())
    assert settled(deployment(replicas=5), live)["spec"]["replicas"] == 5
    assert settled(deployment(replicas=5), live, take_live=True)["spec"]["replicas"] == 3
    assert applied(settled(deployment(replicas=5), live, take_live=True), live=live)["spec"]["replicas"] == 3


def test_without_rules_nothing_is_copied():
    wanted = deployment()
    assert settled(wanted, applied(deployment()), Rules([ignore("Other", json_pointers=("/a",))])) == wanted
    assert settled(wanted, applied(deployment()), Rules([ignore(json_pointers=("/spec/none",))])) is wanted


def test_what_git_says_of_an_ignored_field_that_is_not_there():
    live = applied(deployment(replicas=None))
    assert settled(deployment(replicas=5), live)["spec"]["replicas"] == 5
    assert "replicas" not in settled(deployment(replicas=5), live, take_live=True)["spec"]


def test_live_values_are_taken_even_where_git_has_none():
    rules = Rules([ignore(json_pointers=("/data/b", "/data/none"))])
    live = applied(config_map(a="1", b="2"))
    assert settled(config_map(a="9"), live, rules)["data"] == {"a": "9"}
    assert settled(config_map(a="9"), live, rules, take_live=True)["data"] == {"a": "9", "b": "2"}


def test_of_a_map_each_key_is_its_holders():
    rules = Rules([ignore(json_pointers=("/data",))])
    live = applied(config_map(ours="1", theirs="2"))
    live = updated(live, {"data": {**live["data"], "theirs": "3", "more": "4"}}, "somebody")
    wanted = settled(config_map(ours="9", theirs="9", new="9"), live, rules)
    assert wanted["data"] == {"ours": "9", "new": "9"}
    assert applied(wanted, live=live)["data"] == {"ours": "9", "theirs": "3", "more": "4", "new": "9"}


def test_items_are_met_by_their_keys_and_keep_them():
    rules = Rules([ignore(json_pointers=("/spec/template/spec/containers/0/image",))])
    live = applied(deployment())
    pod = live["spec"]["template"]["spec"]
    web = {**pod["containers"][0], "image": "web:9"}
    template = {**live["spec"]["template"], "spec": {**pod, "containers": [{"name": "proxy", "image": "p:1"}, web]}}
    live = updated(live, {"spec": {**live["spec"], "template": template}}, "image-updater")
    (container,) = settled(deployment(), live, rules)["spec"]["template"]["spec"]["containers"]
    assert container == {"name": "web", "resources": {"limits": {"cpu": "500m"}}}
    after = applied(settled(deployment(), live, rules), live=live)
    images = [each["image"] for each in after["spec"]["template"]["spec"]["containers"]]
    assert images == ["p:1", "web:9"]


def pods(*names):
    return deployment(template={"spec": {"containers": [{"name": name, "image": "i"} for name in names]}})


def names(obj):
    return [each["name"] for each in obj["spec"]["template"]["spec"]["containers"]]


@pytest.mark.parametrize(
    ("desired", "take_live", "expect", "why"),
    [
        (pods("a", "b"), False, ["a", "b"], "git's items are git's"),
        (pods("a"), True, ["a", "b"], "an ignored item of ours is kept"),
        (pods("a"), False, ["a"], "unless nobody asked for that"),
        (pods("a", "b", "c"), True, ["a", "b"], "an ignored item that is not there stays away"),
        (pods("a", "b", "c"), False, ["a", "b", "c"], "or comes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_whole_items_may_be_ignored(desired, take_live, expect, why):
    path = ("spec", "template", "spec", "containers")
    answer = Found(((*path, 1), (*path, 2)), ((*path, 1), (*path, 2)))
    rules = Rules([ignore(jq_path_expressions=("e",))])
    assert names(settled(desired, applied(pods("a", "b")), rules, take_live=take_live, answers={"e": answer})) == expect


def test_an_ignored_item_of_somebody_else_is_left_out():
    live = applied(pods("a"))
    both = {**live, "spec": pods("a", "b")["spec"]}
    live = updated(live, {"spec": both["spec"]}, "injector")
    path = ("spec", "template", "spec", "containers")
    rules = Rules([ignore(jq_path_expressions=("e",))])
    wanted = settled(pods("a", "b"), live, rules, answers={"e": Found(((*path, 1),), ((*path, 1),))})
    assert names(wanted) == ["a"]
    assert names(applied(wanted, live=live)) == ["a", "b"]


def test_set_members_of_somebody_else_are_left_out():
    live = applied({**config_map(), "metadata": {"name": "c", "finalizers": ["a/a"]}})
    live = updated(live, {"metadata": {**live["metadata"], "finalizers": ["a/a", "b/b"]}}, "somebody")
    wanted = {**config_map(), "metadata": {"name": "c", "finalizers": ["a/a", "b/b"]}}
    kept = settled(wanted, live, Rules([ignore(json_pointers=("/metadata/finalizers",))]))
    assert kept["metadata"]["finalizers"] == ["a/a"]


LISTED = Shape(
    Form.RECORD,
    open=True,
    resolve_fields=lambda: {"rules": Shape(Form.LIST), "whole": Shape(Form.MAP, atomic=True)},
)


def custom(**fields):
    return {"apiVersion": "x.io/v1", "kind": "Custom", "metadata": {"name": "c"}, **fields}


def held(live, *elements, by="other"):
    fields = {}
    node = fields
    for element in elements:
        node[element] = node = {}
    entry = {
        "manager": by,
        "operation": "Update",
        "apiVersion": "x.io/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    return {**live, "metadata": {**live["metadata"], "managedFields": [entry]}}


def test_part_of_a_value_that_is_held_as_a_whole_is_copied_for_it_cannot_be_left_out():
    rules = Rules([ignore(json_pointers=("/rules/0/weight", "/rules/0/gone", "/rules/9/x", "/whole/b", "/whole/new"))])
    wanted = custom(rules=[{"to": "x", "weight": 1, "gone": 1}, {"to": "y"}], whole={"a": 1, "b": 1})
    live = custom(rules=[{"to": "old", "weight": 9}], whole={"a": 2, "b": 2, "new": 3})
    theirs = held(live, "f:rules")
    assert settled(wanted, theirs, rules, shape=LISTED)["rules"] == [{"to": "x", "weight": 9}, {"to": "y"}]
    assert settled(wanted, theirs, rules, shape=LISTED)["whole"] == {"a": 1, "b": 1}
    assert settled(wanted, held(live, "f:whole"), rules, shape=LISTED)["whole"] == {"a": 1, "b": 2, "new": 3}
    assert settled(wanted, live, rules, shape=LISTED)["rules"] == wanted["rules"]
    taken = settled(wanted, live, rules, shape=LISTED, take_live=True)
    assert (taken["rules"][0]["weight"], taken["whole"]["b"]) == (9, 2)


def test_lists_in_lists_and_odd_forms_are_copied_as_far_as_they_go():
    rules = Rules([ignore(json_pointers=("/rules/0/to/0/a", "/rules/0/to/7", "/rules/0/name", "/rules/0/deep/er"))])
    wanted = custom(rules=[{"to": [{"a": 1, "b": 1}], "name": "w", "deep": 3}])
    live = custom(rules=[{"to": [{"a": 2, "b": 2}], "name": {"odd": 1}, "deep": {"er": 1}}])
    (rule,) = settled(wanted, live, rules, shape=LISTED, take_live=True)["rules"]
    assert rule == {"to": [{"a": 2, "b": 1}], "name": {"odd": 1}, "deep": 3}


def test_a_whole_list_of_somebody_else_is_left_out():
    rules = Rules([ignore(json_pointers=("/rules",))])
    assert "rules" not in settled(custom(rules=[1]), held(custom(rules=[2]), "f:rules"), rules, shape=LISTED)
    assert settled(custom(rules=[1]), custom(rules=[2]), rules, shape=LISTED)["rules"] == [1]


def test_trusted_managers_keep_what_they_hold():
    rules = Rules([ignore(managed_fields_managers=("kube-controller-manager", "other"))])
    live = scaled(applied(deployment()), 7)
    wanted = settled(deployment(image="web:2"), live, rules)
    assert "replicas" not in wanted["spec"]
    same = scaled(applied(deployment()), 3)
    assert settled(deployment(), same, rules)["spec"]["replicas"] == 3
    listed = held(custom(rules=[1, 2]), "f:rules")
    assert "rules" not in settled(custom(rules=[1]), listed, rules, shape=LISTED)


@pytest.mark.parametrize("pointer", ["/metadata", "/metadata/name", "/kind", "/apiVersion", "/status", "/metadata/namespace"])  # fmt: skip
@pytest.mark.parametrize("take_live", [True, False])
def test_what_names_an_object_and_its_status_are_never_touched(pointer, take_live):
    live = {**applied(deployment()), "status": {"replicas": 1}}
    wanted = settled(deployment(), live, Rules([ignore(json_pointers=(pointer,))]), take_live=take_live)
    assert wanted["metadata"]["name"] == "web"
    assert wanted["metadata"]["namespace"] == "shop"
    assert (wanted["apiVersion"], wanted["kind"]) == ("apps/v1", "Deployment")
    assert "status" not in wanted


def test_secrets_are_applied_as_they_are_stored_where_part_of_them_is_ignored():
    rules = Rules([ignore("Secret", "", json_pointers=("/data/a",))])
    live = applied(secret(data={"a": "b2xk"}))
    wanted = settled(secret(stringData={"a": "new", "b": "x"}), live, rules, take_live=True)
    assert wanted["data"] == {"a": "b2xk", "b": "eA=="}
    assert "stringData" not in wanted


def test_the_labels_of_a_chart_are_not_taken_off_by_marking_with_annotations():
    rules = Rules([ignore(json_pointers=("/metadata/labels",))])
    live = applied({**config_map(), "metadata": {"name": "c", "labels": {"app.kubernetes.io/instance": "x"}}})
    assert settled(config_map(), live, rules, take_live=True)["metadata"]["labels"] == {
        "app.kubernetes.io/instance": "x"
    }


VALUES = st.dictionaries(st.sampled_from("abc"), st.sampled_from("123"), max_size=3)


@given(VALUES, VALUES, VALUES, st.sets(st.sampled_from("abc")), st.booleans())
def test_laws_of_what_is_applied(first, theirs, second, ignored, take_live):
    """Fields of others that are ignored stay; fields that are not ignored become what Git says."""
    rules = Rules([ignore(json_pointers=tuple(f"/data/{name}" for name in ignored))])
    live = applied(config_map(**first))
    live = updated(live, {"data": {**live.get("data", {}), **theirs}}, "other")
    taken = {name for name in theirs if theirs[name] != first.get(name)}
    after = applied(settled(config_map(**second), live, rules, take_live=take_live), live=live).get("data") or {}
    before = live.get("data") or {}
    for name in ignored:
        if name in taken or (take_live and name in before):
            assert after.get(name) == before.get(name)
    for name, value in second.items():
        if name not in ignored:
            assert after[name] == value


JUNK = st.recursive(
    st.none() | st.integers(0, 2) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(JUNK, JUNK, st.booleans())
def test_it_ends_whatever_objects_hold(desired, live, take_live):
    rules = Rules(
        [ignore(json_pointers=("/a/0/b", "/a/b", "/b", "/c/1", "/metadata/a"), managed_fields_managers=(US,))]
    )
    wanted = {**(desired if isinstance(desired, dict) else {}), "apiVersion": "v1", "kind": "Odd", "metadata": desired}
    present = {**(live if isinstance(live, dict) else {}), "apiVersion": "v1", "kind": "Odd", "metadata": live}
    settled(wanted, present, rules, take_live=take_live, shape=FREE)
