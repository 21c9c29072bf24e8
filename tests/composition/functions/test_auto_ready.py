"""function-auto-ready judges what nobody judged before, each kind by its own rule."""

import pytest
from tests.composition.functions.asking import ask, call, refusal

from plumbline.composition.functions.auto_ready import AutoReady
from plumbline.composition.functions.values import Resource


def condition(kind, status="True"):
    return {"type": kind, "status": status}


def of(api_version, kind, spec=None, status=None, **metadata):
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec or {}, "status": status or {}}


READY = {"conditions": [condition("Ready")]}
SCALED = {"updatedReplicas": 2, "availableReplicas": 2, "conditions": [condition("Available")]}
STATEFUL = {"readyReplicas": 1, "currentReplicas": 1, "currentRevision": "a", "updateRevision": "a"}
DAEMONS = {"desiredNumberScheduled": 2, "numberReady": 2, "updatedNumberScheduled": 2, "numberAvailable": 2}
EARLY, LATE = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"
BALANCED = {"loadBalancer": {"ingress": [{"ip": "1.2.3.4"}]}}

RULES = [
    (of("example.org/v1", "Thing", status=READY), True, "any kind with the condition Ready"),
    (of("example.org/v1", "Thing", status={"conditions": [condition("Ready", "False")]}), False, "not ready"),
    (of("example.org/v1", "Thing", status={"conditions": [None, "x"]}), False, "conditions that are none"),
    (of("example.org/v1", "Thing", status={"conditions": "x"}), False, "no list of conditions"),
    (of("apps/v1", "Deployment", {"replicas": 2}, SCALED), True, "all replicas there"),
    (of("apps/v1", "Deployment", {"replicas": 2.0}, SCALED), True, "numbers as the protocol has them"),
    (of("apps/v1", "Deployment", {"replicas": 3}, SCALED), False, "one replica missing"),
    (of("apps/v1", "Deployment", {"replicas": 2}, {**SCALED, "conditions": []}), False, "not available"),
    (of("apps/v1", "Deployment", status={"conditions": [condition("Available")]}), False, "no counts yet"),
    (of("apps/v1", "Deployment", status={"updatedReplicas": True, "availableReplicas": True}), False, "no numbers"),
    (of("apps/v1", "Deployment", {"replicas": 9}, {**SCALED, **READY}), True, "its rule says no and its condition yes"),
    (of("apps/v1", "StatefulSet", status=STATEFUL), True, "one replica by default"),
    (of("apps/v1", "StatefulSet", status={**STATEFUL, "updateRevision": "b"}), False, "still updating"),
    (of("apps/v1", "StatefulSet", status={"readyReplicas": 1, "currentReplicas": 1}), False, "no revisions"),
    (of("apps/v1", "DaemonSet", status=DAEMONS), True, "everywhere"),
    (of("apps/v1", "DaemonSet", status={**DAEMONS, "numberReady": 1}), False, "not everywhere"),
    (of("apps/v1", "DaemonSet"), False, "nothing known"),
    (of("apps/v1", "ReplicaSet", status={"availableReplicas": 1}), True, "one by default"),
    (of("apps/v1", "ReplicaSet", {"replicas": 0}), True, "none wanted"),
    (of("apps/v1", "ReplicaSet", {"replicas": 0}, {"observedGeneration": 1}, generation=2), False, "not seen yet"),
    (of("apps/v1", "ReplicaSet", {"replicas": 0}, {"conditions": [condition("ReplicaFailure")]}), False, "failing"),
    (of("v1", "Pod", {"restartPolicy": "Always"}, {"phase": "Running", **READY}), True, "running and ready"),
    (of("v1", "Pod", {"restartPolicy": "Always"}, {"phase": "Running"}), False, "running"),
    (of("v1", "Pod", status={"phase": "Succeeded"}), True, "done"),
    (of("v1", "Pod", status={"phase": "Pending"}), False, "not yet running"),
    (of("batch/v1", "Job", status={"conditions": [condition("Complete")]}), True, "complete"),
    (of("batch/v1", "Job", status={"conditions": [condition("Failed"), condition("Complete")]}), False, "failed first"),
    (of("batch/v1", "Job", status={"conditions": [condition("Suspended")]}), False, "suspended"),
    (of("batch/v1", "Job"), False, "running"),
    (of("batch/v1", "CronJob", {"suspend": True}), True, "suspended on purpose"),
    (of("batch/v1", "CronJob"), False, "never scheduled"),
    (of("batch/v1", "CronJob", status={"lastScheduleTime": EARLY, "active": [{}]}), True, "running"),
    (of("batch/v1", "CronJob", status={"lastScheduleTime": EARLY, "lastSuccessfulTime": LATE}), True, "succeeded"),
    (of("batch/v1", "CronJob", status={"lastScheduleTime": LATE, "lastSuccessfulTime": EARLY}), False, "failed since"),
    (of("batch/v1", "CronJob", status={"lastScheduleTime": LATE}), False, "never succeeded"),
    (of("batch/v1", "CronJob", status={"lastScheduleTime": "yesterday"}), False, "no time at all"),
    (of("autoscaling/v2", "HorizontalPodAutoscaler", status={"conditions": [condition("ScalingActive")]}), True, "active"),
    (of("autoscaling/v2", "HorizontalPodAutoscaler", status={"conditions": [condition("InvalidSelector"), condition("ScalingActive")]}), False, "failing"),
    (of("autoscaling/v2", "HorizontalPodAutoscaler"), False, "waiting"),
    (of("v1", "Service", {"type": "ClusterIP"}), True, "nothing to wait for"),
    (of("v1", "Service", {"type": "LoadBalancer"}), False, "no address yet"),
    (of("v1", "Service", {"type": "LoadBalancer"}, BALANCED), True, "an address"),
    (of("networking.k8s.io/v1", "Ingress"), False, "no address yet"),
    (of("networking.k8s.io/v1", "Ingress", status=BALANCED), True, "an address"),
    (of("v1", "PersistentVolumeClaim", status={"phase": "Bound"}), True, "bound"),
    (of("v1", "PersistentVolumeClaim", status={"phase": "Pending"}), False, "not bound"),
    (of("v1", "ConfigMap"), True, "there"),
    (of("rbac.authorization.k8s.io/v1", "Role"), True, "there"),
    (of("v1", "Node", status=READY), True, "no rule of its own"),
    ({"apiVersion": "v1", "kind": "Pod", "status": 7, "spec": None}, False, "not what a pod looks like"),
]  # fmt: skip


@pytest.mark.parametrize(("observed", "ready", "why"), RULES, ids=[f"{o['kind']}: {w}" for o, _, w in RULES])
def test_each_kind_has_its_rule(observed, ready, why):
    answer = ask(AutoReady(), call(desired={"a": {"kind": observed["kind"]}}, observed={"a": observed}))
    assert answer.desired.resources["a"].ready == ("True" if ready else "Unspecified"), why


def test_what_somebody_said_before_stays():
    ready = of("v1", "ConfigMap")
    asked = call(
        desired={"a": Resource({}, ready="False"), "b": Resource({}, ready="True")}, observed={"a": ready, "b": {}}
    )
    answer = ask(AutoReady(), asked)
    assert [answer.desired.resources[name].ready for name in "ab"] == ["False", "True"]


def test_what_is_not_there_yet_is_not_judged():
    answer = ask(AutoReady(), call(desired={"a": of("v1", "ConfigMap")}))
    assert answer.desired.resources["a"].ready == "Unspecified"


def test_everything_else_passes_through():
    asked = call(desired={"a": {"kind": "A"}}, context={"k": 1})
    answer = ask(AutoReady(), asked)
    assert (answer.context, answer.ttl_s, answer.results) == ({"k": 1}, 60.0, ())
    assert answer.desired.resources["a"].resource == {"kind": "A"}


def test_the_time_to_live_can_be_set():
    assert ask(AutoReady(), call(input={"ttl": "90s"})).ttl_s == 90.0
    assert refusal(ask(AutoReady(), call(input={"ttl": "soon"}))).startswith("invalid input: ")
    assert refusal(ask(AutoReady(), call(input={"ttl": "-1s"}))) == "invalid input: the duration -1s is negative"
    assert "cannot get Function input" in refusal(ask(AutoReady(), call(input={"ttl": 5})))


def test_who_writes_rules_in_cel_is_told_that_they_are_not_evaluated():
    answer = ask(AutoReady(), call(input={"celHealthCheckCustomization": {"_v1_Pod": "true"}}))
    assert [each.severity for each in answer.results] == ["Warning"]
