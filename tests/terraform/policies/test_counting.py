"""Whose word counts, and for how many: nobody is counted twice, and nobody by a name that nobody checked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbline.kinds.terraform import Approvers, PlanApprovalSpec, TerraformPolicySpec
from plumbline.terraform.policies import Given, anonymous, combined, standing
from plumbline.terraform.policies.approvals import IN_GIT, SOMEBODY

PLAN, OTHER = "a" * 64, "b" * 64
WHY = "nobody was asked"


def said(by, *groups, plan=PLAN, decision="Approve"):
    return PlanApprovalSpec(terraform="network", plan=plan, by=by, groups=groups, decision=decision)


def policy(approvals=1, users=(), groups=()):
    return combined([TerraformPolicySpec(approvals=approvals, approvers=Approvers(users=users, groups=groups))])


CASES = [
    (policy(), (), False, 1, (), "nobody has said anything"),
    (policy(), (said("ann"),), False, 0, ("ann",), "one is enough where nothing is said"),
    (policy(), (said("ann", plan=OTHER),), False, 1, (), "it was about another plan"),
    (policy(), (), True, 0, (IN_GIT,), "whoever merged it is somebody"),
    (policy(), (said(""),), False, 0, (SOMEBODY,), "whoever made it is somebody"),
    (policy(2), (said("ann"), said("ann")), False, 1, ("ann",), "nobody counts twice"),
    (policy(2), (said("ann"), said("ben")), False, 0, ("ann", "ben"), "two are two"),
    (policy(2), (said("ann"),), True, 1, ("ann", IN_GIT), "ann may have merged it herself"),
    (policy(2), (said("ann"), said("")), False, 1, ("ann", SOMEBODY), "somebody may be ann"),
    (policy(2), (said(""), said("")), True, 1, (SOMEBODY, IN_GIT), "all of them may be one"),
    (policy(users=("ann",)), (), True, 1, (), "where people are named, their own word is needed"),
    (policy(users=("ann",)), (said(""),), False, 1, (), "nobody is one of those who are named"),
    (policy(users=("",)), (said(""),), False, 1, (), "not even where nobody is named as somebody"),
    (policy(groups=("leads",)), (said("cleo", "leads"),), False, 0, ("cleo",), "by a group"),
    (
        policy(groups=("leads",)),
        (anonymous(said("cleo", "leads")),),
        False,
        1,
        (),
        "a group that nobody checked is none",
    ),
]


@pytest.mark.parametrize(
    ("rule", "approvals", "written", "missing", "by", "why"), CASES, ids=[case[-1] for case in CASES]
)
def test_words_are_counted(rule, approvals, written, missing, by, why):
    found = standing(rule, PLAN, Given(approvals, WHY, written))
    assert (found.missing, found.by) == (missing, by), why


def test_everybody_must_be_named_by_each_policy():
    both = combined(
        [
            TerraformPolicySpec(approvers=Approvers(users=("ann", "ben"))),
            TerraformPolicySpec(approvals=2, approvers=Approvers(users=("ben",), groups=("leads",))),
        ]
    )
    found = standing(both, PLAN, Given((said("ann"), said("ben"), said("ann", "leads"))))
    assert (found.by, found.missing) == (("ann", "ben"), 0)
    assert standing(both, PLAN, Given((said("zoe", "leads"),))).uncounted == ("zoe",)


def test_why_nobody_knows_is_told_only_where_it_matters():
    assert standing(policy(), PLAN, Given((said(""),), WHY)).doubt == WHY
    assert standing(policy(), PLAN, Given((said("ann"), said("", plan=OTHER)), WHY)).doubt == ""


def test_a_rejection_outweighs_everything_and_says_whose_it_is():
    found = standing(policy(), PLAN, Given((said("ann"), said("ben", decision="Reject"), said("", decision="Reject"))))
    assert found.rejected_by == ("ben", SOMEBODY)
    assert not found.approved
    assert standing(policy(users=("ann",)), PLAN, Given((said("ann"), said("ben", decision="Reject")))).approved


people = st.sampled_from(["", "ann", "ben", "cleo"])
words = st.builds(said, people, plan=st.sampled_from([PLAN, OTHER]))


@given(st.lists(words, max_size=6), st.integers(0, 4), st.booleans())
def test_a_name_that_is_taken_away_never_counts_for_more(approvals, needed, written):
    rule = policy(needed)
    known = standing(rule, PLAN, Given(tuple(approvals), "", written))
    for at in range(len(approvals)):
        fewer = tuple(anonymous(each) if place == at else each for place, each in enumerate(approvals))
        assert standing(rule, PLAN, Given(fewer, WHY, written)).missing >= known.missing


@given(st.lists(words, max_size=6), st.booleans())
def test_as_many_are_counted_as_are_certainly_different(approvals, written):
    found = standing(policy(10), PLAN, Given(tuple(approvals), "", written))
    named = {each.by for each in approvals if each.plan == PLAN and each.by}
    unnamed = written or any(each.plan == PLAN and not each.by for each in approvals)
    assert 10 - found.missing == (len(named) or int(unnamed))
