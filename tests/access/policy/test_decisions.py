"""Who may do what, and the sentence that says why."""

import pytest

from plumbline.access.policy import ANONYMOUS, Policy, Subject, policy_source
from plumbline.access.policy.places import Place

from .building import asked, policy

SYNC = "sync applications prod/web"
DEV = "p, role:dev, applications, sync, prod/*, allow"


def test_nobody_may_do_anything_by_an_empty_policy():
    decision = policy().decide(*asked("get applications shop/web"))
    assert not decision.allowed
    assert (decision.line, decision.place) == ("", None)
    assert decision.why == "no line allows it; there is no default role"


def test_the_administrator_may_do_everything_and_it_is_said_why():
    decision = policy().decide(*asked("sync applications shop/web", "admin"))
    assert decision.allowed
    assert (
        decision.why
        == "allowed by the built-in policy: p, role:admin, applications, sync, */*, allow (admin has role:admin)"
    )


@pytest.mark.parametrize(
    ("csv", "who", "why"),
    [
        ("p, alice, applications, sync, prod/*, allow", ("alice",), "allowed by line 1 of policy.csv: p, alice, applications, sync, prod/*, allow"),
        (f"# people\n\ng, alice, role:dev\n{DEV}", ("alice",), f"allowed by line 4 of policy.csv: {DEV} (alice has role:dev)"),
        (f"g, ops, role:lead\ng, role:lead, role:dev\n{DEV}", ("alice", "ops"), f"allowed by line 3 of policy.csv: {DEV} (ops has role:dev through role:lead)"),
        (f"{DEV}\ng, alice, role:dev\np, role:dev, applications, sync, prod/*, deny", ("alice",), "denied by line 3 of policy.csv: p, role:dev, applications, sync, prod/*, deny (alice has role:dev)"),
        ("p, alice, *, *, */*, allow\np, alice, applications, sync, prod/*, deny", ("alice",), "denied by line 2 of policy.csv: p, alice, applications, sync, prod/*, deny"),
        ("", ("alice", "a"), "no line allows it; there is no default role, and group a has no role"),
        ("", ("alice", "a", "b"), "no line allows it; there is no default role, and none of the 2 groups has a role"),
        (DEV, ("alice", "role:dev"), "no line allows it; there is no default role, and group role:dev has no role"),
        ("g, a, role:dev", ("alice", "a", "b"), "no line allows it; there is no default role"),
    ],
)  # fmt: skip
def test_the_reason_names_the_line_and_how_one_comes_by_it(csv, who, why):
    assert policy(csv).decide(*asked(SYNC, *who)).why == why


def test_the_default_role_is_named_whether_it_helps_or_not():
    assert (
        policy(default="role:readonly").decide(*asked(SYNC)).why == "no line allows it; default role is role:readonly"
    )
    allowed = policy(DEV, default="role:dev").decide(*asked(SYNC))
    assert allowed.why == f"allowed by line 1 of policy.csv: {DEV} (the default role is role:dev)"
    inherited = policy(f"g, role:all, role:dev\n{DEV}", default="role:all").decide(*asked(SYNC))
    assert inherited.why.endswith("(the default role is role:all, and role:all has role:dev)")


def test_a_decision_carries_the_line_its_place_and_the_way_to_it():
    decision = policy("g, ops, role:dev", more=DEV).decide(*asked(SYNC, "alice", "ops"))
    assert decision.line == DEV
    assert decision.place == Place("policy.more.csv", 1)
    assert decision.through == ("ops", "role:dev")


def test_what_the_default_role_allows_nobody_can_deny():
    rules = f"{DEV}\np, alice, applications, sync, prod/*, deny"
    assert policy(rules, default="role:dev").allows(*asked(SYNC))
    assert not policy(rules).allows(*asked(SYNC))


def test_what_is_denied_to_the_default_role_others_may_still_be_allowed():
    rules = "p, role:all, applications, sync, prod/*, deny\np, alice, applications, sync, prod/*, allow"
    assert policy(rules, default="role:all").allows(*asked(SYNC))
    refused = policy(rules, default="role:all").decide(*asked(SYNC, "bob"))
    assert refused.why.startswith("denied by line 1 of policy.csv")
    assert refused.why.endswith("(the default role is role:all)")


def test_what_is_denied_to_one_group_is_not_denied_to_another():
    rules = f"{DEV}\np, role:bad, applications, sync, *, deny\ng, good, role:dev\ng, bad, role:bad"
    assert policy(rules).allows(*asked(SYNC, "alice", "bad", "good"))
    assert not policy(f"{rules}\ng, good, role:bad").allows(*asked(SYNC, "alice", "bad", "good"))


def test_a_group_has_an_effect_only_by_a_role():
    assert not policy("p, ops, applications, sync, prod/*, allow").allows(*asked(SYNC, "alice", "ops"))
    both = "p, ops, applications, sync, prod/*, allow\ng, ops, role:nothing"
    assert policy(both).allows(*asked(SYNC, "alice", "ops"))


def test_an_effect_that_is_neither_allow_nor_deny_is_none():
    rules = "p, alice, applications, sync, prod/*, Allow\np, alice, applications, get, prod/*, allow\np, alice, applications, get, *, DENY"
    assert not policy(rules).allows(*asked(SYNC))
    assert policy(rules).allows(*asked("get applications prod/web"))


class TestNobodyInParticular:
    OPEN = "p, , *, *, *, allow\ng, , role:admin\np, role:open, logs, get, *, allow"

    def test_has_the_default_role_and_nothing_else(self):
        open_to_all = policy(self.OPEN, default="role:open")
        assert open_to_all.allows(ANONYMOUS, "logs", "get", "shop/web")
        refused = open_to_all.decide(ANONYMOUS, "applications", "get", "shop/web")
        assert refused.why == "no line allows it; default role is role:open, and nobody is logged in"

    def test_never_inherits_groups_or_claims(self):
        rules = policy(f"{self.OPEN}\ng, ops, role:admin")
        for nobody in (Subject("", ("ops",)), Subject("", claims={"groups": ["ops"]})):
            assert not rules.allows(nobody, "applications", "get", "shop/web")

    def test_is_not_meant_by_a_line_without_a_subject_and_nor_is_anybody_else(self):
        for who in ("", "alice", "role:open"):
            assert not policy(self.OPEN).allows(*asked(SYNC, who))

    def test_an_empty_group_is_no_group(self):
        assert not policy(self.OPEN).allows(*asked(SYNC, "alice", ""))


def test_circles_of_roles_end():
    rules = f"g, alice, role:a\ng, role:a, role:b\ng, role:b, role:a\ng, role:b, role:dev\n{DEV}"
    assert policy(rules).decide(*asked(SYNC)).through == ("alice", "role:a", "role:b", "role:dev")


@pytest.mark.parametrize(("links", "allowed"), [(9, True), (10, True), (11, False)])
def test_ten_links_lead_to_a_role_and_no_more(links, allowed):
    chain = "\n".join(f"g, role:{at}, role:{at + 1}" for at in range(1, links))
    rules = f"g, alice, role:1\n{chain}\np, role:{links}, applications, sync, *, allow"
    assert policy(rules).allows(*asked(SYNC)) is allowed


class TestPatternsThatCannotBeRead:
    def test_deny_where_they_stand_in_a_line_that_denies(self):
        rules = "p, alice, applications, *, *, allow\np, alice, applications, [, prod/*, deny"
        decision = policy(rules).decide(*asked(SYNC))
        assert not decision.allowed
        assert decision.why.startswith(
            "denied by line 2 of policy.csv, of which a pattern cannot be read (a class is not closed"
        )
        assert policy(rules).allows(*asked("get logs x")) is False

    def test_never_allow(self):
        assert not policy("p, alice, applications, [, *, allow").allows(*asked(SYNC))

    def test_deny_as_expressions_whatever_the_line_says_once_what_is_before_them_matches(self):
        rules = "p, alice, .*, .*, .*, allow\np, alice, applications, sync, (, allow\np, alice, (, get, .*, allow"
        assert not policy(rules, mode="regex").allows(*asked(SYNC))
        only = policy("p, alice, .*, .*, .*, allow\np, alice, applications, sync, (, allow", mode="regex")
        assert only.allows(*asked("get applications prod/web"))


def test_expressions_match_anywhere_and_the_built_in_roles_stay():
    rules = policy("p, alice, applications, sync, ^prod/, allow", mode="regex")
    assert rules.allows(*asked(SYNC))
    assert not rules.allows(*asked("sync applications preprod/web"))
    assert rules.allows(*asked(SYNC, "admin"))


@pytest.mark.parametrize("part", [1, 2, 3])
def test_names_beyond_all_measure_are_refused_before_they_are_matched(part):
    question = ["sync", "applications", "prod/web"]
    question[part - 1] += "x" * 1_000
    decision = policy("p, alice, *, *, *, allow").decide(*asked(" ".join(question)))
    assert decision.why == "nothing has a name of more than 1000 characters"


def test_a_long_line_is_cut_in_the_sentence_and_whole_beside_it():
    line = f"p, alice, applications, sync, {{prod/*,{'x' * 900}}}, allow".replace("{", '"{').replace("}", '}"')
    decision = policy(line).decide(*asked(SYNC))
    assert decision.line == line
    assert len(decision.why) < 500


def test_groups_come_from_the_claims_that_the_scopes_name():
    rules = Policy.compiled(policy_source({"policy.csv": f"{DEV}\ng, ops, role:dev", "scopes": "[email, roles]"}))
    for claims, allowed in (({"roles": ["x", "ops"]}, True), ({"email": "ops"}, True), ({"groups": ["ops"]}, False), ({"roles": [1, {"a": "ops"}]}, False)):  # fmt: skip
        assert rules.allows(Subject("alice", claims=claims), "applications", "sync", "prod/web") is allowed


def test_a_policy_that_was_asked_by_thousands_still_answers():
    rules = policy(f"{DEV}\ng, ops, role:dev")
    for at in range(2_100):
        assert rules.allows(*asked(SYNC, f"person-{at}", "ops"))
        assert not rules.allows(*asked(f"delete/apps/Deployment/shop/web-{at} applications prod/web", "alice", "ops"))


def test_many_different_sets_of_lines_are_not_all_kept():
    lines = "\n".join(f"p, alice, applications, action/{at}, prod/*, allow" for at in range(100))
    rules = policy(lines)
    for at in range(100):
        assert rules.allows(*asked(f"action/{at} applications prod/web"))
        assert not rules.allows(*asked(f"action/{at} applications dev/web"))
