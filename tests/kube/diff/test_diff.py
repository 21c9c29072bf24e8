"""A diff says what applying would change, field by field, and whose each field is."""

import base64

import pytest

from plumbline.base.plaintext import Plaintext
from plumbline.kube.apply import Writer, apply, track_update
from plumbline.kube.diff import ABSENT, Change, diff, owners_of
from plumbline.kube.names import GroupVersionKind
from plumbline.kube.schema import FREE, Form, Shape, builtin_shape

US = "argocd-controller"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def shape(kind, group="apps"):
    return builtin_shape(GroupVersionKind(group, "v1", kind))


DEPLOYMENT = shape("Deployment")
CONFIG_MAP = shape("ConfigMap", "")
SECRET = shape("Secret", "")
POLICY = shape("NetworkPolicy", "networking.k8s.io")


def deployment(**spec):
    container = {"name": "c", "image": "i:1", "resources": {"limits": {"cpu": "1000m"}}}
    body = {"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "template": {"spec": {"containers": [container]}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {**body, **spec}}


def written(obj, by=US, at="2026-01-01T00:00:00Z"):
    return Writer(by, obj["apiVersion"], at)


def applied(obj, shape, by=US):
    return apply(None, obj, written(obj, by), shape)


def edited(live, changes, by, shape):
    return track_update(live, {**live, **changes}, written(live, by), shape)


def lines(desired, live, shape):
    return [
        (each.path, each.change, each.desired, each.live, each.managers)
        for each in diff(desired, live, shape, manager=US)
    ]


def test_what_was_just_applied_does_not_differ():
    assert lines(deployment(), applied(deployment(), DEPLOYMENT), DEPLOYMENT) == []


def test_a_changed_field_is_one_line_with_the_manager_who_changed_it():
    live = applied(deployment(), DEPLOYMENT)
    live = edited(live, {"spec": {**live["spec"], "replicas": 7}}, "kubectl-edit", DEPLOYMENT)
    assert lines(deployment(), live, DEPLOYMENT) == [(".spec.replicas", Change.CHANGE, 3, 7, ("kubectl-edit",))]


def test_defaults_and_fields_of_others_are_not_differences():
    live = applied(deployment(), DEPLOYMENT)
    more = {**live["spec"], "progressDeadlineSeconds": 600, "paused": True}
    assert lines(deployment(), edited(live, {"spec": more}, "somebody", DEPLOYMENT), DEPLOYMENT) == []


def test_quantities_differ_by_value_not_by_spelling():
    live = applied(deployment(), DEPLOYMENT)
    container = {"name": "c", "image": "i:1", "resources": {"limits": {"cpu": 1}}}
    assert lines(deployment(template={"spec": {"containers": [container]}}), live, DEPLOYMENT) == []
    bad = {"name": "c", "image": "i:1", "resources": {"limits": {"cpu": "many"}}}
    found = lines(deployment(template={"spec": {"containers": [bad]}}), live, DEPLOYMENT)
    assert [line[0] for line in found] == ['.spec.template.spec.containers[name="c"].resources.limits.cpu']


def test_items_are_told_apart_by_their_keys_not_by_their_place():
    live = applied(deployment(), DEPLOYMENT)
    two = {"spec": {"containers": [{"name": "new", "image": "x"}, {"name": "c", "image": "i:2"}]}}
    assert [line[:3] for line in lines(deployment(template=two), live, DEPLOYMENT)] == [
        ('.spec.template.spec.containers[name="new"]', Change.ADD, {"name": "new", "image": "x"}),
        ('.spec.template.spec.containers[name="c"].image', Change.CHANGE, "i:2"),
        # and what the new template no longer says:
        ('.spec.template.spec.containers[name="c"].resources', Change.REMOVE, ABSENT),
    ]


def test_what_we_wrote_and_no_longer_desire_is_a_removal():
    live = applied({**deployment(), "metadata": {"name": "d", "labels": {"a": "1", "b": "2"}}}, DEPLOYMENT)
    desired = {**deployment(), "metadata": {"name": "d", "labels": {"a": "1"}}}
    assert lines(desired, live, DEPLOYMENT) == [(".metadata.labels.b", Change.REMOVE, ABSENT, "2", (US,))]


def test_what_another_applier_holds_too_is_not_removed():
    labelled = {**deployment(), "metadata": {"name": "d", "labels": {"a": "1", "b": "2"}}}
    live = applied(labelled, DEPLOYMENT)
    both = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d", "labels": {"b": "2"}}}
    live = apply(live, both, written(both, "other"), DEPLOYMENT)
    assert lines({**deployment(), "metadata": {"name": "d"}}, live, DEPLOYMENT) == [
        (".metadata.labels.a", Change.REMOVE, ABSENT, "1", (US,))
    ]


def test_objects_applied_on_the_clients_side_are_judged_by_their_annotation():
    text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1","b":"2"}}'
    created = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "annotations": {LAST_APPLIED: text}},
        "data": {"a": "1", "b": "2", "c": "3"},
    }
    live = track_update(None, created, written(created, "kubectl-client-side-apply"), CONFIG_MAP)
    desired = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "9"}}
    assert lines(desired, live, CONFIG_MAP) == [
        (".data.a", Change.CHANGE, "9", "1", ("kubectl-client-side-apply",)),
        (".data.b", Change.REMOVE, ABSENT, "2", ("kubectl-client-side-apply",)),
    ]


@pytest.mark.parametrize("text", ["{", "[]", '{"metadata":{"finalizers":[{}]}}'])
def test_a_broken_annotation_says_nothing(text):
    live = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "annotations": {LAST_APPLIED: text}},
        "data": {"a": "1"},
    }
    assert lines({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}, live, CONFIG_MAP) == []


def test_broken_managed_fields_belong_to_nobody():
    live = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "managedFields": [{}]},
        "data": {"a": "1"},
    }
    desired = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "2"}}
    assert lines(desired, live, CONFIG_MAP) == [(".data.a", Change.CHANGE, "2", "1", ())]


def policy(*rules):
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": "p"},
        "spec": {"podSelector": {}, "ingress": list(rules)},
    }


def test_defaults_inside_a_list_that_is_ours_as_a_whole_are_not_differences():
    live = applied(policy({"ports": [{"port": 80}]}), POLICY)
    live["spec"]["ingress"][0] = {"ports": [{"port": 80, "protocol": "TCP"}]}
    assert lines(policy({"ports": [{"port": 80}]}), live, POLICY) == []


def test_what_git_dropped_inside_a_list_that_is_ours_as_a_whole_is_a_removal():
    live = applied(policy({"ports": [{"port": 80, "endPort": 90, "protocol": "TCP"}]}), POLICY)
    assert lines(policy({"ports": [{"port": 80}]}), live, POLICY) == [
        (".spec.ingress[0].ports[0].endPort", Change.REMOVE, ABSENT, 90, (US,))
    ]


BINDING = shape("RoleBinding", "rbac.authorization.k8s.io")
STATEFUL_SET = shape("StatefulSet")
ROLE = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "b"}}
RBAC = "rbac.authorization.k8s.io"


@pytest.mark.parametrize(
    ("shape", "desired", "live", "why"),
    [
        (
            BINDING,
            {**ROLE, "roleRef": {"kind": "Role", "name": "r"}, "subjects": [{"kind": "Group", "name": "g"}]},
            {
                **ROLE,
                "roleRef": {"kind": "Role", "name": "r", "apiGroup": RBAC},
                "subjects": [{"kind": "Group", "name": "g", "apiGroup": RBAC}],
            },
            "the group of roles and subjects is filled in",
        ),
        (
            STATEFUL_SET,
            {"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": {"volumeClaimTemplates": [{"metadata": {"name": "v"}, "spec": {"resources": {"requests": {"storage": "1024Mi"}}}}]}},
            {
                "apiVersion": "apps/v1",
                "kind": "StatefulSet",
                "spec": {
                    "volumeClaimTemplates": [
                        {
                            "apiVersion": "v1",
                            "kind": "PersistentVolumeClaim",
                            "metadata": {"name": "v", "creationTimestamp": None},
                            "spec": {"resources": {"requests": {"storage": "1Gi"}}, "volumeMode": "Filesystem"},
                            "status": {"phase": "Pending"},
                        }
                    ]
                },
            },
            "claims in templates get a mode, a kind and a status",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_the_server_writes_into_atomic_values_is_no_difference(shape, desired, live, why):
    assert lines(desired, live, shape) == []


def test_zeros_that_the_server_does_not_store_are_no_difference_once_they_were_written():
    wanted = deployment(template={"spec": {"hostNetwork": False, "containers": [{"name": "c", "image": "i"}]}})
    live = applied(wanted, DEPLOYMENT)
    del live["spec"]["template"]["spec"]["hostNetwork"]
    assert lines(wanted, live, DEPLOYMENT) == []
    unclaimed = {**live, "metadata": {"name": "d"}}
    assert [line[:2] for line in lines(wanted, unclaimed, DEPLOYMENT)] == [
        (".spec.template.spec.hostNetwork", Change.ADD)
    ]


def tolerating(**more):
    pod = {"containers": [{"name": "c", "image": "i:1"}], "tolerations": [{"key": "k", **more}]}
    return deployment(template={"spec": pod})


def test_inside_of_atomic_values_zero_is_absent_unless_it_means_something():
    live = applied(tolerating(), DEPLOYMENT)
    assert lines(tolerating(value=""), live, DEPLOYMENT) == []
    found = lines(tolerating(tolerationSeconds=0), live, DEPLOYMENT)
    assert [line[:2] for line in found] == [(".spec.template.spec.tolerations[0].tolerationSeconds", Change.ADD)]


LISTED = Shape(Form.RECORD, open=True, resolve_fields=lambda: {"rules": Shape(Form.LIST)})


def custom(*rules, annotation=None):
    metadata = {"name": "c", "annotations": {LAST_APPLIED: annotation}} if annotation else {"name": "c"}
    return {"apiVersion": "x.io/v1", "kind": "Custom", "metadata": metadata, "rules": list(rules)}


def test_defaults_of_custom_kinds_are_told_from_what_git_dropped_by_the_annotation():
    last = '{"rules":[{"to":"a","weight":5},{"to":"b"}],"rows":[{"name":"r","v":1}]}'
    live = applied(custom({"to": "a", "weight": 5, "kind": "Service"}, {"to": "b", "weight": 1}), LISTED)
    live["metadata"]["annotations"] = {LAST_APPLIED: last}
    assert lines(custom({"to": "a"}, {"to": "b"}), live, LISTED) == [
        (".rules[0].weight", Change.REMOVE, ABSENT, 5, (US,))
    ]
    del live["metadata"]["annotations"]
    assert lines(custom({"to": "a"}, {"to": "b"}), live, LISTED) == []


TABLED = Shape(
    Form.RECORD,
    open=True,
    resolve_fields=lambda: {
        "rows": Shape(
            Form.TABLE,
            keys=("name",),
            resolve_values=lambda: Shape(Form.RECORD, open=True, resolve_fields=lambda: {"rules": Shape(Form.LIST)}),
        )
    },
)


@pytest.mark.parametrize(
    ("last", "expect", "why"),
    [
        ('{"rows":[{"name":"a"},{"name":"r","rules":[{"w":1}]}]}', [".w"], "found by its key"),
        ('{"rows":[{"name":"r","rules":[]}]}', [], "there was no such item"),
        ('{"rows":[{"name":"x","rules":[{"w":1}]}]}', [], "another item"),
        ('{"rows":{"name":"r"}}', [], "of another form"),
        ('{"rows":[{"name":"r","rules":{"w":1}}]}', [], "of another form further down"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_was_written_last_is_found_through_lists(last, expect, why):
    def rows(*rules):
        return {
            "apiVersion": "x.io/v1",
            "kind": "X",
            "metadata": {"name": "x"},
            "rows": [{"name": "r", "rules": [*rules]}],
        }

    live = applied(rows({"w": 1}), TABLED)
    live["metadata"]["annotations"] = {LAST_APPLIED: last}
    assert [line[0][-2:] for line in lines(rows({}), live, TABLED)] == expect


def test_an_empty_map_that_we_wrote_does_not_make_ours_what_came_into_it():
    live = applied({**deployment(), "metadata": {"name": "d", "annotations": {}}}, DEPLOYMENT)
    live["metadata"]["annotations"] = {"somebody": "wrote"}
    assert lines({**deployment(), "metadata": {"name": "d"}}, live, DEPLOYMENT) == []


def claims(**template):
    spec = {"volumeClaimTemplates": [template]}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "s"}, "spec": spec}


def test_structures_that_are_always_there_are_the_servers_as_long_as_they_are_empty():
    live = claims(metadata={"name": "v", "creationTimestamp": None}, spec={"resources": {}, "accessModes": ["x"]})
    assert lines(claims(metadata={"name": "v"}, spec={"accessModes": ["x"]}), live, STATEFUL_SET) == []
    more = claims(metadata={"name": "v"}, spec={"resources": {"requests": {"storage": "1"}}, "accessModes": ["x"]})
    found = lines(claims(metadata={"name": "v"}, spec={"accessModes": ["x"]}), more, STATEFUL_SET)
    assert [line[0] for line in found] == [".spec.volumeClaimTemplates[0].spec.resources"]


def test_set_members_that_were_written_last_are_found():
    tags = Shape(Form.RECORD, open=True, resolve_fields=lambda: {"tags": Shape(Form.SET)})
    live = {
        "apiVersion": "x.io/v1",
        "kind": "X",
        "metadata": {"annotations": {LAST_APPLIED: '{"tags":["a","b"]}'}},
        "tags": ["a", "b", "c"],
    }
    found = lines({"apiVersion": "x.io/v1", "kind": "X", "tags": ["a"]}, live, tags)
    assert [line[:2] for line in found] == [('.tags[="b"]', Change.REMOVE)]
    owners = owners_of(live, US, tags)
    assert [owners.last_value(("f:tags", place)) for place in ('v:"a"', 'v:"c"', "i:1", "i:9")] == [
        "a",
        ABSENT,
        "b",
        ABSENT,
    ]
    assert owners.last_value(("f:tags", "f:x")) is ABSENT


def test_a_structure_is_something_even_if_it_is_empty():
    bare = policy({"from": [{"namespaceSelector": {}}]})
    whole = policy({"from": [{"namespaceSelector": {}, "podSelector": {}}]})
    assert [line[:2] for line in lines(whole, applied(bare, POLICY), POLICY)] == [
        (".spec.ingress[0].from[0].podSelector", Change.ADD)
    ]
    assert [line[:2] for line in lines(bare, applied(whole, POLICY), POLICY)] == [
        (".spec.ingress[0].from[0].podSelector", Change.REMOVE)
    ]


def test_what_was_applied_on_the_clients_side_is_ours_to_give_up_while_both_stand_beside_each_other():
    text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1","b":"2"}}'
    created = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "annotations": {LAST_APPLIED: text}},
        "data": {"a": "1", "b": "2"},
    }
    live = track_update(None, created, written(created, "kubectl-client-side-apply"), CONFIG_MAP)
    desired = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}}
    live = apply(live, desired, written(desired), CONFIG_MAP, force=True)
    assert [line[:2] for line in lines(desired, live, CONFIG_MAP)] == [(".data.b", Change.REMOVE)]


@pytest.mark.parametrize("node", ["x", 1, [], {"f:data": "x"}, {"f:data": {"f:a": 3}}])
@pytest.mark.parametrize("managers", [[US], [US, "kubectl-client-side-apply"]])
def test_hostile_field_sets_end_nothing(node, managers):
    entries = [
        {"manager": name, "operation": operation, "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": node}
        for name, operation in zip(managers, ("Apply", "Update"), strict=False)
    ]
    live = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"managedFields": entries}, "data": {"a": "1"}}
    desired = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "2"}}
    assert (".data.a", Change.CHANGE) in [line[:2] for line in lines(desired, live, CONFIG_MAP)]


@pytest.mark.parametrize("metadata", [None, "x", {"managedFields": "x"}, {"managedFields": [3]}, {"annotations": 3}])
def test_hostile_metadata_ends_nothing(metadata):
    live = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "1"}}
    assert lines({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1"}}, live, CONFIG_MAP) == []


def test_inside_a_list_that_somebody_else_took_every_field_counts_but_known_defaults():
    live = applied(policy({"ports": [{"port": 80}]}), POLICY)
    spec = {**live["spec"], "ingress": [{"ports": [{"port": 80, "protocol": "TCP", "endPort": 90}]}, {}]}
    live = edited(live, {"spec": spec}, "rogue", POLICY)
    assert lines(policy({"ports": [{"port": 80}]}), live, POLICY) == [
        (".spec.ingress[0].ports[0].endPort", Change.REMOVE, ABSENT, 90, ("rogue",)),
        (".spec.ingress[1]", Change.REMOVE, ABSENT, {}, ("rogue",)),
    ]


def test_a_longer_list_shows_the_items_that_come():
    live = applied(policy({}), POLICY)
    found = lines(policy({}, {"ports": [{"port": 1}]}), live, POLICY)
    assert [line[:2] for line in found] == [(".spec.ingress[1]", Change.ADD)]


def test_sets_show_members_that_come_and_go():
    live = applied({**deployment(), "metadata": {"name": "d", "finalizers": ["a/a", "b/b"]}}, DEPLOYMENT)
    found = lines({**deployment(), "metadata": {"name": "d", "finalizers": ["a/a", "c/c"]}}, live, DEPLOYMENT)
    assert [line[:2] for line in found] == [
        ('.metadata.finalizers[="c/c"]', Change.ADD),
        ('.metadata.finalizers[="b/b"]', Change.REMOVE),
    ]


def test_identity_status_and_what_the_server_makes_are_never_compared():
    live = applied(deployment(), DEPLOYMENT)
    desired = {
        **deployment(),
        "metadata": {"name": "d", "namespace": "x", "creationTimestamp": None, "uid": "1"},
        "status": {"replicas": 9},
    }
    assert lines(desired, live, DEPLOYMENT) == []


def test_saying_nothing_is_not_a_difference():
    live = applied(deployment(), DEPLOYMENT)
    desired = {**deployment(), "metadata": {"name": "d", "labels": {}, "annotations": None, "finalizers": []}}
    assert lines(desired, live, DEPLOYMENT) == []


def secret(**fields):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, **fields}


def test_secret_values_are_compared_where_they_are_stored_and_never_shown():
    encoded = base64.b64encode(b"hunter2").decode()
    live = applied(secret(data={"a": encoded, "b": encoded}), SECRET)
    assert lines(secret(stringData={"a": "hunter2"}, data={"b": encoded}), live, SECRET) == []
    found = diff(secret(stringData={"a": "other"}), live, SECRET, manager=US)
    assert [(each.path, each.secret) for each in found] == [(".data.a", True), (".data.b", True)]
    assert "hunter2" not in repr(found)
    assert encoded not in repr(found)
    assert isinstance(found[0].live, Plaintext)
    assert found[1].desired is ABSENT


def test_secrets_are_compared_as_the_server_stores_them():
    live = applied(secret(data={"a": "aGVsbG8gdGhlcmU=", "b": ""}), SECRET)
    assert lines(secret(data={"a": "aGVsbG8g\ndGhlcmU=\r\n", "b": None}), live, SECRET) == []
    live["data"]["b"] = "eA=="
    assert [line[0] for line in lines(secret(data={"a": "aGVsbG8gdGhlcmU=", "b": None}), live, SECRET)] == [".data.b"]
    numbered = lines(secret(stringData={"a": "hello there", "b": 3}), live, SECRET)
    assert [line[0] for line in numbered] == [".data.b"]


def test_other_fields_of_a_secret_are_shown():
    live = applied(secret(type="Opaque"), SECRET)
    assert [each.secret for each in diff(secret(type="x"), live, SECRET, manager=US)] == [False]


@pytest.mark.parametrize(
    ("desired", "live", "expect", "why"),
    [
        ({"a": 1}, {"a": 1.0}, [], "numbers are equal by value"),
        ({"a": True}, {"a": 1}, [".a"], "true is not 1"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1}]}, [], "equal lists"),
        ({"a": {"b": 1}}, {"a": [1]}, [".a"], "another form"),
        ({"a": None}, {"a": 1}, [], "null says nothing"),
        ({"a": {"b": None}}, {}, [], "nothing inside nothing"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_free_form_values(desired, live, expect, why):
    assert [each.path for each in diff(desired, live, FREE, manager=US)] == expect


def test_items_that_cannot_be_named_are_compared_by_place():
    live = applied(deployment(), DEPLOYMENT)
    broken = deployment(template={"spec": {"containers": ["not an object"]}})
    assert next(line[0] for line in lines(broken, live, DEPLOYMENT)) == ".spec.template.spec.containers[0]"


def test_an_atomic_map_taken_by_somebody_else_counts_every_field():
    live = applied(deployment(), DEPLOYMENT)
    live = edited(
        live, {"spec": {**live["spec"], "selector": {"matchLabels": {"a": "b", "x": "y"}}}}, "rogue", DEPLOYMENT
    )
    assert [line[:2] for line in lines(deployment(), live, DEPLOYMENT)] == [
        (".spec.selector.matchLabels.x", Change.REMOVE)
    ]


def test_every_item_counts_inside_a_keyed_list_within_something_that_somebody_else_took():
    inner = Shape(Form.TABLE, keys=("name",), resolve_values=lambda: FREE)
    whole = Shape(Form.RECORD, atomic=True, resolve_fields=lambda: {"rows": inner})
    root = Shape(Form.RECORD, resolve_fields=lambda: {"whole": whole})
    entry = {
        "manager": "rogue",
        "operation": "Update",
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:whole": {}},
    }
    live = {"metadata": {"managedFields": [entry]}, "whole": {"rows": [{"name": "a"}, {"name": "b"}]}}
    found = diff({"whole": {"rows": [{"name": "a"}]}}, live, root, manager=US)
    assert [(each.path, each.change, each.managers) for each in found] == [
        ('.whole.rows[name="b"]', Change.REMOVE, ("rogue",))
    ]


def test_a_quantity_that_is_none_differs_from_one():
    live = applied(deployment(), DEPLOYMENT)
    live["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["cpu"] = "broken"
    assert len(lines(deployment(), live, DEPLOYMENT)) == 1


def test_what_we_wrote_inside_something_that_is_no_longer_an_object_is_gone_already():
    text = '{"apiVersion":"v1","kind":"X","metadata":{"name":"x"},"a":{"b":{"c":1}}}'
    live = {
        "apiVersion": "v1",
        "kind": "X",
        "metadata": {"name": "x", "annotations": {LAST_APPLIED: text}},
        "a": {"b": [1]},
    }
    assert [each.path for each in diff({"a": {"b": [1]}}, live, FREE, manager=US)] == []
