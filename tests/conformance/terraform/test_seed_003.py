"""The article's Terraform object with a repository beside it, on our plane and on a real cluster, with both tools."""

import itertools

import pytest
from tests.conformance.terraform.estate import condition

pytestmark = pytest.mark.conformance

_names = itertools.count(1)


@pytest.fixture
def name(estate):
    """An object of the test's own. What it made is only terraform_data."""
    made = f"module{next(_names)}x"
    yield made
    estate.remove(made)


def data(value: str, name: str = "vpc", *, guarded: bool = False) -> str:
    lifecycle = "  lifecycle {\n    prevent_destroy = true\n  }\n" if guarded else ""
    return f'resource "terraform_data" "{name}" {{\n  input = "{value}"\n{lifecycle}}}\n'


def replaced(value: str) -> str:
    return f'resource "terraform_data" "vpc" {{\n  triggers_replace = "{value}"\n}}\n'


def plan_of(obj) -> str:
    return obj["status"]["plan"]["pending"]


def test_the_manifest_to_the_letter_is_applied(estate):
    revision = estate.module(data("10.0.0.0/16") + 'output "vpc" {\n  value = terraform_data.vpc.output\n}\n')
    estate.terraform()
    obj = estate.applied(revision)
    assert estate.inputs() == {"vpc": "10.0.0.0/16"}
    assert obj["spec"]["approvePlan"] == "auto"
    assert (obj["spec"]["interval"], obj["spec"]["retryInterval"]) == ("10m", "5m")
    assert obj["status"]["plan"]["lastApplied"].startswith("plan-main-")
    assert obj["status"]["availableOutputs"] == ["vpc"]
    assert not estate.holder(), "the lock is released"


def test_by_hand_it_waits_and_the_id_of_the_plan_approves_it(estate, name):
    revision = estate.module(data("1"), name)
    estate.terraform(name, approvePlan="manual")
    obj = estate.waiting(revision, name)
    assert plan_of(obj) == f"plan-main-{revision.rpartition(':')[2][:10]}"
    assert not estate.inputs(name)
    estate.change(name, approvePlan=plan_of(obj))
    estate.applied(revision, name)
    assert estate.inputs(name) == {"vpc": "1"}


def test_the_digest_of_the_plan_approves_it_too(estate, name):
    revision = estate.module(data("1"), name)
    estate.terraform(name, approvePlan="")
    estate.waiting(revision, name)
    estate.change(name, approvePlan=estate.digest(name))
    estate.applied(revision, name)


def test_another_commit_voids_the_approval(estate, name):
    first = estate.module(data("1"), name)
    estate.terraform(name, approvePlan="manual")
    approved = plan_of(estate.waiting(first, name))
    second = estate.module(data("2"), name)
    estate.waiting(second, name)
    estate.change(name, approvePlan=approved)
    obj = estate.until(lambda: _seen(estate.get(name)), f"{name} was looked at")
    assert plan_of(obj) != approved
    assert not estate.inputs(name), "neither plan is applied"
    assert any(each.startswith(f"PlanSuperseded: Plan {approved} is void") for each in estate.events(name))


def test_a_state_that_somebody_changed_voids_the_approval(estate, name):
    first = estate.module(data("1"), name)
    estate.terraform(name)
    estate.applied(first, name)
    second = estate.module(replaced("2"), name)
    approved = estate.waiting(second, name) and estate.digest(name)
    said = estate.by_hand(data("mine", "other"), "apply", "-auto-approve", "-no-color", "-input=false", name=name)
    assert said.code == 0, said.err
    estate.change(name, approvePlan=approved)
    estate.until(lambda: estate.digest(name) != approved, f"{name} is planned anew")
    estate.told("Ready", "Unknown", "waits", name)
    assert estate.inputs(name) == {"other": "mine"}, "what somebody did by hand is as they left it"
    assert any(each.startswith("PlanSuperseded: ") and "state" in each for each in estate.events(name))


def test_a_rename_destroys_nothing_and_is_applied(estate, name):
    estate.module(data("1"), name)
    estate.terraform(name)
    estate.until(lambda: estate.inputs(name) == {"vpc": "1"}, f"{name} is applied")
    before = estate.state(name)["resources"][0]["instances"][0]["attributes"]["id"]
    moved = "moved {\n  from = terraform_data.vpc\n  to   = terraform_data.network\n}\n"
    estate.applied(estate.module(data("1", "network") + moved, name), name)
    (resource,) = estate.state(name)["resources"]
    assert (resource["name"], resource["instances"][0]["attributes"]["id"]) == ("network", before)


def test_a_guard_that_goes_with_its_block_is_missed(estate, name):
    estate.applied_first(name, data("1", guarded=True) + data("2", "subnet"))
    revision = estate.module(data("2", "subnet"), name)
    obj = estate.waiting(revision, name, "prevent_destroy")
    assert "terraform_data.vpc" in condition(obj, "Ready")["message"]
    assert estate.inputs(name) == {"vpc": "1", "subnet": "2"}


@pytest.mark.parametrize("change", [data("2", "subnet"), replaced("2")], ids=["destroys", "replaces"])
def test_what_loses_something_waits_although_it_is_automatic(estate, name, change):
    estate.applied_first(name, data("1"))
    before = estate.state(name)
    revision = estate.module(change, name)
    obj = estate.waiting(revision, name, "terraform_data.vpc")
    assert estate.state(name) == before
    estate.change(name, approvePlan=plan_of(obj))
    estate.applied(revision, name)
    assert [each["name"] for each in estate.state(name)["resources"]] == [change.split('"')[3]]


def test_what_fails_is_tried_again_after_the_retry_interval(estate, name):
    estate.module('resource "terraform_data" "vpc" {\n  input = file("missing")\n}\n', name)
    estate.terraform(name, retryInterval="2s", interval="1h")
    estate.told("Ready", "False", "TFExecPlanFailed", name)
    estate.until(lambda: estate.get(name)["status"].get("reconciliationFailures", 0) >= 2, f"{name} is tried again")
    estate.applied(estate.module(data("1"), name), name)
    assert not estate.get(name)["status"].get("reconciliationFailures")


def test_what_somebody_changed_is_found_at_the_next_interval(estate, name):
    revision = estate.applied_first(name, data("1"), interval="5s")
    assert estate.by_hand("", "state", "rm", "terraform_data.vpc", name=name).code == 0
    assert not estate.inputs(name)
    estate.until(lambda: estate.inputs(name) == {"vpc": "1"}, f"{name} is corrected")
    obj = estate.applied(revision, name)
    assert obj["status"]["lastDriftDetectedAt"]
    assert any(each.startswith("DriftDetected: ") for each in estate.events(name))


def _seen(obj):
    status = obj.get("status") or {}
    current = status.get("observedGeneration") == obj["metadata"]["generation"]
    return obj if current and "waits" in condition(obj, "Ready").get("message", "") else None
