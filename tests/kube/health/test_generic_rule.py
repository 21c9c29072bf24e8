"""Kinds that nobody wrote a rule for, judged by the conditions that controllers have in common."""

import pytest

from plumbline.kube.health import Status, assess


def thing(*conditions, generation=None, observed=None):
    names = ("type", "status", "reason", "message")
    status = {"conditions": [dict(zip(names, condition.split(" ", 3), strict=False)) for condition in conditions]}
    if observed is not None:
        status["observedGeneration"] = observed
    return {
        "apiVersion": "platform.example.org/v1",
        "kind": "XDatabase",
        "metadata": {"generation": generation},
        "status": status,
    }


CASES = [
    (("Ready True Ready up",), "Healthy", "up", "ready"),
    (("Ready True Ready",), "Healthy", "Ready", "a reason where there is no message"),
    (("Ready Unknown Progressing soon",), "Progressing", "soon", "nobody knows yet"),
    (("Ready False Creating at it",), "Progressing", "at it", "where most controllers begin"),
    (("Ready False ReconciliationFailed no",), "Degraded", "no", "the reason calls it a failure"),
    (("Ready False InvalidSpec no",), "Degraded", "no", "the reason calls it invalid"),
    (("Ready Unknown FailedOnce soon",), "Progressing", "soon", "Unknown is not False"),
    (("Synced True ReconcileSuccess", "Ready False Unavailable wait"), "Progressing", "wait", "Crossplane makes it"),
    (("Ready True Available", "Synced False ReconcileError denied"), "Degraded", "denied", "Crossplane cannot"),
    (("Ready True Available", "Synced False ReconcilePaused held"), "Suspended", "held", "Crossplane is held"),
    (("Ready False X", "Stalled True BadSource stuck"), "Degraded", "stuck", "Flux gave up"),
    (("Ready Unknown X", "Reconciling True Retry again"), "Progressing", "again", "Flux works on it"),
    (("Ready True X up", "Reconciling False X", "Stalled False X"), "Healthy", "up", "Flux is done"),
    (("Available True AsExpected up", "Progressing False X", "Degraded False X"), "Healthy", "up", "OpenShift is well"),
    (("Available True AsExpected up", "Degraded True Lost lost"), "Degraded", "lost", "OpenShift is not"),
    (("Available True X up", "Progressing True Rolling rolls"), "Progressing", "rolls", "available while it changes"),
    (("Available True X up", "Progressing True NewReplicaSetAvailable rolled"), "Healthy", "up", "the rollout is over"),
    (("Ready True X up", "Available False X", "Progressing True X"), "Healthy", "up", "Ready outweighs the others"),
    (("Progressing True X rolls",), "Progressing", "rolls", "only at work"),
    (("Progressing False X rests",), "Healthy", "rests", "no longer at work"),
    (("Progressing False ProgressDeadlineExceeded late",), "Degraded", "late", "gave up"),
    (("Synced True Ok same",), "Healthy", "same", "only in step"),
]


@pytest.mark.parametrize(("conditions", "status", "message", "why"), CASES)
def test_conditions_that_controllers_share_decide(conditions, status, message, why):
    health = assess(thing(*conditions))
    assert (health.status, health.message, health.basis) == (status, message, "generic"), why


def test_a_severity_of_error_is_a_failure():
    condition = {"type": "Ready", "status": "False", "reason": "Waiting", "severity": "Error", "message": "quota"}
    obj = {"apiVersion": "infra.example.org/v1", "kind": "Pool", "status": {"conditions": [condition]}}
    assert assess(obj).status is Status.DEGRADED


@pytest.mark.parametrize("conditions", [(), ("Issued True",), ("Synced Unknown",), ("Stalled False",)])
def test_conditions_that_tell_nothing_give_no_opinion(conditions):
    assert assess(thing(*conditions)) is None


def test_an_object_without_conditions_has_no_health():
    assert assess({"apiVersion": "v1", "kind": "ConfigMap", "data": {}}) is None
    assert assess({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role"}) is None


COMPOSED = [
    ({"compositeDeletePolicy": "Background"}, "every claim in a cluster has it"),
    ({"compositionUpdatePolicy": "Automatic"}, "every cluster-scoped composite has it"),
    ({"compositionSelector": {"matchLabels": {"provider": "aws"}}}, "a claim in a file may have only this"),
    ({"compositionRef": {"name": "aws"}}, "or this"),
    ({"crossplane": {"compositionRef": {"name": "aws"}}}, "composites of the newer lineage have it one level down"),
]


@pytest.mark.parametrize(("spec", "why"), COMPOSED, ids=[why for _, why in COMPOSED])
def test_claims_and_composites_are_not_well_before_somebody_has_said_so(spec, why):
    claim = {"apiVersion": "platform.example.org/v1", "kind": "Database", "spec": {"size": "large", **spec}}
    assert (assess(claim).status, assess(claim).message) == (Status.PROGRESSING, "Waiting to be composed")
    early = {**claim, "status": thing("Synced True ReconcileSuccess")["status"]}
    assert assess(early).status is Status.PROGRESSING, "composed, and nobody knows yet whether it works"
    assert assess({**claim, "status": thing("Synced False ReconcileError no")["status"]}).status is Status.DEGRADED
    assert assess({**claim, "status": thing("Ready True Available")["status"]}).status is Status.HEALTHY


def test_a_field_that_happens_to_be_called_like_crossplane_makes_no_composite():
    assert assess({"apiVersion": "platform.example.org/v1", "kind": "Tool", "spec": {"crossplane": "1.20"}}) is None


def test_a_report_on_an_older_spec_is_progress():
    assert assess(thing("Ready True", generation=2, observed=1)).status is Status.PROGRESSING
    assert assess(thing("Ready True", generation=2, observed=2)).status is Status.HEALTHY
    assert assess(thing("Ready True", observed=1)).status is Status.HEALTHY


def test_a_condition_on_an_older_spec_is_progress():
    obj = thing("Ready True", generation=2)
    obj["status"]["conditions"][0]["observedGeneration"] = 1
    assert assess(obj).message == "Waiting for the latest spec to be observed"


def test_the_generic_rule_can_be_left_out_for_argos_own_answer():
    assert assess(thing("Ready True"), generic_rule=False) is None


def test_a_kind_with_a_rule_of_its_own_never_falls_back():
    spot = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Experiment", "status": thing("Ready True")["status"]}
    assert assess(spot) is None
