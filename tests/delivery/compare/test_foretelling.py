"""What a server's answer means: of what it would change, only what would be ours counts, unless all of it is to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.delivery.compare import Rules, difference
from plumbline.delivery.compare.difference import NO_ANSWERS
from plumbline.delivery.compare.foretelling import comparable, foretold, foretold_difference, settled
from plumbline.delivery.compare.rules import Options
from plumbline.kube.diff.exact import exact
from plumbline.kube.schema import FREE

from .objects import LAST_APPLIED, applied, config_map, deployment, ignore, scaled, secret, shape_of, updated

SIDECAR = {"name": "mesh", "image": "mesh:1"}


def containers(obj, *items):
    pod = {**obj["spec"]["template"]["spec"], "containers": list(items)}
    return {**obj, "spec": {**obj["spec"], "template": {**obj["spec"]["template"], "spec": pod}}}


def webbed(obj):
    return obj["spec"]["template"]["spec"]["containers"][0]


def service(*ports):
    spec = {"selector": {"a": "b"}, "ports": list(ports)}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "shop"}, "spec": spec}


def said(desired, live, meddled=None, rules=None, *, webhooks=False):
    """What comes of the answer to *desired*, which somebody on the way has *meddled* with."""
    answer = applied(desired, live=live)
    answer = meddled(answer) if meddled is not None else answer
    return foretold(answer, live, shape_of(live), rules or Rules(), NO_ANSWERS, webhooks=webhooks)


def paths(found):
    return [each.path for each in found.differences]


def with_sidecar(obj):
    return containers(obj, webbed(obj), SIDECAR)


def with_pull_policy(obj):
    return containers(obj, {**webbed(obj), "imagePullPolicy": "Always"})


def without_replicas(obj):
    return {**obj, "spec": {name: value for name, value in obj["spec"].items() if name != "replicas"}}


def with_tag(obj):
    return containers(obj, {**webbed(obj), "image": "web:1@sha256:beef"})


TEMPLATE = ".spec.template.spec.containers"
MEDDLING = [
    (None, [], [], "nobody meddles"),
    (with_sidecar, [], [f'{TEMPLATE}[name="mesh"]'], "a container comes by a webhook"),
    (with_pull_policy, [], [f'{TEMPLATE}[name="web"].imagePullPolicy'], "a field comes by a webhook"),
    (with_tag, *[[f'{TEMPLATE}[name="web"].image']] * 2, "what Git says is made something else: that would be ours"),
    (without_replicas, *[[".spec.replicas"]] * 2, "what is taken away is gone, whosever it was"),
    (lambda obj: {**obj, "status": {"replicas": 9}}, [], [], "a status is not compared"),
]


@pytest.mark.parametrize(("meddled", "hidden", "shown", "why"), MEDDLING)
def test_what_a_webhook_makes_of_it(meddled, hidden, shown, why):
    live = applied(deployment())
    assert paths(said(deployment(), live, meddled)) == hidden, why
    assert paths(said(deployment(), live, meddled, webhooks=True)) == shown, why


def test_what_git_changes_counts_whoever_meddles():
    live = applied(deployment())
    found = said(deployment(image="web:2"), live, with_sidecar)
    assert paths(found) == [f'{TEMPLATE}[name="web"].image']
    assert webbed(found.after)["image"] == "web:2"
    assert len(found.after["spec"]["template"]["spec"]["containers"]) == 1


def test_what_git_no_longer_has_goes():
    live = applied(config_map(a="1", b="2"))
    found = said(config_map(a="1"), live)
    assert paths(found) == [".data.b"]
    assert found.after["data"] == {"a": "1"}


def test_what_others_added_stays():
    live = scaled(applied(deployment(replicas=None)), 7)
    assert paths(said(deployment(replicas=None), live)) == []
    labelled = updated(applied(config_map(a="1")), {"data": {"a": "1", "theirs": "2"}}, "kubectl")
    assert paths(said(config_map(a="1"), labelled)) == []


def test_a_new_item_of_a_list_comes_with_its_keys_and_without_defaults():
    live = applied(service({"port": 80}))
    answer = applied(service({"port": 80}, {"port": 443, "name": "tls"}), live=live)
    defaulted = [{**each, "protocol": "TCP", "targetPort": each["port"]} for each in answer["spec"]["ports"]]
    answer = {**answer, "spec": {**answer["spec"], "ports": defaulted}}
    found = settled(answer, live, shape_of(live))["spec"]["ports"]
    assert found == [live["spec"]["ports"][0], {"port": 443, "name": "tls", "protocol": "TCP"}]


def test_the_order_of_a_keyed_list_is_a_difference():
    live = applied(containers(deployment(), {"name": "a", "image": "a"}, {"name": "b", "image": "b"}))
    answer = containers(live, *reversed(live["spec"]["template"]["spec"]["containers"]))
    found = foretold(answer, live, shape_of(live), Rules(), NO_ANSWERS, webhooks=True)
    assert paths(found) == [TEMPLATE]
    assert [each["name"] for each in found.after["spec"]["template"]["spec"]["containers"]] == ["b", "a"]


def test_new_maps_are_ours_as_far_as_we_wrote_them():
    live = applied(config_map(a="1"))
    labelled = {**config_map(a="1"), "metadata": {**config_map()["metadata"], "labels": {"ours": "1"}}}

    def more(obj):
        return {**obj, "metadata": {**obj["metadata"], "labels": {"ours": "1", "theirs": "1"}}}

    assert said(labelled, live, more).after["metadata"]["labels"] == {"ours": "1"}
    assert said(labelled, live, more, webhooks=True).after["metadata"]["labels"] == {"ours": "1", "theirs": "1"}


def test_without_a_schema_lists_are_one_thing():
    crd = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "t"}, "spec": {"items": [1, 2]}}
    live = applied(crd)
    answer = applied({**crd, "spec": {"items": [1, 3], "new": {"a": {"b": []}}}}, live=live)
    found = foretold(answer, live, FREE, Rules(), NO_ANSWERS, webhooks=False)
    assert paths(found) == [".spec.items[1]", ".spec.new"]
    assert found.after["spec"] == {"items": [1, 3], "new": {"a": {"b": []}}}


def test_what_is_ignored_is_ignored_in_both():
    live = applied(deployment())
    rules = Rules([ignore("Deployment", "apps", json_pointers=("/spec/replicas",))])
    assert paths(said(deployment(replicas=9), live, rules=rules)) == []
    found = said(deployment(replicas=9, image="web:2"), live, rules=rules)
    assert paths(found) == [f'{TEMPLATE}[name="web"].image']
    assert found.after["spec"]["replicas"] == 3


def test_fields_of_trusted_managers_are_no_difference():
    live = scaled(applied(deployment()), 7)
    rules = Rules([ignore("Deployment", "apps", managed_fields_managers=("kube-controller-manager",))])
    assert paths(said(deployment(), live, rules=rules)) == []
    assert paths(said(deployment(), live)) == [".spec.replicas"]


def test_values_of_secrets_are_sealed():
    live = applied(secret(data={"a": "b2xk"}))
    (found,) = said(secret(data={"a": "bmV3"}), live).differences
    assert found.secret
    assert "bmV3" not in repr(found)
    marked = {**config_map(a="1"), "metadata": {**config_map()["metadata"], "annotations": {"key": "topsecret"}}}
    rules = Rules(options=Options(sensitive_annotations=frozenset({"key"})))
    told = said(marked, applied(config_map(a="1")), rules=rules).differences
    assert "topsecret" not in repr(told)


def test_bookkeeping_is_no_difference():
    live = applied(config_map(a="1"))
    noted = {**live, "metadata": {**live["metadata"], "annotations": {LAST_APPLIED: "{}"}, "resourceVersion": "7"}}
    assert paths(foretold(live, noted, shape_of(live), Rules(), NO_ANSWERS, webhooks=True)) == []
    assert comparable(noted)["metadata"] == {"name": "c", "namespace": "shop"}
    assert comparable({"kind": "Odd", "metadata": None}) == {"kind": "Odd", "metadata": None}


def test_what_it_leaves_to_be_known_says_the_same_again():
    live = applied(deployment())
    for webhooks in (True, False):
        found = said(deployment(image="web:2"), live, with_sidecar, webhooks=webhooks)
        assert foretold_difference(found.after, live, shape_of(live), Rules()) == found.differences


KEYS = st.sampled_from("abcd")
DATA = st.dictionaries(KEYS, st.sampled_from("123"), max_size=4)


@given(DATA, DATA, DATA)
def test_where_nobody_meddles_both_ways_of_comparing_agree(before, drift, now):
    live = applied(config_map(**before))
    live = updated(live, {"data": drift}, "kubectl")
    wanted = config_map(**now)
    found = said(wanted, live)
    ours = difference(wanted, live, shape_of(live), Rules())
    assert bool(ours) == bool(found.differences)
    assert foretold_difference(found.after, live, shape_of(live), Rules()) == found.differences


@given(DATA, DATA, DATA)
def test_what_is_hidden_of_a_webhook_is_only_what_it_added(before, now, meddled):
    live, wanted = applied(config_map(**before)), config_map(**now)
    plain = said(wanted, live).after.get("data")
    added = {name: value for name, value in meddled.items() if name not in {**before, **now}}

    def more(obj):
        return {**obj, "data": {**(obj.get("data") or {}), **added}} if added else obj

    assert (said(wanted, live, more).after.get("data") or {}) == (plain or {})
    assert (said(wanted, live, more, webhooks=True).after.get("data") or {}) == {**(plain or {}), **added}


def test_odd_objects_are_compared_all_the_same():
    def nobody(place):
        return ()

    after, live = {"a": [1, {"b": True}], "c": None, "d": 1}, {"a": [1], "c": {"x": 1}, "d": True}
    assert [(each.path, each.change.value) for each in exact(after, live, FREE, nobody)] == [
        (".a[1]", "add"),
        (".c", "remove"),
        (".d", "change"),
    ]
    assert exact(live, live, FREE, nobody) == []
    assert settled({"metadata": {}, "spec": {"a": 1}}, {"spec": {"a": 2}}, FREE) == {"spec": {"a": 2}}
