"""Nobody grants what they do not hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.access.identity import Identity
from plumbline.apiserver.rbac import Authorizer, RoleWrite, escalation_error
from plumbline.apiserver.rbac.rules import Rule, atoms, breadth, missing

from .test_decisions import GROUP, JSON, binding, role, rule

ANN = Identity("ann", groups=("crew", "system:authenticated"))


def holding(*rules):
    authorizer = Authorizer()
    authorizer.observe(role("held", *rules))
    authorizer.observe(binding("held", "held", ("User", "ann")))
    return authorizer


def message(authorizer, obj, namespace="", **more):
    refused = escalation_error(authorizer, RoleWrite(ANN, obj, namespace, **more))
    return refused and refused.status["message"]


def lacking(resource, name, *lines):
    return (
        f'{resource}.{GROUP} "{name}" is forbidden: user "ann" (groups=["crew" "system:authenticated"])'
        " is attempting to grant RBAC permissions not currently held:\n" + "\n".join(lines)
    )


COVERED = [
    (rule("get,list"), rule("get"), "part of the verbs"),
    (rule("*", "*", "*"), rule("a,b", "x,y", "p/q,r"), "everything"),
    (rule(resources="*/scale"), rule(resources="pods/scale"), "a subresource of all"),
    (rule(), rule(names="a"), "all names cover one"),
    (rule(names="a,b"), rule(names="b"), "one of the names"),
    (rule(urls="/a/*"), rule(urls="/a/b,/a/b/*"), "below a path"),
    (rule(urls="*"), rule("get", urls="/x*"), "all paths"),
]
NOT_COVERED = [
    (rule("get"), rule("*"), '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'),
    (rule(names="a"), rule(), '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'),
    (rule(names="a"), rule(names="b"), '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}'),
    (rule(resources="pods"), rule(resources="pods/log"), '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}'),
    (rule(resources="*/log"), rule(resources="pods"), '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'),
    (rule(groups="apps"), rule(groups="*"), '{APIGroups:["*"], Resources:["pods"], Verbs:["get"]}'),
    (rule(urls="/a"), rule(urls="/a/*"), '{NonResourceURLs:["/a/*"], Verbs:["get"]}'),
    (rule("post", urls="/a"), rule("get,post", urls="/a"), '{NonResourceURLs:["/a"], Verbs:["get"]}'),
]  # fmt: skip


@pytest.mark.parametrize(("held", "granted", "why"), COVERED, ids=[why for *_, why in COVERED])
def test_what_one_holds_may_be_granted(held, granted, why):
    assert message(holding(held), role("r", granted)) is None, why


@pytest.mark.parametrize(("held", "granted", "line"), NOT_COVERED)
def test_what_one_does_not_hold_is_listed(held, granted, line):
    assert message(holding(held), role("r", granted)) == lacking("clusterroles", "r", line)


def test_lines_are_joined_by_thing_and_sorted():
    granted = [rule("watch", resources="b"), rule("get,list", resources="a,b"), rule("get", urls="/x,/a")]
    assert message(holding(), role("r", *granted, namespace="home"), "home") == lacking(
        "roles",
        "r",
        '{APIGroups:[""], Resources:["a"], Verbs:["get" "list"]}',
        '{APIGroups:[""], Resources:["b"], Verbs:["watch" "get" "list"]}',
        '{NonResourceURLs:["/a"], Verbs:["get"]}',
        '{NonResourceURLs:["/x"], Verbs:["get"]}',
    )


def test_rules_do_not_add_up():
    authorizer = holding(rule("get", resources="a"), rule("get", resources="b"))
    assert message(authorizer, role("r", rule("get", resources="a,b"))) is None
    assert message(authorizer, role("r", rule("get", resources="*"))) is not None


def test_a_role_in_a_namespace_may_grant_what_is_held_there():
    authorizer = Authorizer()
    authorizer.observe(role("held", rule()))
    authorizer.observe(binding("held", "held", ("User", "ann"), namespace="home"))
    assert message(authorizer, role("r", rule(), namespace="home"), "home") is None
    assert message(authorizer, role("r", rule(), namespace="away"), "away") is not None
    assert message(authorizer, role("r", rule())) is not None


def test_who_may_escalate_is_exempt():
    authorizer = holding(rule("escalate", GROUP, "clusterroles", names="mine"))
    assert message(authorizer, role("mine", rule("*")), name="mine", old={}) is None
    assert message(authorizer, role("mine", rule("*"))) is not None, "a create has no name to be allowed by"
    assert message(authorizer, role("other", rule("*")), name="other", old={}) is not None


def test_masters_are_exempt():
    root = Identity("root", groups=("system:masters",))
    assert escalation_error(Authorizer(), RoleWrite(root, role("r", rule("*", "*", "*")))) is None


def test_other_kinds_are_not_looked_at():
    assert escalation_error(Authorizer(), RoleWrite(ANN, {"kind": "Secret"})) is None


AGGREGATION = {"aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}


def test_aggregation_needs_everything():
    refusal = f'clusterroles.{GROUP} "r" is forbidden: must have cluster-admin privileges to use the aggregationRule'
    assert message(holding(rule("get,list", "*", "*")), role("r") | AGGREGATION) == refusal
    assert message(holding(rule()), role("r"), name="r", old=role("r") | AGGREGATION) == refusal
    everything = holding(rule("*", "*", "*"), rule("*", urls="*"))
    assert message(everything, role("r") | AGGREGATION) is None
    assert message(holding(), role("r") | {"aggregationRule": {"clusterRoleSelectors": []}}) is None


def test_garbage_collection_is_exempt():
    old = role("r", rule("*"))
    owned = role("r", rule("*"))
    owned["metadata"] |= {"ownerReferences": [{"uid": "1"}], "finalizers": ["x"], "managedFields": [{}]}
    assert message(holding(), owned, name="r", old=old | {"aggregationRule": None}) is None
    owned["metadata"]["labels"] = {"a": "b"}
    assert message(holding(), owned, name="r", old=old) is not None


def test_a_binding_grants_the_rules_of_its_role():
    authorizer = holding(rule())
    authorizer.observe(role("same", rule()))
    authorizer.observe(role("more", rule("get,list")))
    assert message(authorizer, binding("b", "same", ("User", "x"))) is None
    line = '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}'
    assert message(authorizer, binding("b", "more", ("User", "x"))) == lacking("clusterrolebindings", "b", line)


@pytest.mark.parametrize(
    ("names", "namespace", "allowed"),
    [("more", "", True), ("other", "", False), ("", "home", True)],
)
def test_who_may_bind_a_role_is_exempt(names, namespace, allowed):
    authorizer = holding(rule("bind", GROUP, "clusterroles", names=names))
    authorizer.observe(role("more", rule("*", "*", "*")))
    obj = binding("b", "more", ("User", "x"), namespace=namespace)
    assert (message(authorizer, obj, namespace) is None) is allowed


@pytest.mark.parametrize(
    ("obj", "namespace", "code", "text"),
    [
        (binding("b", "gone"), "", 404, f'clusterrolebindings.{GROUP} "gone" not found'),
        (binding("b", "gone", namespace="h", kind="Role"), "h", 404, f'rolebindings.{GROUP} "gone" not found'),
        (binding("b", "gone", kind="Role"), "", 400, "Namespace parameter required."),
        (binding("b", "gone", kind="Zap"), "", 500, 'unsupported role reference kind: "Zap"'),
        ({"kind": "ClusterRoleBinding"}, "", 500, 'unsupported role reference kind: ""'),
    ],
)
def test_a_binding_to_nothing_is_refused_as_the_server_does(obj, namespace, code, text):
    status = escalation_error(holding(), RoleWrite(ANN, obj, namespace)).status
    assert (status["code"], status["message"]) == (code, text)


def test_missing_roles_are_mentioned():
    authorizer = holding()
    authorizer.observe(binding("z", "gone", ("Group", "crew")))
    said = message(authorizer, role("r", rule()))
    assert said.endswith(f'Verbs:["get"]}}; resolution errors: [clusterroles.{GROUP} "gone" not found]')


def test_rules_that_multiply_beyond_reason_are_refused_before_they_are_expanded():
    many = ",".join(f"x{number}" for number in range(30))
    refused = escalation_error(holding(), RoleWrite(ANN, role("r", rule(many, many, many))))
    assert refused.status["code"] == 400


TEXTS = st.lists(st.sampled_from(["a", "b", "*", "a/b", "*/b"]), max_size=3).map(tuple)
# Names and paths in one rule are refused by validation.
NONE = st.just(())
RULES = st.builds(Rule, TEXTS, TEXTS, TEXTS, TEXTS, NONE) | st.builds(Rule, TEXTS, TEXTS, TEXTS, NONE, TEXTS)


@given(st.lists(RULES, max_size=3))
def test_whoever_holds_rules_may_grant_them(rules):
    assert missing(rules, rules) == []
    assert breadth(rules) == sum(1 for each in rules for _ in atoms(each))


@given(
    st.dictionaries(st.sampled_from(["metadata", "rules", "subjects", "roleRef", "aggregationRule"]), JSON), st.data()
)
def test_no_object_breaks_the_check(obj, data):
    kind = data.draw(st.sampled_from(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"]))
    escalation_error(holding(), RoleWrite(ANN, obj | {"kind": kind}, "home", old=data.draw(st.none() | st.just(obj))))
