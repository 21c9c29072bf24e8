"""Rules permit what they say, for whom bindings name, until something changes."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.access.identity import Identity
from plumbline.apiserver.rbac import Attributes, Authorizer, Decision
from plumbline.apiserver.rbac import authorizer as authorizer_module
from plumbline.base.json import encode

GROUP = "rbac.authorization.k8s.io"
ANN = Identity("ann", groups=("crew",))


def rule(verbs="get", groups="", resources="pods", names="", urls=""):
    columns = {"verbs": verbs, "resources": "" if urls else resources, "resourceNames": names, "nonResourceURLs": urls}
    made = {title: column.split(",") for title, column in columns.items() if column}
    return made if urls else made | {"apiGroups": groups.split(",")}


def role(name, *rules, namespace=""):
    kind = "Role" if namespace else "ClusterRole"
    return {"kind": kind, "metadata": {"name": name, "namespace": namespace}, "rules": list(rules)}


def binding(name, of, *subjects, namespace="", kind="ClusterRole"):
    made = [{"kind": each[0], "name": each[1]} | ({"namespace": each[2]} if each[2:] else {}) for each in subjects]
    return {
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": {"name": name, "namespace": namespace},
        "subjects": made,
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": of},
    }


def holding(*rules):
    """An authorizer in which ann holds exactly these."""
    authorizer = Authorizer()
    authorizer.observe(role("r", *rules))
    authorizer.observe(binding("b", "r", ("User", "ann")))
    return authorizer


def wish(verb="get", group="", resource="pods", subresource="", **more):
    return Attributes(ANN, verb, group, "v1", resource, subresource, **more)


MATCHES = [
    (rule(), wish(), True, "everything fits"),
    (rule("get"), wish("list"), False, "another verb"),
    (rule("*"), wish("made-up"), True, "all verbs, known or not"),
    (rule(groups="apps"), wish(), False, "another group"),
    (rule(groups="*"), wish(group="any.example"), True, "all groups"),
    (rule(resources="*"), wish(resource="x", subresource="y"), True, "all resources hold their subresources"),
    (rule(resources="pods"), wish(subresource="log"), False, "a resource does not hold its subresources"),
    (rule(resources="pods/log"), wish(subresource="log"), True, "one subresource"),
    (rule(resources="pods/log"), wish(), False, "a subresource is not its resource"),
    (rule(resources="*/scale"), wish(resource="x", subresource="scale"), True, "one subresource of all"),
    (rule(resources="*/scale"), wish(resource="scale"), False, "but not a resource of that name"),
    (rule(resources="pods/*"), wish(subresource="log"), False, "a star behind the slash is no wildcard"),
    (rule(resources="pods/*"), wish(subresource="*"), True, "it is a name"),
    (rule(names="a,b"), wish(name="a"), True, "one of the names"),
    (rule(names="a,b"), wish(name="c"), False, "none of the names"),
    (rule(names="a,b"), wish(), False, "no name is none of them"),
    (rule(names="*"), wish(name="a"), False, "names know no wildcard"),
    (rule(urls="/x"), wish(), False, "a path is no resource"),
    (rule(urls="/x"), wish(path="/x"), True, "a path"),
    (rule(urls="/x"), wish(path="/x/y"), False, "not what is below"),
    (rule(urls="/x/*"), wish(path="/x/y/z"), True, "all below"),
    (rule(urls="/x/*"), wish(path="/x"), False, "but not itself"),
    (rule(urls="/x**"), wish(path="/xyz"), True, "more stars are one"),
    (rule(urls="*"), wish(path=""), True, "all paths"),
    (rule("post", urls="*"), wish(path="/x"), False, "another verb"),
    (rule(), wish(path="/x"), False, "a resource is no path"),
    (rule(resources="*", groups="*"), wish(resource="", group=""), True, "nothing in particular is in everything"),
    ({"verbs": "get", "apiGroups": [""], "resources": ["pods"]}, wish(), False, "a text is no list"),
    ({"verbs": ["get", 1, None], "apiGroups": [""], "resources": ["pods", {}]}, wish(), True, "what is no text is skipped"),
    ("get", wish(), False, "not a rule"),
]  # fmt: skip


@pytest.mark.parametrize(("held", "asked", "allowed", "why"), MATCHES, ids=[why for *_, why in MATCHES])
def test_a_rule_permits_what_it_says(held, asked, allowed, why):
    assert holding(held).decide(asked).allowed is allowed, why


REASONS = [
    (
        [role("r", rule()), binding("b", "r", ("User", "ann"))],
        'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to User "ann"',
    ),
    (
        [role("r", rule()), binding("b", "r", ("User", "bob"), ("Group", "crew"), ("User", "ann"))],
        'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to Group "crew"',
    ),
    (
        [role("r", rule()), binding("b", "r", ("User", "ann"), namespace="home")],
        'RBAC: allowed by RoleBinding "b/home" of ClusterRole "r" to User "ann"',
    ),
    (
        [role("r", rule(), namespace="home"), binding("b", "r", ("User", "ann"), namespace="home", kind="Role")],
        'RBAC: allowed by RoleBinding "b/home" of Role "r" to User "ann"',
    ),
    (
        [
            role("r", rule()),
            binding("later", "r", ("User", "ann")),
            binding("earlier", "r", ("User", "ann")),
            binding("a", "r", ("User", "ann"), namespace="home"),
        ],
        'RBAC: allowed by ClusterRoleBinding "earlier" of ClusterRole "r" to User "ann"',
    ),
]


@pytest.mark.parametrize(("objects", "reason"), REASONS)
def test_the_reason_names_the_first_binding_that_allows_it(objects, reason):
    authorizer = Authorizer()
    for obj in objects:
        authorizer.observe(obj)
    assert authorizer.decide(wish(namespace="home")) == Decision(allowed=True, reason=reason)


@pytest.mark.parametrize(
    ("subject", "namespace", "title"),
    [
        (("ServiceAccount", "bot", "home"), "", 'ServiceAccount "bot/home"'),
        (("ServiceAccount", "bot"), "home", 'ServiceAccount "bot/home"'),
        (("User", "system:serviceaccount:home:bot"), "", 'User "system:serviceaccount:home:bot"'),
        (("ServiceAccount", "bot"), "", None),
        (("ServiceAccount", "bot", "away"), "home", None),
        (("Robot", "bot", "home"), "home", None),
    ],
)
def test_a_service_account_is_the_user_of_its_name(subject, namespace, title):
    authorizer = Authorizer()
    authorizer.observe(role("r", rule()))
    authorizer.observe(binding("b", "r", subject, namespace=namespace))
    bot = Identity("system:serviceaccount:home:bot")
    decision = authorizer.decide(wish(namespace="home")._replace(identity=bot))
    assert decision.allowed is (title is not None)
    assert title is None or decision.reason.endswith(f"to {title}")


def test_masters_may_do_everything_without_a_reason():
    root = Identity("r", groups=("x", "system:masters"))
    assert Authorizer().decide(wish("anything")._replace(identity=root)) == Decision(allowed=True)


LOST = f'clusterrole.{GROUP} "gone" not found'


@pytest.mark.parametrize(
    ("bindings", "reason"),
    [
        ([binding("b", "gone", ("User", "ann"))], f"RBAC: {LOST}"),
        ([binding("b", "gone", ("User", "ann")), binding("c", "gone", ("Group", "crew"))], f"RBAC: {LOST}"),
        (
            [binding("b", "gone", ("User", "ann")), binding("c", "gone", ("User", "ann"), kind="Role")],
            f'RBAC: [{LOST}, role.{GROUP} "gone" not found]',
        ),
        (
            [binding("c", "gone", ("User", "ann"), kind="Zap", namespace="home")],
            'RBAC: unsupported role reference kind: "Zap"',
        ),
        ([binding("b", "gone", ("User", "bob"))], ""),
        ([{"kind": "ClusterRoleBinding", "metadata": None, "roleRef": [], "subjects": {}}], ""),
    ],
)
def test_a_refusal_says_which_roles_are_missing(bindings, reason):
    authorizer = Authorizer()
    for each in bindings:
        authorizer.observe(each)
    assert authorizer.decide(wish(namespace="home")) == Decision(allowed=False, reason=reason)


def test_a_missing_role_does_not_hide_what_others_allow():
    authorizer = holding(rule())
    authorizer.observe(binding("a", "gone", ("User", "ann")))
    assert authorizer.decide(wish()).allowed


def test_names_are_decided_one_by_one_and_by_the_first_rule_that_fits():
    authorizer = holding(rule(names="a"))
    authorizer.observe(role("s", rule(names="a,b"), rule(names="c"), rule("list")))
    authorizer.observe(binding("c", "s", ("User", "ann")))
    by = {name: authorizer.decide(wish(name=name)) for name in "abcd"}
    assert [decision.allowed for decision in by.values()] == [True, True, True, False]
    assert '"b" of' in by["a"].reason
    assert '"c" of' in by["b"].reason
    assert authorizer.decide(wish("list", name="d")).allowed


def test_decisions_follow_every_change():
    authorizer = holding(rule())
    assert authorizer.decide(wish()).allowed
    authorizer.observe(encode(role("r", rule("list"))))
    assert not authorizer.decide(wish()).allowed
    authorizer.observe(role("r", rule()))
    assert authorizer.decide(wish()).allowed
    authorizer.forget("ClusterRole", "", "r")
    assert authorizer.decide(wish()).reason == f'RBAC: clusterrole.{GROUP} "r" not found'
    authorizer.observe(role("r", rule()))
    authorizer.observe(binding("b", "r", ("User", "bob")))
    assert not authorizer.decide(wish()).allowed
    authorizer.observe(binding("b", "r", ("User", "ann")))
    authorizer.forget("ClusterRoleBinding", "", "b")
    assert authorizer.decide(wish()) == Decision(allowed=False)


def test_what_changes_nothing_costs_no_decision():
    authorizer = holding(rule())
    decided = authorizer.decide(wish())
    authorizer.observe(role("r", rule()))
    authorizer.observe(binding("b", "r", ("User", "ann")))
    authorizer.observe({"kind": "ConfigMap", "metadata": {"name": "r"}})
    authorizer.forget("Role", "x", "r")
    authorizer.forget("RoleBinding", "x", "r")
    authorizer.forget("Secret", "x", "r")
    assert authorizer.decide(wish()) is decided


def test_answers_are_remembered_within_bounds(monkeypatch):
    monkeypatch.setattr(authorizer_module, "_VERDICTS", 10)
    authorizer = holding(rule(urls="*"))
    for number in range(100):
        assert authorizer.decide(wish(path=f"/{number}")).allowed
        assert len(authorizer._verdicts) <= 10


def test_answers_about_what_nobody_has_such_long_names_for_are_not_remembered():
    authorizer = holding(rule(urls="*"))
    assert authorizer.decide(wish(path=f"/{'a' * 100_000}")).allowed
    assert not authorizer.decide(wish(path=None, namespace="n" * 100_000, resource="r" * 10_000)).allowed
    assert authorizer._verdicts == {}
    assert authorizer.decide(wish(path="/usual")).allowed
    assert len(authorizer._verdicts) == 1


def test_held_rules_are_those_of_the_cluster_and_of_one_namespace():
    authorizer = holding(rule())
    authorizer.observe(role("local", rule("list"), namespace="home"))
    authorizer.observe(binding("b", "local", ("Group", "crew"), namespace="home", kind="Role"))
    authorizer.observe(binding("c", "gone", ("Group", "crew"), namespace="home", kind="Role"))
    held = authorizer.rules_for(ANN, "home")
    assert [each.verbs for each in held.rules] == [("get",), ("list",)]
    assert held.fault() == f'role.{GROUP} "gone" not found'
    assert held.fault("roles") == f'roles.{GROUP} "gone" not found'
    assert len(authorizer.rules_for(ANN, "away").rules) == len(authorizer.rules_for(ANN, "").rules) == 1
    assert authorizer.rules_for(ANN, "").fault() == ""


WORDS = st.sampled_from(["get", "pods", "", "*", "pods/log", "*/log", "a"])
LISTS = st.lists(WORDS, max_size=3)
RULES = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"), LISTS)
)


@given(st.lists(RULES, max_size=4), WORDS, WORDS, WORDS, WORDS)
def test_remembered_answers_are_those_of_a_fresh_authorizer(rules, verb, resource, subresource, name):
    seasoned = holding(*rules)
    for other in ("x", "a", ""):
        seasoned.decide(wish(verb, "", resource, subresource, name=other))
    asked = wish(verb, "", resource, subresource, name=name)
    assert seasoned.decide(asked) == holding(*rules).decide(asked)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(string.ascii_letters, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["kind", "name", "namespace", "rules", "verbs", "subjects", "roleRef", "apiGroup", "metadata"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["metadata", "rules", "subjects", "roleRef"]), JSON), st.data())
def test_no_object_breaks_the_authorizer(obj, data):
    kind = data.draw(st.sampled_from(["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "Other"]))
    authorizer = Authorizer()
    authorizer.observe(obj | {"kind": kind})
    assert authorizer.decide(wish(namespace="home")).allowed in {True, False}
