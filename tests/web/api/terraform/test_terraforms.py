"""Terraform objects over the API: seen, planned, approved in one's own name, and never with a secret."""

import pytest
from tests.terraform.works import APPROVALS, FIRST, HOME, NAMESPACES, POLICIES, TERRAFORMS, terraform
from tests.web.api.ours.office import Who, gate_of, office

from plumbline.base.errors import Forbidden
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.kernel.metrics import Metrics
from plumbline.kube.client import Target
from plumbline.kube.names import GroupVersionResource
from plumbline.terraform.approvals.people import GROUP, impersonation, manifests
from plumbline.terraform.objects.states import Output
from plumbline.web.api.ours.rights import OurRights
from plumbline.web.api.terraform import TerraformApi, shapes
from plumbline.web.api.terraform.persons import as_person
from plumbline.web.api.terraform.rows import state_of

from .bureau import ALL, ONE, planned, story

PODS = GroupVersionResource("", "v1", "pods")


@story
async def test_a_plan_that_waits_is_listed_shown_and_approved_by_its_digest(works, place):
    digest = await planned(works)
    (row,) = (await place.ask("GET", ALL)).json["items"]
    assert (row["state"], row["name"], row["headline"]) == ("waiting", "network", "1 to add")
    shown = (await place.ask("GET", f"{ONE}/plan")).json
    assert (shown["digest"], shown["headline"], shown["may"]) == (digest, "1 to add", {"approve": True, "reject": True})
    (action,) = shown["changes"]
    assert (action["action"], action["count"]) == ("create", 1)
    assert action["modules"][0]["changes"][0]["address"] == "terraform_data.a"
    assert shown["commands"]["approve"] == f"plumb tf approve network -n {HOME} --plan {digest}"
    assert "terraform_data.a" in shown["text"]
    said = await place.ask("POST", f"{ONE}/approve", {"digest": digest, "comment": "looks right"})
    assert said.json == {"plan": digest, "decision": "Approve", "by": "ada", "said": "approved"}
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    assert works.cloud.resources == {"a": "1"}
    assert b"approved by ada" in b"".join([each async for each in works.journal.export()])


@story
async def test_the_approval_is_the_persons_own_and_on_record_with_their_name(works, place):
    await works.apply(_policy(approvals=2), POLICIES)
    digest = await planned(works)
    await place.ask("POST", f"{ONE}/approve", {"digest": digest}, x_groups="leads,system:masters,plumbline:people")
    (made,) = [decode(bytes(each)) for each in (await works.client.list(Target(APPROVALS, HOME))).items]
    assert made["spec"]["by"] == "ada"
    assert set(made["spec"]["groups"]) == {"leads", GROUP, "system:authenticated"}
    assert made["metadata"]["ownerReferences"][0]["name"] == "network"
    assert ("person:ada", "create", made["metadata"]["name"]) in await place.written()
    shown = (await place.ask("GET", f"{ONE}/plan")).json
    assert [each["by"] for each in shown["approvals"]] == ["ada"]


@story
async def test_a_plan_says_how_many_approvals_it_needs_and_how_many_are_missing(works, place):
    digest = await planned(works)
    alone = (await place.ask("GET", f"{ONE}/plan")).json["approvalsNeeded"]
    assert (alone["needed"], alone["missing"], alone["approvers"]) == (1, 1, [])
    await works.apply(_policy(approvals=2), POLICIES)
    await place.ask("POST", f"{ONE}/approve", {"digest": digest})
    found = (await place.ask("GET", f"{ONE}/plan")).json["approvalsNeeded"]
    assert (found["needed"], found["missing"], found["approvedBy"]) == (2, 1, ["ada"])


@story
async def test_whose_word_counts_is_what_policies_of_the_cluster_say(works, place):
    await works.apply(_policy(approvers={"users": ["ben"]}), POLICIES)
    digest = await planned(works)
    refused = await place.ask("POST", f"{ONE}/approve", {"digest": digest})
    assert refused.status == 403
    assert '"ada" may not approve plans of Terraform network' in refused.json["message"]
    assert not works.cloud.log


@story
async def test_somebody_who_thinks_again_rejects_what_they_approved(works, place):
    await works.apply(_policy(approvals=2), POLICIES)
    digest = await planned(works)
    await place.ask("POST", f"{ONE}/approve", {"digest": digest})
    assert (await place.ask("POST", f"{ONE}/approve", {"digest": digest})).status == 200
    assert (await place.ask("POST", f"{ONE}/reject", {"digest": digest, "comment": "no"})).json["said"] == "rejected"
    await works.told("Ready", "Unknown", "rejected by ada")
    (made,) = [decode(bytes(each)) for each in (await works.client.list(Target(APPROVALS, HOME))).items]
    assert made["spec"]["decision"] == "Reject"


@story
async def test_only_what_was_seen_is_approved(works, place):
    digest = await planned(works)
    stale = await place.ask("POST", f"{ONE}/approve", {"digest": "0" * 64})
    assert (stale.status, stale.json["code"]) == (409, 10)
    for body in (
        {},
        {"digest": digest[:12]},
        {"digest": digest, "comment": "\x1b[2J"},
        {"digest": digest, "comment": "x" * 3000},
    ):
        assert (await place.ask("POST", f"{ONE}/approve", body)).status == 400
    await place.ask("POST", f"{ONE}/approve", {"digest": digest})
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    gone = await place.ask("POST", f"{ONE}/approve", {"digest": digest})
    assert (gone.status, "no plan of network waits" in gone.json["message"]) == (409, True)


@story
async def test_nobody_approves_without_the_right_and_two_roads_lead_to_it(works, place):
    digest = await planned(works, tracked=True)
    body = {"digest": digest}
    await place.seen("web")
    assert (await place.ask("POST", f"{ONE}/approve", body, who="eve")).status == 403
    seen = await place.ask("POST", f"{ONE}/approve", body, who="dev")
    assert "permission denied: terraform, approve, infra/network, sub: dev" in seen.json["message"]
    road = "p, dev, applications, action/infra.contrib.fluxcd.io/Terraform/approve, shop/*, allow\n"
    place.allow(road + "p, dev, terraform, approve, infra/*, deny\n")
    assert (await place.ask("POST", f"{ONE}/approve", body, who="dev")).status == 403
    place.allow(road)
    assert (await place.ask("GET", ONE, who="dev")).json["may"]["approve"] is True
    assert (await place.ask("POST", f"{ONE}/approve", body, who="dev")).json["by"] == "dev"
    await works.told("Ready", "True", "TerraformAppliedSucceed")


@story
async def test_lists_hold_what_one_may_see_and_answers_do_not_tell_more(works, place):
    await planned(works, tracked=True)
    await works.client.create(
        Target(NAMESPACES), encode({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "far"}})
    )
    await works.apply(terraform("other", suspend=True))
    await place.seen("web")
    assert {each["name"] for each in (await place.ask("GET", ALL)).json["items"]} == {"network", "other"}
    found = (await place.ask("GET", ALL, who="dev")).json
    assert ([each["name"] for each in found["items"]], found["counts"]["state"]) == (["network"], {"waiting": 1})
    hidden = await place.ask("GET", f"{ALL}/{HOME}/other", who="dev")
    assert hidden == await place.ask("GET", f"{ALL}/{HOME}/nothing", who="dev")
    assert hidden.status == 403
    assert (await place.ask("GET", f"{ALL}/{HOME}/nothing")).status == 404
    assert (await place.ask("GET", ALL, who="")).status == 401
    place.allow("p, eve, terraform, get, infra/other, allow\n")
    assert [each["state"] for each in (await place.ask("GET", ALL, who="eve")).json["items"]] == ["suspended"]


@story
async def test_an_object_is_shown_with_its_history_and_without_values_that_may_be_secret(works, place):
    canary = "canary-4711"
    digest = await planned(works, vars=[{"name": "password", "value": canary}], cloud=None, tracked=True)
    await place.ask("POST", f"{ONE}/approve", {"digest": digest})
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    found = await place.ask("GET", ONE)
    assert canary.encode() not in found.body
    shown = found.json
    assert (shown["state"], shown["revision"], shown["spec"]["variables"]) == (
        "applied",
        FIRST,
        [{"name": "password", "from": "here"}],
    )
    assert {each["type"] for each in shown["conditions"]} >= {"Ready", "Apply"}
    assert shown["application"] == {"namespace": "argocd", "name": "web"}
    assert shown["history"]
    assert [each["by"] for each in shown["approvals"]] == ["ada"]
    assert (await place.ask("GET", f"{ONE}/plan")).json["plan"] == ""


@story
async def test_a_new_look_is_asked_for_in_the_name_of_who_asks(works, place):
    await planned(works)
    done = await place.ask("POST", f"{ONE}/reconcile")
    asked = (await works.get())["metadata"]["annotations"]["reconcile.fluxcd.io/requestedAt"]
    assert done.json == {"requestedAt": asked}
    assert ("person:ada", "patch", "network") in await place.written()
    await works.patch({"spec": {"suspend": True}})
    assert (await place.ask("POST", f"{ONE}/reconcile")).status == 400
    place.allow("p, eve, terraform, get, *, allow\n")
    assert (await place.ask("POST", f"{ONE}/reconcile", who="eve")).status == 403


@story
async def test_the_state_is_told_by_address_and_outputs_without_sensitive_values(works, place):
    digest = await planned(works)
    await place.ask("POST", f"{ONE}/approve", {"digest": digest})
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    state = (await place.ask("GET", f"{ONE}/state")).json
    assert ([each["address"] for each in state["resources"]], state["more"]) == (["terraform_data.a"], 0)
    assert (await place.ask("GET", f"{ONE}/outputs")).json == {"items": []}
    await works.patch({"spec": {"backendConfig": {"disable": True}}})
    assert (await place.ask("GET", f"{ONE}/state")).status == 400


@story
async def test_a_lock_is_told_and_opened_by_its_id_alone(works, place):
    digest = await planned(works)
    await place.ask("POST", f"{ONE}/approve", {"digest": digest})
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    assert (await place.ask("GET", f"{ONE}/lock")).json == {"held": False}
    await works.lock("network", "11111111-1111-1111-1111-111111111111")
    held = (await place.ask("GET", f"{ONE}/lock")).json
    assert (held["held"], held["ours"], "ann@laptop" in held["said"]) == (True, False, True)
    assert held["command"].endswith(f"--lock {held['lock']}")
    assert (await place.ask("POST", f"{ONE}/unlock", {})).status == 400
    assert (await place.ask("POST", f"{ONE}/unlock", {"lock": "another"})).status == 400
    assert (await place.ask("POST", f"{ONE}/unlock", {"lock": held["lock"]})).json["opened"] is True
    assert (await place.ask("POST", f"{ONE}/unlock", {"lock": held["lock"]})).json["opened"] is False
    assert ("person:ada", "patch", "lock-tfstate-default-network") in await place.written()


@story
async def test_logs_are_those_of_the_latest_pod_or_what_was_told(works, place):
    await planned(works, tracked=True)
    await place.seen("web")
    told = (await place.ask("GET", f"{ONE}/logs?tailLines=5")).json
    assert told["source"] == "events"
    assert (await place.ask("GET", f"{ONE}/logs?tailLines=0")).json["lines"] == []
    assert (await place.ask("GET", f"{ONE}/logs?tailLines=100000")).status == 400
    assert (await place.ask("GET", f"{ONE}/logs", who="dev")).status == 403
    place.allow("p, dev, logs, get, shop/*, allow\n")
    assert (await place.ask("GET", f"{ONE}/logs", who="dev")).status == 200
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "run-1", "namespace": HOME, "labels": {"plumbline.dev/terraform": "network"}},
        "spec": {"containers": [{"name": "main", "image": "runner"}]},
    }
    await works.apply(pod, PODS)

    async def printed(self, target, parameters):
        for piece in (b"token=hunter2hunter2 \x1b[1mdone\n", b"x" * (2 << 20) + b"\nlast\n"):
            yield piece

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("plumbline.kube.client.Client.logs", printed)
        found = (await place.ask("GET", f"{ONE}/logs?tailLines=2")).json
        assert (found["source"], found["pod"], found["lines"][-1]) == ("pod", "run-1", "last")


@story
async def test_a_dangerous_plan_says_first_what_would_be_lost(works, place):
    digest = await planned(works)
    await place.ask("POST", f"{ONE}/approve", {"digest": digest})
    await works.told("Ready", "True", "TerraformAppliedSucceed")
    await works.pushed("main@sha1:" + "2" * 40, b="new-1")
    await works.told("Ready", "Unknown", "TerraformPlannedWithChanges")
    shown = (await place.ask("GET", f"{ONE}/plan")).json
    assert [each["action"] for each in shown["changes"]] == ["delete", "create"]
    assert shown["dangers"][0]["kind"] == "destroy"
    assert shown["changes"][0]["modules"][0]["changes"][0]["dangers"]


def _policy(**spec):
    return {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "TerraformPolicy",
        "metadata": {"name": "careful", "namespace": HOME},
        "spec": spec,
    }


NOBODY = [
    ("", "no name"),
    ("system:admin", "the cluster's"),
    ("plumbline:x", "ours"),
    ("proj:shop:ci", "a token"),
    ("a\nb", "a trick"),
]


@pytest.mark.parametrize(("name", "why"), NOBODY, ids=[each[1] for each in NOBODY])
def test_some_names_say_nothing(name, why):
    with pytest.raises(Forbidden):
        as_person(None, Who(name))


def test_what_a_cluster_needs_is_said():
    role, binding = manifests()
    assert role["rules"][0]["resources"] == ["planapprovals"]
    assert binding["subjects"][0]["name"] == GROUP
    assert impersonation()["verbs"] == ["impersonate"]


def test_values_of_sensitive_outputs_stay_where_they_are():
    found = {
        "url": Output(Plaintext(b'"http://x"'), sensitive=False),
        "password": Output(Plaintext(b'"canary"'), sensitive=True),
    }
    assert shapes.outputs(found) == [
        {"name": "url", "sensitive": False, "value": "http://x"},
        {"name": "password", "sensitive": True},
    ]
    assert shapes.spec({"spec": {"varsFrom": [{"kind": "Secret", "name": "x", "varsKeys": ["a"]}]}})[
        "variablesFrom"
    ] == [{"kind": "Secret", "name": "x"}]


STATES = [
    ({"metadata": {"deletionTimestamp": "x"}}, "deleting"),
    ({"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "TFExecPlanFailed"}]}}, "failed"),
    ({"status": {"plan": {"pending": "p"}, "conditions": [{"type": "Ready", "status": "False", "reason": "DriftDetected"}]}}, "drifted"),
    ({"spec": {"planOnly": True}, "status": {"plan": {"pending": "p"}, "conditions": [{"type": "Ready", "status": "Unknown", "reason": "TerraformPlannedWithChanges"}]}}, "planned"),
    ({}, "working"),
]  # fmt: skip


@pytest.mark.parametrize(("obj", "state"), STATES)
def test_one_word_says_how_an_object_is(obj, state):
    assert state_of(obj) == state


async def test_without_the_kind_there_is_nothing_and_it_is_said(place):
    async with office(place, TerraformApi(place.desk, gate_of(place), place.journal, Metrics())):
        found = (await place.ask("GET", ALL)).json
        assert (found["items"], found["served"]) == ([], False)
        assert (await place.ask("GET", ONE)).status == 404


@story
async def test_one_change_is_one_piece_of_news_for_those_who_may_see_it(works, place):
    await planned(works, tracked=True)
    target = Target(TERRAFORMS, HOME, "network")
    await works.client.patch(target, encode({"spec": {"suspend": True}}), "merge")
    await works.world.clock.sleep(60)
    rights, told = OurRights(place.desk), []
    async with place.terraform.feed.following("terraforms", told.append):
        await works.client.patch(target, encode({"metadata": {"labels": {"seen": "not"}}}), "merge")
        await works.client.patch(target, encode({"spec": {"path": "./other"}}), "merge")
        await works.world.clock.sleep(60)
    (change,) = told
    assert (change.key, change.payload) == (f"infra.contrib.fluxcd.io/Terraform/{HOME}/network", {"state": "suspended"})
    assert [rights.sees_scope(Who(each), change.scope) for each in ("ada", "dev", "eve")] == [True, True, False]
