"""The verbs of `plumb tf` about objects, typed against an installation."""

import base64
from functools import partial

import pytest
from tests.terraform.works import APPROVALS, HOME, POLICIES, SECRETS, terraform

from plumbline.base.errors import Forbidden, ToolFailed
from plumbline.base.json import decode, encode
from plumbline.kube.client import Client, Target
from plumbline.kube.names import GroupVersionResource
from plumbline.terraform.objects.store import Terraforms
from plumbline.terraform.state import Place, read
from plumbline.terraform.state.packing import packed

CANARY = "canary-81f3"
OUTPUTS = {
    "address": {"value": "10.0.0.1", "type": "string"},
    "ports": {"value": [80, 443], "type": ["list", "number"]},
    "secret_word": {"value": CANARY, "type": "string", "sensitive": True},
}


@pytest.fixture
def made(installation):
    """Makes an object, and waits until it says so."""

    def make(name, *told, **spec):
        works = installation.works

        async def wait():
            await works.apply(terraform(name, **spec))
            return await works.told(*told, name=name)

        return installation.do(wait())

    return make


@pytest.fixture
def waiting(made):
    return lambda name, **spec: made(name, "Ready", "Unknown", "TerraformPlannedWithChanges", approvePlan="", **spec)


@pytest.fixture
def applied(made):
    return lambda name, **spec: made(name, "Ready", "True", "Applied", **spec)


def test_objects_are_listed_with_what_waits(tf, run, waiting, applied):
    waiting("listed-one")
    applied("listed-two")
    said = tf("list")
    assert said.code == 0
    rows = {line.split()[0]: line.split() for line in said.out.splitlines()}
    assert rows["NAME"] == ["NAME", "READY", "PLAN", "REVISION", "DRIFT", "AGE"]
    assert rows["listed-one"][1:3] == ["Unknown", "plan-main-1111111111"]
    assert rows["listed-two"][1:5] == ["True", "none", "main@sha1:111111111111", "no"]
    assert run("tf", "list", "-A").out.startswith("NAMESPACE   NAME")
    assert "GitRepository/infrastructure" in tf("list", "-o", "wide").out
    assert "terraform.infra.contrib.fluxcd.io/listed-one\n" in tf("list", "-o", "name").out
    names = [each["metadata"]["name"] for each in decode(tf("list", "-o", "json").out)["items"]]
    assert {"listed-one", "listed-two"} <= set(names)
    assert tf("list", "-o", "yaml").out.startswith("items:")
    nothing = run("tf", "list", "-n", "default")
    assert (nothing.code, nothing.out) == (0, "")
    assert "-A" in nothing.err


def test_a_plan_is_shown_with_its_digest_and_what_it_waits_for(tf, waiting):
    waiting("shown")
    said = tf("show", "shown")
    assert said.code == 0
    assert "Plan:       plan-main-1111111111" in said.out
    assert "terraform_data.a" in said.out
    assert "1 to add" in said.out
    digest = decode(tf("show", "shown", "-o", "json").out)["digest"]
    assert f"Digest:     {digest}" in said.out
    full = tf("show", "shown", "--full")
    assert "create terraform_data.a" in full.out
    assert "input" in full.out


def test_the_tools_own_text_is_shown_where_it_is_kept(tf, waiting):
    waiting("wordy", storeReadablePlan="human")
    assert tf("show", "wordy", "--full").out.endswith("a plan\n")


def test_where_no_plan_waits_the_last_one_is_named(tf, applied):
    applied("settled")
    said = tf("show", "settled")
    assert "none waits" in said.out
    assert "plan-main-1111111111" in said.out
    assert tf("approve", "settled", "--yes").code == 5


@pytest.mark.parametrize("verb", ["show", "approve", "plan", "apply", "destroy", "unlock", "output", "suspend", "logs"])
def test_an_object_that_is_not_there_is_not_found(tf, verb):
    said = tf(verb, "nobody")
    assert said.code == 5
    assert "plumb tf list" in said.err


def test_an_approval_is_made_under_ones_own_name(tf, waiting, installation):
    waiting("agreed")
    said = tf("approve", "agreed", "--yes", "--comment", "looks right")
    assert said.code == 0, said.err
    works = installation.works
    installation.do(works.told("Ready", "True", "Applied", name="agreed"))
    page = installation.do(works.client.list(Target(APPROVALS, HOME)))
    (made,) = [spec for each in page.items if (spec := decode(bytes(each))["spec"])["terraform"] == "agreed"]
    assert (made["decision"], made["comment"]) == ("Approve", "looks right")
    assert f"by {made['by']}" in said.err


def test_a_plan_is_approved_by_its_digest_or_not_at_all(tf, waiting):
    waiting("named")
    digest = decode(tf("show", "named", "-o", "json").out)["digest"]
    assert tf("approve", "named", "--yes", "--plan", "0" * 64).code == 6
    assert tf("approve", "named", "--yes", "--plan", digest[:6]).code == 2
    assert tf("approve", "named", "--yes", "--plan", "plan-main").code == 2
    assert tf("approve", "named", "--yes", "--plan", f"sha256:{digest[:12]}").code == 0


def test_where_nobody_can_be_asked_nothing_is_approved(tf, waiting):
    waiting("unasked")
    said = tf("approve", "unasked")
    assert said.code == 8
    assert "--yes" in said.err
    assert "terraform_data.a" in said.err, "what it is about is shown all the same"


def test_a_person_who_says_no_has_said_nothing(tf, waiting, monkeypatch):
    waiting("pondered")
    monkeypatch.setattr("plumbline.cli.terraform.objects.approving.on_terminal", lambda question: False)
    assert tf("approve", "pondered").code == 1
    assert "Nothing was said" in tf("approve", "pondered").err


def test_a_rejection_holds_and_can_be_taken_back(tf, waiting, installation):
    waiting("vetoed")
    assert tf("reject", "vetoed", "--yes", "--comment", "not today").code == 0
    works = installation.works
    installation.do(works.told("Ready", "Unknown", "rejected by", name="vetoed"))
    shown = tf("show", "vetoed").out
    assert "Reject" in shown
    assert "not today" in shown
    assert tf("reject", "vetoed", "--yes").code == 0, "twice is once"
    assert tf("approve", "vetoed", "--yes").code == 0
    installation.do(works.told("Ready", "True", "Applied", name="vetoed"))


def test_whom_no_policy_names_is_told_so(tf, waiting, installation):
    policy = {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "TerraformPolicy",
        "metadata": {"name": "guarded", "namespace": HOME},
        "spec": {"names": ["guarded"], "approvers": {"users": ["ann"]}},
    }
    installation.do(installation.works.apply(policy, POLICIES))
    waiting("guarded")
    said = tf("approve", "guarded", "--yes")
    assert said.code == 4
    assert "may not approve plans of Terraform guarded" in said.err


def test_a_new_plan_is_asked_for_and_shown(tf, waiting, applied):
    waiting("planned")
    said = tf("plan", "planned")
    assert said.code == 1, said.err
    assert "Digest:" in said.out
    assert "Terraform Planning" in said.err
    applied("unchanged")
    said = tf("plan", "unchanged")
    assert (said.code, said.out) == (0, "")
    assert "Nothing would change" in said.err


def test_a_plan_that_fails_is_a_failure_and_says_why(tf, applied, installation):
    applied("broken")
    installation.cloud("broken").failing = ToolFailed("The plan failed", why="no such region")
    said = tf("plan", "broken")
    assert said.code == 3
    assert "no such region" in said.err
    assert tf("apply", "broken", "--yes").code == 3
    installation.cloud("broken").failing = None


def test_apply_plans_asks_approves_and_waits(tf, waiting, installation):
    waiting("whole")
    assert tf("apply", "whole").code == 8
    said = tf("apply", "whole", "--yes")
    assert said.code == 0, said.err
    assert installation.cloud("whole").resources == {"a": "1"}
    assert "Applied successfully" in said.err
    again = tf("apply", "whole", "--yes")
    assert again.code == 0
    assert "Nothing to apply" in again.err


def test_what_needs_others_too_is_approved_and_waits(tf, waiting, installation):
    policy = {
        "apiVersion": "plumbline.dev/v1alpha1",
        "kind": "TerraformPolicy",
        "metadata": {"name": "four-eyes", "namespace": HOME},
        "spec": {"names": ["four-eyes"], "approvals": 2},
    }
    installation.do(installation.works.apply(policy, POLICIES))
    waiting("four-eyes")
    said = tf("apply", "four-eyes", "--yes")
    assert said.code == 8
    assert "1 approval missing, approved by" in said.err
    assert not installation.cloud("four-eyes").resources


def test_only_plans_are_not_applied(tf, waiting):
    waiting("looked-at", planOnly=True)
    said = tf("apply", "looked-at", "--yes")
    assert said.code == 2
    assert "planOnly" in said.err


def test_options_about_repositories_and_about_objects_do_not_mix(tf, run):
    said = tf("plan", "x", "--changed-since", "main")
    assert said.code == 2
    assert "--changed-since" in said.err
    said = run("tf", "apply", "--plan", "0" * 12, "--yes")
    assert said.code == 2
    assert "--yes" in said.err
    assert run("tf", "plan").code == 2


def test_destroying_is_a_plan_that_waits(tf, applied, installation, monkeypatch):
    applied("doomed")
    monkeypatch.setattr("plumbline.cli.terraform.objects.runs.on_terminal", lambda question: False)
    said = tf("destroy", "doomed")
    assert said.code == 1, said.err
    spec = installation.do(installation.works.get("doomed"))["spec"]
    assert (spec["destroy"], spec["approvePlan"]) == (False, "auto")
    assert installation.cloud("doomed").resources == {"a": "1"}
    installation.do(installation.works.told("Ready", "True", name="doomed"))
    said = tf("destroy", "doomed", "--yes")
    assert said.code == 0, said.err
    assert "It destroys everything." in said.err
    assert installation.cloud("doomed").resources == {}
    assert "the object stays" in said.err
    again = tf("destroy", "doomed", "--yes")
    assert again.code == 0


def test_what_would_be_destroyed_unasked_is_not_destroyed(tf, made):
    made("forced", "Ready", "True", "Applied", force=True)
    said = tf("destroy", "forced", "--yes")
    assert said.code == 2
    assert "spec.force" in said.err


async def written(works, name):
    """Outputs in the state, as the tool keeps them."""
    place = Place(HOME, "default", name)
    state = decode((await read(works.client, place)).text.reveal()) | {"outputs": OUTPUTS}
    content = base64.b64encode(packed(encode(state))).decode()
    await works.client.patch(place.secret, encode({"data": {"tfstate": content}}), "merge")


def test_outputs_are_printed_and_secrets_only_on_request(tf, applied, installation):
    applied("talking")
    installation.do(written(installation.works, "talking"))
    said = tf("output", "talking")
    assert said.out == 'address = "10.0.0.1"\nports = [80,443]\nsecret_word = (sensitive value)\n'
    assert tf("output", "talking", "address").out == "10.0.0.1\n"
    assert tf("output", "talking", "ports").out == "[80,443]\n"
    hidden = tf("output", "talking", "secret_word")
    assert hidden.code == 2
    assert CANARY not in hidden.out + hidden.err
    assert tf("output", "talking", "secret_word", "--reveal").out == f"{CANARY}\n"
    assert CANARY in tf("output", "talking", "--reveal").out
    assert decode(tf("output", "talking", "--json").out)["secret_word"] == {"sensitive": True, "value": None}
    assert tf("output", "talking", "nothing").code == 5


def test_outputs_of_a_state_elsewhere_come_from_their_secret(tf, installation, made):
    works = installation.works
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "elsewhere-outputs", "namespace": HOME},
        "stringData": {"address": "10.0.0.9"},
    }
    installation.do(works.apply(secret, SECRETS))
    backend = {"customConfiguration": 'backend "s3" {}'}
    obj = terraform(
        "elsewhere", suspend=True, backendConfig=backend, writeOutputsToSecret={"name": "elsewhere-outputs"}
    )
    installation.do(works.apply(obj))
    assert tf("output", "elsewhere").out == "address = (sensitive value)\n"
    assert tf("output", "elsewhere", "address", "--reveal").out == "10.0.0.9\n"
    assert tf("state", "elsewhere", "list").code == 2


def test_the_state_is_listed_pulled_and_brought_back(tf, applied, installation):
    applied("kept")
    data = ("--data", str(installation.data))
    assert tf("state", "kept", "list").out == "terraform_data.a\n"
    assert decode(tf("state", "kept", "pull").out)["serial"] == 1
    versions = tf("state", "kept", "versions", *data).out
    assert versions.splitlines()[1].startswith("1 ")
    same = tf("state", "kept", "restore", "latest", *data)
    assert (same.code, "already" in same.err) == (0, True)
    target = Target(SECRETS, HOME, "tfstate-default-kept")
    installation.do(installation.works.client.delete(target))
    assert tf("state", "kept", "list").code == 5
    said = tf("state", "kept", "restore", "1", *data)
    assert said.code == 0, said.err
    assert "Restored serial 1 with 1 resources" in said.err
    assert tf("plan", "kept").code == 0, "after that nothing would change"
    assert tf("state", "kept", "restore", "77", *data).code == 5
    assert tf("state", "kept", "versions", "--data", "/nonexistent").code == 5
    assert tf("state", "kept", "restore").code == 2


def test_a_lock_is_explained_and_opened_by_its_id_alone(tf, applied, installation):
    applied("locked")
    assert tf("unlock", "locked").code == 0
    installation.do(installation.works.lock("locked", "11111111-2222-3333-4444-555555555555"))
    said = tf("unlock", "locked")
    assert said.code == 1
    assert "ann@laptop holds it" in said.out
    assert "--lock 11111111-2222-3333-4444-555555555555" in said.err
    assert tf("unlock", "locked", "--lock", "another").code == 2
    assert tf("unlock", "locked", "--lock", "11111111-2222-3333-4444-555555555555").code == 0
    assert tf("unlock", "locked").code == 0


def test_an_object_is_left_alone_and_looked_after_again(tf, applied, installation):
    applied("quiet")
    assert tf("suspend", "quiet").code == 0
    assert "suspended" in tf("list").out
    said = tf("plan", "quiet")
    assert said.code == 2
    assert "plumb tf resume quiet" in said.err
    assert tf("resume", "quiet").code == 0
    assert tf("plan", "quiet").code == 0


def test_what_was_told_of_a_run_is_printed_where_no_pod_carried_it_out(tf, applied, installation):
    applied("logged")
    works = installation.works
    installation.do(works.until(partial(works.events, "logged")))
    said = tf("logs", "logged")
    assert said.code == 0
    assert "TerraformAppliedSucceed: Applied successfully" in said.out


def test_what_the_pod_of_a_run_printed_is_printed(tf, applied, installation):
    applied("podded")
    pods = []

    async def logs(self, target, parameters=None, **_):
        pods.append((target.name, dict(parameters)))
        yield b"Terraform\x1b[2J has \x07begun\n"

    works = installation.works
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "podded-run", "namespace": HOME, "labels": {"plumbline.dev/terraform": "podded"}},
        "spec": {"schedulerName": "nobody", "containers": [{"name": "main", "image": "registry.test/runner:1"}]},
    }
    installation.do(works.client.create(Target(GroupVersionResource("", "v1", "pods"), HOME), encode(pod)))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Client, "logs", logs)
        said = tf("logs", "podded", "--follow")
    assert "has ?begun" in said.out
    assert pods == [("podded-run", {"follow": "true"})]


def test_whoever_may_not_read_secrets_sees_what_the_status_says_and_approves_by_the_whole_digest(
    tf, waiting, installation, monkeypatch
):
    waiting("veiled")
    digest = decode(tf("show", "veiled", "-o", "json").out)["digest"]

    async def denied(self, resource, labels):
        raise Forbidden("secrets is forbidden")

    monkeypatch.setattr(Terraforms, "labelled", denied)
    said = tf("show", "veiled")
    assert f"Digest:     {digest}" in said.out, "the status names it"
    assert "+ terraform_data.a" in said.out
    assert tf("approve", "veiled", "--yes").code == 0
    installation.do(installation.works.told("Ready", "True", "Applied", name="veiled"))
