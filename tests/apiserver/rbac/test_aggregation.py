"""ClusterRoles that are made of others."""

import pytest

from plumbline.apiserver.rbac import aggregated

from .test_decisions import role, rule


def part(name, *rules, **labels):
    made = role(name, *rules)
    made["metadata"]["labels"] = labels
    return made


def whole(*selectors, rules=()):
    return role("whole", *rules) | {"aggregationRule": {"clusterRoleSelectors": list(selectors)}}


GET, LIST, WATCH = rule("get"), rule("list"), rule("watch")
SELECT = {"matchLabels": {"in": "yes"}}


def test_all_that_are_selected_give_their_rules_in_the_order_of_their_names():
    parts = [
        part("c", WATCH, **{"in": "yes"}),
        part("a", GET, LIST, **{"in": "yes"}),
        part("b", rule("x"), **{"in": "no"}),
    ]
    assert aggregated(whole(SELECT), parts) == [GET, LIST, WATCH]


def test_no_rule_comes_twice():
    parts = [part("a", GET, **{"in": "yes"}), part("b", GET | {"resourceNames": []}, LIST, **{"in": "yes"})]
    assert aggregated(whole(SELECT), parts) == [GET, LIST]


def test_selectors_are_answered_in_turn():
    parts = [part("a", GET, of="second"), part("b", LIST, of="first")]
    selectors = [{"matchLabels": {"of": "first"}}, {"matchExpressions": [{"key": "of", "operator": "Exists"}]}]
    assert aggregated(whole(*selectors), parts) == [LIST, GET]


def test_a_role_is_no_part_of_itself():
    itself = whole(SELECT, rules=[WATCH])
    itself["metadata"]["labels"] = {"in": "yes"}
    assert aggregated(itself, [itself]) == []


@pytest.mark.parametrize(
    ("obj", "why"),
    [
        (role("r", GET), "it does not aggregate"),
        (whole({"matchLabels": {"a b": "c"}}, rules=[GET]), "a bad selector changes nothing"),
        (role("r", GET) | {"aggregationRule": "x"}, "not a rule"),
    ],
)
def test_other_roles_keep_what_they_have(obj, why):
    assert aggregated(obj, [part("a", LIST, a="b")]) == [GET], why


def test_odd_roles_are_passed_over():
    parts = [{"metadata": None}, part("a", **{"in": "yes"}) | {"rules": 5}, {"metadata": {"name": 5, "labels": []}}]
    assert aggregated(whole(SELECT), parts) == []
    assert aggregated({"aggregationRule": {"clusterRoleSelectors": 5}}, parts) == []
    assert aggregated({"rules": 5}, parts) == []
