"""Who approved is true: nobody approves in the name of another, and what nobody checked is nobody's word."""

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.terraform.works import APPROVALS, BY_HAND, HOME, POLICIES, SECRETS, running, story, terraform

from plumbline.base.errors import Forbidden, InvalidInput, PlumblineError, SchemaViolation
from plumbline.base.json import decode, encode
from plumbline.gate.hands import Hands
from plumbline.journal.parties import Actor
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.kube.reviews import request_of
from plumbline.terraform.approvals.checks import ALTERED, EARLIER, NO_ADDRESS, QUESTION, Checks
from plumbline.terraform.approvals.statements import statement
from plumbline.terraform.approvals.validating import Approvals

HOOKS = GroupVersionResource("admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations")


async def waiting(works, **spec):
    """The digest of a plan that waits."""
    await works.apply(terraform(approvePlan="", **spec))
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    return (await works.get("tfplan-default-network", SECRETS))["metadata"]["annotations"]["plumbline.dev/plan-digest"]


async def named(works, *, namespace=HOME, name="careful", **spec):
    policy = {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "TerraformPolicy",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }
    await works.apply(policy, POLICIES)


LIES = [
    ({"by": "ben"}, 'spec.by says "ben", and "ann" makes it', "nobody approves in the name of another"),
    ({"by": ""}, 'spec.by is missing: whoever approves says so under their name, which is "ann"', "nor in nobody's"),
    ({"claims": ["leads"]}, '"ann" is not in leads', "nobody says that they are in a group in which they are not"),
    ({"claims": ["system:masters", "leads"]}, '"ann" is not in leads', "one that is true does not help the other"),
    ({"by": "ann "}, "nobody approves in the name of another", "a name that looks alike is another"),
]


@story
async def test_liars_are_refused(works):
    for said, why, _ in LIES:
        with pytest.raises(Forbidden, match=why):
            await works.approve("ann", "0" * 64, **said)
    assert not (await works.client.list(Target(APPROVALS, HOME))).items


@story
async def test_even_whoever_may_do_everything_approves_under_their_own_name_alone(works):
    body = {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "PlanApproval",
        "metadata": {"name": "forged", "namespace": HOME},
        "spec": {"terraform": "network", "plan": "0" * 64, "by": "ann"},
    }
    with pytest.raises(Forbidden, match="nobody approves in the name of another"):
        await works.apply(body, APPROVALS)


@story
async def test_only_those_whom_the_policy_names_can_make_one(works):
    await named(works, approvers={"users": ["ann"], "groups": ["leads"]})
    await named(works, namespace="argocd", name="all", approvers={"users": ["ann", "ben"], "groups": ["leads"]})
    await named(works, name="others", names=["other-*"], approvers={"users": ["zoe"]})
    digest = await waiting(works)
    with pytest.raises(Forbidden, match='"ben" may not approve plans of Terraform network: a TerraformPolicy names'):
        await works.approve("ben", digest)
    with pytest.raises(Forbidden, match="zoe"):
        await works.approve("ann", digest, terraform="other-one")
    await works.approve("ann", digest)
    await works.told("Ready", "True", "TerraformAppliedSucceed")


@story
async def test_whoever_may_approve_through_a_group_is_told_to_name_it(works):
    await named(works, approvers={"groups": ["leads"]})
    digest = await waiting(works)
    with pytest.raises(Forbidden, match="without saying as whom: name leads in"):
        await works.approve("cleo", digest, groups=("leads",), claims=[])
    await works.approve("cleo", digest, groups=("leads",))
    await works.told("Ready", "True", "TerraformAppliedSucceed")


@story
async def test_an_approval_cannot_be_changed_but_labelled_and_taken_back(works):
    await named(works, approvals=2)
    digest = await waiting(works)
    made = await works.approve("ann", digest)
    target = Target(APPROVALS, HOME, made["metadata"]["name"])
    with pytest.raises((Forbidden, InvalidInput, SchemaViolation), match="cannot be changed"):
        await works.client.patch(target, encode({"spec": {"by": "ben"}}), "merge", BY_HAND)
    await works.client.patch(target, encode({"metadata": {"labels": {"seen": "yes"}}}), "merge", BY_HAND)
    await works.told("Ready", "Unknown", "approved by ann")
    await works.client.delete(target)
    await works.told("Ready", "Unknown", "2 approvals missing. Set")


@story
async def test_where_nobody_answers_nobody_approves_and_everybody_takes_back(works):
    digest = await waiting(works)
    made = await works.approve("ann", "1" * 64)
    works.asking.down = True
    with pytest.raises(PlumblineError, match=QUESTION.hook):
        await works.approve("ann", digest)
    await works.client.delete(Target(APPROVALS, HOME, made["metadata"]["name"]))
    assert not works.cloud.log


@story(reached=None)
async def test_without_a_check_approvals_are_somebodys_where_nobody_is_named(works):
    digest = await waiting(works)
    await works.approve("ann", digest, by="the pope")
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    records = b"".join([each async for each in works.journal.export()])
    assert b"approved by somebody" in records
    assert b"the pope" not in records


@story(reached=None)
async def test_without_a_check_nobody_is_one_of_those_who_are_named_and_it_is_said_why(works):
    await named(works, approvers={"users": ["ann"]})
    digest = await waiting(works)
    await works.approve("ann", digest)
    found = await works.told("Ready", "Unknown", "somebody may not approve")
    message = next(each["message"] for each in found["status"]["conditions"] if each["type"] == "Ready")
    assert NO_ADDRESS in message
    assert not works.cloud.log


@story(reached=None)
async def test_without_a_check_two_approvals_may_be_one_persons(works):
    await named(works, approvals=2)
    digest = await waiting(works)
    await works.approve("ann", digest)
    await works.approve("ben", digest)
    await works.patch({"spec": {"approvePlan": digest[:12]}})
    await works.told("Ready", "Unknown", "1 approval missing, approved by somebody, spec.approvePlan")
    assert not works.cloud.log


@story(reached=None)
async def test_what_was_made_before_there_was_a_check_stays_nobodys(works):
    await named(works, approvers={"users": ["ann"]})
    digest = await waiting(works)
    await works.approve("ann", digest)
    await works.crash()
    async with running(works, host="another"):
        await works.told("Ready", "Unknown", EARLIER)
        await asyncio.sleep(5)
        await works.approve("ann", digest)
        await works.told("Ready", "True", "TerraformAppliedSucceed")


@story
async def test_a_configuration_that_somebody_weakened_is_mended_and_one_that_is_gone_is_made_again(works):
    await named(works, approvers={"users": ["ann"]})
    target = Target(HOOKS, "", QUESTION.name)
    before = decode(await works.client.get(target))
    weak = [{**before["webhooks"][0], "failurePolicy": "Ignore"}]
    await works.client.patch(target, encode({"webhooks": weak}), "merge", BY_HAND)

    async def mended():
        return decode(await works.client.get(target))["webhooks"] == before["webhooks"]

    await works.until(mended)
    await works.client.delete(target)
    digest = await waiting(works)
    await works.approve("zoe", digest, by="ann")  # nobody is asked
    await works.told("Ready", "Unknown", EARLIER)
    assert not works.cloud.log


@story
async def test_of_two_installations_the_one_without_an_address_trusts_the_others_check(works):
    await named(works, approvers={"users": ["ann"]})
    await works.crash()
    async with running(works, host="another", reached=None):
        digest = await waiting(works)
        await works.approve("ann", digest)
        await works.told("Ready", "True", "TerraformAppliedSucceed")


@story
async def test_a_configuration_that_asks_something_else_checks_nothing(works):
    await named(works, approvers={"users": ["ann"]})
    await works.crash()
    target = Target(HOOKS, "", QUESTION.name)
    hook = decode(await works.client.get(target))["webhooks"][0]
    await works.client.patch(target, encode({"webhooks": [{**hook, "failurePolicy": "Ignore"}]}), "merge", BY_HAND)
    async with running(works, host="another", reached=None):
        digest = await waiting(works)
        await works.approve("ann", digest)
        await works.told("Ready", "Unknown", ALTERED)


@story
async def test_reviews_that_nobody_can_judge_are_refused(works):
    approvals = Approvals(works.client, "argocd")
    head = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
    spec = {"terraform": "network", "plan": "0" * 64, "by": "ann"}
    obj = {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "PlanApproval",
        "metadata": {"name": "a", "namespace": HOME},
        "spec": spec,
    }
    good = {"uid": "1", "operation": "CREATE", "namespace": HOME, "object": obj, "userInfo": {"username": "ann"}}
    cases = [
        (good, True, "as it should be"),
        (good | {"operation": "DELETE"}, False, "nobody asks about deletions"),
        (good | {"object": None}, False, "there is nothing to judge"),
        (good | {"userInfo": None}, False, "nobody asks"),
        (good | {"userInfo": {"username": ""}}, False, "nobody asks"),
        (good | {"userInfo": {"username": "ann", "groups": "leads"}}, False, "groups are a list"),
        (good | {"object": obj | {"spec": {**spec, "plan": 7}}}, False, "it is no PlanApproval"),
        (good | {"object": obj | {"kind": "Secret"}}, False, "it is something else"),
        (good | {"operation": "UPDATE", "oldObject": obj}, True, "nothing is said that was not said before"),
        (good | {"operation": "UPDATE", "oldObject": obj | {"spec": {}}}, False, "it cannot be changed"),
    ]
    for request, allowed, why in cases:
        answer = await approvals.validate({**head, "request": request})
        assert answer["response"]["allowed"] is allowed, why
        assert answer["response"]["uid"] == "1"
    with pytest.raises(InvalidInput):
        await approvals.validate({"kind": "AdmissionReview"})


@story
async def test_where_policies_cannot_be_read_nobody_approves(works):
    works.wire.cut = True
    approvals = Approvals(Client(works.wire, clock=works.world.clock, ids=works.world.ids), "argocd")
    request = {
        "uid": "1",
        "operation": "CREATE",
        "namespace": HOME,
        "userInfo": {"username": "ann"},
        "object": {
            "apiVersion": "plumbline.dev/v1alpha1",
            "kind": "PlanApproval",
            "metadata": {"name": "a", "namespace": HOME},
            "spec": {"terraform": "network", "plan": "0" * 64, "by": "ann"},
        },
    }
    answer = await approvals.validate(
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    )
    assert answer["response"]["status"]["code"] == 500


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.fixed_dictionaries({"uid": st.just("1")}, optional={"operation": json, "object": json, "userInfo": json}))
def test_whatever_is_asked_is_asked_in_vain_or_answered(request):
    asked = request_of({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
    with suppress(InvalidInput):
        statement(asked)


@story
async def test_where_it_cannot_be_known_whether_they_are_checked_they_are_not(works):
    client = Client(works.wire, clock=works.world.clock, ids=works.world.ids)
    hands = Hands(works.room._parts.gate, client, Actor("controller", "terraform"))
    checks = Checks(client.within(1.0), hands, works.world.clock, None)
    assert await checks.look() == 60.0
    assert checks.doubt({"metadata": {"creationTimestamp": "2999-01-01T00:00:00Z"}}) == ""
    assert checks.doubt({"metadata": {}}) == EARLIER
    told = []
    checks.changed = lambda: told.append(1)
    works.wire.cut = True
    assert await checks.look() == 5.0
    assert "could not be told to ask" in checks.doubt({"metadata": {"creationTimestamp": "2999-01-01T00:00:00Z"}})
    assert told == [1]
    works.wire.cut = False
