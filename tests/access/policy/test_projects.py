"""Roles of projects: which lines count for whom, and which roles cannot be saved."""

import pytest

from plumbline.access.policy import Subject, policy_from
from plumbline.access.policy.projects import role_faults

from .building import asked, policy, role

CI = role("ci", "p, proj:shop:ci, applications, sync, shop/*, allow", groups=("builders", '"CN=x,OU=y"'))
SHOP = {"shop": (CI,), "bank": (role("ci", "p, proj:bank:ci, applications, sync, */*, allow"),)}
SYNC = "sync applications shop/web"


def test_a_role_may_do_what_its_policies_say():
    decision = policy(projects=SHOP).decide(*asked(SYNC, "proj:shop:ci"))
    assert decision.allowed
    assert decision.why == f"allowed by policy 1 of role ci of project shop: {CI.policies[0]}"


def test_a_group_of_the_role_may_do_the_same():
    for group in ("builders", "CN=x,OU=y"):
        decision = policy(projects=SHOP).decide(*asked(SYNC, "alice", "other", group))
        assert decision.why.endswith(f"({group} has proj:shop:ci)")


def test_every_role_and_group_may_look_at_its_project():
    rules = policy(projects=SHOP)
    assert rules.decide(*asked("get projects shop", "proj:shop:ci")).why == (
        "allowed by role ci of project shop: p, proj:shop:ci, projects, get, shop, allow"
    )
    assert rules.allows(*asked("get projects shop", "alice", "builders"))
    assert not rules.allows(*asked("update projects shop", "alice", "builders"))
    assert not rules.allows(*asked("get projects bank", "alice", "builders"))


def test_a_role_may_do_nothing_in_another_project_whatever_its_lines_say():
    decision = policy(projects=SHOP).decide(*asked(SYNC, "proj:bank:ci"))
    assert decision.why == "proj:bank:ci is a role of project bank and may do nothing in project shop"
    general = policy("p, proj:bank:ci, applications, *, */*, allow", projects=SHOP)
    assert not general.allows(*asked(SYNC, "proj:bank:ci"))


def test_the_lines_of_a_project_count_for_nothing_else():
    rules = policy(projects={"shop": (role("ci", "p, alice, *, *, *, allow", "g, alice, role:admin"),)})
    assert rules.allows(*asked(SYNC))
    for other in ("sync applications bank/web", "get clusters https://a", "get projects bank", "get accounts shop/x", "sync applications shop"):  # fmt: skip
        assert not rules.allows(*asked(other)), other


@pytest.mark.parametrize("resource", ["applications", "applicationsets", "logs", "exec", "clusters", "repositories"])
def test_what_belongs_to_projects_is_decided_with_their_lines(resource):
    rules = policy(projects={"shop": (role("ci", f"p, proj:shop:ci, {resource}, get, shop/*, allow"),)})
    assert rules.allows(*asked(f"get {resource} shop/x", "proj:shop:ci"))
    assert not rules.allows(*asked(f"get {resource} shop", "proj:shop:ci"))


def test_a_role_has_no_groups_in_its_project():
    assert not policy("g, ops, role:admin", projects=SHOP).allows(
        *asked("delete applications shop/web", "proj:shop:ci", "ops")
    )


def test_lines_for_everything_deny_in_projects_too():
    denied = policy("p, proj:shop:ci, applications, sync, shop/web, deny", projects=SHOP)
    assert not denied.allows(*asked(SYNC, "proj:shop:ci"))
    assert not denied.allows(*asked(SYNC, "alice", "builders"))
    assert denied.allows(*asked("sync applications shop/api", "alice", "builders"))


def test_what_a_project_denies_to_somebody_who_is_allowed_elsewhere_is_denied_there():
    projects = {"shop": (role("ci", "p, role:ops, applications, sync, shop/*, deny"),)}
    rules = policy("p, role:ops, applications, sync, */*, allow\ng, ops, role:ops", projects=projects)
    assert not rules.allows(*asked(SYNC, "alice", "ops"))
    assert rules.allows(*asked("sync applications bank/web", "alice", "ops"))


def test_the_default_role_may_be_given_more_by_a_project():
    projects = {"shop": (role("ci", "p, role:all, applications, sync, shop/*, allow"),)}
    rules = policy(default="role:all", projects=projects)
    assert rules.decide(*asked(SYNC)).why.endswith("(the default role is role:all)")
    assert not rules.allows(Subject(""), "applications", "sync", "shop/web"), "who is not logged in is in no project"


def test_a_group_without_a_role_anywhere_is_told_so_and_one_with_a_role_in_the_project_is_not():
    rules = policy(projects=SHOP)
    assert (
        rules.decide(*asked("delete applications shop/x", "alice", "builders")).why
        == "no line allows it; there is no default role"
    )
    assert rules.decide(*asked("delete applications bank/x", "alice", "builders")).why.endswith(
        "group builders has no role"
    )


def test_a_line_that_cannot_be_read_takes_all_lines_of_its_project_with_it():
    rules = policy(projects={"shop": (CI, role("dev", "p, too, short"))})
    assert not rules.allows(*asked(SYNC, "proj:shop:ci"))
    [fault] = rules.project_faults("shop")
    assert str(fault) == "policy 1 of role dev of project shop cannot be read: it has 3 fields, and a line with p has 6"
    assert rules.faults == ()
    assert rules.allows(*asked(SYNC, "admin"))


def test_a_project_that_is_not_there_has_no_lines():
    assert policy("p, proj:gone:ci, applications, sync, gone/*, allow").allows(
        *asked("sync applications gone/x", "proj:gone:ci")
    )
    assert policy().project_faults("gone") == ()


class TestChange:
    def test_other_projects_do_not_put_the_same_lines_in_order_again(self):
        first = policy(projects=SHOP)
        assert first.allows(*asked(SYNC, "proj:shop:ci"))
        second = first.with_projects({"shop": (CI,)})
        assert second._books == {"shop": first._books["shop"]}
        assert second._book is first._book
        third = second.with_projects({"shop": (role("ci"),)})
        assert not third.allows(*asked(SYNC, "proj:shop:ci"))

    def test_a_policy_that_cannot_be_read_permits_nothing_and_says_why(self):
        broken = policy("p, alice, applications, sync, *", default="role:admin")
        for who in ("alice", "admin", ""):
            assert broken.decide(*asked(SYNC, who)).why == (
                "line 1 of policy.csv cannot be read: it has 5 fields, and a line with p has 6; until it can nobody may do anything"
            )

    def test_one_that_cannot_be_read_does_not_take_the_place_of_one_that_can(self):
        old = policy("p, alice, applications, sync, *, allow")
        broken = policy("p, alice", projects=SHOP)
        kept = old.succeeded_by(broken)
        assert kept.allows(*asked(SYNC))
        assert kept.allows(*asked(SYNC, "proj:shop:ci")), "the projects are those of now"
        newer = policy()
        assert old.succeeded_by(newer) is newer


@pytest.mark.parametrize(
    ("roles", "fault"),
    [
        ([CI], None),
        ([CI, CI], "there are two roles ci"),
        ([role("-")], "a role cannot be named '-'"),
        ([role("ci", "p, proj:shop:ci, applications, get")], "not of the form"),
        ([role("ci", "p, proj:shop:dev, applications, get, shop/*, allow")], "has to be proj:shop:ci"),
        ([role("ci", "p, proj:shop:ci, certificates, get, shop/*, allow")], "its resource is certificates"),
        ([role("ci", "p, proj:shop:ci, applications, fly, shop/*, allow")], "there is no action fly"),
        ([role("ci", "p, proj:shop:ci, applications, delete/apps/*, shop/ns/*, deny")], None),
        ([role("ci", "p, proj:shop:ci, applications, get, bank/*, allow")], "has to be shop/NAME"),
        ([role("ci", "p, proj:shop:ci, applications, get, shop/*, yes")], "its effect is yes"),
        ([role("ci", *CI.policies * 2)], "policy 2 of role ci cannot be used: it is there twice"),
        ([role("ci", groups=("a", "a"))], "group 2 of role ci cannot be used: it is there twice"),
        ([role("ci", groups=("a,b",))], "in quotes"),
        ([role("ci", groups=("",))], "it is empty"),
        ([role("ci", groups=('a"b',))], "it holds a quote"),
        ([role("ci", groups=(" ab",))], "begins or ends with a blank"),
    ],
)
def test_a_role_that_could_not_work_cannot_be_saved(roles, fault):
    found = role_faults("shop", roles)
    if fault is None:
        assert found == ()
    else:
        assert len(found) == 1
        assert fault in found[0]


def test_a_policy_is_read_from_its_objects():
    projects = [
        {
            "metadata": {"name": "shop"},
            "spec": {"roles": [{"name": "ci", "policies": list(CI.policies), "jwtTokens": [{"iat": 1}]}]},
        },
        {"metadata": {"name": "bank"}, "spec": {"roles": [{"name": 5}]}},
        {"metadata": {"name": "plain"}},
    ]
    found = policy_from({"data": {"policy.csv": "g, alice, role:admin", "policy.default": None}}, projects)
    assert found.allows(*asked(SYNC, "proj:shop:ci"))
    assert found.allows(*asked(SYNC))
    assert set(found.projects) == {"shop", "bank", "plain"}
    assert found.projects["bank"] == ()


@pytest.mark.parametrize("config_map", [None, {}, {"data": None}])
def test_without_a_policy_there_is_the_built_in_one(config_map):
    found = policy_from(config_map, [])
    assert found.allows(*asked(SYNC, "admin"))
    assert not found.allows(*asked(SYNC))
